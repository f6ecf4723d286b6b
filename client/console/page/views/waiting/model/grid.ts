// The grid of values: which columns it has, how its rows are grouped by what is asked, and how each row
// stands. Pure.
import type { GivenAnswer, HeldRow, SaidOfDocuments, WaitingPage } from '../../../../contract/waiting';
import { type CheckedField, requiring, toAnswer } from '../../../parts/values/check-cell';
import { asAsked, faultsIn, labelsAsked, needsOf } from '../../../parts/values/needs';
import { texts as catalogue } from '../../../shell/texts';
import type { Edits, RowEdits, RowId } from './edits';

const texts = catalogue.waiting.are;

export function idOf({ share, batchId, index }: Pick<HeldRow, 'share' | 'batchId' | 'index'>): RowId {
  return `${share}/${batchId}/${index}`;
}

export interface GridRow {
  readonly id: RowId;
  readonly held: HeldRow;
  /** Names of the fields that it needs a value of. */
  readonly needs: readonly string[];
  /** What is asked of it, in the words of its reason, while the project's fields are not known here. */
  readonly asked: readonly string[];
  /** What is known already, by name of field. */
  readonly known: ReadonlyMap<string, string>;
  /** What somebody else has answered; `by` is '' where nobody knows who. The row is locked by it. */
  readonly answered: GivenAnswer | undefined;
  /** The person may see its share, and not answer for it. */
  readonly isReadOnly: boolean;
}

/** It may still be answered, and by this person. */
export function isOpenRow(row: GridRow | undefined): row is GridRow {
  return row !== undefined && row.answered === undefined && !row.isReadOnly;
}

export interface GridGroup {
  readonly key: string;
  readonly title: string;
  /** Why values are needed, or what to do; '' for nothing to say. */
  readonly why: string;
  readonly rows: readonly GridRow[];
}

type FieldsOf = (share: string) => readonly CheckedField[];

export function toGridRow(held: HeldRow, fields: readonly CheckedField[], isReadOnly = false): GridRow {
  return {
    id: idOf(held),
    held,
    needs: needsOf(held, fields).map(({ name }) => name),
    asked: fields.length > 0 ? [] : labelsAsked(held),
    known: new Map(held.values.map(({ field, text }) => [field, text])),
    answered: undefined,
    isReadOnly,
  };
}

/** The field as this row is asked for it: where it may not lack a value, it cannot be left empty. */
export function fieldOf(
  { held, known }: Pick<GridRow, 'held' | 'known'>,
  fields: readonly CheckedField[],
  name: string,
): CheckedField | undefined {
  const field = fields.find(each => each.name === name);
  if (field === undefined) return undefined;
  return isRequiredByType(field, known, fields) ? requiring(field) : asAsked(held, field);
}

function isRequiredByType(
  { requiredByType }: CheckedField,
  known: ReadonlyMap<string, string>,
  fields: readonly CheckedField[],
): boolean {
  return requiredByType.length > 0 && requiredByType.includes(typeLabelOf(known, fields) ?? '');
}

/** The row's type, as the project's list has it. */
function typeLabelOf(
  known: ReadonlyMap<string, string>,
  fields: readonly CheckedField[],
): string | undefined {
  const text = known.get('type');
  const given = text === undefined ? undefined : fields.find(({ name }) => name === 'type')?.check(text);
  return given?.kind === 'value' ? given.texts[0] : undefined;
}

export function groupRows(rows: readonly GridRow[], fieldsOf: FieldsOf): readonly GridGroup[] {
  const groups = new Map<string, GridRow[]>();
  const heads = new Map<string, Omit<GridGroup, 'rows'>>();
  for (const row of rows) {
    const head = headOf(row, fieldsOf(row.held.share));
    heads.set(head.key, heads.get(head.key) ?? head);
    groups.set(head.key, [...(groups.get(head.key) ?? []), row]);
  }
  const all = [...groups].flatMap(([key, inGroup]) => {
    const head = heads.get(key);
    return head === undefined ? [] : [{ ...head, rows: inGroup }];
  });
  // What most of them wait for comes first.
  return all.sort((one, other) => other.rows.length - one.rows.length);
}

