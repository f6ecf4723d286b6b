import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerFromSheet, readAnswerSheet } from '../../../client/answers/answer-from-sheet';
import type { AnswerableBatch } from '../../../client/answers/answer-held';
import type { ManyAnswers } from '../../../workflows/ingest/answer-contract';
import type { HeldDocument } from '../../../workflows/ingest/ingest-contract';
import { rulesOf } from '../../activities/ingest/decide/fixtures';
import { POLICY } from '../../workflows/fake-activities';

const SHARE = { project: { companyId: '1', projectId: '2' }, policy: POLICY };
const LOOKUPS = { rules: async () => await Promise.resolve(rulesOf([])) };

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'answers-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function sheet(text: string, name = 'answers.csv') {
  await writeFile(join(folder, name), text);
  return await readAnswerSheet(join(folder, name), [], SHARE, LOOKUPS);
}

function question(path: string, question: HeldDocument['question'] = 'missing-values'): HeldDocument {
  const reason = { code: 'missing', text: 'Type is missing.', fix: 'Give it.' };
  return { index: 0, path, question, reason, sinceMs: 0, untilMs: 1 };
}

test('each batch gets the rows of its documents in one update; all that is left out is told', async () => {
  const asked: ManyAnswers[] = [];
  const batch = (batchId: string, held: readonly HeldDocument[]): AnswerableBatch => ({
    batchId,
    listHeld: async () => await Promise.resolve(held),
    answerMany: async answers => {
      asked.push(answers);
      return await Promise.resolve({ taken: [batchId], refused: [{ document: 'x', why: 'No.' }] });
    },
  });
  const read = await sheet(
    'File,Type,Tags\nA-1.pdf,Drawing,\nA-2.pdf,Drawing,a;b\nA-3.pdf,Drawing,\nA-4.pdf,,\n',
  );
  const report = await answerFromSheet(
    [
      batch('one', [question('P/A-1.pdf'), question('P/A-3.pdf', 'workflow-conflict')]),
      batch('two', [question('P/A-2.pdf'), question('P/A-4.pdf'), question('P/A-5.pdf')]),
      batch('three', [question('P/A-6.pdf', 'overtaken')]),
    ],
    read,
    'Maria Keller',
  );
  const as = 'Maria Keller';
  expect(asked).toEqual([
    { answers: [{ documents: ['P/A-1.pdf'], values: { type: 'Drawing' } }], as },
    { answers: [{ documents: ['P/A-2.pdf'], values: { type: 'Drawing', tags: ['a', 'b'] } }], as },
  ]);
  expect(report.taken).toEqual(['one', 'two']);
  expect(report.refused.map(({ document }) => document)).toEqual(['P/A-4.pdf', 'x', 'x']);
  expect(report.left.map(({ path }) => path)).toEqual(['P/A-3.pdf']);
  expect(report.unlisted?.map(({ path }) => path)).toEqual(['P/A-5.pdf']);
});

test('columns that are no fields of the project are named, those of a receipt are not', async () => {
  const receipt = 'Outcome,Reason,What to do,Revision id,File,Titel,Type\n,,,,A-1.pdf,x,Drawing\n';
  expect((await sheet(receipt)).unread).toEqual(['Titel']);
});

test('a sheet that cannot be read says why', async () => {
  await expect(sheet('Type,Status\nDrawing,S3\n')).rejects.toThrow(/answers.csv cannot be used: /);
  await expect(sheet('File,Type,Type\nA,Drawing,Report\n')).rejects.toThrow(/Columns B and C .* both give/);
  await expect(sheet('File,Type\nA,Drawing\n', 'answers.txt')).rejects.toThrow(/\.xlsx or \.csv/);
  await expect(readAnswerSheet(join(folder, 'none.csv'), [], SHARE, LOOKUPS)).rejects.toThrow(/ENOENT/);
});
