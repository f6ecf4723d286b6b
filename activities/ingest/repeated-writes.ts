// Step 6 where it may have been heard before: what is COMPLETED by now is not written again, for people see
// it; nor are values that somebody has changed since. While the step is away, one document asks for all.
import { isSameText } from '../../workflows/run/decide/same-text';
import { type ActivityScope, isPerhapsRepeated } from '../scope/activity-scope';
import { inGrowingParts } from '../scope/growing-parts';
import type { DocumentUpload } from '../service/endpoints/document-uploads';
import type {
  LinkItem,
  LinkUploadsInput,
  LinkUploadsResult,
  WriteValuesInput,
  WriteValuesResult,
} from './api';
import { linkUploads, type WriteDeps, writeValues } from './documents';
import {
  findListed,
  type Listed,
  type Look,
  type LookDeps,
  look,
  readOneByOne,
  readSelected,
} from './look-at-uploads';

const NOTHING_READ: Listed = { shown: new Map(), isAll: false, isHeard: false };

interface Found {
  readonly done: readonly LinkItem[];
  /** May be COMPLETED: nobody can tell. They are answered as missing, so that the workflow looks for them. */
  readonly unreadable: readonly LinkItem[];
}
const NOTHING_FOUND: Found = { done: [], unreadable: [] };

type Scope = Pick<ActivityScope, 'signal' | 'attempt' | 'lastDetails' | 'report'>;
type Linked = Extract<LinkUploadsResult, { readonly kind: 'answered' }>;

/**
 * Links what is not linked yet. Between a request whose response was lost and the next attempt an
 * outage may lie, in which people edit what has become COMPLETED: a second request would put
 * the planned values over theirs. While the step is away, one document asks for all: one look, one request.
 */
export async function linkUnlessLinked(
  deps: LookDeps & WriteDeps,
  input: LinkUploadsInput,
  scope: Scope,
): Promise<LinkUploadsResult> {
  const isRepeated = isPerhapsRepeated(scope, input.asked);
  const done = new SeenDone(scope);
  const linked: number[] = [];
  const failed: Linked['failed'][number][] = [];
  const missing: number[] = [];
  for (const items of inGrowingParts(done.without(input.items), scope.attempt)) {
    const found = isRepeated ? await findLinked(deps, { ...input, items }, scope) : NOTHING_FOUND;
    done.note(found.done);
    missing.push(...indexesOf(found.unreadable));
    const open = items.filter(item => !found.done.includes(item) && !found.unreadable.includes(item));
    if (open.length === 0) continue;
    const result = await linkUploads(deps, { ...input, items: open }, scope);
    // The workflow looks at all of them before it goes on, and finds what is linked.
    if (result.kind === 'failed') return result;
    if (result.kind === 'refused') {
      const before = [...done.indexes, ...linked];
      return before.length === 0 ? result : { ...result, linked: before };
    }
    linked.push(...result.linked);
    failed.push(...result.failed);
    missing.push(...result.missing);
  }
  const repeated = isRepeated ? { repeated: true as const } : {};
  return { kind: 'answered', linked: [...done.indexes, ...linked], failed, missing, ...repeated };
}

function indexesOf(items: readonly { readonly index: number }[]): readonly number[] {
  return items.map(({ index }) => index);
}

/**
 * What looks of earlier attempts have seen to be done. It is not looked at again: in an outage that began in
 * the middle of a request, the looks at each attempt would pass over all that it has done.
 */
class SeenDone {
  readonly #report: Scope['report'];
  #indexes: readonly number[];

  constructor({ lastDetails, report }: Pick<Scope, 'lastDetails' | 'report'>) {
    const { done = [] } = (lastDetails ?? {}) as { readonly done?: readonly number[] };
    this.#indexes = done;
    this.#report = report;
  }

  get indexes(): readonly number[] {
    return this.#indexes;
  }

