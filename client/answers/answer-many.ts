// The answers of one person for many held documents of a batch, in one update.
import type { Client } from '@temporalio/client';
import {
  type AcceptedAnswers,
  answerManyUpdate,
  type ManyAnswers,
} from '../../workflows/ingest/answer-contract';

/**
 * Answers for held documents of the batch that this workflow carries:
 *
 *     await answerMany(client, 'ingest/…', {
 *       answers: [
 *         { documents: ['Package/A-1.pdf'], values: { Type: 'Drawing', Origin: ['Architect', 'Engineer'] } },
 *         { documents: ['Package/A-2.pdf', 7], decision: 'set-apart' },
 *       ],
 *       as: 'Maria Keller',
 *     });
 *     // taken: ['Package/A-1.pdf', 'Package/A-2.pdf']
 *     // refused: [{ document: '7', why: 'Document 7 is not held: nothing is asked about it just now.' }]
 *
 * A document is named by its path in the batch, its file name or its index; a name that several have that
 * are held is refused. What was `taken` goes on, all of it together, and a fault of one holds back no other;
 * what was `refused` waits on as before. The same answers once more do no harm: what was taken is not held
 * any longer, and comes back as refused.
 *
 * Throws WorkflowUpdateFailedError when the batch cannot take answers at all just now (it cannot be opened,
 * the form of the answers is wrong), and WorkflowNotFoundError when no such batch runs.
 */
export async function answerMany(
  client: Client,
  workflowId: string,
  answers: ManyAnswers,
): Promise<AcceptedAnswers> {
  return await client.workflow.getHandle(workflowId).executeUpdate(answerManyUpdate, { args: [answers] });
}
