// Which cell of the grid is active. It is known by its document and its field, not by its place: rows above
// it come and go while somebody works, and what is typed next belongs to the same document. Pure.
import type { RowId } from './edits';
import type { GridColumn, GridRow } from './grid';

export interface Place {
  /** Among the rows, without the heads of groups. */
  readonly row: number;
  /** Among the columns that may be written. */
  readonly column: number;
}

export interface ActiveCell extends Place {
  /** Absent while there are no rows. */
  readonly id?: RowId | undefined;
  /** Name of the field; absent while there are no columns. */
  readonly field?: string | undefined;
}

type Rows = readonly Pick<GridRow, 'id'>[];
type Columns = readonly Pick<GridColumn, 'name'>[];

/** The cell at this place, or the nearest one where the place is outside of the grid. */
export function cellAt(place: Place, rows: Rows, columns: Columns): ActiveCell {
  const row = Math.max(0, Math.min(place.row, rows.length - 1));
  const column = Math.max(0, Math.min(place.column, columns.length - 1));
  return { row, column, id: rows[row]?.id, field: columns[column]?.name };
}

/** The same cell, wherever it is now. Where its row or column is gone: what stands in its place. */
export function findCell(before: ActiveCell, rows: Rows, columns: Columns): ActiveCell {
  const row = rows.findIndex(({ id }) => id === before.id);
  const column = columns.findIndex(({ name }) => name === before.field);
  return cellAt(
    { row: row < 0 ? before.row : row, column: column < 0 ? before.column : column },
    rows,
    columns,
  );
}