  without<Item extends { readonly index: number }>(items: readonly Item[]): readonly Item[] {
    return items.filter(({ index }) => !this.#indexes.includes(index));
  }

  note(items: readonly { readonly index: number }[]): void {
    if (items.length === 0) return;
    this.#indexes = [...this.#indexes, ...indexesOf(items)];
    this.#report({ done: this.#indexes });
  }
}

async function findLinked(
  deps: LookDeps,
  { project, items, onlyEmpty }: LinkUploadsInput,
  { signal }: Pick<Scope, 'signal'>,
): Promise<Found> {
  // Of those that were COMPLETED before, or with another file's bytes, that says nothing.
  const asked = onlyEmpty === true ? [] : items.filter(({ relink }) => relink !== true);
  if (asked.length === 0) return NOTHING_FOUND;
  const selected = await readSelected(deps, project, asked, signal);
  // One costs no more when it is asked for by itself.
  const isToList = selected === 'unsupported' && asked.length > 1;
  const read = isToList ? await findListed(deps, project, asked, signal) : selected;
  const { shown, isAll, isHeard } = read === 'unsupported' ? NOTHING_READ : read;
  // What was not looked at may be linked all the same.
  const unseen = isAll ? [] : asked.filter(({ uploadId }) => !shown.has(uploadId));
  const looks = await readOneByOne(deps, project, unseen, signal, { isHeard });
  const done = asked.filter(({ index, uploadId }) => {
    const found = shown.get(uploadId) ?? looks.get(index);
    return typeof found === 'object' && found.uploadStatus === 'COMPLETED';
  });
  return { done, unreadable: asked.filter(({ index }) => looks.get(index) === 'unreadable') };
}

type WriteItem = WriteValuesInput['items'][number];

/** What a look says of values that may have been written: `unseen`, that nobody can tell. */
type Standing = 'as-read' | 'written' | 'changed' | 'unseen';

/**
 * Writes values over whatever stands there, once: between a request whose response was lost and the next
 * attempt may lie a day, in which people correct what was written. Into empty fields they are written as
 * often as one likes, for nothing is lost there.
 */
export async function writeUnlessChanged(
  deps: LookDeps & WriteDeps,
  input: WriteValuesInput,
  scope: Scope,
): Promise<WriteValuesResult> {
  const { asked, again, onlyEmpty, project } = input;
  const isRepeated = asked !== undefined && (again === true || isPerhapsRepeated(scope, asked));
  if (onlyEmpty || !isRepeated) return await writeValues(deps, input, scope);
  const done = new SeenDone(scope);
  const changed: number[] = [];
  const unseen: number[] = [];
  const open = async (items: readonly WriteItem[]): Promise<readonly WriteItem[]> => {
    const looks = await look(deps, project, items, scope.signal);
    const standings = new Map(items.map(item => [item, judgeStanding(item, looks.get(item.index))]));
    const those = (standing: Standing) => items.filter(item => standings.get(item) === standing);
    done.note(those('written'));
    changed.push(...indexesOf(those('changed')));
    unseen.push(...indexesOf(those('unseen')));
    return those('as-read');
  };
  const one = async (): Promise<WriteItem | undefined> => {
    // It costs a look and a request: in an outage, at every second attempt. Another one each time, for the
    // one may be gone.
    const { attempt, signal } = scope;
    const index = attempt % 2 === 0 ? done.indexes[(attempt / 2) % done.indexes.length] : undefined;
    const item = input.items.find(each => each.index === index);
    if (item === undefined) return undefined;
    // Nor is this one written again if somebody has changed it since.
    const looks = await look(deps, project, [item], signal);
    return judgeStanding(item, looks.get(item.index)) === 'written' ? item : undefined;
  };
  const left = { ...input, items: done.without(input.items) };
  const result = await writeValues(deps, left, scope, { open, one });
  return {
    ...result,
    written: [...done.indexes, ...result.written],
    missing: [...unseen, ...result.missing],
    changed,
  };
}

/**
 * Whether a person may have written to these fields since ours may have been written. An upload that has not
 * moved since it was read has nothing of ours either, nor of anybody else.
 */
function judgeStanding({ eventId, fields }: WriteItem, found: Look | undefined): Standing {
  if (typeof found !== 'object') return 'unseen';
  if (eventId !== undefined && found.latestEventId === eventId) return 'as-read';
  const shown = new Map(found.fields.map(field => [field.id, field]));
  const others = fields.filter(({ fieldId, values }) => !isShown(shown.get(fieldId), values));
  if (others.length === 0) return 'written';
  return others.some(({ fieldId }) => isPersons(shown.get(fieldId))) ? 'changed' : 'as-read';
}

type ShownField = DocumentUpload['fields'][number];

function isShown(field: ShownField | undefined, values: readonly string[]): boolean {
  const shown = field?.values ?? [];
  const isThere = (wanted: string) =>
    shown.some(({ id, label }) => id === wanted || (label !== null && isSameText(label, wanted)));
  return shown.length === values.length && values.every(isThere);
}

/** Has a value, and not by the service's own look at the file or its name. */
function isPersons(field: ShownField | undefined): boolean {
  if (field === undefined || field.values.length === 0) return false;
  return field.labelSource === null || field.labelSource === undefined || field.labelSource === 'MANUAL';
}
