import { type FileResult, writePlainWorkbook } from '../../../../activities/registers/receipt/plain-receipt';
import { readSheet } from '../../../../activities/registers/sheet/read-sheet';
import { receiptFacts } from './receipt-facts';

const RESULTS: readonly FileResult[] = [
  { path: 'B/A-10.pdf', outcome: 'through', revision: 'R10' },
  { path: 'B/A-2.pdf', outcome: 'through', revision: 'R2' },
  { path: '=1+1.pdf', outcome: 'set-apart', reason: '+1', whatToDo: 'x;=2' },
  { path: 'h.pdf', outcome: 'held', reason: 'Status is missing.', whatToDo: 'Give one.' },
  { path: 'w.pdf', outcome: 'on-the-way' },
  { path: 'l.pdf', outcome: 'in-line' },
  { path: 's.pdf', outcome: 'already-there' },
];

const textsOf = async (bytes: Buffer, name: string) =>
  ((await readSheet(bytes, name)).grids[0]?.rows ?? []).map(row => row.map(({ text }) => text));

describe('a receipt without a register', () => {
  test('as a workbook has failed rows first, and its own order within', async () => {
    const rows = await textsOf(await writePlainWorkbook(receiptFacts(), RESULTS), 'receipt.xlsx');
    expect(rows[0]?.slice(0, 6)).toEqual([
      'Outcome',
      'Reason',
      'What to do',
      'Revision id',
      'File',
      'Folder',
    ]);
    expect(rows.slice(1).map(row => [row[0], row[4], row[5]])).toEqual([
      ['Set apart', '=1+1.pdf', ''],
      ['Held', 'h.pdf', ''],
      ['On the way', 'w.pdf', ''],
      ['In line', 'l.pdf', ''],
      ['Already there', 's.pdf', ''],
      ['Through', 'A-2.pdf', 'B'],
      ['Through', 'A-10.pdf', 'B'],
    ]);
    expect(rows[1]?.slice(1, 3)).toEqual(['+1', 'x;=2']);
  });

  test('has the columns that a person is to fill before ours to the right', async () => {
    const bytes = await writePlainWorkbook(receiptFacts(), RESULTS, ['Status', 'Action']);
    const rows = await textsOf(bytes, 'receipt.xlsx');
    expect(rows[0]?.slice(4, 9)).toEqual(['File', 'Folder', 'Status', 'Action', 'Receipt row']);
    expect(rows[2]?.slice(4, 9)).toEqual(['h.pdf', '', '', '', receiptFacts().jobId]);
  });

  test('leaves the list that it was given as it is', async () => {
    const given = [...RESULTS];
    await writePlainWorkbook(receiptFacts(), given);
    expect(given).toEqual(RESULTS);
  });
});
