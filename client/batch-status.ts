// Where the batches stand: what Temporal lists of them, and for the running ones what they answer themselves.
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { type BatchProgress, type BatchSummary, progressQuery } from '../workflows/contract';
import { SHARE_ATTRIBUTE } from './start-batch';

export interface BatchStatus {
  readonly workflowId: string;
  readonly batchId: string;
  readonly status: string;
  readonly startedAt: Date;
  readonly closedAt?: Date | undefined;
  readonly share?: string | undefined;
  /** Absent when the run is closed, or no worker answers for it just now. */
  readonly progress?: BatchProgress | undefined;
  /** Of a completed run. */
  readonly summary?: BatchSummary | undefined;
}

/** Temporal refuses a query when no worker is there; the list must not wait for each of them. */
const QUERY_TIMEOUT_MS = 3_000;

/** Newest first, at most `limit`. The list lags behind by a moment: good for people, not for decisions. */
export async function listBatches(client: Client, limit: number): Promise<readonly BatchStatus[]> {
  const found: BatchStatus[] = [];
  const runs = client.workflow.list({ query: `WorkflowType = 'ingestBatchWorkflow'` });
  for await (const run of runs) {
    const progress = await askProgress(client, run);
    found.push({
      workflowId: run.workflowId,
      batchId: run.workflowId.split('/').at(-1) ?? run.workflowId,
      status: run.status.name,
      startedAt: run.startTime,
      closedAt: run.closeTime,
      share: progress?.share ?? shareOf(run),
      progress,
      summary: await fetchSummary(client, run),
    });
    if (found.length >= limit) break;
  }
  return found;
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

async function askProgress(client: Client, run: WorkflowExecutionInfo): Promise<BatchProgress | undefined> {
  if (run.status.name !== 'RUNNING') return undefined;
  try {
    return await client.withDeadline(Date.now() + QUERY_TIMEOUT_MS, () =>
      client.workflow.getHandle(run.workflowId, run.runId).query(progressQuery),
    );
  } catch {
    // No worker, or one of another build: the row then shows the run without its documents.
    return undefined;
  }
}
