import type { Cell, Grid } from '../../../activities/registers/sheet/grid';

/** A grid whose cells are all text; empty texts are empty cells. */
export function gridOf(rows: readonly (readonly string[])[], parts: Partial<Grid> = {}): Grid {
  return { name: 'Sheet 1', hidden: false, merges: [], rows: rows.map(row => row.map(cellOf)), ...parts };
}

export function cellOf(text: string): Cell {
  return { text, kind: text === '' ? 'empty' : 'text' };
}
