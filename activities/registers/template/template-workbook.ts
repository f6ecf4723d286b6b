// The workbook that people fill: one row a file, a column for each field, what is required marked, allowed
// values offered. Pure: the same bytes for the same description.

import { hash } from 'node:crypto';
import { columnLetter } from '../sheet/column-letter';
import type {
  PlannedCell,
  PlannedHighlight,
  PlannedList,
  PlannedName,
  PlannedSheet,
  PlannedWorkbook,
} from '../write/write-workbook';
import { writeWorkbook } from '../write/write-workbook';
import {
  isTypeColumn,
  planColumns,
  type TemplateColumn,
  type TemplateField,
  takesSeveral,
} from './template-fields';
import { planInstructions } from './template-instructions';

export interface TemplateInput {
  readonly share: string;
  /** As people call it: name or number of the project. */
  readonly project: string;
  /** All fields that may be given, in the project's order. */
  readonly fields: readonly TemplateField[];
  /** Label of the type that all rows have, where they have one. */
  readonly type?: string;
  /** One row each, with the values that are known already, by name of field. */
  readonly files: readonly TemplateFile[];
  /** The word that says "leave it empty". */
  readonly emptyWord: string;
  readonly madeAt: Date;
}

export interface TemplateFile {
  /** Below the folder, `/` between the parts. */
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;
}

const DATA_SHEET = 'Data';
const REFERENCE_SHEET = 'Reference';

/** The first row of data, from 0. Above it stand what is required, and the headers. */
const DATA_FROM = 2;
/** Rows below the last file, ready to be typed into. */
const SPARE_ROWS = 500;
/** Spreadsheets take no longer list than this within a drop-down itself. */
const LONGEST_LIST = 255;
/** Spreadsheets take no longer formula. */
const LONGEST_FORMULA = 8_000;

export async function writeTemplate({ madeAt, ...facts }: TemplateInput): Promise<Buffer> {
  return await writeWorkbook({ ...planTemplate(facts), madeAt });
}

/** What a template is made of, but for the time. */
export type TemplateFacts = Omit<TemplateInput, 'madeAt'>;

/** The same for all templates that say the same, whatever wrote their bytes. */
export function hashTemplate(facts: TemplateFacts): string {
  return hash('sha256', JSON.stringify(planTemplate(facts)));
}

function planTemplate(facts: TemplateFacts): Omit<PlannedWorkbook, 'madeAt'> {
  const columns = planColumns(facts.fields, facts.type);
  const reference = planReference(columns);
  return {
    title: `Register for ${facts.project}`,
    names: reference.names,
    sheets: [planData(facts, columns, reference.nameOf), reference.sheet, planInstructions(facts, columns)],
  };
}

function planData(
  input: TemplateFacts,
  columns: readonly TemplateColumn[],
  nameOf: ReadonlyMap<TemplateColumn, string>,
): PlannedSheet {
  const toRow = DATA_FROM + input.files.length + SPARE_ROWS - 1;
  const typeAt = columns.findIndex(isTypeColumn);
  return {
    name: DATA_SHEET,
    widths: columns.map(column => widthOf(column, input.files)),
    rows: [
      columns.map(
        ({ need, needWords }): PlannedCell => ({
          text: needWords,
          look: need === 'always' ? 'band-strong' : 'band',
        }),
      ),
      columns.map(({ header, need }): PlannedCell => ({ text: header, look: HEADER_LOOKS[need] })),
      ...input.files.map(file => columns.map(column => toCell(input, column, file))),
    ],
    rowHeights: new Map([
      [0, 39],
      [1, 24],
    ]),
    spareRows: SPARE_ROWS,
    frozenRows: DATA_FROM,
    frozenColumns: 1,
    filterRow: 1,
    lists: columns.flatMap((column, at) => planList(input, column, at, toRow, nameOf.get(column))),
    highlights: columns.flatMap((column, at) => planHighlight(columns, column, at, toRow, typeAt)),
  };
}

const HEADER_LOOKS = { always: 'header-always', sometimes: 'header-sometimes', never: 'header' } as const;

function toCell({ type }: TemplateFacts, column: TemplateColumn, file: TemplateFile): PlannedCell {
  const { field } = column;
  if (field === undefined) return { text: file.path, look: 'text' };
  const text = file.values[field.name] ?? (isTypeColumn(column) ? type : undefined) ?? '';
  return { text, look: 'text' };
}

