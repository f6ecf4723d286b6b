// Documents that running workflows stand against (policy `wait`): each attempt looks at them and submits them
// again, for nothing else tells whether a workflow has ended. While all of them are refused for the same as
// before, the attempt fails for the next one to come: attempts cost no history and hold no place of a worker.
import {
  explainRefusal,
  judgeRefusal,
  mayHaveTakenEffect,
  type Refusal,
} from '../../../workflows/ingest/decide/judge-refusal';
import { findNamed, judgeSubmission } from '../../../workflows/ingest/decide/judge-submission';
import { nextLookMs } from '../../../workflows/ingest/decide/look-pace';
import { type Clock, systemClock } from '../../host/clock';
import type { ActivityScope } from '../../scope/activity-scope';
import { patiently } from '../../scope/failure';
import { ToldDates } from '../../scope/told-dates';
import { isServiceError } from '../../service/errors';
import type { Sender } from '../../service/service-client';
import type { ConflictItem, SubmitItem, WaitOutConflictsInput, WaitOutConflictsResult } from '../api';
import { type LookDeps, look } from '../look-at-uploads';
import { keepFailure } from '../probe-steps';
import { ConflictStandsError } from './conflict-stands-error';
import { maySubmit, type SeeHold } from './see-hold';
import { submitRevisions } from './submit-revisions';

type Told = WaitOutConflictsResult['documents'][number];
/** `gone`: perhaps not there any more, which may be our own doing where a request before is in doubt. */
interface Found {
  readonly index: number;
  readonly end: Told['end'] | { readonly kind: 'gone' };
}
type Scope = Pick<ActivityScope, 'signal' | 'attempt' | 'lastDetails' | 'report' | 'temporalMs'>;

/** What attempts tell the next one. */
interface Before {
  /**
   * Number of the last attempt whose requests all got a response, with all attempts before it accounted for.
   */
  readonly answered: number;
  /** All documents were seen and refused since: earlier requests without a response have come to nothing. */
  readonly isCleared: boolean;
  readonly refused: WaitOutConflictsResult['refused'];
}

/**
 * Ends when there is something else to tell of a document than before, or when the workflow has to see to the
 * hold of the batch, which another Temporal may have taken since it was seen last. If an attempt is cut, the
 * next one cannot know what its request did: a document that is gone then may be a revision. The same holds
 * after a reset for what the run before had sent, and after a person has repaired what it stood still for.
 */
export async function waitOutConflicts(
  deps: LookDeps & { readonly seeHold: SeeHold },
  input: WaitOutConflictsInput,
  scope: Scope,
  clock: Pick<Clock, 'wallMs'> = systemClock,
): Promise<WaitOutConflictsResult> {
  // By Temporal's clock, as the dates that the run gives and is told.
  const { temporalMs: nowMs } = scope;
  const dates = new ToldDates(clock, scope);
  const before = readBefore(scope.lastDetails);
  const isAnswered = scope.attempt === 1 || before.answered === scope.attempt - 1;
  const isAskedBefore = input.asked.afterReset === true || input.asked.again === true;
  const isUntold = (item: ConflictItem): boolean =>
    !isAnswered || (!before.isCleared && (item.isUntold || isAskedBefore));
  const stand = (now: Pick<Before, 'isCleared' | 'refused'>, retryAtMs: number): never => {
    scope.report({ answered: scope.attempt, ...now } satisfies Before);
    // A cut before the first request ends it with this: then it is for the workflow to have it looked for.
    throw new ConflictStandsError(
      input.items.length,
      dates.toHost(retryAtMs),
      !now.isCleared && input.items.some(isUntold),
    );
  };
  if (input.onlyLook !== true && isAnswered && nowMs() < input.dueMs) stand(before, input.dueMs);

  const found: Found[] = [];
  let isHoldToSee = false;
  try {
    const { there, gone } = await lookAtAll(deps, input, scope.signal);
    found.push(...tellAll(gone, 'gone'));
    if (input.onlyLook !== true && there.length > 0) {
      isHoldToSee = !(await maySubmit(deps.seeHold, input, scope));
      if (!isHoldToSee) found.push(...(await submit(deps.client, input, there, scope)));
    }
  } catch (error: unknown) {
    // Answered, or never sent: nothing of this attempt is unheard of.
    const isTold = isServiceError(error) || error === scope.signal.reason;
    if (isAnswered && isTold) scope.report({ ...before, answered: scope.attempt } satisfies Before);
    throw patiently(error, scope);
  }
  const untold = new Set(input.items.filter(isUntold).map(({ index }) => index));
  const told = found.map(({ index, end }): Told => {
    if (end.kind !== 'gone') return { index, end };
    return { index, end: { kind: untold.has(index) ? 'unheard' : 'changed' } };
  });
  if (isHoldToSee) return { documents: told, refused: before.refused, atMs: nowMs(), holdToSee: true };
  const stands = told.filter(one => isAsBefore(input, one));
  const refused = stands.length === 0 ? before.refused : { times: before.refused.times + 1, lastMs: nowMs() };
  if (stands.length === input.items.length) {
    stand({ isCleared: true, refused }, nextLookMs(input.pace, nowMs()));
  }
  return { documents: told.filter(one => !stands.includes(one)), refused, atMs: nowMs() };
}

