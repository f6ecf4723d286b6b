// Why a run ended, and where it can be gone on from.
import { msToTs } from '@temporalio/common/lib/time';
import { chooseResetPoint, explainEnding, type HistoryEvent } from '../../../client/resume/stopped-history';

type Attributes = Partial<HistoryEvent>;

const TASK: Attributes = { workflowTaskCompletedEventAttributes: {} };
const OTHER: Attributes = { activityTaskStartedEventAttributes: {} };
const TERMINATED: Attributes = { workflowExecutionTerminatedEventAttributes: { reason: 'by mistake' } };
/** As the server writes it when a history is full. */
const FULL: Attributes = {
  workflowExecutionTerminatedEventAttributes: {
    reason: 'Workflow history count exceeds limit.',
    identity: 'history-service',
  },
};
const CANCEL_ASKED: Attributes = { workflowExecutionCancelRequestedEventAttributes: {} };
const CANCELLED: Attributes = { workflowExecutionCanceledEventAttributes: {} };
const TIMED_OUT: Attributes = { workflowExecutionTimedOutEventAttributes: {} };
const RESET: Attributes = { workflowTaskFailedEventAttributes: { baseRunId: 'old', newRunId: 'new' } };

function startedWithin(timeout: 'workflowExecutionTimeout' | 'workflowRunTimeout'): Attributes {
  return { workflowExecutionStartedEventAttributes: { [timeout]: msToTs('4s') } };
}

function activityFailed(scheduledId: number): Attributes {
  return { activityTaskFailedEventAttributes: { scheduledEventId: scheduledId as never } };
}

function failedBy(scheduledId: number): Attributes {
  return {
    workflowExecutionFailedEventAttributes: {
      failure: {
        message: 'Activity task failed',
        activityFailureInfo: { scheduledEventId: scheduledId as never },
        cause: { message: 'it is not JSON', applicationFailureInfo: { type: 'BATCH_UNUSABLE' } },
      },
    },
  };
}

function failedItself(type: string): Attributes {
  return {
    workflowExecutionFailedEventAttributes: {
      failure: { message: 'no good', applicationFailureInfo: { type } },
    },
  };
}

function history(...events: Attributes[]): HistoryEvent[] {
  return events.map((event, index) => ({ ...event, eventId: (index + 1) as never }));
}

function pointOf(...events: Attributes[]): number | undefined {
  const task = chooseResetPoint(history(...events));
  return task === undefined ? undefined : Number(task.eventId);
}

describe('a run that the server ended for its length', () => {
  test('is not reset, for the same limit would end it again', () => {
    expect(pointOf(OTHER, TASK, OTHER, TASK, FULL)).toBeUndefined();
    const long = Array.from({ length: 20_000 }, () => TASK);
    expect(pointOf(...long, TERMINATED)).toBeUndefined();
  });

  test('is not said to be a person’s doing', () => {
    expect(explainEnding(history(FULL).at(-1))).toEqual({
      code: 'limit-reached',
      text: 'The Temporal server ended it: Workflow history count exceeds limit.',
    });
  });
});

describe('the point to reset to', () => {
  test('of a terminated run is its last task', () => {
    expect(pointOf(OTHER, TASK, OTHER, TASK, OTHER, TERMINATED)).toBe(4);
  });

  test('of a cancelled run is the last task before somebody asked for its end', () => {
    expect(pointOf(TASK, OTHER, TASK, CANCEL_ASKED, OTHER, TASK, CANCELLED)).toBe(3);
    expect(pointOf(TASK, CANCEL_ASKED, TASK, TERMINATED)).toBe(1);
  });

  test('of a run that an activity failed is the last task that had not been told of it', () => {
    // Scheduled as event 2, and failed long after: what was done meanwhile is kept.
    expect(pointOf(TASK, OTHER, OTHER, TASK, activityFailed(2), OTHER, TASK, failedBy(2))).toBe(4);
  });

  test('is none where the run worked on after the failure that ended it: only the share knows what it did then', () => {
    // Another document was answered for and submitted before the run came to look at the failure.
    expect(
      pointOf(TASK, OTHER, OTHER, TASK, activityFailed(2), TASK, OTHER, TASK, OTHER, TASK, failedBy(2)),
    ).toBeUndefined();
  });

  test('of a run that failed by itself is the task that failed', () => {
    expect(pointOf(TASK, OTHER, TASK, failedItself('BUG'))).toBe(3);
  });

  test.each<[string, Attributes[]]>([
    ['nothing was done', [OTHER, TERMINATED]],
    ['there is no history', []],
    ['its starter gave it a time-out', [startedWithin('workflowExecutionTimeout'), TASK, TIMED_OUT]],
    ['the new run would have a time-out', [startedWithin('workflowRunTimeout'), TASK, TERMINATED]],
    ['its input was refused', [TASK, failedItself('INVALID_INPUT')]],
    ['an earlier reset led straight back to it', [TASK, RESET, TASK, activityFailed(1), TASK, failedBy(1)]],
  ])('is none when %s', (_, events) => {
    expect(pointOf(...events)).toBeUndefined();
  });

  test('is found again when the run went on for a while after a reset', () => {
    expect(pointOf(TASK, RESET, TASK, OTHER, TASK, activityFailed(4), TASK, failedBy(4))).toBe(5);
    expect(pointOf(TASK, RESET, TERMINATED)).toBe(1);
  });
});

describe('the reason', () => {
  test.each<[Attributes, string, string]>([
    [failedBy(2), 'BATCH_UNUSABLE', 'it is not JSON'],
    [TERMINATED, 'terminated', 'Somebody terminated it: by mistake'],
    [CANCELLED, 'cancelled', 'Somebody cancelled it.'],
    [TIMED_OUT, 'timed-out', 'The time that its starter gave it was over.'],
    [TASK, 'ended', 'It ended, and its history does not say why.'],
  ])('%j', (event, code, text) => {
    expect(explainEnding(history(event)[0])).toEqual({ code, text });
  });

  test('of a failure without a message is still a line', () => {
    const event: Attributes = { workflowExecutionFailedEventAttributes: { failure: {} } };
    expect(explainEnding(history(event)[0])).toEqual({
      code: 'failed',
      text: 'It failed without a message.',
    });
  });
});
