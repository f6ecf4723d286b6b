// Asks the runs of batches what they hold, and answers them, for whoever reads corrected sheets.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { systemClock } from '../../activities/host/clock';
import type { HeldBatch, HeldBatches } from '../../activities/share/receipt/held/held-batches';
import { ingestWorkflowId } from '../../workflows/contract';
import { answerMany } from './answer-many';
import { askProgress } from './find-batches';

/** For longer, nobody carries out the answer just now: it is given again later, and other sheets are read. */
const ANSWERED_WITHIN_MS = 30_000;

export function createHeldBatches(client: Client): HeldBatches {
  const idOf = ({ project, batchId }: HeldBatch) => ingestWorkflowId(project, batchId);
  return {
    ask: async batch => {
      try {
        const progress = await askProgress(client, { ...batch, workflowId: idOf(batch) });
        const { held, answered = [], inLine = [] } = progress;
        // What such an answer comes to is not known yet: it may be refused, and be asked again.
        return answered.some(({ answer }) => answer === undefined) ? undefined : { held, inLine };
      } catch (error) {
        // It has ended, and was forgotten: it asks nothing any more.
        return error instanceof WorkflowNotFoundError ? { held: [], inLine: [] } : undefined;
      }
    },
    answer: async (batch, answers) => {
      const send = () => answerMany(client, idOf(batch), answers);
      try {
        return await client.withDeadline(systemClock.wallMs() + ANSWERED_WITHIN_MS, send);
      } catch (error) {
        // One that was terminated, or has failed, still answers what it held.
        if (error instanceof WorkflowNotFoundError) return 'run-ended';
        throw error;
      }
    },
  };
}
