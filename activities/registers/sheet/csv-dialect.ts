// How a CSV is written. A receipt goes back in the dialect that the register came in, for the spreadsheet
// programs of one office agree with each other and with nobody else.

export interface CsvDialect {
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  /** The file begins with a byte order mark. */
  readonly bom: boolean;
  readonly delimiter: ',' | ';' | '\t';
  readonly lineEnd: '\r\n' | '\n' | '\r';
}

export const DELIMITERS: readonly CsvDialect['delimiter'][] = [';', ',', '\t'];
