// Formulas become the values that they had when the workbook was saved: all of the sheet that columns are
// added to, and those of other sheets that look at it, which would look at other columns now. A receipt says
// what was, whatever is computed anew later. Pure but for the workbook that it changes.
import type { Cell, CellValue, Sheet, Workbook } from 'hucre';

/** @returns how many formulas were frozen. */
export function freezeFormulas(workbook: Workbook, changed: Sheet): number {
  const names = listNames(workbook, changed);
  let frozen = 0;
  for (const sheet of workbook.sheets) {
    for (const [key, cell] of sheet.cells ?? []) {
      // Shared formulas have their text in the first of their cells alone.
      const formula = cell.formula ?? (cell.formulaType === undefined ? undefined : '');
      if (formula === undefined || (sheet !== changed && !isAbout(formula, names))) continue;
      freeze(sheet, key, cell, formula);
      frozen += 1;
    }
  }
  return frozen;
}

/** What other sheets may call the changed one by: its name, its tables, names of its cells. */
function listNames({ namedRanges = [] }: Workbook, changed: Sheet): readonly string[] {
  const sheetName = changed.name.toLowerCase();
  const tables = (changed.tables ?? []).flatMap(table => [table.name, table.displayName ?? table.name]);
  const ranges = namedRanges
    .filter(({ range }) => range.toLowerCase().includes(sheetName.replaceAll("'", "''")))
    .map(({ name }) => name);
  return [sheetName, ...tables, ...ranges].map(name => name.toLowerCase());
}

/** A shared formula without a text of its own may be about anything. */
function isAbout(formula: string, names: readonly string[]): boolean {
  const folded = formula.toLowerCase().replaceAll("''", "'");
  return formula === '' || names.some(name => folded.includes(name));
}

function freeze(sheet: Sheet, key: string, cell: Cell, formula: string): void {
  const [row = 0, column = 0] = key.split(',').map(Number);
  // One that nobody has computed yet is shown as it was written, and not run.
  const value: CellValue = cell.formulaResult ?? cell.value ?? (formula === '' ? null : `=${formula}`);
  const { style, comment, hyperlink } = cell;
  sheet.cells?.set(key, {
    value,
    type: typeOf(value),
    ...(style === undefined ? {} : { style }),
    ...(comment === undefined ? {} : { comment }),
    ...(hyperlink === undefined ? {} : { hyperlink }),
  });
  const cells = sheet.rows[row];
  if (cells !== undefined) cells[column] = value;
}

export function typeOf(value: CellValue): Cell['type'] {
  if (value === null) return 'empty';
  if (value instanceof Date) return 'date';
  return typeof value as 'string' | 'number' | 'boolean';
}
