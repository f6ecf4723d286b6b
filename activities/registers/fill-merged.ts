import { type Cell, cellAt, EMPTY_CELL, type Grid } from './sheet/grid';
import { SHEET_LIMITS } from './sheet/sheet-limits';

/**
 * The grid with each cell that is merged into one above it saying the same: people merge "Structural" over
 * its ten drawings and mean all of them. What is merged sideways stays in its first column. The limit of a
 * workbook's cells includes those that are filled here (workbook-thread.ts).
 */
export function fillMerged(grid: Grid): Grid {
  const rows: (readonly Cell[])[] = [...grid.rows];
  const copies = new Map<number, Cell[]>();
  // More than these were refused when the sheet was read.
  let turnsLeft = SHEET_LIMITS.cells;
  for (const { fromRow, toRow, fromColumn } of grid.merges) {
    const cell = cellAt(grid, fromRow, fromColumn);
    if (cell.kind === 'empty') continue;
    const last = Math.min(toRow, rows.length - 1, fromRow + turnsLeft);
    turnsLeft -= Math.max(0, last - fromRow);
    for (let row = fromRow + 1; row <= last; row++) {
      if ((rows[row]?.[fromColumn]?.kind ?? 'empty') !== 'empty') continue;
      const cells = copies.get(row) ?? [...(rows[row] ?? [])];
      while (cells.length < fromColumn) cells.push(EMPTY_CELL);
      cells[fromColumn] = cell;
      copies.set(row, cells);
      rows[row] = cells;
    }
  }
  return { ...grid, rows };
}
