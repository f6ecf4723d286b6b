// Documents in conflict that are tried again while they are held (policy `wait`): which they are, what is
// asked for them, and how that ends before something else happens with one of them.
import { condition } from '@temporalio/workflow';
import type { WaitOutConflictsInput, WaitOutConflictsResult } from '../../../activities';
import { asking } from '../../run/asking';
import { countOf } from '../../run/decide/count-of';
import type { BatchState } from '../batch-state';
import { isAnswered } from '../document-facts';
import type { DocumentState } from '../document-state';

export type LookTimes = Pick<WaitOutConflictsInput, 'dueMs' | 'pace' | 'onlyLook'>;

/** Held, and tried again by itself: nobody has answered, and its time is not over. */
export function retriedDocuments(batch: BatchState): readonly DocumentState[] {
  return batch.heldNow.filter(state => isRetried(batch, state));
}

export function isRetried({ policy }: BatchState, { held, outcome }: DocumentState): boolean {
  if (policy.conflict.kind !== 'wait' || outcome !== undefined || held === undefined) return false;
  return held.question === 'workflow-conflict' && !isAnswered(held) && held.untilMs > Date.now();
}

export function askToWaitOut(
  batch: BatchState,
  group: readonly DocumentState[],
  times: LookTimes,
  summary: string,
): Promise<WaitOutConflictsResult> {
  const texts = [...new Set(group.map(({ held }) => held?.reason.text ?? ''))];
  const items = group.flatMap(({ document: { index }, uploadId, held, retried }) => {
    const said = texts.indexOf(held?.reason.text ?? '');
    return uploadId === undefined ? [] : [{ index, uploadId, said, isUntold: retried === 'untold' }];
  });
  return batch.calls.service.waitOutConflicts(
    () => ({
      project: batch.project,
      items,
      texts,
      ...times,
      ...(batch.tellsHold ? { batch: batch.ref } : {}),
      asked: asking(),
    }),
    summary,
  );
}

/**
 * When this ends, none of these is submitted again by itself any more. One whose last submission was cut is
 * looked for: only if its upload is there, it was certainly not submitted.
 */
export async function endRetries(batch: BatchState, states: readonly DocumentState[]): Promise<void> {
  if (states.some(({ retried }) => retried === 'now'))
    await condition(() => states.every(({ retried }) => retried !== 'now'));
  const untold = states.filter(({ retried, held }) => retried === 'untold' && held !== undefined);
  if (untold.length === 0) return;
  const nowMs = Date.now();
  const pace = { sinceMs: nowMs, leastMs: 1, longestMs: 1 };
  const { documents } = await askToWaitOut(
    batch,
    untold,
    { dueMs: nowMs, pace, onlyLook: true },
    `Look whether ${countOf(untold.length, 'upload')} is there that was submitted again`,
  );
  const unheard = new Set(documents.flatMap(({ index, end }) => (end.kind === 'unheard' ? [index] : [])));
  for (const state of untold) {
    state.retriedBeside(undefined);
    if (unheard.has(state.document.index)) state.mayHaveBeenSubmitted();
  }
}
