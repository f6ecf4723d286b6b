// When a run's history has grown long, another goes on in its place: at a moment when nothing is under way,
// with what the share knows and a small carry-over. To people it stays the same run: the same id, the same
// documents held.
import { allHandlersFinished, condition } from '@temporalio/workflow';
import type { BatchState } from './batch-state';
import { type CarryOver, packDocuments } from './carry-over';
import { noteOutcomes } from './journal';

/** What was begun in the very moment of leaving goes on for so long; then leaving is tried again later. */
const PATIENCE_MS = 1_000;

/**
 * Ends at a moment when the run can be left, with what the next one needs: everything waits for something, no
 * activity is under way, no message is being handled, no answer waits to be taken up, and the share knows of
 * everything that has ended. From then on no activity begins.
 */
export async function untilReadyToContinueAsNew(batch: BatchState): Promise<CarryOver> {
  const isQuiet = (): boolean =>
    batch.calls.underway === 0 &&
    batch.busy === 0 &&
    allHandlersFinished() &&
    batch.background.unbegun === 0 &&
    batch.heldNow.every(({ held }) => held?.answer === undefined);
  const isNoted = (): boolean => batch.noted.size >= batch.outcomes.length;
  for (;;) {
    await condition(() => batch.shouldContinueAsNew() && isQuiet());
    // The next run has from the share what has ended.
    await noteOutcomes(batch, batch.documents);
    if (!isQuiet() || !isNoted()) continue;
    batch.calls.close();
    await condition(isQuiet, PATIENCE_MS);
    // Looked at and packed without an await in between: others are woken in the same moment as we, and go on
    // at any await. What they do after this is done again by the next run.
    if (isQuiet() && isNoted()) return packDocuments(batch.documents);
    batch.calls.open();
  }
}
