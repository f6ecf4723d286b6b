// What runs waited for where a case ends late, or never: told with it, so that a finding which comes once in
// a hundred runs explains itself.
import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import type { PartOptions } from './part';
import type { Ending } from './waiting';

type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];
type Pending = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

/** Shorter gaps between two events are no wait. */
const LEAST_GAP_MS = 20_000;
const MOST_TOLD = 5;

interface Gap {
  readonly ms: number;
  readonly what: string;
}

/** Says nothing of a case that ended in time. What goes wrong here must not hide what the judge finds. */
export async function sayWhyLate(
  { isLate, afterMs }: Ending,
  name: string,
  client: Client,
  { say }: Pick<PartOptions, 'say'>,
): Promise<void> {
  if (!isLate && afterMs !== undefined) return;
  const told = await tellLongestWaits(client).catch((error: unknown) => `Its runs cannot be read: ${error}`);
  say(`${name}: late. ${told}`);
}

/** Of all runs of the namespace: what still stands, then the longest gaps between two events. */
async function tellLongestWaits(client: Client): Promise<string> {
  const standing: string[] = [];
  const gaps: Gap[] = [];
  for await (const { workflowId, runId, type } of client.workflow.list()) {
    const name = `${type} ${workflowId}`;
    const handle = client.workflow.getHandle(workflowId, runId);
    standing.push(...(await readPending(handle)).map(what => `${name}: ${what}`));
    const { events } = await handle.fetchHistory();
    gaps.push(...gapsOf(events ?? []).map(({ ms, what }) => ({ ms, what: `${name}: ${what}` })));
  }
  const longest = gaps.sort((one, other) => other.ms - one.ms).map(({ what }) => what);
  const told = [...standing.slice(0, MOST_TOLD), ...longest.slice(0, MOST_TOLD)];
  return told.length === 0 ? 'None of its runs stood still.' : told.join('; ');
}

async function readPending(handle: WorkflowHandle): Promise<readonly string[]> {
  const { raw, status } = await handle.describe();
  return status.name === 'RUNNING' ? (raw.pendingActivities ?? []).map(describePending) : [];
}

function describePending({ activityType, attempt, lastFailure }: Pending): string {
  const why = lastFailure?.message ? `, which failed with "${lastFailure.message}" before` : '';
  return `attempt ${attempt} of ${activityType?.name} has not ended${why}`;
}

/** In the order of the history. */
export function gapsOf(events: readonly HistoryEvent[]): readonly Gap[] {
  const byId = new Map(events.map(event => [String(event.eventId), event]));
  return events.flatMap((event, index) => {
    const before = events[index - 1];
    const ms = before === undefined ? 0 : timeOf(event) - timeOf(before);
    if (before === undefined || ms < LEAST_GAP_MS) return [];
    return [{ ms, what: `${Math.round(ms / 1_000)} s until ${nameOf(event, byId)}` }];
  });
}

/** When it happened, Unix ms by the server's clock. */
export function timeOf({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds ?? 0) * 1_000 + Number(eventTime?.nanos ?? 0) / 1e6;
}

function nameOf(event: HistoryEvent, byId: ReadonlyMap<string, HistoryEvent>): string {
  const started = event.activityTaskStartedEventAttributes;
  if (started) {
    const scheduled = byId.get(String(started.scheduledEventId));
    const failure = started.lastFailure?.message;
    const why = failure ? `, after "${failure}"` : '';
    const activity = scheduled?.activityTaskScheduledEventAttributes?.activityType?.name;
    return `attempt ${started.attempt} of ${activity} ended${why}`;
  }
  const fired = event.timerFiredEventAttributes;
  const timer = fired && byId.get(String(fired.startedEventId))?.timerStartedEventAttributes;
  if (timer) return `a timer of ${Number(timer.startToFireTimeout?.seconds ?? 0)} s fired`;
  return `event ${event.eventId}, of type ${event.eventType}`;
}
