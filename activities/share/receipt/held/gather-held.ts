// How a job stands that has nothing on its way but documents that are held or wait in line: its receipts,
// with what its runs say of these now.
import type { Reason } from '../../../../workflows/contract';
import { ASK_AGAIN } from '../../../../workflows/ingest/decide/ask-again';
import type { HeldDocument } from '../../../../workflows/ingest/ingest-contract';
import { type Receipt, type ReceiptRow, readReceipt, readReceiptSoFar } from '../../batch/kept-receipt';
import type { ShareLayout } from '../../files/share-layout';
import { inJobOrder } from '../job-receipt';
import { locate } from '../settle-job';
import type { HeldBatch, HeldBatches, WaitingNow } from './held-batches';

export interface HeldState {
  /** Of all batches, in the order of the job. */
  readonly receipts: readonly Receipt[];
  /** By its path as it was dropped, relative to the drop folder. */
  readonly held: ReadonlyMap<string, HeldHere>;
}

export interface HeldHere {
  readonly batch: HeldBatch;
  readonly question: HeldDocument['question'];
  /** Why it is asked, as the run says it. */
  readonly reason: string;
  /** Labels of fields that still need a value. */
  readonly missing: readonly string[];
  /** Its last answer was taken up, and then the service did not take the values. */
  readonly isAskedAgain: boolean;
}

/** What the share shows of a job of which all batches have settled so far. */
export interface ShownReceipts {
  readonly final: readonly Receipt[];
  readonly soFar: readonly Receipt[];
}

/** The receipts of these batches; undefined while one of them has none at all. */
export async function readShown(
  layout: ShareLayout,
  batchIds: readonly string[],
): Promise<ShownReceipts | undefined> {
  const receipts: Receipt[] = [];
  const open: Receipt[] = [];
  for (const batchId of batchIds) {
    const paths = await locate(layout, batchId);
    if (paths === undefined) continue;
    const final = await readReceipt(paths);
    const soFar = final === undefined ? await readReceiptSoFar(paths) : undefined;
    if (final !== undefined) receipts.push(final);
    else if (soFar !== undefined) open.push(soFar);
    else return undefined;
  }
  return { final: receipts, soFar: open };
}

/** Undefined while any of its documents is on its way, and when nobody can tell. */
export async function gatherHeld(
  { final, soFar: open }: ShownReceipts,
  batches: HeldBatches,
): Promise<HeldState | undefined> {
  const receipts = [...final];
  const held = new Map<string, HeldHere>();
  for (const soFar of open) {
    const batch = { project: soFar.project, batchId: soFar.batchId };
    const waiting = await batches.ask(batch);
    const files = waiting && withWaiting(soFar.files, waiting);
    if (waiting === undefined || files === undefined) return undefined;
    receipts.push({ ...soFar, files });
    for (const { path, question, missing = [], reason } of waiting.held) {
      const isAskedAgain = reason.fix === ASK_AGAIN;
      held.set(path, { batch, question, reason: reason.text, missing, isAskedAgain });
    }
  }
  return { receipts: inJobOrder(receipts), held };
}

/** The receipt so far is written when documents have ended, not when one more is held: the run knows. */
function withWaiting(files: readonly ReceiptRow[], { held, inLine }: WaitingNow): ReceiptRow[] | undefined {
  const heldOf = new Map(held.map(document => [document.index, document]));
  const inLineOf = new Map(inLine.map(document => [document.index, document.reason]));
  const rows: ReceiptRow[] = [];
  for (const { reason: before, ...row } of files) {
    const isOpen = row.outcome === 'held' || row.outcome === 'open';
    const [asked, turn] = [heldOf.get(row.index), inLineOf.get(row.index)];
    if (!isOpen) rows.push({ ...row, ...(before === undefined ? {} : { reason: before }) });
    else if (asked !== undefined) rows.push({ ...row, outcome: 'held', reason: reasonInSheet(asked) });
    else if (turn !== undefined) rows.push({ ...row, outcome: 'open', reason: turn });
    else return undefined;
  }
  return rows;
}

function reasonInSheet({ question, reason }: HeldDocument): Reason {
  if (question === 'missing-values')
    return { ...reason, fix: 'Correct this row here, and save: it goes on by itself.' };
  if (question !== 'duplicate') return reason;
  return {
    ...reason,
    fix: 'If it is to go, correct this row where it is wrong, write "send" for it into a column "Action" here, and save; if it is not to go, write "set apart" there.',
  };
}
