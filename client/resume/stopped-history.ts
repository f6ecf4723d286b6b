// What the history of an ended run says: why it ended, and to which of its tasks it can be reset. Pure.
import type { WorkflowHandle } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import type { StopReason } from './stopped-batch';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
export type HistoryEvent = NonNullable<History['events']>[number];
type Failure = NonNullable<NonNullable<HistoryEvent['workflowExecutionFailedEventAttributes']>['failure']>;

/** A batch carries over to a new run long before this: a run with a longer history is not reset. */
const MOST_EVENTS_KEPT = 20_000;

/** Why a run ended, from its last event; the innermost cause, for that is what somebody has to repair. */
export function explainEnding(close: HistoryEvent | undefined): StopReason {
  const failure = close?.workflowExecutionFailedEventAttributes?.failure;
  if (failure !== null && failure !== undefined) {
    const cause = innermost(failure);
    const code = cause.applicationFailureInfo?.type || 'failed';
    return { code, text: cause.message || 'It failed without a message.' };
  }
  const terminated = close?.workflowExecutionTerminatedEventAttributes;
  if (terminated !== null && terminated !== undefined) {
    if (isEndedByServer(close)) {
      return { code: 'limit-reached', text: `The Temporal server ended it: ${terminated.reason}` };
    }
    const why = terminated.reason === '' ? '' : `: ${terminated.reason}`;
    return { code: 'terminated', text: `Somebody terminated it${why}` };
  }
  if (close?.workflowExecutionTimedOutEventAttributes != null) {
    return { code: 'timed-out', text: 'The time that its starter gave it was over.' };
  }
  if (close?.workflowExecutionCanceledEventAttributes != null) {
    return { code: 'cancelled', text: 'Somebody cancelled it.' };
  }
  return { code: 'ended', text: 'It ended, and its history does not say why.' };
}

/**
 * The completed task to reset to (`workflowTaskFinishEventId`): the last one before what doomed the run, so
 * that as little as possible is asked for again. Undefined when a reset cannot help: nothing was done yet,
 * its input was refused, its starter gave it a time-out, the server ended it for its length (the new run
 * would soon meet the same limit), or it is what an earlier reset led straight back to. And where the run
 * worked on after what doomed it: a reset would forget uploads that it made and submitted then, of which a
 * new run learns from the share.
 */
export function chooseResetPoint(events: readonly HistoryEvent[]): HistoryEvent | undefined {
  if (hasTimeout(events[0]) || events.length > MOST_EVENTS_KEPT || isEndedByServer(events.at(-1))) {
    return undefined;
  }
  const doom = findDoom(events);
  if (doom === undefined) return undefined;
  const before = events.filter(
    event => event.workflowTaskCompletedEventAttributes != null && idOf(event) < doom,
  );
  const isFailed = events.at(-1)?.workflowExecutionFailedEventAttributes != null;
  if (isFailed && completedAfter(events, doom) > 1) return undefined;
  const lastReset = events.filter(isReset).map(idOf).at(-1);
  if (isFailed && lastReset !== undefined) {
    if (before.filter(event => idOf(event) > lastReset).length <= 1) return undefined;
  }
  return before.at(-1);
}

/** Completed tasks after that event; the one that was told of a failure, and failed the run, is the first. */
function completedAfter(events: readonly HistoryEvent[], doom: number): number {
  return events.filter(event => event.workflowTaskCompletedEventAttributes != null && idOf(event) > doom)
    .length;
}

/** Whether the server itself terminated the run, as it does when the history has reached a limit. */
function isEndedByServer(close: HistoryEvent | undefined): boolean {
  return close?.workflowExecutionTerminatedEventAttributes?.identity === 'history-service';
}

function findDoom(events: readonly HistoryEvent[]): number | undefined {
  const close = events.at(-1);
  if (close === undefined) return undefined;
  const cancelled = events.find(event => event.workflowExecutionCancelRequestedEventAttributes != null);
  const failure = close.workflowExecutionFailedEventAttributes?.failure;
  if (failure === null || failure === undefined) return idOf(cancelled ?? close);
  if (innermost(failure).applicationFailureInfo?.type === 'INVALID_INPUT') return undefined;
  const scheduledId = Number(failure.activityFailureInfo?.scheduledEventId ?? 0);
  const ended = events.find(event => {
    const activity = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
    return activity != null && Number(activity.scheduledEventId) === scheduledId;
  });
  // The task before that event knew nothing of the failure: reset to it, the run asks for the activity again.
  return idOf(ended ?? close);
}

function hasTimeout(first: HistoryEvent | undefined): boolean {
  const started = first?.workflowExecutionStartedEventAttributes;
  return [started?.workflowExecutionTimeout, started?.workflowRunTimeout].some(
    timeout => (optionalTsToMs(timeout) ?? 0) > 0,
  );
}

function isReset(event: HistoryEvent): boolean {
  const failed = event.workflowTaskFailedEventAttributes;
  return failed != null && (failed.baseRunId ?? '') !== '' && failed.baseRunId !== failed.newRunId;
}

function innermost(failure: Failure): Failure {
  let inner = failure;
  while (inner.cause !== null && inner.cause !== undefined) inner = inner.cause;
  return inner;
}

function idOf(event: HistoryEvent): number {
  return Number(event.eventId);
}
