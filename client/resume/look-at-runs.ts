// What runs, what it waits for, and what nobody asks for: as `status` and the page tell it.
import type { Client } from '@temporalio/client';
import {
  type BatchStatus,
  countOpenDocuments,
  listRunningBatches,
  MOST_RUNNING,
} from '../status/batch-status';
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
  /** How many of each were looked at, the newest, where there may be more; absent where that was all. */
  readonly limitedTo?: { readonly batches?: number; readonly others?: number };
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
  const limitedTo = {
    ...(running.length < MOST_RUNNING ? {} : { batches: MOST_RUNNING }),
    ...(others.length < MOST_SHOWN ? {} : { others: MOST_SHOWN }),
  };
  return {
    away,
    unserved: await findUnserved(client, running, others),
    running,
    others,
    ...(Object.keys(limitedTo).length === 0 ? {} : { limitedTo }),
  };
}
