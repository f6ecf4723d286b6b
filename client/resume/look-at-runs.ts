// What runs, what it waits for, and what nobody asks for: as `status` and the page tell it.
import type { Client } from '@temporalio/client';
import { type BatchStatus, countOpenDocuments, listRunningBatches } from '../status/batch-status';
import { type AwayDependency, groupByDependency } from '../status/incident-list';
import { findUnserved, type UnservedWork } from '../status/unserved';
import { listOtherRuns, MOST_SHOWN, type OtherRun } from './other-runs';

export interface SeenRuns {
  readonly away: readonly AwayDependency[];
  /** Queues that no worker asks for work, although batches have some there. */
  readonly unserved: readonly UnservedWork[];
  readonly running: readonly BatchStatus[];
  /** The newest of them. */
  readonly others: readonly OtherRun[];
}

/** Throws what the client throws. */
export async function lookAtRuns(client: Client): Promise<SeenRuns> {
  const batches = await listRunningBatches(client);
  const others = await listOtherRuns(client, MOST_SHOWN);
  const open = new Map(batches.map(batch => [batch.workflowId, countOpenDocuments(batch)]));
  const away = groupByDependency(
    [...batches, ...others].flatMap(({ waiting }) => waiting),
    open,
    new Set(others.map(({ workflowId }) => workflowId)),
  );
  const running = batches.map(({ waiting, ...batch }) => ({
    ...batch,
    ...(waiting.length > 0 ? { isAway: true as const } : {}),
  }));
  return { away, unserved: await findUnserved(client, running, others), running, others };
}
