// A workbook of ours from a plain description of its sheets. What is written is text, and numbers, dates and
// truth values where they are asked for: no formulas, and no text can become one. Pure, and the same bytes
// for the same description.
import type { NamedRange, Sheet } from 'hucre';
import { type Cell, type ConditionalRule, type DataValidation, writeXlsx } from 'hucre/xlsx';
import type { ListedKind } from '../sheet/cell-kinds';
import { columnLetter } from '../sheet/column-letter';
import { dateShownAs, numberShownAs } from '../sheet/shown-value';
import { groundOf, type Look, lookOf, TONE_COLOURS, type Tone } from './looks';
import { toWorkbookText } from './safe-text';

export interface PlannedCell {
  readonly text: string;
  readonly look: Look;
  /** What its text is that of, and is written as, such that it shows the text; a text where nothing does. */
  readonly kind?: ListedKind | 'text';
  /** Shown beside the cell when the pointer rests on it. */
  readonly note?: string;
}

/** A drop-down over cells. Rows and columns count from 0, the last ones are part of it. */
export interface PlannedList {
  readonly column: number;
  readonly fromRow: number;
  readonly toRow: number;
  /** The values themselves, or the name of a range of this workbook that has them. */
  readonly source: { readonly values: readonly string[] } | { readonly name: string };
  /** Asks whoever types what is not in the list whether it is meant; else it only offers. */
  readonly asks: boolean;
  readonly title: string;
  readonly hint: string;
}

/** Cells that show a tone while a formula holds; the formula is written for the first of them. */
export interface PlannedHighlight {
  readonly column: number;
  readonly fromRow: number;
  readonly toRow: number;
  readonly formula: string;
  readonly tone: Tone;
}

export interface PlannedSheet {
  readonly name: string;
  /** In characters, as spreadsheets count. */
  readonly widths: readonly number[];
  readonly rows: readonly (readonly PlannedCell[])[];
  /** Rows below the written ones that are text already, for people to type into. */
  readonly spareRows?: number;
  readonly rowHeights?: ReadonlyMap<number, number>;
  readonly frozenRows?: number;
  readonly frozenColumns?: number;
  /** The row whose cells get a filter; it reaches to the last row, spare ones among them. */
  readonly filterRow?: number;
  readonly lists?: readonly PlannedList[];
  readonly highlights?: readonly PlannedHighlight[];
  readonly hasGrid?: boolean;
}

/** A name for cells of one column, for drop-downs to point at. */
export interface PlannedName {
  readonly name: string;
  readonly sheet: string;
  readonly column: number;
  readonly fromRow: number;
  readonly toRow: number;
}

export interface PlannedWorkbook {
  readonly title: string;
  readonly sheets: readonly PlannedSheet[];
  readonly names?: readonly PlannedName[];
  /** Kept in the file as its time: nothing else of a workbook may depend on when it is made. */
  readonly madeAt: Date;
}

/** What the library calls a sheet to be written and what it calls one that was read have this in common. */
export type LibrarySheet = Pick<
  Sheet,
  | 'autoFilter'
  | 'cells'
  | 'columns'
  | 'conditionalRules'
  | 'dataValidations'
  | 'freezePane'
  | 'name'
  | 'pageSetup'
  | 'rowDefs'
  | 'rows'
  | 'view'
>;

/** The bytes of an .xlsx file. */
export async function writeWorkbook(plan: PlannedWorkbook): Promise<Buffer> {
  const bytes = await writeXlsx({
    sheets: plan.sheets.map(toLibrarySheet),
    namedRanges: [...(plan.names ?? []).map(toName), ...plan.sheets.flatMap(nameFilter)],
    properties: {
      title: toWorkbookText(plan.title),
      creator: 'Drawbridge',
      created: plan.madeAt,
      modified: plan.madeAt,
    },
    defaultFont: { name: 'Calibri', size: 11 },
  });
  return Buffer.from(bytes);
}

export const FILTER_NAME = '_xlnm._FilterDatabase';

/** A cell as the library takes it. */
export function toTextCell({ text, look, kind = 'text', note }: PlannedCell): Cell {
  const style = lookOf(look);
  const comment = note === undefined ? {} : { comment: { author: 'Drawbridge', text: toWorkbookText(note) } };
  if (kind === 'boolean' && (text === 'TRUE' || text === 'FALSE'))
    return { value: text === 'TRUE', type: 'boolean', style, ...comment };
  const shown = toShown(text, kind);
  if (shown !== undefined) {
    const { value, format } = shown;
    return { value, type: 'number', style: { ...style, numFmt: format }, ...comment };
  }
  return text === ''
    ? { value: null, type: 'empty', style, ...comment }
    : { value: toWorkbookText(text), type: 'string', style, ...comment };
}

