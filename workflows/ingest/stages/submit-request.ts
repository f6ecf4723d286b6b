// What is asked of the service when documents are submitted (Step 8): all of them in one request, or one
// after the other while it takes none.
import { sleep } from '@temporalio/workflow';
import type { ProbeResult, SubmitRevisionsInput, SubmitRevisionsResult } from '../../../activities';
import { asking } from '../../run/asking';
import { countOf } from '../../run/decide/count-of';
import type { BatchState } from '../batch-state';
import type { DocumentState } from '../document-state';
import { isHoldToSee, NOT_UNSEEN, noteUnseen, seeHold, toHoldLook } from '../journal';
import { PATIENT_ATTEMPTS, SUSPECT_ATTEMPTS } from '../step-health';
import { askUntilResumed } from './outage';
import { toItem } from './submit-item';

/** Before a request that did not go out is made once more, when the service named no time. */
const PAUSE_MS = 1_000;

/** Asks for all of them; a request that did not go out is made once more. */
export async function askToSubmit(
  batch: BatchState,
  group: readonly DocumentState[],
): Promise<SubmitRevisionsResult> {
  for (let round = 0; ; round++) {
    if (isHoldToSee(batch)) await seeHold(batch);
    const result = await batch.calls.service.submitRevisions(
      () => ({
        project: batch.project,
        ...toItems(group),
        asked: asking(),
      }),
      `Submit ${countOf(group.length, 'document')}`,
    );
    // What the run before the reset sent is not in this history: an upload that is gone can mean that it was
    // heard.
    if (result.afterReset === true) for (const state of group) state.mayHaveBeenSubmitted();
    // When it is not sent a second time either, there is an outage: its end is waited for in sight, in an
    // activity that is tried again.
    if (result.kind !== 'not-sent' || round > 0) return result;
    const { retryInMs = (result.retryAtMs ?? Date.now() + PAUSE_MS) - Date.now() } = result;
    await sleep(Math.max(1, retryInMs));
  }
}

/** What a person agreed to end is told as long as it is certain what runs, and no longer. */
function toItems(group: readonly DocumentState[]): Pick<SubmitRevisionsInput, 'items' | 'sendByMs'> {
  for (const state of group) {
    if ((state.termination?.untilMs ?? Number.POSITIVE_INFINITY) <= Date.now())
      state.withdrawAgreedTermination();
  }
  const sendByMs = Math.min(
    ...group.map(({ termination }) => termination?.untilMs ?? Number.POSITIVE_INFINITY),
  );
  return { items: group.map(toItem), ...(Number.isFinite(sendByMs) ? { sendByMs } : {}) };
}

/** Who is tried, one after the other. */
export interface Tried {
  readonly states: () => readonly DocumentState[];
  /** Counts how often `states` has become others that are to be tried at once. */
  readonly changes: () => number;
  readonly isShort: (states: readonly DocumentState[]) => boolean;
}

/** Tries one after the other, each while the batch is ours, until the service answers for one of them. */
export async function askToSubmitOne(
  batch: BatchState,
  tried: Tried,
): Promise<ProbeResult<SubmitRevisionsResult>> {
  let unseen = NOT_UNSEEN;
  for (;;) {
    if (isHoldToSee(batch)) await seeHold(batch);
    let unheard: readonly DocumentState[] = [];
    const probed = await askUntilResumed(
      {
        get resumes() {
          return batch.resumes + tried.changes();
        },
        isToBeLeft: () => batch.isToBeLeft(),
      },
      () => {
        unheard = tried.states();
        // It may take any time until one goes out.
        for (const state of unheard) {
          state.withdrawAgreedTermination();
          state.probedNow(true);
        }
        return batch.calls.service.probeSubmission(
          () => ({
            project: batch.project,
            items: unheard.map(toItem),
            asked: asking(),
            giveUpAfter: tried.isShort(unheard) ? SUSPECT_ATTEMPTS : PATIENT_ATTEMPTS,
            ...toHoldLook(batch, unseen.attempts),
          }),
          `Wait until the service takes submissions again: one of ${unheard.length} at a time`,
        );
      },
      () => {
        for (const state of unheard) state.mayHaveBeenSubmitted();
      },
    );
    // Some may have gone out for the first time: if their uploads are gone now, that can mean that they were
    // heard.
    const perhaps = new Set(probed.unheard);
    for (const state of unheard) {
      state.probedNow(false);
      if (perhaps.has(state.document.index)) state.mayHaveBeenSubmitted();
    }
    if (probed.kind !== 'hold-to-see') return probed;
    unseen = await noteUnseen(batch, unseen, probed.attempts);
  }
}
