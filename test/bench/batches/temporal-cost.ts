// Row 4: what a clean batch of 100 costs Temporal, and where it goes.
import { type History, historyToJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { testTemporal } from '../../setup/temporal';
import { type Figure, forInformation, row } from '../figures';
import { countBy, countEvents, type JobsEnd, runJobs } from './run-jobs';

const DOCUMENTS = 100;
const REPLAYS = 20;

export async function benchTemporalCost(): Promise<Figure[]> {
  const end = await runJobs({
    documents: DOCUMENTS,
    sandbox: { bulkRead: true, limits: null },
    countsOthers: true,
  });
  const whole = { ...end, histories: [...end.histories, ...end.others] };
  return [
    row('events', countEvents(end)),
    row('actions', countActions(end)),
    row('payload', largestPayload(end) / 1_024),
    row('replayCpu', await replayCpuMs(end)),
    forInformation("history events, with the project's coordinator's share", countEvents(whole), '', 0),
    forInformation("billable actions, with the project's coordinator's share", countActions(whole), '', 0),
    forInformation('heartbeats that reached the server', end.heartbeats, '', 0),
    ...Object.entries(countKinds(end)).map(([kind, count]) => forInformation(kind, count, '', 0)),
  ];
}

/**
 * What Temporal Cloud bills: the start, each attempt of an activity, timers, messages, heartbeats, new runs.
 */
export function countActions({ histories, heartbeats }: Pick<JobsEnd, 'histories' | 'heartbeats'>): number {
  let count = heartbeats;
  for (const { events } of histories) {
    for (const event of events ?? []) {
      count += event.activityTaskStartedEventAttributes?.attempt ?? 0;
      const isOne =
        event.workflowExecutionStartedEventAttributes ??
        event.timerStartedEventAttributes ??
        event.workflowExecutionSignaledEventAttributes ??
        event.signalExternalWorkflowExecutionInitiatedEventAttributes ??
        event.workflowExecutionUpdateAcceptedEventAttributes ??
        event.startChildWorkflowExecutionInitiatedEventAttributes ??
        event.upsertWorkflowSearchAttributesEventAttributes ??
        event.workflowExecutionContinuedAsNewEventAttributes;
      if (isOne != null) count += 1;
    }
  }
  return count;
}

/** Activities by name; workflow tasks, timers, markers and signals. */
function countKinds({ histories }: JobsEnd): Readonly<Record<string, number>> {
  const kinds = histories.flatMap(({ events }) =>
    (events ?? []).flatMap(event => {
      const { activityTaskScheduledEventAttributes: activity } = event;
      if (activity) return [`activity ${activity.activityType?.name}`];
      if (event.workflowTaskStartedEventAttributes) return ['workflow tasks'];
      if (event.timerStartedEventAttributes) return ['timers'];
      if (event.markerRecordedEventAttributes) return ['markers'];
      return event.workflowExecutionSignaledEventAttributes ? ['signals'] : [];
    }),
  );
  return countBy(kinds);
}

/** Of one more replay, in a worker that has begun already. */
async function replayCpuMs({ histories }: JobsEnd): Promise<number> {
  const [history] = histories;
  if (history === undefined) throw new Error('The batch left no run');
  const first = await cpuOf(history, 1);
  return ((await cpuOf(history, 1 + REPLAYS)) - first) / REPLAYS;
}

async function cpuOf(history: History, times: number): Promise<number> {
  const before = process.cpuUsage();
  const codePath = testTemporal().bundlePath;
  const all = Array.from({ length: times }, (_, at) => ({ workflowId: `replay-${at}`, history }));
  for await (const { error } of Worker.runReplayHistories({ workflowBundle: { codePath } }, all)) {
    if (error !== undefined) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export function largestPayload({ histories }: JobsEnd): number {
  const payloads = histories.flatMap(history => [
    ...historyToJSON(history).matchAll(/"data":\s*"([A-Za-z0-9+/=]+)"/g),
  ]);
  return Math.max(...payloads.map(([, data = '']) => (data.length * 3) / 4));
}
