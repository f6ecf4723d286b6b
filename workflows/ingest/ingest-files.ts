// Starts from the Temporal UI or the command line: claims files of a share's drop folder and carries their
// batches in.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  executeChild,
  ParentClosePolicy,
  patched,
  workflowInfo,
} from '@temporalio/workflow';
import { ingestWorkflowId, SERVICE_TASK_QUEUE } from '../contract';
import { ActivityCalls } from '../run/activity-calls';
import { parseInput } from '../run/parse-input';
import { RunProgress } from '../run/run-progress';
import { ingestBatchWorkflow } from './ingest-batch';
import {
  type BatchSummary,
  type IngestFilesInput,
  type IngestFilesResult,
  ingestFilesInput,
} from './ingest-contract';

const EXAMPLE = { share: 'tender', folder: 'Package A' };

/**
 * Claims now, without waiting for files to settle; the batches live on if this workflow is ended. Batches
 * that a watcher was faster to claim or to start are followed to their end.
 */
export async function ingestFilesWorkflow(rawInput: IngestFilesInput): Promise<IngestFilesResult> {
  const input = parseInput(ingestFilesInput, rawInput, EXAMPLE);
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const progress = new RunProgress(`Files of share ${input.share}`, input.share);
  const calls = new ActivityCalls(input.share);
  if (patched('a-blocked-claim-is-waited-for-in-sight')) calls.whenBlocked(progress);
  progress.tell('Claiming the files');
  const claimed = await calls.share.claimFiles(
    () => ({ ...input, key: `${workflowId}/${firstExecutionRunId}` }),
    'Claim the files',
  );
  if (claimed.batchIds.length + claimed.followed.length === 0) {
    const faults = claimed.refused.map(reason => `- ${reason.text} ${reason.fix}`).join('\n');
    throw ApplicationFailure.nonRetryable(`Nothing to carry in.\n${faults}`, 'NOTHING_TO_CLAIM');
  }
  progress.tell(`Waiting for the end of ${[...claimed.batchIds, ...claimed.followed].join(', ')}`);
  const follow = async (batchId: string): Promise<BatchSummary> =>
    await calls.share.followBatch(
      () => ({ share: input.share, batchId }),
      `Wait for batch ${batchId}, which another run carries`,
    );
  const carry = async (batchId: string): Promise<BatchSummary> => {
    try {
      return await executeChild(ingestBatchWorkflow, {
        workflowId: ingestWorkflowId(claimed.project, batchId),
        taskQueue: SERVICE_TASK_QUEUE,
        args: [{ share: input.share, batchId }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        memo: { share: input.share },
        // Whoever started this workflow knew whether the attributes are registered with this server; if they
        // were not, using them would stop this workflow for good.
        typedSearchAttributes: workflowInfo().typedSearchAttributes,
        staticSummary: `Batch ${batchId} of share ${input.share}`,
      });
    } catch (error: unknown) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return await follow(batchId);
      throw error;
    }
  };
  const batches = await Promise.all([...claimed.batchIds.map(carry), ...claimed.followed.map(follow)]);
  progress.tell('Ended');
  return {
    batches,
    ...(claimed.refused.length === 0 ? {} : { refused: claimed.refused }),
  };
}