/** One that was shown otherwise is so again, by the format that programs take for it most. */
function toShown(text: string, kind: ListedKind | 'text'): ReturnType<typeof numberShownAs> {
  if (kind === 'number' || kind === 'number-otherwise') {
    const shown = numberShownAs(text);
    return shown && kind === 'number-otherwise' ? { ...shown, format: '0.00E+00' } : shown;
  }
  return kind === 'date' ? dateShownAs(text) : undefined;
}

/** A planned sheet as the library takes it, in a workbook of ours and in one of others. */
export function toLibrarySheet(plan: PlannedSheet): LibrarySheet {
  const cells = new Map<string, Cell>();
  const spare: PlannedCell[] = plan.widths.map(() => ({ text: '', look: 'text' }));
  const rows = [...plan.rows, ...Array.from({ length: plan.spareRows ?? 0 }, () => spare)];
  rows.forEach((row, y) => {
    row.forEach((cell, x) => {
      cells.set(`${y},${x}`, toTextCell(cell));
    });
  });
  const { frozenRows = 0, frozenColumns = 0, filterRow, rowHeights, lists = [], highlights = [] } = plan;
  return {
    name: plan.name,
    columns: plan.widths.map(width => ({ width })),
    rows: rows.map(row => row.map(() => null)),
    cells,
    ...(frozenRows + frozenColumns === 0 ? {} : { freezePane: { rows: frozenRows, columns: frozenColumns } }),
    ...(filterRow === undefined ? {} : { autoFilter: { range: filterRange(plan, filterRow) } }),
    ...(rowHeights === undefined
      ? {}
      : { rowDefs: new Map([...rowHeights].map(([row, height]) => [row, { height }])) }),
    dataValidations: lists.map(toValidation),
    conditionalRules: highlights.map(toRule),
    view: { showGridLines: plan.hasGrid ?? true },
    pageSetup: { orientation: 'landscape', paperSize: 'a4', fitToPage: true, fitToWidth: 1, fitToHeight: 0 },
  };
}

function filterRange(plan: PlannedSheet, filterRow: number): string {
  const last = Math.max(plan.rows.length + (plan.spareRows ?? 0), filterRow + 1);
  return `A${filterRow + 1}:${columnLetter(plan.widths.length - 1)}${last}`;
}

function nameFilter(plan: PlannedSheet): NamedRange[] {
  return plan.filterRow === undefined ? [] : [filterName(plan.name, filterRange(plan, plan.filterRow))];
}

/** The name that a filter is known by in the workbook: without it some programs show no filter. */
export function filterName(sheet: string, range: string): NamedRange {
  const fixed = range.replace(/([A-Z]+)(\d+)/g, '$$$1$$$2');
  return { name: FILTER_NAME, range: `${quote(sheet)}!${fixed}`, scope: sheet };
}

function quote(sheet: string): string {
  return `'${sheet.replaceAll("'", "''")}'`;
}

function rangeOf(at: { column: number; fromRow: number; toRow: number }): string {
  const letter = columnLetter(at.column);
  return `${letter}${at.fromRow + 1}:${letter}${at.toRow + 1}`;
}

function toValidation(list: PlannedList): DataValidation {
  return {
    type: 'list',
    range: rangeOf(list),
    allowBlank: true,
    showErrorMessage: list.asks,
    errorStyle: 'warning',
    // A title is cut by spreadsheets at 32 characters, a message at 255.
    errorTitle: list.title.slice(0, 32),
    errorMessage: list.hint.slice(0, 255),
    ...('name' in list.source ? { formula1: list.source.name } : { values: [...list.source.values] }),
  };
}

function toRule(highlight: PlannedHighlight, index: number): ConditionalRule {
  const { soft } = TONE_COLOURS[highlight.tone];
  return {
    type: 'expression',
    priority: index + 1,
    range: rangeOf(highlight),
    formula: highlight.formula,
    // A rule's ground is the back colour of its pattern, a cell's is the front one.
    style: { fill: { ...groundOf(soft), bgColor: { rgb: soft } } as ReturnType<typeof groundOf> },
  };
}

function toName({ name, sheet, column, fromRow, toRow }: PlannedName): NamedRange {
  const letter = columnLetter(column);
  return {
    name,
    range: `'${sheet.replaceAll("'", "''")}'!$${letter}$${fromRow + 1}:$${letter}$${toRow + 1}`,
  };
}
