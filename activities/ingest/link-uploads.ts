// Step 6 where it may have been heard before: what is COMPLETED by now is not
// written again, for people see it.
import { type ActivityScope, isPerhapsRepeated } from '../scope/activity-scope';
import type { LinkItem, LinkUploadsInput, LinkUploadsResult } from './api';
import { linkUploads, type WriteDeps } from './documents';
import { findListed, type Listed, type LookDeps, readOneByOne, readSelected } from './look-at-uploads';

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
