// What people can ask and tell a running batch: progress, resume, and the answers for held documents.
import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import { resumeSignal, turnSignal, type UploadId } from '../contract';
import { explainFaults, parseInput } from '../run/parse-input';
import { countResume } from '../run/resume-after-reset';
import type { BatchState } from './batch-state';
import { expandWrites } from './decide/tabulate-writes';
import { isAnswered, type Termination } from './document-facts';
import type { DocumentState } from './document-state';
import type { FieldWrite } from './ingest-contract';
import {
  type AcceptedAnswer,
  answerInput,
  answerUpdate,
  type HeldAnswer,
  lookSignal,
  progressQuery,
  uploadsQuery,
} from './ingest-contract';
import type { Opening } from './opening';
import { findTermination } from './stages/conflict';
import { findHeld } from './stages/hold';
import { askForRegisters, joinReasons, saidOf } from './stages/plan';
import { endedOf } from './stages/revision-order';

const EXAMPLE = {
  document: 7,
  decision: 'terminate',
  reason: 'Superseded by this issue',
  status: 'Superseded',
};

/** @param opening what people could ask and tell until now. */
export function handleMessages(batch: BatchState, opening: Opening): void {
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
      return countResume(request, () => {
        batch.resumes++;
      });
    },
    { description: 'Goes on at once with what is blocked.' },
  );
  setHandler(uploadsQuery, () => uploadsOf(batch), {
    description: 'The uploads of the documents that have not ended.',
  });
  setHandler(lookSignal, hint => batch.hints.take(readUploadIds(hint)), {
    description: 'Looks at once at uploads that wait: {uploadIds}.',
  });
  setHandler(
    turnSignal,
    async request => {
      if (request?.announce === true) await announce(batch);
      batch.turns++;
    },
    { description: 'From the coordinator of the project: documents that stand in line look again.' },
  );
  setHandler(answerUpdate, answer => acceptAnswer(batch, answer), {
    validator: answer => {
      const refusal = findRefusal(batch, answer);
      if (refusal !== undefined) throw new Error(refusal);
    },
    description: 'Answers for a held document: {document, decision, reason, status} or {document, values}.',
  });
  opening.handOver(async answer => {
    // Too late to turn it away unseen, as a validator does.
    const refusal = findRefusal(batch, answer);
    if (refusal !== undefined) throw ApplicationFailure.nonRetryable(refusal, 'NOT_TAKEN');
    return await acceptAnswer(batch, answer);
  });
}

function uploadsOf(batch: BatchState): readonly UploadId[] {
  return batch.documents.flatMap(({ outcome, uploadId }) =>
    outcome === undefined && uploadId !== undefined ? [uploadId] : [],
  );
}

/** Anybody who may signal can send anything. */
function readUploadIds(hint: { readonly uploadIds?: unknown } | undefined): readonly string[] {
  const ids: unknown = hint?.uploadIds;
  return Array.isArray(ids) ? ids.filter(id => typeof id === 'string') : [];
}

/** The coordinator was begun anew: it knows of the batch what it is told. */
async function announce(batch: BatchState): Promise<void> {
  await batch.calls.share.announceBatch(
    () => ({ ...batch.ref, ended: endedOf(batch) }),
    'Tell the coordinator of the project what is on its way',
  );
}

/** Why nothing can be done with this answer, as far as that can be told at once. */
function findRefusal(batch: BatchState, raw: HeldAnswer): string | undefined {
  const parsed = answerInput.safeParse(raw);
  if (!parsed.success) return explainFaults(parsed.error, EXAMPLE);
  const { document, decision } = parsed.data;
  const held = findHeld(batch, document)?.held;
  if (held === undefined) {
    const known = batch.heldNow.map(({ document }) => `${document.index} (${document.path})`).join(', ');
    return `Document ${document} is not held. Held: ${known || 'none'}.`;
  }
  if (isAnswered(held)) return `Document ${document} has an answer already, which is being used.`;
  if (decision === 'terminate' && held.question !== 'workflow-conflict')
    return 'This document is not held for workflows: answer with "values", "retry" or "set-apart".';
  return undefined;
}

/**
 * Takes the answer only if it can work: values that do not resolve are refused here, and the document stays
 * held. What is acknowledged is used: while the answer is looked at, nothing else ends the question.
 */
async function acceptAnswer(batch: BatchState, raw: HeldAnswer): Promise<AcceptedAnswer> {
  const answer = parseInput(answerInput, raw, EXAMPLE);
  const state = findHeld(batch, answer.document);
  // Of two answers that come in the same moment, one is the first.
  const held = state?.checkAnswer();
  if (state === undefined || held === undefined) throw notHeld();
  try {
    const values = answer.values === undefined ? undefined : await findWrites(batch, state, answer.values);
    const termination = await findAnsweredTermination(batch, answer);
    if (state.held !== held) throw notHeld();
    if (values !== undefined && !state.completed) state.replan(values.merged);
    const writes = values !== undefined && state.completed ? { writes: values.writes } : {};
    const answers = withAnswer(batch, state, answer.values ?? {});
    state.takeAnswer(held, answer, { ...writes, termination, answers });
  } finally {
    state.refuseAnswer(held);
  }
  return { document: state.document.path, goesOn: true };
}

function notHeld(): ApplicationFailure {
  return ApplicationFailure.nonRetryable('The document is no longer held, or has an answer.', 'NOT_HELD');
}

async function findAnsweredTermination(
  batch: BatchState,
  { decision, reason, status }: HeldAnswer,
): Promise<Termination | undefined> {
  if (decision !== 'terminate' || reason === undefined || status === undefined) return undefined;
  const found = await findTermination(batch, { reason, status });
  if ('code' in found) throw ApplicationFailure.nonRetryable(`${found.text} ${found.fix}`, found.code);
  return found;
}

/** What people have given. A batch that was opened before there were registers asks as it asked then. */
function withAnswer(
  { policy }: BatchState,
  { answers }: DocumentState,
  given: DocumentState['values'],
): DocumentState['answers'] {
  return policy.register === undefined ? undefined : { ...answers, ...given };
}

interface AnsweredValues {
  readonly merged: DocumentState['values'];
  readonly writes: readonly FieldWrite[];
}

/**
 * For an upload that is COMPLETED, just what was answered: the rest was written with its file, and may be
 * edited by now.
 */
async function findWrites(
  batch: BatchState,
  state: DocumentState,
  values: NonNullable<HeldAnswer['values']>,
): Promise<AnsweredValues> {
  const { index, fileName, mimeType } = state.document;
  const merged = { ...state.values, ...values };
  const isLinked = state.completed;
  const plan = await batch.calls.service.planDocuments(
    () => ({
      project: batch.project,
      defaults: isLinked ? {} : batch.policy.defaults,
      ...(isLinked ? {} : askForRegisters(batch)),
      documents: [
        {
          index,
          fileName,
          mimeType,
          ...(isLinked
            ? { values }
            : saidOf({
                document: state.document,
                values: merged,
                answers: withAnswer(batch, state, values),
              })),
        },
      ],
    }),
    `Check the values given for ${state.document.path}`,
  );
  const [planned] = plan.documents;
  const problems = planned?.problems ?? [];
  if (problems.length > 0) {
    const reason = joinReasons(problems);
    throw ApplicationFailure.nonRetryable(`${reason.text} ${reason.fix}`, reason.code);
  }
  return { merged, writes: expandWrites(plan.fieldIds, planned?.now ?? []) };
}
