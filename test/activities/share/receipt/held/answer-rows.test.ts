// The rows of a saved sheet as answers: whatever their size, what is sent can be taken, and the rest is told.
import { answerRows } from '../../../../../activities/share/receipt/held/answer-rows';
import type { HeldBatches } from '../../../../../activities/share/receipt/held/held-batches';
import type { ProjectRef } from '../../../../../workflows/contract';
import { answerManyInput, type ManyAnswers } from '../../../../../workflows/ingest/answer-contract';
import type { HeldDocument } from '../../../../../workflows/ingest/ingest-contract';

const row = (number: number, text: string, columns = 1) => ({
  number,
  batchId: 'b',
  path: `A/${number}.pdf`,
  file: `${number}.pdf`,
  cells: [],
  values: Object.fromEntries(Array.from({ length: columns }, (_, at) => [`Field ${at}`, text])),
  isSent: false,
});

async function answer(rows: readonly ReturnType<typeof row>[]) {
  const sent: ManyAnswers[] = [];
  const batches: HeldBatches = {
    ask: async () => ({ held: rows.map(({ path }) => ({ path }) as HeldDocument), inLine: [] }),
    answer: async (_batch, answers) => {
      sent.push(answers);
      return { taken: answers.answers.flatMap(({ documents }) => documents.map(String)), refused: [] };
    },
  };
  return { sent, told: await answerRows(rows, {} as ProjectRef, batches) };
}

test('a row that no update could carry is refused, and keeps no other from being answered', async () => {
  // As a sheet could have it before its rows had a limit: more than Temporal takes.
  const { sent, told } = await answer([row(2, 'Plan'), row(3, 'x'.repeat(32_767), 130), row(4, 'Plan')]);
  expect(told).toEqual({
    taken: 2,
    refused: [{ number: 3, file: '3.pdf', why: expect.stringMatching(/longer than an answer may be/) }],
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
  expect(told).toEqual({ taken: 100, refused: [], isLate: false });
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
    ask: async () => ({ held: [{ path: 'A/2.pdf' } as HeldDocument], inLine: [] }),
    answer: async (_batch, { answers }) => {
      given.push(...answers.map(({ values }) => values?.['Field 0']));
      return { taken: [], refused: [{ document: 'A/2.pdf', why: `"${text}" for "Field 0" is no value.` }] };
    },
  };
  await answerRows([row(2, text)], {} as ProjectRef, batches);
  expect(given).toEqual([text, ...again]);
});
