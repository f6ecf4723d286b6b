// Documents that wait for a person: asked, answered by the update `answer`, or set apart when the time is over.
import { condition } from '@temporalio/workflow';
import type { HeldAnswer, HeldDocument, Reason } from '../contract';
import { explainRefusal } from '../decide/judge-refusal';
import type { BatchState, DocumentState } from './batch-state';

/** A document lacks required values: held or set apart, as the share's policy says. */
export function lackValues(
  batch: BatchState,
  state: DocumentState,
  reason: Reason,
  missing: readonly string[],
): void {
  if (batch.policy.missing === 'set-apart') batch.setApart(state, reason);
  else holdDocument(batch, state, 'missing-values', reason, missing);
}

export function holdDocument(
  batch: BatchState,
  state: DocumentState,
  question: HeldDocument['question'],
  reason: Reason,
  missing?: readonly string[],
): void {
  // Waiting on under the policy `wait` is one wait, however often we try in between.
  const sinceMs = state.heldSinceMs ?? Date.now();
  state.heldSinceMs = sinceMs;
  batch.hold(state, {
    index: state.document.index,
    path: state.document.path,
    question,
    reason,
    ...(missing === undefined ? {} : { missing }),
    sinceMs,
    untilMs: sinceMs + batch.policy.holdMs,
  });
}

/**
 * Waits for the answer to a held document. Answers undefined when the document ended meanwhile: its time was over, or
 * the person decided to set it apart. Under the policy `wait`, a workflow conflict is tried again by itself.
 */
export async function waitForAnswer(
  batch: BatchState,
  state: DocumentState,
): Promise<HeldAnswer | undefined> {
  const { held } = state;
  if (held === undefined) return undefined;
  const answer = await takeAnswer(batch, held);
  if (answer === undefined) {
    const expired = explainRefusal({ reasonCode: 'hold-expired', message: '' });
    batch.setApart(state, { ...expired, text: `${held.reason.text} ${expired.text}`, fix: held.reason.fix });
    return undefined;
  }
  if (answer.decision === 'set-apart') {
    const decided = explainRefusal({ reasonCode: 'set-apart-by-person', message: '' });
    batch.setApart(state, { ...decided, text: `${held.reason.text} ${decided.text}` });
    return undefined;
  }
  state.held = undefined;
  return answer;
}

async function takeAnswer(
  batch: BatchState,
  held: NonNullable<DocumentState['held']>,
): Promise<HeldAnswer | undefined> {
  const left = Math.max(1, held.untilMs - Date.now());
  const retries = held.question === 'workflow-conflict' && batch.policy.conflict.kind === 'wait';
  const isSooner = retries && batch.policy.conflictRetryMs < left;
  await condition(() => held.answer !== undefined, isSooner ? batch.policy.conflictRetryMs : left);
  return held.answer ?? (isSooner ? { document: held.index, decision: 'retry' } : undefined);
}

/** The held document that a person names by index or path. */
export function findHeld(batch: BatchState, document: number | string): DocumentState | undefined {
  return batch.heldNow.find(
    ({ document: { index, path, fileName } }) =>
      index === document || path === document || fileName === document || String(index) === document,
  );
}
