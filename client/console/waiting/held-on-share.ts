// Which documents are held, read from a share as long as runs cannot be asked: the receipts so far say it.
import { forEachLimited } from '../../../activities/host/concurrency';
import { isDoubt } from '../../../activities/ledger/decide/duplicate-rules';
import type { ReceiptRow } from '../../../activities/share/batch/kept-receipt';
import { ingestWorkflowId } from '../../../workflows/contract';
import type { HeldDocument } from '../../../workflows/ingest/ingest-contract';
import type { ConsoleShare } from '../serve/module';
import type { HeldBatch } from './held-listing';

const READ_AT_ONCE = 8;

/** Nothing where the share cannot be read either. */
export async function listHeldOnShare({ config, share }: ConsoleShare): Promise<readonly HeldBatch[]> {
  const found: HeldBatch[] = [];
  if (share === undefined) return found;
  try {
    const { batches } = await share.lookAtWork();
    await forEachLimited([...batches.keys()], READ_AT_ONCE, async batchId => {
      const documents = await share.readDocuments(batchId);
      const held = documents?.rows.flatMap(row => toHeld(row, config.policy.holdMs)) ?? [];
      const workflowId = ingestWorkflowId(config.project, batchId);
      if (held.length > 0) found.push({ workflowId, batchId, share: config.name, held });
    });
  } catch {
    return found;
  }
  return found.sort((one, other) => (one.batchId < other.batchId ? -1 : 1));
}

function toHeld(
  { outcome, index, path, reason, heldSince }: ReceiptRow,
  holdMs: number,
): readonly HeldDocument[] {
  if (outcome !== 'held' || reason === undefined) return [];
  const question = questionOf(reason.code);
  const sinceMs = Date.parse(heldSince ?? '') || 0;
  const missing = reason.code === 'missing-values' ? quotedIn(reason.text) : [];
  return [{ index, path, question, reason, missing, sinceMs, untilMs: sinceMs + holdMs }];
}

function questionOf(code: string): HeldDocument['question'] {
  if (code.startsWith('WORKFLOW_CONFLICT')) return 'workflow-conflict';
  if (isDoubt(code)) return 'duplicate';
  return code === 'overtaken' ? 'overtaken' : 'missing-values';
}

/** The labels that the reason names. */
function quotedIn(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]+)"/g)].map(([, label = '']) => label);
}
