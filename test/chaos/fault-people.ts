// What people do while a case comes to its end: answer held documents, say `resume` to what stands still.
import type { Client } from '@temporalio/client';
import { resumeSignal } from '../../workflows/contract';
import { answerUpdate } from '../../workflows/ingest/answer-contract';
import { type BatchProgress, progressQuery } from '../../workflows/ingest/ingest-contract';

const QUERY_TIMEOUT_MS = 5_000;

export interface RunsAtEnd {
  /** Runs that ended otherwise than by finishing, with what they say. */
  readonly stopped: readonly string[];
  readonly histories: readonly { readonly workflowId: string; readonly events: number }[];
}

/** Without the coordinator of the project, which stays for a while when nothing is on its way any more. */
/** Or has finished. One that has grown long goes on as another run. */
const GOES_ON: ReadonlySet<string> = new Set(['RUNNING', 'COMPLETED', 'CONTINUED_AS_NEW']);
export const RUNNING_BATCHES = `ExecutionStatus = 'Running' AND WorkflowType = 'ingestBatchWorkflow'`;

/** One round over all runs: answers what is held and wakes what is blocked. */
export async function attendToRuns(client: Client): Promise<void> {
  for await (const run of client.workflow.list({ query: RUNNING_BATCHES })) {
    const handle = client.workflow.getHandle(run.workflowId, run.runId);
    try {
      const progress: BatchProgress = await client.withDeadline(Date.now() + QUERY_TIMEOUT_MS, () =>
        handle.query(progressQuery),
      );
      if (progress.blocked !== undefined) await handle.signal(resumeSignal, {});
      for (const { index, question } of progress.held) {
        const isLetGo = question === 'workflow-conflict' || question === 'duplicate';
        const decision = isLetGo ? ('retry' as const) : ('set-apart' as const);
        await handle.executeUpdate(answerUpdate, { args: [{ document: index, decision }] });
      }
    } catch {
      // No worker answered, or the run ended meanwhile: the next round sees.
    }
  }
}

export async function lookAtRuns(client: Client): Promise<RunsAtEnd> {
  const stopped: string[] = [];
  const histories: { workflowId: string; events: number }[] = [];
  for await (const run of client.workflow.list()) {
    const { status, historyLength } = await client.workflow.getHandle(run.workflowId, run.runId).describe();
    histories.push({ workflowId: run.workflowId, events: historyLength });
    if (GOES_ON.has(status.name)) continue;
    const why = await client.workflow
      .getHandle(run.workflowId, run.runId)
      .result()
      .then(
        () => '',
        (error: unknown) => describeError(error),
      );
    stopped.push(`${run.workflowId} ${status.name}: ${why}`);
  }
  return { stopped, histories };
}

function describeError(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: unknown };
  return cause === undefined ? String(message) : `${String(message)} <- ${describeError(cause)}`;
}
