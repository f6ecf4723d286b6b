// All rows of a register at once: what each says for each field, and every fault of every row, so that a
// person corrects a sheet once and not one cell at a time.
import type { Register, RegisterRow } from './find-register';
import type { FileRow } from './match-files';
import type { RegisterColumn } from './name-columns';
import { type CellRules, type RegisterField, readCell } from './read-cell';
import type { RegisterFault } from './register-fault';
import { EMPTY_CELL } from './sheet/grid';

/** What a row says: field names to values, an empty list being "leave it empty". */
export interface RowValues {
  /** As the spreadsheet program counts. */
  readonly row: number;
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly faults: readonly RegisterFault[];
}

/** Reads the cells of all columns that stand for one of `fields`. */
export function readRows(
  register: Register,
  fields: readonly RegisterField[],
  rules: CellRules,
): readonly RowValues[] {
  const columns = register.columns.flatMap(column => {
    const { meaning } = column;
    const field = meaning.kind === 'field' && fields.find(({ name }) => name === meaning.field);
    return field === false || field === undefined ? [] : [{ column, field }];
  });
  return register.rows.map(row => readRow(row, columns, rules));
}

function readRow(
  row: RegisterRow,
  columns: readonly { readonly column: RegisterColumn; readonly field: RegisterField }[],
  rules: CellRules,
): RowValues {
  const values = new Map<string, readonly string[]>();
  const faults: RegisterFault[] = [];
  for (const { column, field } of columns) {
    const reading = readCell(row.cells[column.index] ?? EMPTY_CELL, field, rules);
    if (reading.kind === 'values') values.set(field.name, reading.values);
    if (reading.kind === 'leave-empty') values.set(field.name, []);
    if (reading.kind === 'fault') {
      faults.push({ row: row.number, column: column.letter, text: reading.text });
    }
  }
  return { row: row.number, values, faults };
}

/** What each row says of its file; nothing where the header has no single column for it. */
export function listFileRows(register: Register): readonly FileRow[] {
  const column = register.columns.find(({ meaning }) => meaning.kind === 'file');
  if (column === undefined) return [];
  return register.rows.map(({ number, cells }) => ({ number, file: cells[column.index]?.text ?? '' }));
}
