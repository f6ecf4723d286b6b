// How long ago a run before of the same id has ended: what that one made, a list of the service may not show.
import { Context } from '@temporalio/activity';
import { type Client, isGrpcServiceError, ServiceError } from '@temporalio/client';
import { systemClock } from '../activities/host/clock';
import { keepFew } from '../activities/host/keep-few';
import type { SinceRunBefore } from '../activities/scope/making';

const PATIENCE_MS = 10_000;
/** Runs whose reply is kept: each is asked about once, with the first thing that it makes. */
const MOST_KEPT = 1_000;

/** Asks by the run of the activity that calls it. Never rejects because Temporal does not answer. */
export function createSinceRunBefore(client: Client): SinceRunBefore {
  const ends = new Map<string, Promise<number>>();
  return async withinMs => {
    const { workflowExecution: run, currentAttemptScheduledTimestampMs: nowMs } = Context.current().info;
    if (run === undefined) return Number.POSITIVE_INFINITY;
    const end = ends.get(run.runId) ?? findEnd(client, run, { nowMs, withinMs });
    keepFew(ends, run.runId, end, MOST_KEPT);
    return nowMs - (await end);
  };
}

/**
 * Unix ms by Temporal's clock; -Infinity where none has ended since. Where Temporal does not tell, one may
 * just have.
 */
async function findEnd(
  client: Client,
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
  { nowMs, withinMs }: { readonly nowMs: number; readonly withinMs: number },
): Promise<number> {
  const since = new Date(nowMs - withinMs).toISOString();
  // One that has ended a moment ago may still be listed as running.
  const query = `WorkflowId = '${workflowId.replaceAll("'", "''")}' AND (CloseTime >= '${since}' OR ExecutionStatus = 'Running')`;
  try {
    return await client.withDeadline(systemClock.wallMs() + PATIENCE_MS, async () => {
      let endMs = Number.NEGATIVE_INFINITY;
      for await (const other of client.workflow.list({ query })) {
        // One that went on as a new run has left nothing in doubt.
        if (other.runId === runId || other.status.name === 'CONTINUED_AS_NEW') continue;
        endMs = Math.max(endMs, other.closeTime?.getTime() ?? nowMs);
      }
      return endMs;
    });
  } catch (error: unknown) {
    if (!(error instanceof ServiceError || isGrpcServiceError(error))) throw error;
    return nowMs;
  }
}
