import { findRegister, type Register } from '../../../activities/registers/find-register';
import type { RegisterField } from '../../../activities/registers/read-cell';
import { readSheet } from '../../../activities/registers/sheet/read-sheet';
import { toSheetAnswers } from '../../../client/answers/sheet-answers';
import type { HeldDocument } from '../../../workflows/ingest/ingest-contract';

const FIELDS: readonly RegisterField[] = [
  { name: 'number', label: 'Number', takes: 'text' },
  { name: 'type', label: 'Type', takes: 'one-of' },
  { name: 'origin', label: 'Origin', takes: 'many-of' },
  { name: 'issued', label: 'Issued', takes: 'date' },
];

async function read(csv: string): Promise<Register> {
  const finding = findRegister(await readSheet(Buffer.from(csv), 'sheet.csv'), true, {
    fields: FIELDS,
    isComplete: true,
    synonyms: {},
  });
  if (finding.kind !== 'register') throw new Error(finding.kind);
  return finding.register;
}

function held(...paths: readonly string[]): readonly HeldDocument[] {
  const reason = { code: 'missing', text: 'Type is missing.', fix: 'Give it.' };
  return paths.map((path, index) => ({
    index,
    path,
    question: 'missing-values' as const,
    reason,
    sinceMs: 0,
    untilMs: 1,
  }));
}

async function answer(csv: string, ...paths: readonly string[]) {
  return toSheetAnswers(await read(csv), FIELDS, { emptyWord: '-' }, held(...paths));
}

test('each row answers for its document with its filled cells; columns that are no fields say nothing, and "-" that it stays empty', async () => {
  const csv =
    'File,Number,Type,Origin,Remark\nP/A-1.pdf,0042,Drawing,A;B,x\na-2,,Drawing,-,\ndone.pdf,1,Drawing,,\n';
  expect(await answer(csv, 'P/A-1.pdf', 'P/A-2.pdf')).toEqual({
    answers: [
      {
        path: 'P/A-1.pdf',
        answer: {
          documents: ['P/A-1.pdf'],
          values: { number: '0042', type: 'Drawing', origin: ['A', 'B'] },
        },
      },
      { path: 'P/A-2.pdf', answer: { documents: ['P/A-2.pdf'], values: { type: 'Drawing', origin: [] } } },
    ],
    refused: [],
    unlisted: [],
  });
});

test('a bare name stands for no file in a folder below, which is told as without a row', async () => {
  const report = await answer('File,Type\nA-1.pdf,Drawing\n', 'P/sub/A-1.pdf');
  expect(report.answers).toEqual([]);
  expect(report.unlisted.map(({ path }) => path)).toEqual(['P/sub/A-1.pdf']);
});

test('a name that could mean several files is about none of them', async () => {
  const report = await answer('File,Type\nA-1,Drawing\n', 'P/A-1.pdf', 'P/A-1.dwg');
  expect(report.unlisted).toHaveLength(2);
  expect((await answer('File,Type\nA-1.pdf,Drawing\n', 'P/A-1.pdf', 'Q/A-1.pdf')).answers).toEqual([]);
});

test('all that is wrong with a row is told with its cells, and holds back no other', async () => {
  const csv =
    'File,Type,Issued\nA-1.pdf,Drawing,03/04/2026\nA-2.pdf,Drawing,2026-04-03\nA-3.pdf,,\nA-4.pdf,Drawing,\nP/A-4.pdf,Report,\n';
  const report = await answer(csv, 'P/A-1.pdf', 'P/A-2.pdf', 'P/A-3.pdf', 'P/A-4.pdf');
  expect(report.answers.map(({ path }) => path)).toEqual(['P/A-2.pdf']);
  expect(report.refused).toEqual([
    { document: 'P/A-1.pdf', why: expect.stringMatching(/^Row 2, column C: .* could be 3 April 2026 or/) },
    { document: 'P/A-3.pdf', why: 'Row 4 gives no value of the project.' },
    { document: 'P/A-4.pdf', why: 'Rows 5 and 6 are both about it. Keep one of them.' },
  ]);
});
