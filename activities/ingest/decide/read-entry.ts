// What a register's row says of one document, in the fields of the project.
import type { Reason } from '../../../workflows/contract';
import type {
  FieldWrite,
  RegisterEntry,
  RegisterInput,
  RegisterRules,
  RegisterTexts,
} from '../../../workflows/ingest/ingest-contract';
import { findField } from '../../registers/column-words';
import { indexWords, nameColumns, type RegisterColumn } from '../../registers/name-columns';
import { type CellRules, type RegisterField, readCell } from '../../registers/read-cell';
import { readRows } from '../../registers/read-rows';
import { quote, type RegisterFault, tellFault } from '../../registers/register-fault';
import { kindAt, toCell, toCells } from '../../registers/sheet/cell-kinds';
import { numberShownAs, toShownCell } from '../../registers/sheet/shown-value';
import type { CellValues, ReadCells } from '../api';
import type { Resolver } from './plan-document';
import { type ProjectField, type ProjectRules, WORKFLOW_FIELD_NAMES } from './project-rules';
import { resolveText, takesIds, takesSeveral } from './resolve-text';

/** Codes of reasons that a register gives. Receipts carry them. */
export type EntryProblem = 'register-header' | 'register-row' | 'not-listed';

export interface RowWrites {
  readonly writes: readonly (FieldWrite & { readonly column: string })[];
  /** Ids of fields that the row leaves empty on purpose: neither names, folders nor defaults fill them. */
  readonly leftEmpty: readonly string[];
  /** Cells that no value can be made of. */
  readonly faults: readonly (RegisterFault & { readonly field: ProjectField })[];
}

/** A register of the batch, its columns named by the fields of the project. */
export interface ReadableRegister {
  readonly path: string;
  readonly columns: readonly RegisterColumn[];
  /** With any of these, none of the register's rows is used. */
  readonly faults: readonly RegisterFault[];
  readonly notices: readonly string[];
}

/** A date in one of these is what a spreadsheet program made of something else. */
const IDENTITY_FIELDS: ReadonlySet<string> = new Set(['name', 'number', 'revision', 'title']);

export const NO_ROW: RowWrites = { writes: [], leftEmpty: [], faults: [] };

/** Names the columns of all registers of a batch. The rows in `entries` tell which columns are filled. */
export function readHeaders(
  rules: ProjectRules,
  { register }: RegisterInput,
  entries: readonly (RegisterEntry | undefined)[],
): readonly ReadableRegister[] {
  if (register === undefined) return [];
  const words = indexWords({
    fields: settable(rules).map(({ name, label }) => ({ name, label })),
    isComplete: true,
    synonyms: register.rules.synonyms,
  });
  return register.registers.map(({ path, headers }, at) => {
    const rows = entries.flatMap(entry => (entry?.register === at ? (entry.row ?? []) : []));
    const isFilled = (column: number) => rows.some(({ cells }) => (cells[column] ?? '') !== '');
    const { columns, faults, notices } = nameColumns(headers, isFilled, words);
    return {
      path,
      columns,
      faults,
      notices: notices.map(notice => `${quoteName(path)}: ${tellFault(notice)}`),
    };
  });
}

/** Texts of a row that have to be looked up in a field's list, before `readEntry`. */
export function listCellTexts(
  rules: ProjectRules,
  { columns }: ReadableRegister,
  row: RegisterTexts,
  { emptyWord }: RegisterRules,
): readonly { readonly field: ProjectField; readonly text: string }[] {
  return columns.flatMap(({ index, meaning }) => {
    const field = meaning.kind === 'field' ? fieldNamed(rules, meaning.field) : undefined;
    const text = row.cells[index]?.trim().normalize('NFC') ?? '';
    if (field === undefined || text === '' || text === emptyWord || !takesIds(field)) return [];
    const parts = text.includes(';') ? text.split(';').map(part => part.trim()) : [];
    return [text, ...parts.filter(part => part !== '')].map(each => ({ field, text: each }));
  });
}

/** What the row says, each value as the service takes it. Nothing where no row counts for the document. */
export function readEntry(
  rules: ProjectRules,
  header: ReadableRegister,
  row: RegisterTexts | undefined,
  cellRules: RegisterRules,
  resolve: Resolver,
): RowWrites {
  if (row === undefined) return NO_ROW;
  const fields = settable(rules);
  const sheet = {
    sheet: '',
    headerRow: 0,
    columns: header.columns,
    rows: [{ number: row.number, cells: toCells(row) }],
    faults: [],
    notices: [],
  };
  const dates = cellRules.dates === undefined ? {} : { dates: cellRules.dates };
  const [read] = readRows(
    sheet,
    fields.map(field => toRegisterField(field, resolve)),
    {
      emptyWord: cellRules.emptyWord,
      ...dates,
    },
  );
  if (read === undefined) return NO_ROW;
  const columnOf = (field: ProjectField) =>
    header.columns.find(({ meaning }) => meaning.kind === 'field' && meaning.field === field.name)?.letter ??
    '';
  const given = fields.flatMap(field => {
    const texts = read.values.get(field.name);
    return texts === undefined ? [] : [{ field, column: columnOf(field), texts }];
  });
  const faults = read.faults.flatMap(fault => {
    const field = fields.find(each => columnOf(each) === fault.column);
    return field === undefined ? [] : [{ ...fault, field }];
  });
  return {
    writes: given.flatMap(({ field, column, texts }) =>
      texts.length === 0 ? [] : [{ fieldId: field.id, column, values: toWire(field, texts) }],
    ),
    leftEmpty: given.flatMap(({ field, texts }) => (texts.length === 0 ? [field.id] : [])),
    faults,
  };
}

