// A sheet of somebody's workbook written anew from its texts, with the additions: for a workbook that the
// library reads but cannot change. What the sheet had besides texts is lost, and that is told. Pure.
import { type AddedColumn, type Additions, addToGrid, lookOfAdded } from './additions';
import type { Look } from './looks';
import { heightFor } from './row-height';
import type { PlannedCell, PlannedSheet } from './write-workbook';

export const WRITTEN_ANEW =
  'The sheet was written anew from its texts: its widths, notes, drop-downs and other sheets stand in the register as it came.';

/** Columns of people are as wide as their longest text, within reason. */
const WIDTHS = { least: 10, most: 40 };

export function planAnew(
  name: string,
  rows: readonly (readonly string[])[],
  additions: Additions,
): PlannedSheet {
  const { headerRow, front, back } = additions;
  const grid = addToGrid(rows, additions, text => text);
  const width = grid[headerRow]?.length ?? 0;
  const added = Array.from({ length: grid.length }, (_, row) => {
    return additions.rows.get(row) ?? additions.below[row - rows.length];
  });
  const columnAt = (column: number): AddedColumn | undefined =>
    front[column] ?? back[column - (width - back.length)];
  const lookAt = (row: number, column: number): Look => {
    if (row === headerRow) return 'header-always';
    const tone = added[row]?.tone;
    return tone === undefined ? 'text' : lookOfAdded(tone, columnAt(column), column === 0);
  };
  const heights = added.flatMap((row, index): [number, number][] => {
    const height =
      row &&
      heightFor(front.map(({ width, wraps }, at) => ({ text: wraps ? (row.front[at] ?? '') : '', width })));
    return height === undefined ? [] : [[index, height]];
  });
  return {
    name,
    widths: Array.from({ length: width }, (_, column) => columnAt(column)?.width ?? widest(grid, column)),
    rows: grid.map((row, y) => row.map((text, x): PlannedCell => ({ text, look: lookAt(y, x) }))),
    rowHeights: new Map(heights),
    frozenRows: headerRow + 1,
    filterRow: headerRow,
  };
}

function widest(grid: readonly (readonly string[])[], column: number): number {
  const longest = grid.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), WIDTHS.least);
  return Math.min(longest + 2, WIDTHS.most);
}
