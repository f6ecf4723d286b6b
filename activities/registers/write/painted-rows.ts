// The rows of somebody's sheet with what became of them: our texts around them, their ground in the row's
// tone. Changes the sheet that it is given.
import type { Cell, Sheet } from 'hucre';
import { type AddedColumn, type AddedRow, type Additions, lookOfAdded, newColumn } from './additions';
import { typeOf } from './frozen-formulas';
import { groundOf, TONE_COLOURS, TONES } from './looks';
import { heightFor } from './row-height';
import { type PlannedCell, toTextCell } from './write-workbook';

/** @param width of the sheet as it came, without the outdated columns; ours in front are in it already */
export function paintRows(sheet: Sheet, additions: Additions, width: number): void {
  const { rows, below, front, outdated } = additions;
  for (const [row, added] of rows) paintRow(sheet, additions, width, row, added);
  let next = Math.max(lastFilledRow(sheet), ...rows.keys()) + 1;
  for (const added of below) {
    const column = front.length + newColumn(added.column, outdated);
    for (const [at, text] of added.cells ?? [])
      setText(sheet, next, front.length + newColumn(at, outdated), { text, look: 'text' });
    setText(sheet, next, column, { text: added.text, look: 'text' });
    paintRow(sheet, additions, width, next, added);
    next += 1;
  }
}

/** Before anything is moved. */
export function writeTexts(sheet: Sheet, { written = new Map() }: Additions): void {
  for (const [row, texts] of written)
    for (const [column, text] of texts) setText(sheet, row, column, { text, look: 'text' });
}

/** From 0; -1 for a sheet without a text. Rows that have only a style are none: people are to type there. */
export function lastFilledRow(sheet: Sheet): number {
  const fromRows = sheet.rows.findLastIndex(row => row.some(value => value !== null && value !== ''));
  return [...(sheet.cells ?? [])].reduce((last, [key, { value }]) => {
    return value === null || value === '' ? last : Math.max(last, Number(key.split(',')[0]));
  }, fromRows);
}

export function setText(sheet: Sheet, row: number, column: number, planned: PlannedCell): void {
  while (sheet.rows.length <= row) sheet.rows.push([]);
  sheet.cells ??= new Map();
  const cell = toTextCell(planned);
  sheet.cells.set(`${row},${column}`, cell);
  const cells = sheet.rows[row];
  if (cells === undefined) return;
  while (cells.length <= column) cells.push(null);
  cells[column] = cell.value;
}

function paintRow(sheet: Sheet, additions: Additions, width: number, row: number, added: AddedRow): void {
  const { front, back, outdated } = additions;
  const put = (columns: readonly AddedColumn[], texts: readonly string[], from: number) => {
    columns.forEach((column, index) => {
      const look = lookOfAdded(added.tone, column, from + index === 0);
      setText(sheet, row, from + index, { text: texts[index] ?? '', look });
    });
  };
  put(front, added.front, 0);
  put(back, added.back, front.length + width);
  const isHigh = showRow(sheet, row, front, added);
  const spots = new Set((added.spots ?? []).map(column => newColumn(column, outdated)));
  for (let column = 0; column < width; column += 1) {
    paintCell(sheet, row, front.length + column, added, { isSpot: spots.has(column), isHigh });
  }
}

/**
 * A filter that hid a row must not hide what became of it, nor may a low row cut it. Tells
 * whether the row has several lines.
 */
function showRow(sheet: Sheet, row: number, front: readonly AddedColumn[], added: AddedRow): boolean {
  sheet.rowDefs ??= new Map();
  const needed = heightFor(
    front.map(({ wraps, width }, index) => ({ text: wraps ? (added.front[index] ?? '') : '', width })),
  );
  const { hidden: _hidden, height, ...own } = sheet.rowDefs.get(row) ?? {};
  const higher = needed === undefined ? height : Math.max(needed, height ?? 0);
  sheet.rowDefs.set(row, { ...own, ...(higher === undefined ? {} : { height: higher }) });
  return needed !== undefined;
}

/** A fill that people gave the cell stays, unless the cell is a spot: one that is wrong or wanting. */
function paintCell(
  sheet: Sheet,
  row: number,
  column: number,
  { tone }: AddedRow,
  { isSpot, isHigh }: { readonly isSpot: boolean; readonly isHigh: boolean },
): void {
  sheet.cells ??= new Map();
  const key = `${row},${column}`;
  const value = sheet.rows[row]?.[column] ?? null;
  const cell: Cell = sheet.cells.get(key) ?? { value, type: typeOf(value) };
  const { style = {} } = cell;
  const fill = groundOf(isSpot ? TONE_COLOURS[tone].spot : TONE_COLOURS[tone].soft);
  // What is typed into an empty cell, or over a text that is wrong, stays a text: 0042 stays 0042.
  const isTypedInto = cell.value === null || (isSpot && typeof cell.value === 'string');
  const isGeneral = (style.numFmt ?? 'General') === 'General';
  const { vertical = 'bottom' } = style.alignment ?? {};
  sheet.cells.set(key, {
    ...cell,
    style: {
      ...style,
      ...(isTypedInto && isGeneral ? { numFmt: '@' } : {}),
      ...(isHigh && vertical === 'bottom' ? { alignment: { ...style.alignment, vertical: 'top' } } : {}),
      ...(hasOwnGround(cell) && !isSpot ? {} : { fill }),
    },
  });
}

/** A fill in one of our colours does not count: an earlier receipt put it there. */
function hasOwnGround({ style }: Cell): boolean {
  const fill = style?.fill;
  if (fill === undefined || (fill.type === 'pattern' && fill.pattern === 'none')) return false;
  const rgb = fill.type === 'pattern' ? fill.fgColor?.rgb?.slice(-6).toUpperCase() : undefined;
  return !TONES.some(tone => rgb === TONE_COLOURS[tone].soft || rgb === TONE_COLOURS[tone].spot);
}
