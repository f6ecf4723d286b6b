// Work that nobody asks for: a share whose workers are all gone fails nothing and repeats
// nothing, so no activity tells of it.
import type { Client } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import { systemClock } from '../../activities/host/clock';
import { SERVICE_TASK_QUEUE, taskQueuesOfShare } from '../../workflows/contract';
import { type BatchStatus, countOpenDocuments } from './batch-status';
import { askTemporalNow } from './temporal-now';

export interface UnservedWork {
  /** Absent: work for the service, which any worker can do. */
  readonly share?: string | undefined;
  readonly batches: number;
  /** Runs that are no batches: an observation needs the share where its photos are. */
  readonly others: number;
  /** Without an outcome, as far as they are known. */
  readonly documents: number;
}

/** A worker asks again at the latest after a minute; what asked longer ago has gone. */
const GONE_AFTER_MS = 75_000;
/** TASK_QUEUE_TYPE_ACTIVITY */
const ACTIVITIES = 2;

/**
 * The queues of these running batches and other runs that no worker asks for activities.
 * Throws what the client throws.
 */
export async function findUnserved(
  client: Client,
  running: readonly BatchStatus[],
  others: readonly { readonly share?: string | undefined }[] = [],
  wallMs = systemClock.wallMs(),
): Promise<readonly UnservedWork[]> {
  if (running.length + others.length === 0) return [];
  const shares = [...new Set([...running, ...others].flatMap(({ share }) => share ?? []))];
  const found: UnservedWork[] = [];
  for (const share of [undefined, ...shares]) {
    const queues = share === undefined ? [SERVICE_TASK_QUEUE] : taskQueuesOfShare(share);
    if (await areServed(client, queues, wallMs)) continue;
    const batches = running.filter(batch => share === undefined || batch.share === share);
    found.push({
      ...(share === undefined ? {} : { share }),
      batches: batches.length,
      others: others.filter(run => share === undefined || run.share === share).length,
      documents: batches.reduce((sum, batch) => sum + countOpenDocuments(batch), 0),
    });
  }
  return found;
}

/** A worker serves all queues of a share or none; one that lacks some (an older build) leaves work undone. */
export async function areServed(
  client: Client,
  names: readonly string[],
  wallMs = systemClock.wallMs(),
): Promise<boolean> {
  for (const name of names) if (!(await isServed(client, name, wallMs))) return false;
  return true;
}

async function isServed(client: Client, name: string, wallMs: number): Promise<boolean> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name },
    taskQueueType: ACTIVITIES,
  });
  if (pollers == null || pollers.length === 0) return false;
  const lastMs = Math.max(...pollers.map(({ lastAccessTime }) => optionalTsToMs(lastAccessTime) ?? 0));
  if (wallMs - lastMs < GONE_AFTER_MS) return true;
  // That is Temporal's date, and the clock of this machine may be ahead. Where it is behind, a worker that
  // has gone is told so minutes later, when Temporal does not name it any more.
  const nowMs = (await askTemporalNow(client)) ?? wallMs;
  return nowMs - lastMs < GONE_AFTER_MS;
}
