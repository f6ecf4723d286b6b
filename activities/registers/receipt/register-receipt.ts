// The receipt of a job that came with a register: that register, with what became of each of
// its rows. XLSX in, XLSX out; CSV in, CSV out in the same dialect. Pure: the same bytes for
// the same input, whoever makes it.

import type { CsvDialect } from '../sheet/csv-dialect';
import { SHEET_LIMITS } from '../sheet/sheet-limits';
import { unpackWorkbook } from '../sheet/unpack-workbook';
import { type Additions, addToGrid, type Texts } from '../write/additions';
import { planAnew, WRITTEN_ANEW } from '../write/write-anew';
import { type WrittenCsv, writeCsv } from '../write/write-csv';
import { addToWorkbook, type WrittenWorkbook } from '../write/write-into-workbook';
import { writeWorkbook } from '../write/write-workbook';
import { planAbout, type ReceiptFacts } from './receipt-about';
import { FRONT_COLUMNS, findReceiptColumns, listBackColumns, markFile, markRow } from './receipt-columns';
import { type DocumentResult, toAddedRow } from './receipt-row';

/** What became of a row of the register. Rows and columns count from 0, in the register as it came. */
export interface RegisterResult extends DocumentResult {
  readonly row: number;
  /** Columns whose cells are wrong or wanting: they are marked. */
  readonly faultyColumns?: readonly number[];
  /** What people have corrected in it. */
  readonly written?: Texts;
}

/** A file of the job that no row lists. It gets a row of its own below the others. */
export interface UnlistedResult extends DocumentResult {
  readonly file: string;
  readonly written?: Texts;
}

export interface RegisterReceipt {
  readonly facts: ReceiptFacts;
  readonly headerRow: number;
  /** The texts of that row, ours of an earlier receipt among them. */
  readonly headers: readonly string[];
  /** The column that names the files. */
  readonly fileColumn: number;
  readonly results: readonly RegisterResult[];
  readonly unlisted: readonly UnlistedResult[];
  /** Headers of columns that people have added since, behind all others. */
  readonly added?: Texts;
}

/** `rows`: the texts of all rows, blank ones included. */
export interface RegisterWorkbook {
  readonly bytes: Uint8Array;
  /** The sheet that was read. */
  readonly sheetName: string;
  readonly rows: readonly (readonly string[])[];
}

/** `rows`: the texts of all rows, blank ones included. */
export interface RegisterCsv {
  readonly rows: readonly (readonly string[])[];
  readonly dialect: CsvDialect;
}

/**
 * The workbook with the receipt on the sheet that was read. One that the library cannot change is written
 * anew from its texts: a job never goes without its receipt.
 */
export async function writeRegisterWorkbook(
  register: RegisterWorkbook,
  receipt: RegisterReceipt,
): Promise<WrittenRegister> {
  const { facts } = receipt;
  const additions = planAdditions(receipt);
  const madeAt = new Date(facts.writtenAt);
  const about = (notCarried: readonly string[]) => planAbout(facts, notCarried);
  try {
    // The library unpacks every part of it: those that reading leaves packed are checked for their size here.
    await unpackWorkbook(Buffer.from(register.bytes), SHEET_LIMITS, 'all');
    return await addToWorkbook(register.bytes, register.sheetName, additions, about, madeAt);
  } catch (cause: unknown) {
    const notCarried = [WRITTEN_ANEW];
    const sheets = [planAnew(register.sheetName, register.rows, additions), about(notCarried)];
    const bytes = await writeWorkbook({ title: `Receipt of ${facts.jobName}`, madeAt, sheets });
    return { bytes, notCarried, cause };
  }
}

export interface WrittenRegister extends WrittenWorkbook {
  /** Why it was written anew, for a log; absent when it was not. */
  readonly cause?: unknown;
}

export function writeRegisterCsv(register: RegisterCsv, receipt: RegisterReceipt): WrittenCsv {
  return writeCsv(addToGrid(register.rows, planAdditions(receipt)), register.dialect);
}

function planAdditions(receipt: RegisterReceipt): Additions {
  const { jobId, zone } = receipt.facts;
  const written = new Map(
    receipt.results.flatMap(({ row, written: texts }) =>
      texts === undefined ? [] : [[row, texts] as const],
    ),
  );
  if (receipt.added !== undefined) written.set(receipt.headerRow, receipt.added);
  return {
    headerRow: receipt.headerRow,
    front: FRONT_COLUMNS,
    back: listBackColumns(zone),
    outdated: findReceiptColumns(receipt.headers),
    written,
    rows: new Map(
      receipt.results.map(({ faultyColumns = [], ...result }) => [
        result.row,
        { ...toAddedRow(result, markRow(jobId, result.row + 1), zone), spots: faultyColumns },
      ]),
    ),
    below: receipt.unlisted.map(result => ({
      ...toAddedRow(result, markFile(jobId), zone),
      column: receipt.fileColumn,
      text: result.file,
      ...(result.written === undefined ? {} : { cells: result.written }),
    })),
  };
}
