// What a sheet holds once it is read: a plain grid of texts, without styles, formulas or anything of a
// library.
import type { CsvDialect } from './csv-dialect';

/** `error` also stands for a formula without a stored value: nobody has computed it yet. */
export type CellKind = 'text' | 'number' | 'date' | 'boolean' | 'error' | 'empty';

export interface Cell {
  /**
   * As the sheet shows it where that loses nothing: `0042` under the format `0000`. A number otherwise has a
   * point and no separators of thousands; a date is `2026-04-03`, with a time `2026-04-03T14:30:00`, a time
   * alone `14:30:00`; a boolean is TRUE or FALSE; an error is what the sheet shows, such as #N/A.
   */
  readonly text: string;
  readonly kind: CellKind;
  /** Of a number that the sheet shows as something else, such as `P01` or `12 m`: the number itself. */
  readonly plain?: string;
  /** Of a number that the sheet shows as yet another text, which is not made here: `2.00E+05`, `50%`. */
  readonly isShownOtherwise?: true;
  /** How a CSV has it, where that is `="0042"`: a spreadsheet program keeps such a text as it is. */
  readonly written?: string;
}

/** Cells shown as one: rows and columns from 0, the last ones included. */
export interface Merge {
  readonly fromRow: number;
  readonly fromColumn: number;
  readonly toRow: number;
  readonly toColumn: number;
}

/** One sheet of a workbook, or the whole of a CSV. */
export interface Grid {
  /** Empty for a CSV. */
  readonly name: string;
  readonly hidden: boolean;
  /**
   * Row i is row i + 1 of the sheet, blank ones included. Rows end with their last cell that is not empty.
   */
  readonly rows: readonly (readonly Cell[])[];
  readonly merges: readonly Merge[];
}

export interface SheetFile {
  readonly format: 'xlsx' | 'csv';
  /** In the order of the workbook; one for a CSV. */
  readonly grids: readonly Grid[];
  /** How a CSV is written, to write one in the same dialect; only for one. */
  readonly csv?: CsvDialect;
}

export const EMPTY_CELL: Cell = { text: '', kind: 'empty' };

/** The cell at a row and column, both from 0; an empty one where the grid has none. */
export function cellAt(grid: Grid, row: number, column: number): Cell {
  return grid.rows[row]?.[column] ?? EMPTY_CELL;
}