function headOf({ held, known }: GridRow, fields: readonly CheckedField[]): Omit<GridGroup, 'rows'> {
  const [fault] = faultsIn(held.reason);
  if (fault !== undefined) {
    const title = `${fault.label} “${fault.text}” ${fault.says}`;
    return { key: `fault ${title}`, title, why: '' };
  }
  if (held.missing.length > 0) {
    const title = texts.missing(held.missing);
    const why = whyNeeded(held.missing, known, fields);
    return { key: `missing ${title} ${why}`, title, why };
  }
  return { key: held.reason, title: held.reason, why: held.whatToDo };
}

function whyNeeded(
  labels: readonly string[],
  known: ReadonlyMap<string, string>,
  fields: readonly CheckedField[],
): string {
  const [label = ''] = labels;
  const field = fields.find(each => each.label === label);
  const type = fields.find(({ name }) => name === 'type');
  const typeLabel = typeLabelOf(known, fields);
  if (field === undefined || field.required || labels.length > 1) return '';
  if (type !== undefined && typeLabel !== undefined && isRequiredByType(field, known, fields))
    return texts.neededBecause(type.label, typeLabel);
  return field.requiredByFields.length > 0 ? texts.neededWithSome(field.requiredByFields) : '';
}

export interface GridColumn {
  readonly name: string;
  readonly label: string;
  /** It can be written in; others are shown so that people know the document. */
  readonly isOpen: boolean;
}

const MOST_SHOWN = 3;
const HEAD_FIELDS = new Set(['number', 'revision', 'name', 'title', 'description']);

/**
 * Fields that any row needs, the most needed first; behind them some of what most rows say. Where a row is
 * asked about without a field being named, as when the service refused one of its values, all fields that the
 * project requires or that the row has a value of may be written in.
 */
export function listColumns(
  rows: readonly GridRow[],
  fields: readonly CheckedField[],
): readonly GridColumn[] {
  const needed = countBy(rows.flatMap(({ needs }) => needs));
  const known = countBy(rows.flatMap(row => [...row.known.keys()]));
  const toColumn = (isOpen: boolean) => (name: string) => ({
    name,
    label: fields.find(field => field.name === name)?.label ?? name,
    isOpen,
  });
  const unsure = rows.filter(row => isOpenRow(row) && row.needs.length === 0 && row.asked.length === 0);
  const free = fields.filter(
    ({ name, required, isForced }) =>
      !isForced && !needed.has(name) && unsure.some(row => required || row.known.has(name)),
  );
  const open = [...needed.keys(), ...free.map(({ name }) => name)];
  const shown = [...known.keys()].filter(name => !open.includes(name) && !HEAD_FIELDS.has(name));
  const asked = [...countBy(rows.flatMap(row => row.asked)).keys()].map(toColumn(false));
  return [
    ...open.map(toColumn(true)),
    ...asked.filter(({ label }) => !fields.some(field => open.includes(field.name) && field.label === label)),
    ...shown
      .slice(0, Math.max(0, MOST_SHOWN - open.length + 1))
      .filter(name => fields.some(field => field.name === name))
      .map(toColumn(false)),
  ];
}

function countBy(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Map([...counts].sort(([, one], [, other]) => other - one));
}

export type RowState =
  | { readonly kind: 'locked'; readonly by: string; readonly at: string }
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'fault';
      readonly field: string;
      readonly text: string;
      readonly nearest: readonly string[];
    }
  /** `begun`: some of its values are there. */
  | { readonly kind: 'lacks'; readonly begun: boolean };

export function stateOf(
  row: GridRow,
  edits: RowEdits | undefined,
  fields: readonly CheckedField[],
): RowState {
  if (row.answered !== undefined) return { kind: 'locked', by: row.answered.by, at: row.answered.at };
  // What a register says wrongly is a fault until something else is written for it.
  const known = row.needs.flatMap(name => {
    const text = row.known.get(name);
    return text === undefined || edits?.has(name) === true ? [] : [[name, text] as const];
  });
  for (const [name, text] of [...(edits ?? []), ...known]) {
    const anywhere = fields.find(field => field.name === name)?.check(text);
    // Which row it is matters only for a text that leaves the field empty: the row may require a value.
    const isEmptied = anywhere?.kind === 'value' && anywhere.texts.length === 0;
    const checked = isEmptied ? fieldOf(row, fields, name)?.check(text) : anywhere;
    if (checked?.kind === 'fault') return { ...checked, field: name };
  }
  const begun = (edits?.size ?? 0) > 0;
  // A value of a field that is not known here cannot be sent yet, and the row would go without it.
  const isUnknown = [...(edits?.keys() ?? [])].some(name => fields.every(field => field.name !== name));
  const lacks = isUnknown || row.needs.some(name => edits?.has(name) !== true);
  return lacks || !begun ? { kind: 'lacks', begun } : { kind: 'ready' };
}