/**
 * Values as they stand in cells, each under the name or label of its field. What has to be found in a list,
 * and what is no field, is left to whoever plans the document.
 */
export function readCellValues(
  fields: readonly ProjectField[],
  { values, ...kinds }: CellValues,
  cellRules: CellRules,
): ReadCells {
  const read: Record<string, string | string[]> = {};
  const faults: string[] = [];
  const namedAs = new Map<ProjectField, string>();
  for (const [name, value] of Object.entries(values)) {
    const field = findField(fields, name);
    const other = field === undefined ? undefined : namedAs.get(field);
    if (other !== undefined)
      faults.push(`${quote(other)} and ${quote(name)} stand for one field. Change one of them alone.`);
    if (field !== undefined) namedAs.set(field, name);
    if (field === undefined || takesIds(field) || typeof value !== 'string') {
      read[name] = typeof value === 'string' ? value : [...value];
      continue;
    }
    const kind = kindAt(kinds, name);
    const shown = kind === 'number' ? numberShownAs(value) : undefined;
    const cell = shown === undefined ? toCell(value, kind) : toShownCell({ kind: 'number', ...shown });
    const reading = readCell(cell, toRegisterField(field), cellRules);
    if (reading.kind === 'fault') faults.push(reading.text);
    else if (reading.kind === 'silent') read[name] = '';
    else read[name] = reading.kind === 'values' ? (reading.values[0] ?? '') : [];
  }
  return faults.length > 0 ? { kind: 'faults', text: faults.join(' ') } : { kind: 'values', values: read };
}

/** Why a register's header keeps all its rows from being read; undefined where it does not. */
export function explainHeader({ path, faults }: ReadableRegister): Reason | undefined {
  if (faults.length === 0) return undefined;
  return {
    code: 'register-header' satisfies EntryProblem,
    text: `The header of ${quoteName(path)} cannot be used: ${faults.map(tellFault).join(' ')}`,
    fix: 'Correct the header, and drop the register again together with its files.',
  };
}

/** What is wrong with the cells of a document's row, all of it at once; undefined for nothing. */
export function explainFaults(path: string, faults: RowWrites['faults']): Reason | undefined {
  if (faults.length === 0) return undefined;
  return rowReason(path, faults.map(tellFault));
}

/** Why no row counts for a document, where a person has to see it first; undefined where nobody has to. */
export function explainNoRow(
  path: string,
  { row, faults }: RegisterEntry,
  { unlisted }: RegisterRules,
): Reason | undefined {
  if (faults !== undefined) return rowReason(path, faults);
  if (row !== undefined || unlisted !== 'hold') return undefined;
  return {
    code: 'not-listed' satisfies EntryProblem,
    text: `${quoteName(path)} has no row for this file.`,
    fix: 'Answer with "retry" or with values if it is to go all the same, or with "set-apart"; or list it, and drop it again together with the register.',
  };
}

function rowReason(path: string, texts: readonly string[]): Reason {
  return {
    code: 'register-row' satisfies EntryProblem,
    text: `In ${quoteName(path)}: ${texts.join(' ')}`,
    fix: 'Correct its row in the sheet that lies in attention/ for this folder, and save that; while it is held, you can answer it as well.',
  };
}

/** @param resolve finds a text in the field's list; without it, texts of lists are passed on as they are. */
export function toRegisterField(field: ProjectField, resolve?: Resolver): RegisterField {
  const { name, label } = field;
  if (!takesIds(field)) {
    const takes = field.type === 'numeric' ? 'number' : field.type === 'timestamp' ? 'date' : 'text';
    return { name, label, takes, ...(IDENTITY_FIELDS.has(name) ? { isIdentity: true } : {}) };
  }
  const takes = takesSeveral(field) ? 'many-of' : 'one-of';
  if (resolve === undefined) return { name, label, takes };
  return { name, label, takes, choices: { resolve: text => resolve(field, text) } };
}

/** Dates and numbers as the service has them; ids of lists are its own already. */
function toWire(field: ProjectField, texts: readonly string[]): readonly string[] {
  if (takesIds(field)) return texts;
  return texts.map(text => {
    const resolution = resolveText(text, field);
    return resolution.kind === 'resolved' ? resolution.value : text;
  });
}

/** The fields that a sheet can give. */
export function settable({ fields }: ProjectRules): readonly ProjectField[] {
  return fields.filter(({ name }) => !WORKFLOW_FIELD_NAMES.has(name));
}

function fieldNamed(rules: ProjectRules, name: string): ProjectField | undefined {
  return settable(rules).find(field => field.name === name);
}

function quoteName(path: string): string {
  return quote(path.slice(path.lastIndexOf('/') + 1));
}