function readBefore(details: unknown): Before {
  const {
    answered = 0,
    isCleared = false,
    refused = { times: 0, lastMs: 0 },
  } = (details ?? {}) as Partial<Before>;
  return { answered, isCleared, refused };
}

interface Looked {
  readonly there: readonly SubmitItem[];
  readonly gone: readonly ConflictItem[];
}

async function lookAtAll(
  deps: LookDeps,
  { project, items }: WaitOutConflictsInput,
  signal: AbortSignal,
): Promise<Looked> {
  const found = await look(deps, project, items, signal);
  const there: SubmitItem[] = [];
  const gone: ConflictItem[] = [];
  for (const item of items) {
    const upload = found.get(item.index);
    const isThere = typeof upload === 'object' && upload.uploadStatus === 'COMPLETED';
    if (!isThere || upload.latestEventId === null) gone.push(item);
    else there.push({ index: item.index, uploadId: item.uploadId, eventId: upload.latestEventId });
  }
  return { there, gone };
}

/** Submits the items. Those that a refusal names are told of, and the others are submitted without them. */
async function submit(
  client: Sender,
  input: WaitOutConflictsInput,
  items: readonly SubmitItem[],
  scope: Scope,
): Promise<readonly Found[]> {
  if (items.length === 0) return [];
  const { project, asked } = input;
  const watched = keepFailure(client);
  const request = { project, items, asked };
  const { signal, temporalMs } = scope;
  const result = await submitRevisions(watched.client, request, { signal, attempt: 1, temporalMs });
  switch (result.kind) {
    case 'not-sent':
      // Each request before this one was refused as a whole, so no revision is lost from sight by the throw.
      throw watched.failure();
    case 'unknown':
      return tellAll(items, 'unheard');
    case 'refused': {
      const named = findNamed(items, result.refusals);
      if (named.length === 0) return tellAll(items, 'gone');
      const names = new Set(named.map(({ item }) => item));
      const others = items.filter(item => !names.has(item));
      const told = named.map(({ item: { index }, refusal }) => tellRefusal(index, refusal));
      return [...told, ...(await submit(client, input, others, scope))];
    }
    case 'answered': {
      const judged = judgeSubmission(items, result);
      if (judged.kind === 'look') return tellAll(items, 'unheard');
      return [
        ...judged.refused.map(({ item: { index }, refusal }) => tellRefusal(index, refusal)),
        ...judged.accepted.map(
          ({ item: { index }, revisionId, paired }): Found => ({
            index,
            end: { kind: 'submitted', revisionId, paired },
          }),
        ),
      ];
    }
  }
}

function tellAll(items: readonly { readonly index: number }[], kind: 'unheard' | 'gone'): readonly Found[] {
  return items.map(({ index }) => ({ index, end: { kind } }));
}

/** If something other than a conflict is said against it, the usual steps of a document find out more. */
function tellRefusal(index: number, refusal: Refusal): Found {
  const { reasonCode } = refusal;
  // The look that showed it may have been late.
  if (judgeRefusal(reasonCode) === 'look') return { index, end: { kind: 'gone' } };
  if (isConflict(reasonCode)) return { index, end: { kind: 'conflict', refusal } };
  return { index, end: { kind: mayHaveTakenEffect(reasonCode) ? 'unheard' : 'changed' } };
}

function isConflict(reasonCode: string): boolean {
  const verdict = judgeRefusal(reasonCode);
  return verdict === 'conflict' || verdict === 'conflict-for-a-person';
}

/** Refused for what people have been told of already. */
function isAsBefore({ items, texts }: WaitOutConflictsInput, { index, end }: Told): boolean {
  if (end.kind !== 'conflict') return false;
  const said = items.find(item => item.index === index)?.said;
  // It may stand behind the reason why an answer has ended nothing.
  return said !== undefined && texts[said]?.endsWith(explainRefusal(end.refusal).text) === true;
}
