// What Temporal says of the run of a batch, asked by its id: the list of runs lags
// behind, and is not asked for that.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { systemClock } from '../../activities/host/clock';
import { entryOf } from '../../activities/host/entry-of';
import { toRunStanding } from '../../workers/temporal/run-standing';
import { type BatchProgress, progressQuery } from '../../workflows/ingest/ingest-contract';
import type { StopReason } from './stopped-batch';
import { explainEnding } from './stopped-history';

export type RunLook =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'running';
      readonly runId: string;
      readonly shareName?: string | undefined;
      /** Absent when no worker answers for it just now. */
      readonly progress?: BatchProgress | undefined;
      /** How often its present task was tried in vain. */
      readonly failedTasks: number;
    }
  | { readonly kind: 'completed'; readonly runId: string; readonly sinceMs?: number | undefined }
  | {
      readonly kind: 'stopped';
      readonly runId: string;
      readonly shareName?: string | undefined;
      readonly state: 'failed' | 'timed out' | 'terminated' | 'cancelled';
      readonly reason: StopReason;
      readonly sinceMs?: number | undefined;
    };

const STATES = {
  FAILED: 'failed',
  TIMED_OUT: 'timed out',
  TERMINATED: 'terminated',
  CANCELLED: 'cancelled',
} as const;

/** HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT of the Temporal API. */
const CLOSE_EVENT = 2;
/** Without a worker a query is never answered. */
const QUERY_TIMEOUT_MS = 3_000;

/** Its latest run. Throws what the client throws when Temporal is away. */
export async function lookAtRun(client: Client, workflowId: string): Promise<RunLook> {
  try {
    const found = await client.workflow.getHandle(workflowId).describe();
    const { runId, status } = found;
    const shareName = typeof found.memo?.share === 'string' ? found.memo.share : undefined;
    if (toRunStanding(status.name) === 'running') {
      const failedTasks = Math.max(0, Number(found.raw.pendingWorkflowTask?.attempt ?? 1) - 1);
      return {
        kind: 'running',
        runId,
        shareName,
        failedTasks,
        progress: await askProgress(client, workflowId, runId),
      };
    }
    const sinceMs = found.closeTime?.getTime();
    const state = entryOf(STATES, status.name);
    if (state === undefined) return { kind: 'completed', runId, sinceMs };
    return {
      kind: 'stopped',
      runId,
      shareName,
      state,
      sinceMs,
      reason: await fetchEnding(client, workflowId, runId),
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { kind: 'none' };
    throw error;
  }
}

async function askProgress(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<BatchProgress | undefined> {
  try {
    return await client.withDeadline(systemClock.wallMs() + QUERY_TIMEOUT_MS, () =>
      client.workflow.getHandle(workflowId, runId).query(progressQuery),
    );
  } catch {
    return undefined;
  }
}

async function fetchEnding(client: Client, workflowId: string, runId: string): Promise<StopReason> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    historyEventFilterType: CLOSE_EVENT,
  });
  return explainEnding(history?.events?.at(-1));
}
