// The rows of a sheet that was a receipt, by the marks that the receipt gave them. Pure.
import { fillMerged } from '../fill-merged';
import { isPlainMark, MARK_HEADER, readMark } from '../receipt/receipt-columns';
import type { Cell, Grid, SheetFile } from '../sheet/grid';

export interface MarkedRow {
  /** In the sheet, as people count. */
  readonly number: number;
  readonly cells: readonly Cell[];
  readonly mark: ReturnType<typeof readMark>;
  /** By its mark, of a receipt that was made without a register. */
  readonly isPlain: boolean;
}

export interface Marked {
  /** Of the row of headers, as people count. */
  readonly number: number;
  readonly headers: readonly string[];
  readonly markColumn: number;
  /** Below the header, without blank ones. */
  readonly rows: readonly MarkedRow[];
}

/** Finds them on the first sheet of the workbook that has the column of the marks. */
export function findMarked({ grids }: SheetFile): Marked | undefined {
  for (const grid of grids) {
    const isMark = ({ text }: Cell) => text.trim().toLowerCase() === MARK_HEADER.toLowerCase();
    const headerRow = grid.rows.findIndex(cells => cells.some(isMark));
    const header = grid.rows[headerRow];
    if (header === undefined) continue;
    const markColumn = header.findIndex(isMark);
    return {
      number: headerRow + 1,
      headers: header.map(({ text }) => text),
      markColumn,
      rows: listRows(grid, headerRow, markColumn),
    };
  }
  return undefined;
}

function listRows(grid: Grid, headerRow: number, markColumn: number): readonly MarkedRow[] {
  return fillMerged(grid).rows.flatMap((cells, at): MarkedRow[] => {
    if (at <= headerRow || cells.every(({ kind }) => kind === 'empty')) return [];
    const text = cells[markColumn]?.text ?? '';
    return [{ number: at + 1, cells, mark: readMark(text), isPlain: isPlainMark(text) }];
  });
}
