// Documents that wait until an earlier revision of them has ended. They wait beside the others, in sight; nobody has to
// do anything, and they hold nobody up who is not behind them.
import { condition } from '@temporalio/workflow';
import type { InLine, Reason } from '../contract';
import { countOf } from '../decide/count-of';
import type { BatchState, DocumentState } from './batch-state';
import type { Desk } from './desk';

/** The longer it has taken, the less a while more matters: each look comes after another fifth of the time waited. */
const SHARE_OF_WAIT = 5;
const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 30 * 60_000;

/** Returns at once; `goOn` gets the documents, and what of them must be read again, when their turn has come. */
export function standInLine(
  batch: BatchState,
  desk: Desk,
  waiting: readonly InLine[],
  goOn: (documents: readonly DocumentState[]) => Promise<void>,
): void {
  batch.beside(waitInLine(batch, desk, waiting, goOn));
}

async function waitInLine(
  batch: BatchState,
  desk: Desk,
  first: readonly InLine[],
  goOn: (documents: readonly DocumentState[]) => Promise<void>,
): Promise<void> {
  const sinceMs = Date.now();
  for (let line = first; line.length > 0; ) {
    batch.waitInLine(line, explainTurn, sinceMs);
    await untilWorthALook(batch, line, Date.now() - sinceMs);
    const indexes = line.map(({ index }) => index);
    const { waiting } = await desk.share(
      'findTurns',
      () => ({ share: batch.share, batchId: batch.batchId, indexes, ended: endedOf(batch) }),
      `Look whether ${countOf(indexes.length, 'document')} can be submitted now`,
    );
    const late = new Set(waiting.map(({ index }) => index));
    const turn = batch.leaveLine(indexes.filter(index => !late.has(index)));
    // Beside: what takes long with them must not hold up those of other lines.
    if (turn.length > 0) batch.beside(goOn(turn));
    line = waiting;
  }
}

/** A time, or sooner: somebody says `resume`, or the one in front is of this batch and has ended. */
async function untilWorthALook(batch: BatchState, line: readonly InLine[], waitedMs: number): Promise<void> {
  const seen = batch.resumes;
  const inFront = new Set(
    line.flatMap(({ behind }) => (behind.batchId === batch.batchId ? [behind.index] : [])),
  );
  const hasMoved = (): boolean =>
    batch.resumes !== seen ||
    batch.documents.some(({ document, outcome }) => outcome !== undefined && inFront.has(document.index));
  await condition(
    hasMoved,
    Math.min(LONGEST_LOOK_MS, Math.max(FIRST_LOOK_MS, Math.round(waitedMs / SHARE_OF_WAIT))),
  );
}

/** Indexes of the documents of this batch that have an outcome; the share learns of them when the batch is settled. */
export function endedOf(batch: BatchState): readonly number[] {
  return batch.outcomes.map(({ index }) => index);
}

function explainTurn({ behind }: InLine): Reason {
  const revision = behind.revision === undefined ? '' : `revision ${behind.revision} of this document, `;
  return {
    code: 'earlier-revision',
    text: `Waits for ${revision}"${behind.path}" in batch ${behind.batchId}, which comes before it.`,
    fix: 'It goes on by itself when that one is submitted or set apart; if that one waits for an answer, give it.',
  };
}
