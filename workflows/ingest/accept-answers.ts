// Takes answers for held documents: those of one update are checked together, and each is taken only if it
// can work. An answer that is acknowledged is used: while it is checked, neither time nor a retry ends its
// question.
import { ApplicationFailure, condition, patched } from '@temporalio/workflow';
import type { Reason } from '../contract';
import { parseInput } from '../run/parse-input';
import {
  type AcceptedAnswer,
  type AcceptedAnswers,
  answerInput,
  answerManyInput,
  type HeldAnswer,
  type ManyAnswers,
  QUESTION_CHANGED,
} from './answer-contract';
import type { BatchState } from './batch-state';
import {
  type Check,
  checkTerminations,
  checkValues,
  type Refused,
  readAnswers,
  withAnswer,
} from './check-answers';
import { withoutEmptied } from './decide/add-given';
import { describeAnswer, sayAnswer } from './decide/describe-answer';
import { type Held, isAnswered, type Termination } from './document-facts';
import type { DocumentState } from './document-state';
import { explainSeveral, findTaken, isNamed } from './stages/hold';

export const ANSWER_EXAMPLE = {
  document: 7,
  decision: 'terminate',
  reason: 'Superseded by this issue',
  status: 'Superseded',
};

export const MANY_EXAMPLE = {
  answers: [
    { documents: ['Package/A-1.pdf', 'Package/A-2.pdf'], values: { Type: 'Drawing' } },
    { documents: [7], decision: 'set-apart' },
  ],
  as: 'Maria Keller',
};

const NO_LONGER_HELD: Reason = {
  code: 'NOT_HELD',
  text: 'The document is no longer held, or has an answer.',
  fix: '',
};

/** A document that is held, and what somebody answers for it. */
type Given = Pick<Check, 'state' | 'answer' | 'inCells'>;

/** Why this answer cannot be used for its document, as far as that can be told at once. */
export function findFault(held: Held, { document, decision, asked }: HeldAnswer): string | undefined {
  if (isAnswered(held)) return `Document ${document} has an answer already, which is being used.`;
  if (asked !== undefined && !isStillAsked(held, asked))
    return `${QUESTION_CHANGED} Look again. It is now: ${held.reason.text}`;
  if (decision === 'terminate' && held.question !== 'workflow-conflict')
    return 'This document is not held for workflows: answer with "values", "retry" or "set-apart".';
  return undefined;
}

/** Another review, or a doubt, may have come in place of what a person saw. */
function isStillAsked(held: Held, { question, reason }: NonNullable<HeldAnswer['asked']>): boolean {
  return held.question === question && (reason === undefined || held.reason.text === reason);
}

/** Values that do not resolve are refused here, and the document stays held. */
export function acceptAnswer(batch: BatchState, raw: HeldAnswer): Promise<AcceptedAnswer> {
  const answer = parseInput(answerInput, raw, ANSWER_EXAMPLE);
  const meant = findTaken(batch, answer.document);
  const [state] = meant;
  if (state === undefined) throw toFailure(NO_LONGER_HELD);
  if (meant.length > 1) throw ApplicationFailure.nonRetryable(explainSeveral(meant), 'NOT_TAKEN');
  return accept(batch, [{ state, answer }], refused => {
    const reason = refused.get(state);
    if (reason !== undefined) throw toFailure(reason);
    return { document: state.document.path, goesOn: true };
  });
}

/** All that can be used goes on together; all that cannot is told at once, and its documents wait on. */
export async function acceptMany(batch: BatchState, raw: ManyAnswers): Promise<AcceptedAnswers> {
  const { answers: said, as, inCells = false } = parseInput(answerManyInput, raw, MANY_EXAMPLE);
  const { given, faults } = findDocuments(batch, said, inCells);
  const tell = (refused: Refused): AcceptedAnswers => {
    for (const [{ document }, reason] of refused) faults.set(document.path, sayReason(reason));
    return {
      taken: given.filter(({ state }) => !refused.has(state)).map(({ state }) => state.document.path),
      refused: [...faults].map(([document, why]) => ({ document, why })),
    };
  };
  return await accept(batch, given, tell, as);
}

