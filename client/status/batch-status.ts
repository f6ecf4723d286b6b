// Where the batches stand: what Temporal lists of them, and for the running ones what they answer themselves.
import type { Client, QueryDefinition, WorkflowExecutionInfo } from '@temporalio/client';
import { systemClock } from '../../activities/host/clock';
import { mapLimited } from '../../activities/host/concurrency';
import { type BatchProgress, type BatchSummary, progressQuery } from '../../workflows/ingest/ingest-contract';
import { grpcCodeOf } from '../session/grpc-code';
import { SHARE_ATTRIBUTE } from '../session/start-batch';
import { listWaitingActivities, type WaitingActivity } from './incident-list';

export interface BatchStatus {
  readonly workflowId: string;
  readonly batchId: string;
  readonly status: string;
  readonly startedAt: Date;
  readonly closedAt?: Date | undefined;
  readonly share?: string | undefined;
  /** The name of the job it is part of; absent for a batch that is by itself. */
  readonly job?: string | undefined;
  /** Absent when the run is closed, or no worker answers for it just now. */
  readonly progress?: BatchProgress | undefined;
  /** Something it needs is away just now. */
  readonly isAway?: true | undefined;
  /** Of a completed run. */
  readonly summary?: BatchSummary | undefined;
}

/** Without runs that were continued as new: the run that goes on for one is the same batch. */
const BATCHES = `WorkflowType = 'ingestBatchWorkflow' AND ExecutionStatus != 'ContinuedAsNew'`;
const GRPC_DEADLINE_EXCEEDED = 4;
/** Temporal refuses a query when no worker is there; the list must not wait for each of them. */
const QUERY_TIMEOUT_MS = 3_000;

/** Runs that are asked at once. */
export const ASKED_AT_ONCE = 8;
const MOST_UNANSWERED = 3;
/** Many, for runs are listed newest first, and people look for the oldest. */
export const MOST_RUNNING = 10_000;

/** A running batch, with what it waits for. */
export interface RunningBatch extends BatchStatus {
  readonly waiting: readonly WaitingActivity[];
}

/**
 * Newest first, at most `limit`; each batch by its present run, also where it was reset or started again. The
 * list lags behind by a moment: good for people, not for decisions.
 * `known`: running batches that were asked already.
 */
export async function listBatches(
  client: Client,
  limit: number,
  known: readonly BatchStatus[] = [],
): Promise<readonly BatchStatus[]> {
  const runs = await take(presentRuns(client.workflow.list({ query: BATCHES })), limit);
  const knownOf = new Map(known.map(batch => [batch.workflowId, batch]));
  const askProgress = createAsker(client, progressQuery);
  return await mapLimited(
    runs,
    ASKED_AT_ONCE,
    async run => knownOf.get(run.workflowId) ?? (await toBatchStatus(client, run, askProgress)),
  );
}

/** Temporal lists those that run first, then those that ended last: of each batch its present run. */
async function* presentRuns(
  runs: AsyncIterable<WorkflowExecutionInfo>,
): AsyncIterable<WorkflowExecutionInfo> {
  const seen = new Set<string>();
  for await (const run of runs) {
    if (!seen.has(run.workflowId)) yield run;
    seen.add(run.workflowId);
  }
}

/** Every batch that runs, newest first, with what it waits for. */
export async function listRunningBatches(client: Client): Promise<readonly RunningBatch[]> {
  const query = `${BATCHES} AND ExecutionStatus = 'Running'`;
  const runs = await take(client.workflow.list({ query }), MOST_RUNNING);
  const askProgress = createAsker(client, progressQuery);
  return await mapLimited(runs, ASKED_AT_ONCE, async run => {
    const batch = await toBatchStatus(client, run, askProgress);
    return { ...batch, waiting: await listWaitingActivities(client, run, batch.share) };
  });
}

/** Documents of the batch that have no outcome yet; 0 when the batch does not answer. */
export function countOpenDocuments({ progress }: BatchStatus): number {
  if (progress === undefined) return 0;
  const { submitted = 0, 'set-apart': setApart = 0, skipped = 0 } = progress.stages;
  return Math.max(0, progress.documents - submitted - setApart - skipped);
}

async function toBatchStatus(
  client: Client,
  run: WorkflowExecutionInfo,
  askProgress: Asker<BatchProgress>,
): Promise<BatchStatus> {
  const progress = await askProgress(run);
  return {
    workflowId: run.workflowId,
    batchId: run.workflowId.split('/').at(-1) ?? run.workflowId,
    status: run.status.name,
    startedAt: run.startTime,
    closedAt: run.closeTime,
    share: progress?.share ?? shareOf(run),
    job: typeof run.memo?.job === 'string' ? run.memo.job : undefined,
    progress,
    summary: await fetchSummary(client, run),
  };
}

export async function take<Item>(items: AsyncIterable<Item>, most: number): Promise<readonly Item[]> {
  const taken: Item[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= most) break;
  }
  return taken;
}

/** Search attributes may not be registered, and runs that another workflow started have none. */
function shareOf(run: WorkflowExecutionInfo): string | undefined {
  const noted = run.memo?.share;
  return typeof noted === 'string' ? noted : run.typedSearchAttributes.get(SHARE_ATTRIBUTE);
}

async function fetchSummary(client: Client, run: WorkflowExecutionInfo): Promise<BatchSummary | undefined> {
  if (run.status.name !== 'COMPLETED') return undefined;
  return (await client.workflow.getHandle(run.workflowId, run.runId).result()) as BatchSummary;
}

type Asker<Progress> = (run: WorkflowExecutionInfo) => Promise<Progress | undefined>;

/**
 * After several in a row that nobody answered for, no other is asked: the same
 * workers answer for all of them.
 */
export function createAsker<Progress>(client: Client, query: QueryDefinition<Progress>): Asker<Progress> {
  let unanswered = 0;
  return async run => {
    if (run.status.name !== 'RUNNING' || unanswered >= MOST_UNANSWERED) return undefined;
    try {
      const progress = await client.withDeadline(systemClock.wallMs() + QUERY_TIMEOUT_MS, () =>
        client.workflow.getHandle(run.workflowId, run.runId).query(query),
      );
      unanswered = 0;
      return progress;
    } catch (error: unknown) {
      // No worker, or one of another build: the row then shows the run without its documents.
      if (grpcCodeOf(error) === GRPC_DEADLINE_EXCEEDED) unanswered++;
      return undefined;
    }
  };
}
