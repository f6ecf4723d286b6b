// The rows of a saved sheet as answers: whatever their size, what is sent can be taken, and the rest is
// told; and however often they are sent, a row answers what its sheet was saved for, and nothing else.
import { answerRows } from '../../../../../activities/share/receipt/held/answer-rows';
import type { HeldBatches } from '../../../../../activities/share/receipt/held/held-batches';
import { hash } from '../../../../../activities/share/receipt/receipt-files';
import type { ProjectRef } from '../../../../../workflows/contract';
import {
  answerManyInput,
  type ManyAnswers,
  QUESTION_CHANGED,
} from '../../../../../workflows/ingest/answer-contract';
import type { HeldDocument } from '../../../../../workflows/ingest/ingest-contract';

const AT = '2026-01-31T09:30:00.000Z';
const PROJECT = {} as ProjectRef;

/** A document as its run holds it; in these tests each is asked about since before the sheet was read. */
const hold = (path: string, asked: Partial<HeldDocument> = {}): HeldDocument => ({
  index: 0,
  path,
  question: 'missing-values',
  reason: { code: 'x', text: 'Type is missing.', fix: '' },
  sinceMs: Date.parse(AT) - 1,
  untilMs: Date.parse(AT) + 1,
  ...asked,
});
const OVERTAKEN = { code: 'overtaken', text: 'A later revision went first.', fix: '' };

const row = (number: number, text: string, columns = 1) => ({
  number,
  batchId: 'b',
  path: `A/${number}.pdf`,
  file: `${number}.pdf`,
  cells: [],
  values: Object.fromEntries(Array.from({ length: columns }, (_, at) => [`Field ${at}`, text])),
  isSent: false,
  asked: { question: 'missing-values' as const, reason: hash('Type is missing.') },
});
const rowOf = (batchId: string, path: string) => ({ ...row(2, 'Plan'), batchId, path, isSent: true });
const sentTo = (path: string, sent: readonly ManyAnswers[]) =>
  sent.flatMap(({ answers }) => answers.filter(({ documents }) => documents.includes(path)));

async function answer(rows: readonly ReturnType<typeof row>[]) {
  const sent: ManyAnswers[] = [];
  const batches: HeldBatches = {
    ask: async () => ({ held: rows.map(({ path }) => hold(path)), inLine: [] }),
    answer: async (_batch, answers) => {
      sent.push(answers);
      return { taken: answers.answers.flatMap(({ documents }) => documents.map(String)), refused: [] };
    },
  };
  return { sent, told: await answerRows({ rows, at: AT }, PROJECT, batches) };
}

test('a row that no update could carry is refused, and keeps no other from being answered', async () => {
  // As a sheet could have it before its rows had a limit: more than Temporal takes.
  const { sent, told } = await answer([row(2, 'Plan'), row(3, 'x'.repeat(32_767), 130), row(4, 'Plan')]);
  expect(told).toEqual({
    taken: 2,
    ends: [
      {
        batchId: 'b',
        refused: [{ number: 3, file: '3.pdf', why: expect.stringMatching(/longer than an answer may be/) }],
      },
    ],
    isLate: false,
  });
  expect(sent.flatMap(({ answers }) => answers.flatMap(({ documents }) => documents))).toEqual([
    'A/2.pdf',
    'A/4.pdf',
  ]);
});

test('much text of many rows goes in several updates, each of which can be taken', async () => {
  const rows = Array.from({ length: 100 }, (_, at) => row(at + 2, 'é'.repeat(8_000), 1));
  const { sent, told } = await answer(rows);
  expect(told).toEqual({ taken: 100, ends: [{ batchId: 'b', refused: [] }], isLate: false });
  expect(sent).toHaveLength(2);
  for (const each of sent) {
    expect(Buffer.byteLength(JSON.stringify(each))).toBeLessThan(1.1 * 1024 ** 2);
    expect(answerManyInput.safeParse(each).success).toBe(true);
  }
});

test.each([
  ['several values', 'Civil; Piping', [['Civil', 'Piping']]],
  ['one value, a text that is read as any other', '2.500;', ['2.500']],
  ['no value, and nothing is left empty for it', ';', []],
])('a refused text parted at its semicolons: %s', async (_, text, again) => {
  const given: unknown[] = [];
  const batches: HeldBatches = {
    ask: async () => ({ held: [hold('A/2.pdf')], inLine: [] }),
    answer: async (_batch, { answers }) => {
      given.push(...answers.map(({ values }) => values?.['Field 0']));
      return { taken: [], refused: [{ document: 'A/2.pdf', why: `"${text}" for "Field 0" is no value.` }] };
    },
  };
  await answerRows({ rows: [row(2, text)], at: AT }, PROJECT, batches);
  expect(given).toEqual([text, ...again]);
});

const UNASKED = {
  number: 2,
  file: '2.pdf',
  why: expect.stringMatching(/^Something else is asked/),
  isUnasked: true,
};

