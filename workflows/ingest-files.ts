// Starts from the Temporal UI or the command line: claims files of a share's drop folder and carries their batches in.
import { ApplicationFailure, executeChild, ParentClosePolicy, workflowInfo } from '@temporalio/workflow';
import {
  type IngestFilesInput,
  type IngestFilesResult,
  ingestFilesInput,
  ingestWorkflowId,
  SERVICE_TASK_QUEUE,
} from './contract';
import { ingestBatchWorkflow } from './ingest-batch';
import { parseInput } from './parse-input';
import { Desk } from './stages/desk';

const EXAMPLE = { share: 'tender', folder: 'Package A' };

/** Claims now, without waiting for files to settle; the batches live on if this workflow is ended. */
export async function ingestFilesWorkflow(rawInput: IngestFilesInput): Promise<IngestFilesResult> {
  const input = parseInput(ingestFilesInput, rawInput, EXAMPLE);
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const claimed = await new Desk(input.share).share(
    'claimFiles',
    () => ({ ...input, key: `${workflowId}/${firstExecutionRunId}` }),
    'Claim the files',
  );
  if (claimed.batchIds.length === 0) {
    const faults = claimed.refused.map(reason => `- ${reason.text} ${reason.fix}`).join('\n');
    throw ApplicationFailure.nonRetryable(`Nothing to carry in.\n${faults}`, 'NOTHING_TO_CLAIM');
  }
  const batches = await Promise.all(
    claimed.batchIds.map(batchId =>
      executeChild(ingestBatchWorkflow, {
        workflowId: ingestWorkflowId(claimed.project, batchId),
        taskQueue: SERVICE_TASK_QUEUE,
        args: [{ share: input.share, batchId }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        memo: { share: input.share },
        // Its starter knew whether they are registered here; refused ones would stop this workflow for good.
        typedSearchAttributes: workflowInfo().typedSearchAttributes,
        staticSummary: `Batch ${batchId} of share ${input.share}`,
      }),
    ),
  );
  return { batches };
}
