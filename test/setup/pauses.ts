// How long a run meant to wait: told by its history, whatever a busy machine makes of it.
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';

/** Ms of the timer before each call of that activity; awaits so many of them at least. */
export async function pausesBefore(
  handle: Pick<WorkflowHandle, 'fetchHistory'>,
  activity: string,
  least: number,
): Promise<readonly number[]> {
  for (;;) {
    const pauses: number[] = [];
    let pauseMs: number | undefined;
    for (const event of (await handle.fetchHistory()).events ?? []) {
      const timer = event.timerStartedEventAttributes?.startToFireTimeout;
      if (timer != null) pauseMs = Number(timer.seconds ?? 0) * 1_000 + (timer.nanos ?? 0) / 1e6;
      const isCall = event.activityTaskScheduledEventAttributes?.activityType?.name === activity;
      if (isCall && pauseMs !== undefined) pauses.push(pauseMs);
    }
    if (pauses.length >= least) return pauses;
    await delay(100);
  }
}
