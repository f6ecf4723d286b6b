// WORKFLOW_CONFLICT: earlier revisions of the document have running workflows. The share's policy decides
// what happens.
import type { Reason } from '../../contract';
import type { BatchState } from '../batch-state';
import { explainRefusal, explainUnended, judgeRefusal, type Refusal } from '../decide/judge-refusal';
import { meetConflict } from '../decide/keep-waits';
import type { Termination } from '../document-facts';
import type { DocumentState } from '../document-state';
import { holdDocument } from './hold';

const MOST_TERMINATIONS = 3;
/** So long after the service has named reviews, it may be told to end them. */
const AGREED_FOR_MS = 60_000;
/**
 * So often a word that was not said in time is asked for again. The pauses between submissions grow: after a
 * few of them the word is always over.
 */
const MOST_UNSENT = 5;

/** Returns whether the document is to be read (the event id may have moved) and submitted again. */
export async function takeConflict(
  batch: BatchState,
  state: DocumentState,
  refusal: Refusal,
): Promise<boolean> {
  const { conflict } = batch.policy;
  const reason = explainRefusal(refusal);
  if (batch.keepsHow) {
    const met = { atMs: Date.now(), why: reason.text, policy: conflict.kind };
    state.keepWaits(meetConflict(state.waits, met));
  }
  const isForAPerson = judgeRefusal(refusal.reasonCode) === 'conflict-for-a-person';
  if (state.agreed !== undefined && state.termination === undefined && !isForAPerson)
    return takeAgreed(batch, state, refusal);
  // A refusal for a missing right names none, and is no other question about those that were shown.
  if (!isForAPerson) state.refusedFor(refusal.reviews);
  if (conflict.kind === 'set-apart') {
    batch.setApart(state, reason);
    return false;
  }
  if (conflict.kind === 'terminate' && !isForAPerson && state.mayTry('terminate', MOST_TERMINATIONS)) {
    const found = await findTermination(batch, conflict);
    if (!('code' in found)) {
      state.allowTermination(found);
      return true;
    }
    holdDocument(batch, state, 'workflow-conflict', found);
    return false;
  }
  holdDocument(batch, state, 'workflow-conflict', reason);
  return false;
}

/**
 * A person agreed to end what they were shown. The service ends whatever runs when it is told to, so it is
 * told only where it has just named the same; anything else is asked about.
 */
function takeAgreed(batch: BatchState, state: DocumentState, refusal: Refusal): boolean {
  const { reviews, namedAtMs = Date.now() } = refusal;
  const isSame = reviews !== undefined && reviews === state.reviews;
  if (isSame && state.mayTry('agreed', MOST_UNSENT)) {
    state.sayAgreed(namedAtMs + AGREED_FOR_MS);
    return true;
  }
  const why = isSame ? 'not-in-time' : explainDifference(state.reviews, reviews);
  state.refusedFor(reviews);
  holdDocument(batch, state, 'workflow-conflict', explainUnended(why, refusal));
  return false;
}

function explainDifference(shown: string | undefined, named: string | undefined) {
  if (named === undefined) return 'not-named';
  return shown === undefined ? 'not-known' : 'others';
}

/**
 * Looks the status up by name; returns the reason when there is no such status, which is for a person to
 * correct.
 */
export async function findTermination(
  batch: BatchState,
  wanted: { readonly reason: string; readonly status: string },
): Promise<Termination | Reason> {
  const found = await batch.calls.service.findStatus(
    () => ({ project: batch.project, status: wanted.status }),
    `Look up the status ${wanted.status}`,
  );
  if (found.kind === 'refused') return found.reason;
  return { reason: wanted.reason, status: wanted.status, statusId: found.statusId };
}