/** Wide enough for what is offered, and no wider than a reader follows. */
function widthOf({ header, field, offered }: TemplateColumn, files: readonly TemplateFile[]): number {
  const texts =
    field === undefined ? files.map(({ path }) => path) : offered.slice(0, 500).map(({ label }) => label);
  const longest = texts.reduce((most, text) => Math.max(most, text.length), header.length + 3);
  return Math.min(Math.max(longest + 2, field === undefined ? 36 : 16), 48);
}

function planList(
  { emptyWord }: TemplateFacts,
  { header, field, offered }: TemplateColumn,
  column: number,
  toRow: number,
  name: string | undefined,
): PlannedList[] {
  if (field === undefined || offered.length === 0) return [];
  const values = offered.map(({ label }) => label);
  return [
    {
      column,
      fromRow: DATA_FROM,
      toRow,
      source: name === undefined ? { values } : { name },
      asks: !takesSeveral(field),
      title: header,
      hint: `This is not in the list of the project. Pick from the list, or give a code of the sheet Reference. ${emptyWord} leaves it empty.`,
    },
  ];
}

/** Highlights a required cell while it is empty and its row has a file. */
function planHighlight(
  columns: readonly TemplateColumn[],
  { need, field }: TemplateColumn,
  column: number,
  toRow: number,
  typeAt: number,
): PlannedHighlight[] {
  if (field === undefined || need === 'never') return [];
  const row = DATA_FROM + 1;
  const isWanting = `$A${row}<>"",TRIM($${columnLetter(column)}${row})=""`;
  const types = listTypeTexts(columns[typeAt], field);
  const isOfType = types.map(text => `$${columnLetter(typeAt)}${row}="${text.replaceAll('"', '""')}"`);
  const formula = need === 'always' ? `AND(${isWanting})` : `AND(${isWanting},OR(${isOfType.join(',')}))`;
  if (need === 'sometimes' && (isOfType.length === 0 || formula.length > LONGEST_FORMULA)) return [];
  return [{ column, fromRow: DATA_FROM, toRow, formula, tone: 'waits' }];
}

/** A person may have given the type by its label or by its code. */
function listTypeTexts(type: TemplateColumn | undefined, field: TemplateField): readonly string[] {
  return (type?.offered ?? [])
    .filter(({ label }) => field.requiredByType.includes(label))
    .flatMap(({ label, code }) => (code === '' ? [label] : [label, code]));
}

interface PlannedReference {
  readonly sheet: PlannedSheet;
  readonly names: readonly PlannedName[];
  /** The columns whose drop-down points at the sheet, with the name of their range. */
  readonly nameOf: ReadonlyMap<TemplateColumn, string>;
}

function planReference(columns: readonly TemplateColumn[]): PlannedReference {
  const rows: PlannedCell[][] = [
    ['Field', 'Value', 'Code'].map(text => ({ text, look: 'header-always' as const })),
  ];
  const names: PlannedName[] = [];
  const nameOf = new Map<TemplateColumn, string>();
  columns.forEach((column, index) => {
    if (column.offered.length === 0) return;
    const fromRow = rows.length;
    for (const { label, code } of column.offered) {
      rows.push([column.header, label, code].map(text => ({ text, look: 'text' as const })));
    }
    if (fitsInList(column.offered.map(({ label }) => label))) return;
    // A name, because newer versions of Excel keep a drop-down that points straight at another sheet where
    // older programs do not look for it.
    const name = `List_${index}_${column.header.replace(/[^A-Za-z0-9]+/g, '_').slice(0, 40)}`;
    names.push({ name, sheet: REFERENCE_SHEET, column: 1, fromRow, toRow: rows.length - 1 });
    nameOf.set(column, name);
  });
  const sheet = { name: REFERENCE_SHEET, widths: [28, 48, 16], rows, frozenRows: 1, filterRow: 0 };
  return { sheet, names, nameOf };
}

/** Within the drop-down itself values are separated by commas, and nothing can be quoted. */
function fitsInList(values: readonly string[]): boolean {
  return values.join(',').length <= LONGEST_LIST && values.every(value => !/[,"&<>]|^[\s=]|\s$/.test(value));
}
