// Puts columns around the rows of somebody's workbook, and leaves the rest of it as it is: widths, notes,
// fills, drop-downs, other sheets. What cannot be kept is told.
import { unzipSync, zipSync } from 'fflate';
import { type ConditionalRule, deleteColumns, insertColumns, type Sheet, type Workbook } from 'hucre';
import { openXlsx, saveXlsx } from 'hucre/xlsx';
import { columnLetter } from '../sheet/column-letter';
import { type AddedColumn, type Additions, newColumn } from './additions';
import { addExtensionLists } from './extension-lists';
import { freezeFormulas } from './frozen-formulas';
import { listLostParts, type Parts } from './lost-parts';
import { lastFilledRow, paintRows, setText, writeTexts } from './painted-rows';
import { keepEscapes } from './safe-text';
import { type MoveColumn, shiftRanges, shiftReferences } from './shifted-references';
import { FILTER_NAME, filterName, type PlannedSheet, toLibrarySheet } from './write-workbook';

export interface WrittenWorkbook {
  readonly bytes: Buffer;
  /** One sentence each for what is not as it was; empty when everything is. */
  readonly notCarried: readonly string[];
}

/**
 * The same workbook with the additions on one of its sheets, and `about` as its last sheet. `bytes` are
 * unpacked whole here: `unpackWorkbook` must have checked them before.
 * @throws Error when the workbook has no sheet of that name
 */
export async function addToWorkbook(
  bytes: Uint8Array,
  sheetName: string,
  additions: Additions,
  about: (notCarried: readonly string[]) => PlannedSheet,
  madeAt: Date,
): Promise<WrittenWorkbook> {
  const parts = unzipSync(bytes);
  const workbook = await openXlsx(withoutMacros(parts), { readStyles: true });
  const sheet = workbook.sheets.find(({ name }) => name === sheetName);
  if (sheet === undefined) throw new Error(`The workbook has no sheet "${sheetName}".`);
  addExtensionLists(workbook, parts);
  // Where the file has no times of its own the library would take the clock's.
  workbook.properties = { created: madeAt, ...workbook.properties, modified: madeAt };
  const said = change(workbook, sheet, additions);
  setLastSheet(workbook, about(said));
  const saved = await saveXlsx(workbook);
  // What is lost is known only from what was saved, and it is told in the workbook itself.
  const lost = listLostParts(parts, unzipSync(saved));
  if (lost.length === 0) return { bytes: Buffer.from(saved), notCarried: said };
  const notCarried = [...said, `Not carried over: ${lost.join(', ')}.`];
  setLastSheet(workbook, about(notCarried));
  return { bytes: Buffer.from(await saveXlsx(workbook)), notCarried };
}

/** Macros are never carried on: what goes back to people holds nothing that runs. */
function withoutMacros(parts: Parts): Uint8Array {
  const kept = Object.entries(parts).filter(([name]) => !/^xl\/(vbaProject|activeX|ctrlProps)/i.test(name));
  return zipSync(Object.fromEntries(kept), { level: 0 });
}

function change(workbook: Workbook, sheet: Sheet, additions: Additions): readonly string[] {
  const { front, back } = additions;
  const said: string[] = [];
  const frozen = freezeFormulas(workbook, sheet);
  if (frozen > 0) said.push(`${frozen} formulas stand as the values that they had.`);
  if ((sheet.tables?.length ?? 0) > 0) {
    delete sheet.tables;
    said.push('Cells that were a table are plain cells; what is in them is unchanged.');
  }
  if (workbook.sheets.some(({ charts = [], pivotTables = [] }) => charts.length + pivotTables.length > 0)) {
    said.push('Charts and pivot tables that show this sheet may show other columns of it now.');
  }
  // Before ours are in: they are escaped already.
  keepTexts(workbook);
  writeTexts(sheet, additions);
  const width = moveCells(sheet, additions);
  moveReferences(workbook, sheet, moveBy(additions));
  writeColumns(sheet, additions, front, 0);
  writeColumns(sheet, additions, back, front.length + width);
  paintRows(sheet, additions, width);
  setView(workbook, sheet, additions, front.length + width + back.length);
  return said;
}

/**
 * Takes the outdated columns out, makes room for ours in front, and tells how wide the sheet is without them.
 * The library moves all that lies on the sheet except drop-downs and conditional formats, for it cannot read
 * several ranges: those are moved here.
 */
function moveCells(sheet: Sheet, additions: Additions): number {
  const { front, outdated } = additions;
  const { dataValidations = [], conditionalRules = [] } = sheet;
  delete sheet.dataValidations;
  delete sheet.conditionalRules;
  for (const column of [...outdated].sort((one, other) => other - one)) deleteColumns(sheet, column, 1);
  const width = widthOf(sheet);
  insertColumns(sheet, 0, front.length);
  const move = moveBy(additions);
  const moved = <T extends { range: string }>(covering: readonly T[]) =>
    covering.flatMap(one => {
      const range = shiftRanges(one.range, move);
      return range === undefined ? [] : [{ ...one, range }];
    });
  sheet.dataValidations = moved(dataValidations);
  sheet.conditionalRules = moved(conditionalRules);
  return width;
}

