// Sends what a person has answered in the page, one update a batch, and tells of each document what came of
// it.
import type { Client } from '@temporalio/client';
import { systemClock } from '../../../activities/host/clock';
import type { BatchContents } from '../../../activities/share/batch/read-batch';
import type { AcceptedAnswers, KeptAnswer } from '../../../workflows/ingest/answer-contract';
import { sendAnswers } from '../../answers/answer-held';
import { answerMany } from '../../answers/answer-many';
import { throwItsWords } from '../../session/follow-run';
import { grpcCodeOf } from '../../session/grpc-code';
import type { AnswersTold, SaidOfDocuments } from '../contract/waiting';
import { texts } from '../texts/texts';

/** Longer than checking a hundred values takes, shorter than a browser waits. */
const ANSWERED_WITHIN_MS = 60_000;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;

type Refused = AnswersTold['refused'][number];

/** A batch, what is said of its documents, and how its documents are called there. */
export interface BatchAnswers {
  readonly share: string;
  readonly batchId: string;
  readonly workflowId: string;
  /** By index. */
  readonly paths: ReadonlyMap<number, string>;
  readonly said: readonly SaidOfDocuments[];
  /** Undefined where the share cannot be read. */
  readonly readBatch: () => Promise<Pick<BatchContents, 'known' | 'receipt'> | undefined>;
}

export async function sendToBatch(
  client: Pick<Client, 'workflow' | 'withDeadline'>,
  batch: BatchAnswers,
  as: string,
): Promise<AnswersTold> {
  const { share, batchId, paths } = batch;
  const documents = [...new Set(batch.said.flatMap(each => each.documents))];
  const unknown = documents.filter(index => !paths.has(index));
  const answers = batch.said.flatMap(({ share: _s, batchId: _b, documents: indexes, ...said }) => {
    const named = indexes.flatMap(index => paths.get(index) ?? []);
    return named.length === 0 ? [] : [{ documents: named, ...withoutAbsent(said) }];
  });
  const sent = answers.length === 0 ? NOTHING : await send(client, batch, answers, as);
  const indexOf = new Map([...paths].map(([index, path]) => [path, index]));
  const refused = sent.refused.flatMap(({ document, why }) => {
    const index = indexOf.get(document);
    return index === undefined ? [] : [{ share, batchId, index, why, before: null }];
  });
  return {
    taken: sent.taken.flatMap(path => {
      const index = indexOf.get(path);
      return index === undefined ? [] : [{ share, batchId, index }];
    }),
    refused: [
      ...(await addBefore(batch, refused)),
      ...unknown.map(index => ({ share, batchId, index, why: texts.waiting.notThere, before: null })),
    ],
  };
}

const NOTHING: AcceptedAnswers = { taken: [], refused: [] };

async function send(
  client: Pick<Client, 'workflow' | 'withDeadline'>,
  { batchId, workflowId }: BatchAnswers,
  answers: Parameters<typeof sendAnswers>[0][number]['answers'],
  as: string,
): Promise<AcceptedAnswers> {
  const batch = {
    batchId,
    listHeld: async () => [],
    answerMany: async (many: Parameters<typeof answerMany>[2]) =>
      await client
        .withDeadline(systemClock.wallMs() + ANSWERED_WITHIN_MS, () =>
          answerMany(client as Client, workflowId, many),
        )
        .catch(inWords)
        .catch(throwItsWords()),
  };
  return await sendAnswers([{ batch, answers }], as);
}

function inWords(error: unknown): never {
  const code = grpcCodeOf(error);
  if (code === DEADLINE_EXCEEDED) throw new Error(texts.waiting.notTaken);
  if (code === NOT_FOUND) throw new Error(texts.waiting.notThere);
  throw error;
}

/** Of those that wait no more: who answered for them, as far as the share says it. */
async function addBefore(batch: BatchAnswers, refused: readonly Refused[]): Promise<readonly Refused[]> {
  if (refused.length === 0) return [];
  const contents = await batch.readBatch().catch(() => undefined);
  return refused.map(one => {
    const answer = findAnswer(contents, one.index);
    if (answer === undefined) return one;
    const { by = null, atMs, said } = answer;
    return { ...one, before: { by, at: new Date(atMs).toISOString(), said } };
  });
}

function findAnswer(
  contents: Pick<BatchContents, 'known' | 'receipt'> | undefined,
  index: number,
): KeptAnswer | undefined {
  const known = contents?.known.find(each => each.index === index)?.outcome?.answers;
  return (known ?? contents?.receipt?.files.find(each => each.index === index)?.answers)?.at(-1);
}

function withoutAbsent<T extends object>(value: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as never;
}
