// What becomes of one document that a submission (Step 8) refused, or never answered for.
import { patched } from '@temporalio/workflow';
import type { BatchState } from '../batch-state';
import {
  explainRefusal,
  explainUnknownFailure,
  isOwnFailure,
  judgeRefusal,
  mayHaveTakenEffect,
  type Refusal,
} from '../decide/judge-refusal';
import type { DocumentState } from '../document-state';
import { takeConflict } from './conflict';
import { linkStage } from './link';

const MOST_TRIES = 5;
const MOST_FILE_TRIES = 2;
/** So often a document is left unanswered, alone and while others pass, before it is set apart. */
const MOST_UNKNOWN_ALONE = 4;

/** Decides about one document that was refused. Returns whether it is to be read and submitted again. */
export async function takeItemRefusal(
  batch: BatchState,
  state: DocumentState,
  refusal: Refusal,
): Promise<boolean> {
  switch (judgeRefusal(refusal.reasonCode)) {
    case 'read-again':
      if (state.mayTry('submit', MOST_TRIES)) return true;
      break;
    case 'look':
      // Gone, by the submission's word. Reading confirms it and decides by what we recorded.
      if (state.mayTry('submit', MOST_TRIES)) return true;
      break;
    case 'send-file-again':
      if (state.mayTry('fileAgain', MOST_FILE_TRIES)) {
        state.unlinked();
        state.forgetFile();
        return (await linkStage(batch, [state])).length > 0;
      }
      break;
    case 'conflict':
    case 'conflict-for-a-person':
      return await takeConflict(batch, state, refusal);
    case 'set-apart':
      // A look and one more submission of the same upload tell whether it took effect all the same.
      if (mayHaveTakenEffect(refusal.reasonCode) && state.mayBeSubmitted && isLookedFor(state)) return true;
      break;
  }
  if (mayBeOutage(batch, state, refusal) && patched('an-outage-told-by-document-is-waited-out')) {
    // As if it had not been answered: one of those named is tried for all of them.
    state.submissionEnded('failed');
    return true;
  }
  batch.setApart(state, explainRefusal(refusal));
  return false;
}

function mayBeOutage(batch: BatchState, { document }: DocumentState, { reasonCode }: Refusal): boolean {
  if (!isOwnFailure(reasonCode)) return false;
  const isAlone = !batch.documents.some(
    ({ outcome, document: { index } }) =>
      outcome === undefined && index !== document.index && batch.submitting.isNamed(index),
  );
  return batch.submitting.isToWaitFor(document.index, isAlone);
}

function isLookedFor(state: DocumentState): boolean {
  return (
    state.tries.submit === 0 &&
    patched('what-may-have-taken-effect-is-looked-for') &&
    state.mayTry('submit', 1)
  );
}

/**
 * Still there after many unanswered submissions of its own while others went through: it is this document.
 * Sets it apart.
 */
export function setApartIfWornOut(batch: BatchState, state: DocumentState): boolean {
  if (state.tries.unknown <= MOST_UNKNOWN_ALONE) return false;
  batch.setApart(state, explainUnknownFailure());
  return true;
}
