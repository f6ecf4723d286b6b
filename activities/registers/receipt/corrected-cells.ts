// What people have corrected in held rows, as cells of the sheet in which they go on: its columns are those
// of the register, and behind them those that people have added. Pure.
import type { Texts } from '../write/additions';
import { findReceiptColumns, PLAIN_COLUMNS } from './receipt-columns';
import { headerOf, keysOf, type SaidRow } from './said-row';

export interface ShownRow {
  /** How many corrections of it the sheet shows as taken up. */
  readonly corrections: number;
  readonly said: SaidRow;
}

/** By the path of the file below the job's folder. */
export type CorrectedRows = ReadonlyMap<string, ShownRow>;

/** A column of the register. */
interface PlacedColumn {
  readonly index: number;
  readonly header: string;
  readonly meaning: { readonly kind: string };
}

export interface PlacedRows {
  /** Headers of the columns that people have added. */
  readonly added: Texts;
  /** @param row of the register, from 0; absent for a file that no row lists */
  readonly cellsOf: (path: string, row: number | undefined) => Texts;
}

/**
 * @param before what the register says at a row and a column
 * @param width of the sheet that the register is on
 */
export function placeCorrected(
  corrected: CorrectedRows,
  columns: readonly PlacedColumn[],
  before: (row: number, column: number) => string,
  width: number,
): PlacedRows {
  const ours = new Set(findReceiptColumns(columns.map(({ header }) => header)));
  const theirs = columns.filter(({ index, header }) => !ours.has(index) && header !== '');
  const keys = keysOf(theirs.map(({ header }) => header));
  const columnOf = new Map(theirs.map(({ index }, at) => [keys[at] ?? '', index]));
  const files = new Set(theirs.flatMap(({ index, meaning }) => (meaning.kind === 'file' ? [index] : [])));
  const added = new Map<number, string>();
  for (const key of [...corrected.values()].flatMap(({ said }) => [...said.keys()])) {
    if (columnOf.has(key)) continue;
    const column = width + added.size;
    columnOf.set(key, column);
    added.set(column, headerOf(key));
  }
  return {
    added,
    cellsOf: (path, row) => {
      const cells = [...(corrected.get(path)?.said ?? [])].flatMap(([key, text]): [number, string][] => {
        const column = columnOf.get(key);
        if (column === undefined || files.has(column)) return [];
        // A cell that says what the register says keeps its look.
        return text === (row === undefined ? '' : before(row, column)) ? [] : [[column, text]];
      });
      return new Map(cells);
    },
  };
}

/** Columns to fill in of a sheet without a register: those that are asked for, and all that people used. */
export function columnsToFill(corrected: CorrectedRows, asked: readonly string[]): readonly string[] {
  const keys = [...corrected.values()].flatMap(({ said }) => [...said.keys()]);
  return [...new Set([...asked, ...keys.filter(key => key !== PLAIN_COLUMNS.file).map(headerOf)])];
}
