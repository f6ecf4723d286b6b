// Resets a run as `temporal workflow reset --event-id` does it, to a moment of a person's choice.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';

interface Temporal {
  readonly client: Client;
  readonly namespace: string;
}

/** To the first task that knows how the `nth` activity of this type has ended; waits until there is one. */
export async function resetByHand(
  { client, namespace }: Temporal,
  handle: WorkflowHandle,
  activity: string,
  nth = 1,
): Promise<void> {
  const { runId } = await handle.describe();
  let task = await findTask(handle, activity, nth);
  while (task === undefined) {
    await delay(20);
    task = await findTask(handle, activity, nth);
  }
  await client.workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: { workflowId: handle.workflowId, runId },
    reason: 'by hand',
    workflowTaskFinishEventId: task.eventId ?? null,
    requestId: randomUUID(),
  });
}

async function findTask(handle: WorkflowHandle, activity: string, nth: number) {
  const events = (await handle.fetchHistory()).events ?? [];
  const asked = events.filter(
    event => event.activityTaskScheduledEventAttributes?.activityType?.name === activity,
  )[nth - 1];
  const ended = events.findIndex(event =>
    event.activityTaskCompletedEventAttributes?.scheduledEventId?.eq(asked?.eventId ?? 0),
  );
  return events.find((event, at) => at > ended && ended >= 0 && event.workflowTaskCompletedEventAttributes);
}
