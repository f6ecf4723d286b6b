import { type Cell, cellAt, EMPTY_CELL, type Grid } from './sheet/grid';

/**
 * The grid with each cell that is merged into one above it saying the same: people merge "Structural" over
 * its ten drawings and mean all of them. What is merged sideways stays in its first column. How many cells a
 * sheet has counts those that are filled here (workbook-thread.ts).
 */
export function fillMerged(grid: Grid): Grid {
  const rows: (readonly Cell[])[] = [...grid.rows];
  const copies = new Map<number, Cell[]>();
  for (const { fromRow, toRow, fromColumn } of grid.merges) {
    const cell = cellAt(grid, fromRow, fromColumn);
    if (cell.kind === 'empty') continue;
    for (let row = fromRow + 1; row <= Math.min(toRow, rows.length - 1); row++) {
      const cells = copies.get(row) ?? [...(rows[row] ?? [])];
      if ((cells[fromColumn]?.kind ?? 'empty') !== 'empty') continue;
      while (cells.length < fromColumn) cells.push(EMPTY_CELL);
      cells[fromColumn] = cell;
      copies.set(row, cells);
      rows[row] = cells;
    }
  }
  return { ...grid, rows };
}
