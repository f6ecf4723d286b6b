import { type Cell, cellAt, EMPTY_CELL, type Grid } from './sheet/grid';

/**
 * The grid with each cell that is merged into one above it saying the same: people merge "Structural" over
 * its ten drawings and mean all of them. What is merged sideways stays in its first column.
 */
export function fillMerged(grid: Grid): Grid {
  const rows: (readonly Cell[])[] = [...grid.rows];
  // Merged areas never overlap in a sheet of a spreadsheet program, so there are no more turns than cells.
  let turnsLeft = grid.rows.reduce((count, cells) => count + cells.length, grid.rows.length);
  for (const { fromRow, toRow, fromColumn } of grid.merges) {
    const cell = cellAt(grid, fromRow, fromColumn);
    if (cell.kind === 'empty') continue;
    for (
      let row = fromRow + 1;
      row <= Math.min(toRow, rows.length - 1) && turnsLeft > 0;
      row++, turnsLeft--
    ) {
      rows[row] = withCell(rows[row] ?? [], fromColumn, cell);
    }
  }
  return { ...grid, rows };
}

function withCell(row: readonly Cell[], column: number, cell: Cell): readonly Cell[] {
  if ((row[column]?.kind ?? 'empty') !== 'empty') return row;
  const longer = Array.from({ length: Math.max(row.length, column + 1) }, (_, at) => row[at] ?? EMPTY_CELL);
  return longer.with(column, cell);
}