/** What is answered for each document, and what cannot be, by path or by the name that was given. */
function findDocuments(
  batch: BatchState,
  answers: ManyAnswers['answers'],
  inCells: boolean,
): { readonly given: readonly Given[]; readonly faults: Map<string, string> } {
  const faults = new Map<string, string>();
  const saidOf = new Map<DocumentState, ManyAnswers['answers'][number]>();
  for (const said of answers) {
    for (const document of said.documents) {
      const meant = findTaken(batch, document);
      const [state] = meant;
      const before = state === undefined ? undefined : saidOf.get(state);
      if (state === undefined) faults.set(String(document), explainNotHeld(batch, document));
      else if (meant.length > 1) faults.set(String(document), explainSeveral(meant));
      else if (before === undefined || before === said) saidOf.set(state, said);
      else faults.set(state.document.path, GIVEN_TWICE);
    }
  }
  const given = [...saidOf].flatMap(([state, row]) => {
    const { documents: _documents, numbers: _numbers, otherwise: _otherwise, ...rest } = row;
    const { dates: _dates, booleans: _booleans, ...said } = rest;
    const { path } = state.document;
    const answer = { ...said, document: path };
    const fault = faults.get(path) ?? (state.held === undefined ? undefined : findFault(state.held, answer));
    if (fault !== undefined) faults.set(path, fault);
    if (fault !== undefined) return [];
    return [{ state, answer, ...(inCells && row.values !== undefined ? { inCells: row } : {}) }];
  });
  return { given, faults };
}

const GIVEN_TWICE = 'Two answers were given for this document, and none of them is used. Give one.';

function explainNotHeld(batch: BatchState, document: number | string): string {
  const isThere = batch.documents.some(state => isNamed(state.document, document));
  return isThere
    ? `Document ${document} is not held: nothing is asked about it just now.`
    : `The batch has no document ${document}.`;
}

function sayReason({ text, fix }: Reason): string {
  return `${text} ${fix}`.trimEnd();
}

function toFailure(reason: Reason): ApplicationFailure {
  return ApplicationFailure.nonRetryable(sayReason(reason), reason.code);
}

/**
 * Takes what can be used, and answers as `tell` does when it hears why the others cannot be. An activity may
 * end in the same moment: every `await` from the answer to its end, here and in check-answers.ts, says what
 * comes first in the history, so there are no more of them than the release before had.
 * @param as who answers, for the receipt.
 */
async function accept<Told>(
  batch: BatchState,
  given: readonly Given[],
  tell: (refused: Refused) => Told,
  as?: string,
): Promise<Told> {
  const refused: Refused = new Map();
  const checks = given.flatMap((one): readonly Check[] => {
    // Of two answers that come in the same moment, only the first is checked.
    const held = one.state.checkAnswer();
    if (held === undefined) refused.set(one.state, NO_LONGER_HELD);
    return held === undefined ? [] : [{ ...one, held }];
  });
  try {
    // A document that is submitted again just now may end before its answer can be used.
    if (checks.some(({ state }) => state.retried === 'now'))
      await condition(() => checks.every(({ state }) => state.retried !== 'now'));
    const isToRead = checks.some(({ inCells }) => inCells !== undefined);
    const read = isToRead ? await readAnswers(batch, checks, refused) : checks;
    const open = read.filter(({ state, held }) => state.held === held);
    const hasValues = open.some(({ answer }) => answer.values !== undefined);
    const values = hasValues ? await checkValues(batch, open, refused) : undefined;
    const terminations = await checkTerminations(batch, open, refused);
    for (const { state, held, answer } of read) {
      if (refused.has(state)) continue;
      if (state.held !== held) {
        refused.set(state, NO_LONGER_HELD);
        continue;
      }
      const checked = values?.get(state);
      if (checked !== undefined && !state.completed) state.replan(checked.merged);
      const atMs = Date.now();
      const used = state.completed ? { ...answer, values: withoutEmptied(answer.values ?? {}) } : answer;
      const { question, sinceMs } = held;
      const by = as === undefined ? {} : { by: as };
      const kept = { ...by, atMs, sinceMs, question, said: sayAnswer(used) };
      state.takeAnswer(held, answer, {
        ...(checked !== undefined && state.completed ? { writes: checked.writes, name: checked.name } : {}),
        ...endings(terminations.get(state)),
        answers: withAnswer(batch, state, answer.values ?? {}),
        kept,
      });
      if (as !== undefined) state.note(describeAnswer(used, as, atMs));
      if (batch.keepsHow) state.keepAnswer(kept);
    }
  } finally {
    for (const { state, held } of checks) state.refuseAnswer(held);
    batch.show();
  }
  return tell(refused);
}

/** A run from before said it with the next submission, whichever workflows ran by then. */
function endings(termination: Termination | undefined): { termination?: Termination; agreed?: Termination } {
  if (termination === undefined) return {};
  return patched('only-reviews-that-were-seen-are-ended') ? { agreed: termination } : { termination };
}
