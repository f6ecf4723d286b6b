// What the thread does that reads a workbook with the library (ask-thread.ts). What comes out is plain data,
// within the limits.
import { askThread } from './ask-thread';
import type { Merge } from './grid';
import { hasAllListed } from './listed-sheets';
import { tooLargeSheet, tornSheet } from './sheet-error';
import type { SheetLimits } from './sheet-limits';
import type { WorkbookParts } from './unpack-workbook';
import { isWholeXml } from './whole-xml';

/** A cell as the file stores it; a text is only its text, `null` an empty cell. */
export type StoredCell = string | null | StoredValue;

export type StoredValue =
  | { readonly kind: 'number'; readonly value: number; readonly format: string }
  /** Unix ms of the date as if it were in UTC; NaN when it is none that the calendar has. */
  | { readonly kind: 'date'; readonly value: number; readonly format: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'error'; readonly value: string }
  /** Written by a program that does not compute: its value is not in the file. */
  | { readonly kind: 'uncomputed' };

export interface StoredSheet {
  readonly name: string;
  readonly hidden: boolean;
  readonly rows: readonly (readonly StoredCell[])[];
  readonly merges: readonly Merge[];
}

type Reply =
  | { readonly kind: 'read'; readonly sheets: readonly StoredSheet[] }
  | { readonly kind: 'too-large'; readonly what: string }
  | { readonly kind: 'failed'; readonly message: string };

interface Task {
  /** Files of the two libraries. */
  readonly reader: string;
  readonly packer: string;
  readonly parts: WorkbookParts;
  readonly limits: SheetLimits;
}

/**
 * As text, so that it runs alike from compiled files and from sources that a test runner compiles in memory;
 * the functions in it therefore use nothing from outside themselves.
 */
const CODE = `const { parentPort } = require('node:worker_threads');
parentPort.on('message', async task => {
  parentPort.postMessage(await (${readTask.toString()})(task, require, ${isWholeXml.toString()}, ${hasAllListed.toString()}));
});`;

/**
 * Reads all sheets of a workbook that the guard has seen (unpack-workbook.ts).
 * @throws SheetError torn or too-large.
 */
export async function readInThread(
  parts: WorkbookParts,
  limits: SheetLimits,
): Promise<readonly StoredSheet[]> {
  const [reader, packer] = [require.resolve('hucre/xlsx'), require.resolve('fflate')];
  const data: Task = { reader, packer, parts, limits };
  const { heapMb, readMs: deadlineMs } = limits;
  const isWell = ({ kind }: Reply) => kind === 'read';
  const modules = ['hucre/xlsx'];
  return toSheets(await askThread({ code: CODE, modules, data, heapMb, deadlineMs, doing: 'read', isWell }));
}

function toSheets(reply: Reply): readonly StoredSheet[] {
  if (reply.kind === 'read') return reply.sheets;
  if (reply.kind === 'too-large') throw tooLargeSheet(reply.what);
  throw tornSheet(new Error(reply.message));
}

