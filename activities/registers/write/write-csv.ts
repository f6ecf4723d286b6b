// A grid of texts as the bytes of a CSV file, in the dialect that is asked for. Pure.
import { stringify } from 'csv-stringify/sync';
import type { CsvDialect } from '../sheet/csv-dialect';
import { encodeWindows1252, isLikelyWindows1252 } from '../sheet/windows-1252';

export interface WrittenCsv {
  readonly bytes: Buffer;
  /** What it was written in: UTF-8 with a byte order mark where the encoding asked for could not be read. */
  readonly dialect: CsvDialect;
}

/**
 * The cells are written as they are: who puts texts of ours among them has made them safe (`toCsvText`). Rows
 * are filled up to the longest, so that every row has the same cells.
 */
export function writeCsv(rows: readonly (readonly string[])[], dialect: CsvDialect): WrittenCsv {
  const width = rows.reduce((longest, row) => Math.max(longest, row.length), 0);
  const text = stringify(
    rows.map(row => [...row, ...Array<string>(width - row.length).fill('')]),
    {
      delimiter: dialect.delimiter,
      record_delimiter: dialect.lineEnd,
      // Whatever ends a line anywhere is quoted everywhere; so is what would be trimmed.
      quoted_match: /[\r\n]|^\s|\s$/,
    },
  );
  const bytes = encode(text, dialect);
  if (bytes !== undefined) return { bytes, dialect };
  const wider: CsvDialect = { ...dialect, encoding: 'utf-8', bom: true };
  return { bytes: Buffer.from(`\uFEFF${text}`), dialect: wider };
}

/** Undefined when the encoding has no bytes for one of the characters, or would not be known again. */
function encode(text: string, { encoding, bom }: CsvDialect): Buffer | undefined {
  const marked = bom ? `\uFEFF${text}` : text;
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(marked);
    case 'utf-16le':
      return Buffer.from(marked, 'utf16le');
    case 'utf-16be':
      return Buffer.from(marked, 'utf16le').swap16();
    case 'windows-1252':
      return isLikelyWindows1252(text) ? encodeWindows1252(text) : undefined;
  }
}
