// What a waiting has cost: the fullest day and the fullest hour of it, wherever they begin.
import type { Client } from '@temporalio/client';
import { timeOf } from './longest-waits';

const HOUR_MS = 3_600_000;

export interface Cost {
  /** In all. */
  readonly events: number;
  readonly eventsADay: number;
  readonly requestsADay: number;
  readonly requestsAnHour: number;
  /** In all. */
  readonly requests: number;
}

/** Less than so many of each. */
export type Bound = Pick<Cost, 'eventsADay' | 'requestsADay' | 'requestsAnHour'>;

/** What a waiting has cost too much, in words. */
export function beyond(cost: Cost, bound: Bound): readonly string[] {
  return [
    ...(cost.eventsADay < bound.eventsADay ? [] : [`${cost.eventsADay} events in 24 h`]),
    ...(cost.requestsADay < bound.requestsADay ? [] : [`${cost.requestsADay} requests in 24 h`]),
    ...(cost.requestsAnHour < bound.requestsAnHour ? [] : [`${cost.requestsAnHour} requests in an hour`]),
  ];
}

/** Times are Unix ms of the real clock; `scale` of its milliseconds pass for the worker in one. */
export function costOf(
  times: { readonly events: readonly number[]; readonly requests: readonly number[] },
  { fromMs, toMs, scale }: { readonly fromMs: number; readonly toMs: number; readonly scale: number },
): Cost {
  const within = (all: readonly number[]): readonly number[] =>
    all.filter(at => at >= fromMs && at < toMs).map(at => (at - fromMs) * scale);
  const events = within(times.events);
  const requests = within(times.requests);
  return {
    events: events.length,
    eventsADay: mostWithin(events, 24 * HOUR_MS),
    requestsADay: mostWithin(requests, 24 * HOUR_MS),
    requestsAnHour: mostWithin(requests, HOUR_MS),
    requests: requests.length,
  };
}

/** Most of the times that lie in any window of this length. */
export function mostWithin(times: readonly number[], windowMs: number): number {
  const sorted = [...times].sort((one, other) => one - other);
  let most = 0;
  let first = 0;
  for (const [last, at] of sorted.entries()) {
    while (at - (sorted[first] ?? at) >= windowMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** Of all runs, also of those that another one goes on for. */
export async function readEventTimes(client: Client): Promise<readonly number[]> {
  const times: number[] = [];
  for await (const run of client.workflow.list()) {
    const { events } = await client.workflow.getHandle(run.workflowId, run.runId).fetchHistory();
    times.push(...(events ?? []).map(timeOf));
  }
  return times;
}
