// When a run's history has grown long, another goes on in its place: at a moment when nothing is under way,
// with what the share knows and a small carry-over. To people it stays the same run: the same id, the same
// documents held.
import { allHandlersFinished, condition } from '@temporalio/workflow';
import type { ActivityCalls } from '../run/activity-calls';
import type { BatchState } from './batch-state';
import { noteOutcomes } from './journal';

/** What is begun in the very moment of leaving is let go on, and leaving tried again later. */
const PATIENCE_MS = 1_000;

/**
 * Ends at a moment when the run can be left: everything waits for something, no activity is under way, no
 * message is being handled, and the share knows of everything that has ended. From then on no activity
 * begins.
 */
export async function untilReadyToContinueAsNew(batch: BatchState, calls: ActivityCalls): Promise<void> {
  const isQuiet = (): boolean => calls.underway === 0 && batch.busy === 0 && allHandlersFinished();
  for (;;) {
    await condition(() => batch.shouldContinueAsNew() && isQuiet());
    // The next run has from the share what has ended.
    await noteOutcomes(batch, calls, batch.documents);
    if (!isQuiet() || batch.noted.size < batch.outcomes.length) continue;
    calls.close();
    // Whoever was woken in the same moment as we has come as far as it can by now.
    if (await condition(isQuiet, PATIENCE_MS)) return;
    calls.open();
  }
}
