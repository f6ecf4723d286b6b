// Looks again for uploads that should be there. The service may show a change late, and not
// everywhere at once: one response that does not show an upload says nothing, several kinds of
// read to the end of the time do.
import type { ActivityScope } from '../scope/activity-scope';
import { rest } from '../scope/rest';
import type { FindAbsentInput, FindAbsentResult } from './api';
import { findListed, type LookDeps, readOneByOne, readSelected, sureAbsenceOf } from './look-at-uploads';
import { requireProject } from './require-project';

type Kind = FindAbsentResult['documents'][number]['kind'];
type Item = FindAbsentInput['items'][number];

/**
 * Where each upload costs a request, looks before the last one are made only while no more than this are
 * missing.
 */
const FEW = 10;

export interface FindAbsentDeps extends LookDeps {
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const NOT_SEEN_YET = 'an upload is not to be seen yet; another look comes later';

/** What one attempt leaves to the next. */
interface Progress {
  readonly lookedMs: number;
  /** The pause before the next look is over. */
  readonly isDue: boolean;
  readonly shown: readonly number[];
  /** What the looks at the end of the time have come to. */
  readonly seen?: readonly (readonly [number, Kind])[];
}

/**
 * What any read shows COMPLETED is found. At the end each upload that was not is asked for by itself as well,
 * which also tells a deleted one. One answer that cannot be read says nothing: such an upload is looked for
 * as long again, until one can be. An outage does not use up the time: a failed look ends this attempt, and
 * the next one counts on. A pause between two looks ends the attempt, too, so that it holds no slot of the
 * worker.
 */
export async function findAbsent(
  deps: FindAbsentDeps,
  input: FindAbsentInput,
  scope: ActivityScope,
): Promise<FindAbsentResult> {
  const { everyMs, forMs } = input.times;
  let at = takeUp(scope.lastDetails);
  const kinds = new Map<number, Kind>(at.seen ?? at.shown.map(index => [index, 'shown']));
  for (;;) {
    const isOver = at.lookedMs >= forMs;
    const open = input.items.filter(({ index }) =>
      isOver ? kinds.get(index) === 'unreadable' : kinds.get(index) !== 'shown',
    );
    if (open.length === 0) break;
    const pauseMs = Math.max(1, isOver ? everyMs : Math.min(everyMs, forMs - at.lookedMs));
    const details = { ...at, isDue: true };
    if (!at.isDue) await rest(deps, scope, { ms: pauseMs, details, why: NOT_SEEN_YET });
    const lookedMs = at.lookedMs + pauseMs;
    const isLast = lookedMs >= forMs;
    for (const [index, kind] of await lookBothWays(deps, input, open, { isLast, isOver }, scope.signal)) {
      kinds.set(index, kind);
    }
    if (lookedMs >= 2 * forMs) break;
    const shown = [...kinds].flatMap(([index, kind]) => (kind === 'shown' ? [index] : []));
    at = { lookedMs, isDue: false, shown, ...(isLast ? { seen: [...kinds] } : {}) };
    scope.report(at);
  }
  const documents = input.items.map(({ index }) => ({ index, kind: kinds.get(index) ?? 'hidden' }) as const);
  // In a project that the service does not know every upload answers 404: that is no word of any of them.
  if (documents.some(({ kind }) => kind === 'hidden')) await requireProject(deps.client, input, scope.signal);
  return { documents };
}

/** A worker of an earlier build left only `lookedMs`. */
function takeUp(details: unknown): Progress {
  const { lookedMs = 0, isDue = false, shown = [], seen } = (details ?? {}) as Partial<Progress>;
  return { lookedMs, isDue, shown, ...(seen === undefined ? {} : { seen }) };
}

async function lookBothWays(
  deps: FindAbsentDeps,
  input: FindAbsentInput,
  items: readonly Item[],
  { isLast, isOver }: { readonly isLast: boolean; readonly isOver: boolean },
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Kind>> {
  const kinds = new Map<number, Kind>(items.map(({ index }) => [index, 'hidden']));
  const { isBulk, isHeard } = await lookTogether(deps, input, items, isLast, kinds, signal);
  if (!isLast && (isBulk || items.length > FEW)) return kinds;
  const unseen = items.filter(({ index }) => kinds.get(index) !== 'shown');
  // The look at the end of the time was answered.
  const how = { isHeard: isHeard || isOver, toAbsence: sureAbsenceOf };
  const looks = await readOneByOne(deps, input.project, unseen, signal, how);
  for (const [index, found] of looks) {
    if (typeof found === 'string') {
      // What one read shows INCOMPLETE is there, whatever another one says.
      if (found === 'deleted' || kinds.get(index) === 'hidden') kinds.set(index, found);
    } else kinds.set(index, toKind(found.uploadStatus));
  }
  return kinds;
}

/**
 * Looks by the bulk read; in projects without it by the project's list, at the last look only. `isBulk`: one
 * request was enough for all.
 */
async function lookTogether(
  deps: FindAbsentDeps,
  { project }: FindAbsentInput,
  items: readonly Item[],
  isLast: boolean,
  kinds: Map<number, Kind>,
  signal: AbortSignal,
): Promise<{ readonly isBulk: boolean; readonly isHeard: boolean }> {
  const selected = await readSelected(deps, project, items, signal);
  const isBulk = selected !== 'unsupported';
  if (!isBulk && !isLast) return { isBulk, isHeard: false };
  const found = isBulk ? selected : await findListed(deps, project, items, signal);
  // Where there is no list either, the single reads of the last look tell alone.
  if (found === 'unsupported') return { isBulk, isHeard: false };
  for (const { index, uploadId } of items) {
    const upload = found.shown.get(uploadId);
    if (upload !== undefined) kinds.set(index, toKind(upload.uploadStatus));
  }
  return { isBulk, isHeard: true };
}

function toKind(status: string | null): Kind {
  return status === 'COMPLETED' ? 'shown' : 'incomplete';
}
