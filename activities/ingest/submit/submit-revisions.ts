// Step 8: one request to submit uploads as revisions. Says what is known of its effect; the workflow decides.
import type { Refusal } from '../../../workflows/ingest/decide/judge-refusal';
import { systemClock } from '../../host/clock';
import type { ActivityScope } from '../../scope/activity-scope';
import { askBegunMs } from '../../scope/temporal-time';
import { createRevisions } from '../../service/endpoints/document-revisions';
import { isOutage, isServiceError, type ServiceError } from '../../service/errors';
import type { Sender } from '../../service/service-client';
import { LinkedAbort } from '../../transfer/linked-abort';
import type { SubmitRevisionsInput, SubmitRevisionsResult } from '../api';
import { inProject, toRefusal } from '../documents';

/** Dates are Temporal's: the run and other hosts compare them with their own. */
type SubmitScope = Pick<ActivityScope, 'signal' | 'attempt' | 'temporalMs'>;

/**
 * Sends at the first attempt only. Whether an earlier attempt was heard before its worker died, or its run
 * was ended, cannot be known here, so a later one answers `unknown` and the workflow looks at each upload:
 * submitting is never repeated blindly.
 */
export async function submitRevisions(
  client: Sender,
  input: SubmitRevisionsInput,
  scope: SubmitScope,
): Promise<SubmitRevisionsResult> {
  const result = await sendOnce(client, input, scope);
  // In the result, so that a replay of this history decides as this run did, whatever is reset later.
  return input.asked.afterReset === true ? { ...result, afterReset: true } : result;
}

async function sendOnce(
  client: Sender,
  input: SubmitRevisionsInput,
  scope: SubmitScope,
): Promise<SubmitRevisionsResult> {
  if (scope.attempt > 1) return { kind: 'unknown' };
  const sinceMs = systemClock.monotonicMs();
  const ending = new LinkedAbort(scope.signal);
  const { signal } = ending;
  const timer = await setEnd(ending, input.sendByMs, scope, sinceMs);
  try {
    return { kind: 'answered', ...(await requestRevisions(client, input, signal)), atMs: scope.temporalMs() };
  } catch (error: unknown) {
    // The client looks at the signal before it sends and not after: an abort that comes out was before.
    if (error === signal.reason) return { kind: 'not-sent' };
    if (!isServiceError(error)) throw error;
    if (error.effect === 'unknown') return { kind: 'unknown' };
    // A duration, for the error's date is of this host's clock, and the run counts by Temporal's.
    if (error.code === 'RATE_LIMITED') {
      const retryInMs = Math.ceil(error.retryAtMs - systemClock.wallMs());
      return { kind: 'not-sent', retryInMs: Math.max(0, retryInMs) };
    }
    if (isOutage(error)) return { kind: 'not-sent' };
    const refusals = refusalsOf(error);
    if (refusals === undefined) throw error;
    const namedAtMs = scope.temporalMs();
    const dated = refusals.map(one => (one.reviews === undefined ? one : { ...one, namedAtMs }));
    return { kind: 'refused', refusals: dated };
  } finally {
    clearTimeout(timer);
    ending.release();
  }
}

/**
 * Aborts at `endMs`, Unix ms by Temporal's clock. A timer of its own: what `AbortSignal.any` follows is held
 * by nothing else, and in Node 20 a garbage collection takes a time-out with it.
 * @param sinceMs when this attempt began, by the monotonic clock of this process.
 */
async function setEnd(
  ending: LinkedAbort,
  endMs: number | undefined,
  scope: SubmitScope,
  sinceMs: number,
): Promise<NodeJS.Timeout | undefined> {
  if (endMs === undefined) return undefined;
  const abort = () => ending.abort(new DOMException('It was to be sent sooner', 'TimeoutError'));
  const leftMs = endMs - (await latestMs(scope, sinceMs));
  if (leftMs > 0) return setTimeout(abort, leftMs);
  abort();
  return undefined;
}

/**
 * How late it is by Temporal's clock, early only by as long as the attempt took to come here: nothing may go
 * out too late. By Temporal's own word and the time since, whatever the clock of this host shows. Where
 * Temporal does not say, what the attempts tell is early by as long as they lay in their queues, so this
 * host's clock counts as well where it is later: a host that is ahead says less than it could then.
 */
async function latestMs(scope: SubmitScope, sinceMs: number): Promise<number> {
  const begunMs = await askBegunMs();
  const toldMs = scope.temporalMs();
  if (begunMs === undefined) return Math.max(toldMs, systemClock.wallMs());
  return Math.max(toldMs, begunMs + Math.ceil(systemClock.monotonicMs() - sinceMs));
}

/** The request itself. */
export async function requestRevisions(
  client: Sender,
  { project, items }: Pick<SubmitRevisionsInput, 'project' | 'items'>,
  signal: AbortSignal,
): Promise<{ readonly revisionIds: readonly string[]; readonly failures: readonly Refusal[] }> {
  const { data } = await client.send(createRevisions, {
    ...inProject(project),
    signal,
    body: {
      uploads: items.map(({ uploadId, eventId, termination }) => ({
        id: uploadId,
        latestEventId: eventId,
        termination,
      })),
    },
  });
  return {
    revisionIds: data.revisionIds,
    failures: data.failures.map(({ uploadId, reasonCode, rawCode, message }) => ({
      reasonCode: reasonCode === 'OTHER' ? rawCode || 'OTHER' : reasonCode,
      message,
      uploadId,
    })),
  };
}

/** What a request was refused for as a whole; undefined for an error that says nothing of the uploads. */
export function refusalsOf(error: ServiceError): readonly Refusal[] | undefined {
  const refusals = error.reasons.map(reason => toRefusal(reason));
  if (error.code === 'REQUEST_REFUSED') return refusals;
  // A consumed or unknown upload: 422 in one table of the specification, 404 in the other.
  if (error.code !== 'NOT_FOUND') return undefined;
  const known = refusals.filter(({ reasonCode }) => reasonCode !== 'OTHER');
  return known.length > 0 ? known : [{ reasonCode: 'UPLOAD_NOT_FOUND', message: '' }];
}