test('while one batch does not answer, a row of another one is no answer to what is asked of it since', async () => {
  const sent: ManyAnswers[] = [];
  const heldOf = new Map([
    ['b1', hold('A/2.pdf')],
    ['b2', hold('B/2.pdf')],
  ]);
  const batches: HeldBatches = {
    ask: async ({ batchId }) => ({ held: [heldOf.get(batchId)!], inLine: [] }),
    answer: async ({ batchId }, answers) => {
      if (batchId === 'b2') throw new Error('nobody answers');
      sent.push(answers);
      return { taken: ['A/2.pdf'], refused: [] };
    },
  };
  const saved = { rows: [rowOf('b1', 'A/2.pdf'), rowOf('b2', 'B/2.pdf')], at: AT };
  const first = await answerRows(saved, PROJECT, batches);
  expect(first).toEqual({ taken: 1, ends: [{ batchId: 'b1', refused: [] }], isLate: true });
  // As after a crash: what has come to its end is not known, and the document is held once more.
  heldOf.set(
    'b1',
    hold('A/2.pdf', { question: 'overtaken', reason: OVERTAKEN, sinceMs: Date.parse(AT) + 9 }),
  );
  const second = await answerRows(saved, PROJECT, batches);
  expect(second).toEqual({ taken: 0, ends: [{ batchId: 'b1', refused: [UNASKED] }], isLate: true });
  expect(sentTo('A/2.pdf', sent)).toEqual([
    {
      documents: ['A/2.pdf'],
      values: { 'Field 0': 'Plan' },
      decision: 'retry',
      asked: { question: 'missing-values', reason: 'Type is missing.' },
    },
  ]);
});

test.each<[string, Partial<HeldDocument>]>([
  ['of another kind', { question: 'workflow-conflict' }],
  ['of the same kind, for another reason', { reason: { code: 'x', text: 'Number is missing.', fix: '' } }],
])('a row is no answer to a question %s', async (_, asked) => {
  const answer = jest.fn();
  const batches = { ask: async () => ({ held: [hold('A/2.pdf', asked)], inLine: [] }), answer };
  const told = await answerRows({ rows: [rowOf('b', 'A/2.pdf')], at: AT }, PROJECT, batches);
  expect(told).toEqual({ taken: 0, ends: [{ batchId: 'b', refused: [UNASKED] }], isLate: false });
  expect(answer).not.toHaveBeenCalled();
});

test('what comes to be asked while the answer is on its way is refused by the run, and told as such', async () => {
  const batches: HeldBatches = {
    ask: async () => ({ held: [hold('A/2.pdf')], inLine: [] }),
    answer: async () => ({
      taken: [],
      refused: [{ document: 'A/2.pdf', why: `${QUESTION_CHANGED} Look again.` }],
    }),
  };
  const told = await answerRows({ rows: [rowOf('b', 'A/2.pdf')], at: AT }, PROJECT, batches);
  expect(told).toEqual({ taken: 0, ends: [{ batchId: 'b', refused: [UNASKED] }], isLate: false });
});

test('a run that has ended takes no answer: people are told, and it is not sent for ever', async () => {
  const batches: HeldBatches = {
    ask: async () => ({ held: [hold('A/2.pdf')], inLine: [] }),
    answer: async () => 'run-ended',
  };
  const told = await answerRows({ rows: [rowOf('b', 'A/2.pdf')], at: AT }, PROJECT, batches);
  const why = expect.stringMatching(/^The run of its batch has ended.*"drawbridge resume"/);
  const refused = [{ number: 2, file: '2.pdf', why, isUnasked: true }];
  expect(told).toEqual({ taken: 0, ends: [{ batchId: 'b', refused }], isLate: false });
});

test.each<[string, Partial<HeldDocument>, boolean]>([
  ['what has been asked since before it was read', {}, true],
  ['nothing that is asked since', { sinceMs: Date.parse(AT) + 1 }, false],
  ['nothing that no value answers', { question: 'overtaken' }, false],
])('a row that an earlier version kept, without its question, answers %s', async (_, asked, isSent) => {
  const sent: ManyAnswers[] = [];
  const batches: HeldBatches = {
    ask: async () => ({ held: [hold('A/2.pdf', asked)], inLine: [] }),
    answer: async (_batch, answers) => {
      sent.push(answers);
      return { taken: ['A/2.pdf'], refused: [] };
    },
  };
  const { asked: _asked, ...kept } = rowOf('b', 'A/2.pdf');
  const { taken, ends } = await answerRows({ rows: [kept], at: AT }, PROJECT, batches);
  expect(sent).toHaveLength(isSent ? 1 : 0);
  expect([taken, ends]).toEqual([isSent ? 1 : 0, [{ batchId: 'b', refused: isSent ? [] : [UNASKED] }]]);
});

test('a reason that is longer than an answer may be keeps no row from being answered', async () => {
  const reason = { code: 'x', text: 'x'.repeat(40_000), fix: '' };
  const sent: ManyAnswers[] = [];
  const batches: HeldBatches = {
    ask: async () => ({ held: [hold('A/2.pdf', { reason })], inLine: [] }),
    answer: async (_batch, answers) => {
      sent.push(answers);
      return { taken: ['A/2.pdf'], refused: [] };
    },
  };
  const asked = { question: 'missing-values' as const, reason: hash(reason.text) };
  await answerRows({ rows: [{ ...row(2, 'Plan'), asked }], at: AT }, PROJECT, batches);
  expect(sent).toHaveLength(1);
  expect(answerManyInput.safeParse(sent[0]).success).toBe(true);
});
