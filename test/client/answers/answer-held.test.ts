import { type AnswerableBatch, answerHeld, type Choice } from '../../../client/answers/answer-held';
import { compileGlob } from '../../../client/answers/glob';
import type { ManyAnswers } from '../../../workflows/ingest/answer-contract';
import type { HeldDocument } from '../../../workflows/ingest/ingest-contract';

type Question = HeldDocument['question'];

class FakeBatch implements AnswerableBatch {
  readonly batchId: string;
  readonly held: readonly HeldDocument[];
  readonly asked: ManyAnswers[] = [];
  failure: Error | undefined;

  constructor(batchId: string, held: Readonly<Record<string, Question>>) {
    this.batchId = batchId;
    this.held = Object.entries(held).map(([path, question], index) => ({
      index,
      path,
      question,
      reason: { code: 'missing', text: 'Type is missing.', fix: 'Give it.' },
      sinceMs: 0,
      untilMs: 1,
    }));
  }

  async listHeld() {
    return await Promise.resolve(this.held);
  }

  async answerMany(answers: ManyAnswers) {
    this.asked.push(answers);
    if (this.failure !== undefined) throw this.failure;
    const taken = answers.answers.flatMap(({ documents }) => documents.map(String));
    return await Promise.resolve({ taken, refused: [] });
  }
}

const ALL: Choice = { kind: 'fitting', isMeant: () => true };
const VALUES = { values: { Type: 'Drawing' } };

function job(): [FakeBatch, FakeBatch] {
  return [
    new FakeBatch('one', { 'P/A-1.pdf': 'missing-values', 'P/B-1.pdf': 'workflow-conflict' }),
    new FakeBatch('two', { 'P/A-2.pdf': 'missing-values', 'P/sub/A-1.pdf': 'overtaken' }),
  ];
}

test('values for all go to those that lack one, each batch in one update; what waits otherwise is told', async () => {
  const [one, two] = job();
  const report = await answerHeld([one, two], ALL, VALUES, 'Maria Keller');
  expect(one.asked).toEqual([{ answers: [{ documents: ['P/A-1.pdf'], ...VALUES }], as: 'Maria Keller' }]);
  expect(two.asked).toEqual([{ answers: [{ documents: ['P/A-2.pdf'], ...VALUES }], as: 'Maria Keller' }]);
  expect(report.taken).toEqual(['P/A-1.pdf', 'P/A-2.pdf']);
  expect(report.left.map(({ path }) => path)).toEqual(['P/B-1.pdf', 'P/sub/A-1.pdf']);
});

test('workflows are ended for those that wait for them, and any other decision is for whatever fits', async () => {
  const terminate = { decision: 'terminate', reason: 'x', status: 'Superseded' } as const;
  expect((await answerHeld(job(), ALL, terminate, undefined)).taken).toEqual(['P/B-1.pdf']);
  const isMeant = compileGlob('A-*');
  const report = await answerHeld(job(), { kind: 'fitting', isMeant }, { decision: 'set-apart' }, undefined);
  expect(report).toEqual({ taken: ['P/A-1.pdf', 'P/A-2.pdf', 'P/sub/A-1.pdf'], refused: [], left: [] });
});

test('in a job a document is named by its path or name, and a name that fits several by none', async () => {
  const [one, two] = job();
  const names = ['A-2.pdf', 'A-1.pdf', 'P/sub/A-1.pdf', '0'];
  const report = await answerHeld([one, two], { kind: 'named', documents: names }, VALUES, undefined);
  expect(report.taken).toEqual(['P/A-2.pdf', 'P/sub/A-1.pdf']);
  expect(report.refused).toEqual([
    { document: 'A-1.pdf', why: 'Several have this name: P/A-1.pdf, P/sub/A-1.pdf.' },
    { document: '0', why: 'Nothing of that path or name is held.' },
  ]);
  expect(one.asked).toEqual([]);
});

test('in a batch they are named as the batch knows them, by number as well', async () => {
  const [one] = job();
  await answerHeld([one], { kind: 'named', documents: ['7', 'X.pdf'] }, VALUES, undefined);
  expect(one.asked).toEqual([{ answers: [{ documents: [7, 'X.pdf'], ...VALUES }] }]);
});

test('a batch that takes nothing holds back no other', async () => {
  const [one, two] = job();
  one.failure = new Error('The batch cannot be opened just now.');
  const report = await answerHeld([one, two], ALL, VALUES, undefined);
  expect(report.taken).toEqual(['P/A-2.pdf']);
  expect(report.refused).toEqual([{ document: 'P/A-1.pdf', why: 'The batch cannot be opened just now.' }]);
});
