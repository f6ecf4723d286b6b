// What people can ask and tell a running batch: progress, resume, and the answers for held documents.
import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import { resumeSignal, turnSignal, type UploadId } from '../contract';
import { explainFaults } from '../run/parse-input';
import { countResume } from '../run/resume-after-reset';
import { ANSWER_EXAMPLE, acceptAnswer, acceptMany, findFault, MANY_EXAMPLE } from './accept-answers';
import {
  answerInput,
  answerManyInput,
  answerManyUpdate,
  answerUpdate,
  type HeldAnswer,
} from './answer-contract';
import type { BatchState } from './batch-state';
import { lookSignal, progressQuery, uploadsQuery } from './ingest-contract';
import type { Opening } from './opening';
import { explainSeveral, findMeant, findTaken } from './stages/hold';
import { endedOf } from './stages/revision-order';

/** @param opening what has taken people's messages until now. */
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
  setHandler(answerManyUpdate, answers => acceptMany(batch, answers), {
    validator: answers => {
      const parsed = answerManyInput.safeParse(answers);
      if (!parsed.success) throw new Error(explainFaults(parsed.error, MANY_EXAMPLE));
    },
    description: 'Answers for many held documents: {answers: [{documents, values}, ...], as}.',
  });
  opening.handOver({
    one: async answer => {
      // The update was accepted already, so no validator can turn it away without a trace.
      const refusal = findRefusal(batch, answer, findTaken);
      if (refusal !== undefined) throw ApplicationFailure.nonRetryable(refusal, 'NOT_TAKEN');
      return await acceptAnswer(batch, answer);
    },
    many: async answers => await acceptMany(batch, answers),
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

/** The coordinator has begun anew, and knows of the batch only what it is told. */
async function announce(batch: BatchState): Promise<void> {
  await batch.calls.share.announceBatch(
    () => ({ ...batch.ref, ended: endedOf(batch) }),
    'Tell the coordinator of the project what is on its way',
  );
}

/** Why nothing can be done with this answer, as far as that can be told at once. */
function findRefusal(batch: BatchState, raw: HeldAnswer, find = findMeant): string | undefined {
  const parsed = answerInput.safeParse(raw);
  if (!parsed.success) return explainFaults(parsed.error, ANSWER_EXAMPLE);
  const { document } = parsed.data;
  const meant = find(batch, document);
  if (meant.length > 1) return explainSeveral(meant);
  const held = meant[0]?.held;
  if (held !== undefined) return findFault(held, parsed.data);
  const known = batch.heldNow.map(({ document }) => `${document.index} (${document.path})`).join(', ');
  return `Document ${document} is not held. Held: ${known || 'none'}.`;
}
