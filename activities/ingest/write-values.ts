// Step 6 for values where it may have been heard before: what a person has changed since is not written over.
import { isSameText } from '../../workflows/run/decide/same-text';
import { type ActivityScope, isPerhapsRepeated } from '../scope/activity-scope';
import type { DocumentUpload } from '../service/endpoints/document-uploads';
import type { WriteValuesInput, WriteValuesResult } from './api';
import { type WriteDeps, writeValues } from './documents';
import { type Look, type LookDeps, look } from './look-at-uploads';

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
  scope: Pick<ActivityScope, 'signal' | 'attempt'>,
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
