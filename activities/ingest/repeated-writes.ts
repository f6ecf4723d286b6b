// Step 6 where it may have been heard before: what is COMPLETED by now is not written again, for people see
// it; nor are values that somebody has changed since.
import { isSameText } from '../../workflows/run/decide/same-text';
import { type ActivityScope, isPerhapsRepeated } from '../scope/activity-scope';
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
  readonly done: ReadonlySet<LinkItem>;
  /** May be COMPLETED: nobody can tell. They are answered as missing, so that the workflow looks for them. */
  readonly unreadable: ReadonlySet<LinkItem>;
}
const NOTHING_FOUND: Found = { done: new Set(), unreadable: new Set() };

type Scope = Pick<ActivityScope, 'signal' | 'attempt'>;

/**
 * Links what is not linked yet. Between a request whose response was lost and the next attempt an
 * outage may lie, in which people edit what has become COMPLETED: a second request would put
 * the planned values over theirs.
 */
export async function linkUnlessLinked(
  deps: LookDeps & WriteDeps,
  input: LinkUploadsInput,
  scope: Scope,
): Promise<LinkUploadsResult> {
  const { done, unreadable } = isPerhapsRepeated(scope, input.asked)
    ? await findLinked(deps, input, scope)
    : NOTHING_FOUND;
  const items = input.items.filter(item => !done.has(item) && !unreadable.has(item));
  if (items.length === input.items.length) return await linkUploads(deps, input, scope);
  const linked = [...done].map(({ index }) => index);
  const missing = [...unreadable].map(({ index }) => index);
  if (items.length === 0) return { kind: 'answered', linked, failed: [], missing, repeated: true };
  const result = await linkUploads(deps, { ...input, items }, scope);
  switch (result.kind) {
    case 'answered':
      return {
        ...result,
        linked: [...linked, ...result.linked],
        missing: [...missing, ...result.missing],
      };
    case 'refused':
      return { ...result, linked };
    case 'failed':
      // The workflow looks at all of them before it goes on, and finds these.
      return result;
  }
}

async function findLinked(
  deps: LookDeps,
  { project, items, onlyEmpty }: LinkUploadsInput,
  { signal }: Scope,
): Promise<Found> {
  // Of those that were COMPLETED before, or with another file's bytes, that says nothing.
  const asked = onlyEmpty === true ? [] : items.filter(({ relink }) => relink !== true);
  if (asked.length === 0) return NOTHING_FOUND;
  const selected = await readSelected(deps, project, asked, signal);
  const read = selected === 'unsupported' ? await findListed(deps, project, asked, signal) : selected;
  const { shown, isAll, isHeard } = read === 'unsupported' ? NOTHING_READ : read;
  // What was not looked at may be linked all the same.
  const unseen = isAll ? [] : asked.filter(({ uploadId }) => !shown.has(uploadId));
  const looks = await readOneByOne(deps, project, unseen, signal, { isHeard });
  const done = asked.filter(({ index, uploadId }) => {
    const found = shown.get(uploadId) ?? looks.get(index);
    return typeof found === 'object' && found.uploadStatus === 'COMPLETED';
  });
  const unreadable = asked.filter(({ index }) => looks.get(index) === 'unreadable');
  return { done: new Set(done), unreadable: new Set(unreadable) };
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
  const { asked, again, onlyEmpty, project, items } = input;
  const isRepeated = asked !== undefined && (again === true || isPerhapsRepeated(scope, asked));
  if (onlyEmpty || !isRepeated) return await writeValues(deps, input, scope);
  const looks = await look(deps, project, items, scope.signal);
  const standings = new Map(items.map(item => [item, judgeStanding(item, looks.get(item.index))]));
  const indexesOf = (standing: Standing) =>
    items.flatMap(item => (standings.get(item) === standing ? [item.index] : []));
  const open = items.filter(item => standings.get(item) === 'as-read');
  const nothing: WriteValuesResult = { written: [], missing: [], refused: [] };
  const result = open.length === 0 ? nothing : await writeValues(deps, { ...input, items: open }, scope);
  return {
    ...result,
    written: [...indexesOf('written'), ...result.written],
    missing: [...indexesOf('unseen'), ...result.missing],
    changed: indexesOf('changed'),
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