export interface Tally {
  readonly ready: readonly GridRow[];
  readonly lacking: number;
  readonly faults: number;
}

export function tallyRows(rows: readonly GridRow[], edits: Edits, fieldsOf: FieldsOf): Tally {
  const states = rows.map(row => stateOf(row, edits.get(row.id), fieldsOf(row.held.share)));
  return {
    ready: rows.filter((_, at) => states[at]?.kind === 'ready'),
    lacking: states.filter(({ kind }) => kind === 'lacks').length,
    faults: states.filter(({ kind }) => kind === 'fault').length,
  };
}

/** Documents of a batch that get the same values go into one answer. */
export function toAnswers(
  ready: readonly GridRow[],
  edits: Edits,
  fieldsOf: FieldsOf,
): readonly SaidOfDocuments[] {
  const said = new Map<string, SaidOfDocuments>();
  for (const { id, held } of ready) {
    const fields = fieldsOf(held.share);
    const values: Record<string, string | string[]> = {};
    for (const [name, text] of edits.get(id) ?? []) {
      const field = fields.find(each => each.name === name);
      const value = field === undefined ? undefined : toAnswer(field, text);
      if (value !== undefined) values[name] = value;
    }
    const key = JSON.stringify([held.share, held.batchId, Object.entries(values).sort()]);
    const { share, batchId } = held;
    const before = said.get(key)?.documents ?? [];
    // Only the kind: why a value is asked for may be told in other words meanwhile.
    const asked = { question: held.question };
    said.set(key, { share, batchId, documents: [...before, held.index], values, asked });
  }
  return [...said.values()];
}

const MOST_IN_PART = 1_000;
/** One batch is at most some hundred documents: beside this, it still fits into a request. */
const MOST_CHARACTERS = 1_000_000;

/** The same answers, in as many requests as they need; those of a batch stay together. */
export function inParts(answers: readonly SaidOfDocuments[]): readonly (readonly SaidOfDocuments[])[] {
  const batches = new Map<string, SaidOfDocuments[]>();
  for (const said of answers) {
    const key = `${said.share}/${said.batchId}`;
    batches.set(key, [...(batches.get(key) ?? []), said]);
  }
  const parts: SaidOfDocuments[][] = [];
  let characters = 0;
  for (const batch of batches.values()) {
    const length = JSON.stringify(batch).length;
    const last = parts.at(-1);
    const fits =
      last !== undefined &&
      last.length + batch.length <= MOST_IN_PART &&
      characters + length <= MOST_CHARACTERS;
    if (fits) last.push(...batch);
    else parts.push([...batch]);
    characters = fits ? characters + length : length;
  }
  return parts;
}

/** The same decision for all of them, in one answer for each batch and each question in it. */
export function decideOn(
  rows: readonly HeldRow[],
  said: Pick<SaidOfDocuments, 'decision' | 'reason' | 'status'>,
): readonly SaidOfDocuments[] {
  const answers = new Map<string, SaidOfDocuments>();
  for (const { share, batchId, index, question, reason } of rows) {
    const key = JSON.stringify([share, batchId, question, reason]);
    const before = answers.get(key)?.documents ?? [];
    const asked = { question, reason };
    answers.set(key, { share, batchId, documents: [...before, index], ...said, asked });
  }
  return [...answers.values()];
}

/** Ids of the rows that may still be answered, and by this person. */
export function openIds(rows: readonly GridRow[]): readonly string[] {
  return rows.filter(isOpenRow).map(({ id }) => id);
}

/**
 * Whether anything that is written may still be saved: not where somebody else was first, or where the
 * document waits no more. While something is away, nobody knows the latter.
 */
export function isAnyToSave(
  edits: Edits,
  page: Pick<WaitingPage, 'rows' | 'answered' | 'away'> | undefined,
): boolean {
  if (page === undefined) return edits.size > 0;
  const waiting = new Set(page.rows.map(idOf));
  const answered = new Set(page.answered.map(idOf));
  return [...edits.keys()].some(id => waiting.has(id) || (page.away !== null && !answered.has(id)));
}