function moveBy({ front, outdated }: Additions): MoveColumn {
  return column => (outdated.includes(column) ? undefined : newColumn(column, outdated) + front.length);
}

function widthOf(sheet: Sheet): number {
  const fromRows = sheet.rows.reduce((longest, row) => Math.max(longest, row.length), 0);
  return [...(sheet.cells?.keys() ?? [])].reduce(
    (longest, key) => Math.max(longest, Number(key.split(',')[1]) + 1),
    fromRows,
  );
}

/** What points at cells of the sheet, from anywhere in the workbook. */
function moveReferences(workbook: Workbook, moved: Sheet, move: MoveColumn): void {
  const shift = (formula: string, at?: string) => shiftReferences(formula, at, moved.name, move);
  for (const sheet of workbook.sheets) {
    for (const list of sheet.dataValidations ?? []) {
      if (list.formula1 !== undefined) list.formula1 = shift(list.formula1, sheet.name);
      if (list.formula2 !== undefined) list.formula2 = shift(list.formula2, sheet.name);
    }
    for (const rule of sheet.conditionalRules ?? []) {
      if (typeof rule.formula === 'string') rule.formula = shift(rule.formula, sheet.name);
      else if (rule.formula !== undefined) rule.formula = rule.formula.map(one => shift(one, sheet.name));
      keepGround(rule);
    }
  }
  for (const name of workbook.namedRanges ?? []) name.range = shift(name.range);
}

/** A rule that names a ground and no pattern means a full one; the library takes it for none. */
function keepGround({ style }: ConditionalRule): void {
  const fill = style?.fill;
  if (fill?.type === 'pattern' && fill.pattern === 'none' && fill.bgColor) fill.pattern = 'solid';
}

function writeColumns(
  sheet: Sheet,
  { headerRow }: Additions,
  columns: readonly AddedColumn[],
  from: number,
): void {
  sheet.columns ??= [];
  for (const [index, { header, width }] of columns.entries()) {
    while (sheet.columns.length < from + index) sheet.columns.push({});
    sheet.columns[from + index] = { width };
    setText(sheet, headerRow, from + index, { text: header, look: 'header-always' });
  }
}

/**
 * The library reads a text of people that looks like an escape of the format, and does not write it back as
 * it was: its underscore is escaped here.
 */
function keepTexts({ sheets }: Workbook): void {
  for (const { rows, cells } of sheets) {
    for (const row of rows) {
      row.forEach((value, column) => {
        if (typeof value === 'string') row[column] = keepEscapes(value);
      });
    }
    for (const cell of cells?.values() ?? []) {
      if (typeof cell.value === 'string') cell.value = keepEscapes(cell.value);
    }
  }
}

function setView(workbook: Workbook, sheet: Sheet, { headerRow, back }: Additions, width: number): void {
  const last = Math.max(lastFilledRow(sheet) + 1, headerRow + 2);
  delete sheet.splitPane;
  sheet.freezePane = { rows: headerRow + 1 };
  sheet.autoFilter = { range: `A${headerRow + 1}:${columnLetter(width - 1)}${last}` };
  const isOld = (name: string, scope?: string) => name === FILTER_NAME && scope === sheet.name;
  workbook.namedRanges = [
    ...(workbook.namedRanges ?? []).filter(({ name, scope }) => !isOld(name, scope)),
    filterName(sheet.name, sheet.autoFilter.range),
  ];
  setPrint(sheet, width - back.length, last);
  workbook.activeSheet = workbook.sheets.indexOf(sheet);
}

/** A print shows each row with what became of it on the width of a page, without what is only looked up. */
function setPrint(sheet: Sheet, width: number, last: number): void {
  const { printArea, printTitlesColumn: _none, ...pageSetup } = sheet.pageSetup ?? {};
  const first = /\d+/.exec(printArea ?? '')?.[0] ?? '1';
  const area = `$A$${first}:$${columnLetter(width - 1)}$${last}`;
  sheet.pageSetup = { ...pageSetup, printArea: area, fitToPage: true, fitToWidth: 1, fitToHeight: 0 };
}

/**
 * The one of an earlier receipt is replaced where it stands: the library finds pictures by a sheet's place.
 */
function setLastSheet(workbook: Workbook, plan: PlannedSheet): void {
  const at = workbook.sheets.findIndex(({ name }) => name === plan.name);
  workbook.sheets[at === -1 ? workbook.sheets.length : at] = toLibrarySheet(plan);
}