async function readTask(
  { reader, packer, parts, limits }: Task,
  load: NodeJS.Require,
  isWhole: typeof isWholeXml,
  hasAll: typeof hasAllListed,
): Promise<Reply> {
  type Workbook = import('hucre/xlsx').Workbook;
  type Sheet = import('hucre/xlsx').Sheet;
  type LibraryCell = import('hucre/xlsx').Cell;
  const { readXlsx } = load(reader) as typeof import('hucre/xlsx');
  const { zipSync } = load(packer) as typeof import('fflate');
  let cellsLeft = limits.cells;
  let textLeft = limits.unpackedBytes;
  let placesLeft = limits.cells * limits.placesForCell;

  /**
   * No program writes a longer format. One that is longer is ignored: shown-value.ts would match it for
   * minutes.
   */
  const LONGEST_FORMAT = 255;

  class TooLarge extends Error {}

  try {
    return { kind: 'read', sheets: await readSheets(new Set()) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return error instanceof TooLarge ? { kind: 'too-large', what: message } : { kind: 'failed', message };
  }

  /**
   * A sheet that is only a chart was not unpacked, and the library fails on it: all is read again without it.
   */
  async function readSheets(without: Set<string>): Promise<readonly StoredSheet[]> {
    if (without.size === 0 && !([...parts.values()].every(isWhole) && hasAll(parts)))
      throw new Error('not whole');
    // Packed anew, the library can see nothing that the guard has not.
    const workbook = zipSync(Object.fromEntries(parts), { level: 0 });
    let seen = 0;
    const wanted = ({ name }: { readonly name: string }) => {
      seen++;
      if (seen > limits.sheets) throw new TooLarge(`The workbook has more than ${limits.sheets} sheets`);
      return !without.has(name);
    };
    let read: Workbook;
    try {
      read = await readXlsx(workbook, { readStyles: true, sheets: wanted });
    } catch (error: unknown) {
      const missing = /missing worksheet file for sheet "(.*)"$/s.exec(String(error))?.[1];
      if (missing === undefined || without.has(missing)) throw error;
      return readSheets(without.add(missing));
    }
    return read.sheets.map(toStored);
  }

  function toStored(sheet: Sheet): StoredSheet {
    const title = `The sheet "${sheet.name.slice(0, 40)}"`;
    const rows = sheet.rows.map((values, row) => {
      const cells = values.map((value, column) => toCell(value, sheet.cells?.get(`${row},${column}`)));
      while (cells.length > 0 && cells.at(-1) === null) cells.pop();
      if (cells.length > limits.columns)
        throw new TooLarge(`${title} has more than ${limits.columns} columns`);
      countFilled(cells.filter(cell => cell !== null).length);
      placesLeft -= cells.length;
      if (placesLeft < 0) throw new TooLarge('The workbook has its cells very far apart');
      return cells;
    });
    while (rows.length > 0 && rows.at(-1)?.length === 0) rows.pop();
    if (rows.length > limits.rows) throw new TooLarge(`${title} has more than ${limits.rows} rows`);
    const merges = (sheet.merges ?? []).map(({ startRow, startCol, endRow, endCol }) => ({
      fromRow: startRow,
      fromColumn: startCol,
      toRow: endRow,
      toColumn: endCol,
    }));
    // Each row of a cell that is merged downwards has its value (fill-merged.ts).
    for (const { fromRow, toRow } of merges) {
      countFilled(Math.max(0, Math.min(toRow, rows.length - 1) - fromRow));
    }
    const hidden = sheet.hidden === true || sheet.veryHidden === true;
    return { name: sheet.name, hidden, rows, merges };
  }

  function countFilled(count: number): void {
    cellsLeft -= count;
    if (cellsLeft < 0) throw new TooLarge(`The workbook has more than ${limits.cells} filled cells`);
  }

  /**
   * Counts the text of each cell: where cells share a text, each has a copy of it when it leaves the thread.
   */
  function counted(text: string): string {
    if (text.length > limits.cellLength)
      throw new TooLarge(`A cell has more than ${limits.cellLength} characters`);
    textLeft -= text.length;
    if (textLeft < 0) throw new TooLarge('The cells of the workbook have more text than is allowed');
    return text;
  }

  function toCell(value: unknown, cell: LibraryCell | undefined): StoredCell {
    const { numFmt = '' } = cell?.style ?? {};
    const format = numFmt.length > LONGEST_FORMAT ? '' : numFmt;
    if (cell?.type === 'error') return { kind: 'error', value: counted(String(value)) };
    if (cell?.formula !== undefined && value === null) return { kind: 'uncomputed' };
    if (value instanceof Date) return { kind: 'date', value: value.getTime(), format };
    if (typeof value === 'number') return { kind: 'number', value, format };
    if (typeof value === 'boolean') return { kind: 'boolean', value };
    return typeof value !== 'string' || value === '' ? null : counted(value);
  }
}
