// What people can ask and tell a running batch: progress, resume, and the answers for held documents.
import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import { answerInput, answerUpdate, type HeldAnswer, progressQuery, resumeSignal } from '../contract';
import { explainFaults, parseInput } from '../parse-input';
import type { BatchState, DocumentState } from './batch-state';
import { prepareTermination } from './conflict';
import type { Desk } from './desk';
import { findHeld } from './hold';
import { joinReasons } from './plan';

const EXAMPLE = {
  document: 7,
  decision: 'terminate',
  reason: 'Superseded by this issue',
  status: 'Superseded',
};

export function handleMessages(batch: BatchState, desk: Desk): void {
  const seen = new Set<string>();
  setHandler(progressQuery, () => batch.progress(), {
    description: 'Where every document of the batch stands.',
  });
  setHandler(
    resumeSignal,
    request => {
      // The same request twice (a second click, a repeated delivery) resumes once.
      const id = request?.requestId;
      if (id !== undefined && seen.has(id)) return;
      if (id !== undefined) seen.add(id);
      batch.resumes++;
    },
    { description: 'Goes on at once with what is blocked.' },
  );
  setHandler(answerUpdate, answer => takeAnswer(batch, desk, answer), {
    validator: answer => checkAnswer(batch, answer),
    description: 'Answers for a held document: {document, decision, reason, status} or {document, values}.',
  });
}

function checkAnswer(batch: BatchState, raw: HeldAnswer): void {
  const parsed = answerInput.safeParse(raw);
  if (!parsed.success) throw new Error(explainFaults(parsed.error, EXAMPLE));
  const state = findHeld(batch, parsed.data.document);
  if (state?.held === undefined || state.held.answer !== undefined) {
    const held = batch.heldNow.map(({ document }) => `${document.index} (${document.path})`).join(', ');
    throw new Error(`Document ${parsed.data.document} is not held. Held: ${held || 'none'}.`);
  }
  if (parsed.data.decision === 'terminate' && state.held.question !== 'workflow-conflict') {
    throw new Error(
      'This document is held for missing values: answer with "values", "retry" or "set-apart".',
    );
  }
}

/** Takes the answer only if it can work: values that do not resolve are refused here, and the document stays held. */
async function takeAnswer(
  batch: BatchState,
  desk: Desk,
  raw: HeldAnswer,
): Promise<{ document: string; goesOn: true }> {
  const answer = parseInput(answerInput, raw, EXAMPLE);
  const state = findHeld(batch, answer.document);
  const held = state?.held;
  if (state === undefined || held === undefined) {
    throw ApplicationFailure.nonRetryable('The document is no longer held.', 'NOT_HELD');
  }
  if (answer.values !== undefined) await takeValues(batch, desk, state, answer.values);
  if (answer.decision === 'terminate' && answer.reason !== undefined && answer.status !== undefined) {
    const found = await prepareTermination(desk, batch.project, state, {
      reason: answer.reason,
      status: answer.status,
    });
    if (found !== undefined) throw ApplicationFailure.nonRetryable(`${found.text} ${found.fix}`, found.code);
  }
  held.answer = answer;
  state.heldSinceMs = undefined;
  return { document: state.document.path, goesOn: true };
}

async function takeValues(
  batch: BatchState,
  desk: Desk,
  state: DocumentState,
  values: NonNullable<HeldAnswer['values']>,
): Promise<void> {
  const { index, fileName, mimeType } = state.document;
  const merged = { ...state.values, ...values };
  const plan = await desk.service(
    'planDocuments',
    () => ({
      project: batch.project,
      defaults: batch.policy.defaults,
      documents: [{ index, fileName, mimeType, values: merged }],
    }),
    `Check the values given for ${state.document.path}`,
  );
  const problems = plan.documents[0]?.problems ?? [];
  if (problems.length > 0) {
    const reason = joinReasons(problems);
    throw ApplicationFailure.nonRetryable(`${reason.text} ${reason.fix}`, reason.code);
  }
  state.values = merged;
  state.plan = undefined;
}
