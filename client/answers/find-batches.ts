// From what a person types to the batches that it means: one batch, or all that a job has on their way.
import type { Client } from '@temporalio/client';
import { systemClock } from '../../activities/host/clock';
import type { ShareConfig } from '../../activities/share/share-config';
import { type BatchProgress, progressQuery } from '../../workflows/ingest/ingest-contract';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { lookForBatch } from '../session/find-batch';
import { grpcCodeOf } from '../session/grpc-code';

export interface FoundBatch {
  readonly workflowId: string;
  readonly batchId: string;
}

const RUNNING = `WorkflowType = 'ingestBatchWorkflow' AND ExecutionStatus = 'Running'`;
/** Status code of gRPC. */
const DEADLINE_EXCEEDED = 4;
const ASKED_WITHIN_MS = 10_000;

/**
 * By a batch's id or its workflow's, else by the name of a job: the folder that was dropped. Throws CliError
 * for a name that nothing has, and for one that jobs of several shares have.
 */
export async function findBatches(
  client: Client,
  shares: readonly ShareConfig[],
  name: string,
): Promise<readonly FoundBatch[]> {
  const batch = await lookForBatch(client, shares, name);
  if (batch !== undefined) return [toFound(batch)];
  const ofJob: (FoundBatch & { readonly share: unknown })[] = [];
  for await (const { workflowId, memo } of client.workflow.list({ query: RUNNING })) {
    if (typeof memo?.job !== 'string' || foldName(memo.job) !== foldName(name)) continue;
    if (shares.every(share => share.name !== memo.share)) continue;
    ofJob.push({ ...toFound(workflowId), share: memo.share });
  }
  const ofShares = [...new Set(ofJob.map(({ share }) => share))];
  if (ofShares.length > 1) {
    throw new CliError(
      `Several shares have a job ${name} on its way: ${ofShares.join(', ')}. Say which one is meant with --share.`,
      EXIT_CODES.usage,
    );
  }
  if (ofJob.length > 0) return ofJob.sort((one, other) => (one.batchId < other.batchId ? -1 : 1));
  throw new CliError(
    `Temporal knows no batch ${name}, and no job of that name is on its way. \`drawbridge status\` lists both; finished ones are forgotten after a while, their receipts stay on the share.`,
  );
}

/** Where the batch stands. Throws CliError when no worker answers for it. */
export async function askProgress(
  client: Client,
  { workflowId, batchId }: FoundBatch,
): Promise<BatchProgress> {
  try {
    const ask = () => client.workflow.getHandle(workflowId).query(progressQuery);
    return await client.withDeadline(systemClock.wallMs() + ASKED_WITHIN_MS, ask);
  } catch (error) {
    if (grpcCodeOf(error) !== DEADLINE_EXCEEDED) throw error;
    throw new CliError(
      `Nobody answers for batch ${batchId} just now: is a worker of its share running?`,
      EXIT_CODES.failed,
      error,
    );
  }
}

function toFound(workflowId: string): FoundBatch {
  return { workflowId, batchId: workflowId.split('/').at(-1) ?? workflowId };
}

/**
 * The name of a folder, without what people write in different ways: case, Unicode form, a slash at the end.
 */
function foldName(name: string): string {
  return name.normalize('NFC').trim().replace(/\/+$/, '').toLowerCase();
}
