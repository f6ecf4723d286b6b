// One answer for documents of one batch or of all batches of a job, and what came of it.
import type {
  AcceptedAnswers,
  ManyAnswers,
  RefusedAnswer,
  Said,
} from '../../workflows/ingest/answer-contract';
import type { HeldDocument } from '../../workflows/ingest/ingest-contract';
import { chooseHeld } from './choose-held';

/** A batch, as far as answering needs it. */
export interface AnswerableBatch {
  readonly batchId: string;
  listHeld(): Promise<readonly HeldDocument[]>;
  /** @throws CliError when it takes no answers at all. */
  answerMany(answers: ManyAnswers): Promise<AcceptedAnswers>;
}

export type Choice =
  /** By path or file name; in a single batch by number as well. */
  | { readonly kind: 'named'; readonly documents: readonly string[] }
  | { readonly kind: 'fitting'; readonly isMeant: (path: string) => boolean };

export interface AnswersReport {
  readonly taken: readonly string[];
  readonly refused: readonly RefusedAnswer[];
  /** Documents that were meant by their names, and wait for something that this does not answer. */
  readonly left: readonly HeldDocument[];
  /** Held, and the sheet has no row for it; absent where no sheet answers. */
  readonly unlisted?: readonly HeldDocument[];
}

/** What is said for which documents of one batch. */
interface Part {
  readonly batch: AnswerableBatch;
  readonly documents: readonly (string | number)[];
}

interface Parts {
  readonly parts: readonly Part[];
  readonly refused: readonly RefusedAnswer[];
  readonly left: readonly HeldDocument[];
}

export async function answerHeld(
  batches: readonly AnswerableBatch[],
  choice: Choice,
  said: Said,
  as: string | undefined,
): Promise<AnswersReport> {
  const { parts, refused, left } = await choose(batches, choice, said);
  const answers = parts.map(({ batch, documents }) => ({
    batch,
    answers: [{ documents: [...documents], ...said }],
  }));
  const sent = await sendAnswers(answers, as);
  return { taken: sent.taken, refused: [...refused, ...sent.refused], left };
}

/** A batch that takes no answers holds back no other: each of its documents is refused, with the reason. */
export async function sendAnswers(
  parts: readonly { readonly batch: AnswerableBatch; readonly answers: ManyAnswers['answers'] }[],
  as: string | undefined,
): Promise<AcceptedAnswers> {
  const results: AcceptedAnswers[] = [];
  for (const { batch, answers } of parts) {
    const documents = answers.flatMap(each => each.documents);
    const sending = batch.answerMany({ answers, ...(as === undefined ? {} : { as }) });
    results.push(await sending.catch(error => refuseAll(documents, error)));
  }
  return {
    taken: results.flatMap(({ taken }) => taken),
    refused: results.flatMap(({ refused }) => refused),
  };
}

async function choose(batches: readonly AnswerableBatch[], choice: Choice, said: Said): Promise<Parts> {
  const [only] = batches;
  if (choice.kind === 'named' && only !== undefined && batches.length === 1) {
    const documents = choice.documents.map(name => (/^\d+$/.test(name) ? Number(name) : name));
    return { parts: [{ batch: only, documents }], refused: [], left: [] };
  }
  const asked: { readonly batch: AnswerableBatch; readonly held: readonly HeldDocument[] }[] = [];
  for (const batch of batches) asked.push({ batch, held: await batch.listHeld() });
  if (choice.kind === 'named') return chooseNamed(asked, choice.documents);
  const chosen = asked.map(({ batch, held }) => ({ batch, ...chooseHeld(held, choice.isMeant, said) }));
  return {
    parts: chosen.flatMap(one =>
      one.chosen.length === 0 ? [] : [{ batch: one.batch, documents: one.chosen.map(({ path }) => path) }],
    ),
    refused: [],
    left: chosen.flatMap(one => one.left),
  };
}

/** Numbers count within a batch, so in a job a document is named by its path or file name. */
function chooseNamed(
  asked: readonly { readonly batch: AnswerableBatch; readonly held: readonly HeldDocument[] }[],
  names: readonly string[],
): Parts {
  const refused: RefusedAnswer[] = [];
  const documents = new Map<AnswerableBatch, string[]>();
  for (const name of new Set(names)) {
    const found = asked.flatMap(({ batch, held }) =>
      held.filter(one => isNamed(one, name)).map(({ path }) => ({ batch, path })),
    );
    const [first, ...others] = found;
    if (first === undefined) refused.push({ document: name, why: 'Nothing of that path or name is held.' });
    else if (others.length > 0)
      refused.push({
        document: name,
        why: `Several have this name: ${found.map(({ path }) => path).join(', ')}.`,
      });
    else documents.set(first.batch, [...(documents.get(first.batch) ?? []), first.path]);
  }
  return { parts: [...documents].map(([batch, paths]) => ({ batch, documents: paths })), refused, left: [] };
}

function isNamed({ path }: HeldDocument, name: string): boolean {
  return path === name || path.slice(path.lastIndexOf('/') + 1) === name;
}

function refuseAll(documents: readonly (string | number)[], error: unknown): AcceptedAnswers {
  const why = error instanceof Error ? error.message : String(error);
  return { taken: [], refused: documents.map(document => ({ document: String(document), why })) };
}
