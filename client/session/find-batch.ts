// From what a person types (a batch id, or a whole workflow id) to the workflow of that batch.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';

import type { ShareConfig } from '../../activities/share/share-config';
import { ingestWorkflowId } from '../../workflows/contract';
import { CliError } from './cli-error';

/** The workflow id of a batch that Temporal knows. Throws CliError when there is none. */
export async function findBatchWorkflow(
  client: Client,
  shares: readonly ShareConfig[],
  batch: string,
): Promise<string> {
  const workflowId = await lookForBatch(client, shares, batch);
  if (workflowId !== undefined) return workflowId;
  throw new CliError(
    `Temporal knows no batch ${batch}. \`drawbridge status\` lists the batches; finished ones are forgotten after a while, their receipts stay on the share.`,
  );
}

/** The same; undefined when there is none. */
export async function lookForBatch(
  client: Client,
  shares: readonly ShareConfig[],
  batch: string,
): Promise<string | undefined> {
  const candidates = batch.includes('/')
    ? [batch]
    : [...new Set(shares.map(share => ingestWorkflowId(share.project, batch)))];
  for (const workflowId of candidates) {
    try {
      await client.workflow.getHandle(workflowId).describe();
      return workflowId;
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }
  return undefined;
}
