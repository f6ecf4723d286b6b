import {
  FRONT_COLUMNS,
  findReceiptColumns,
  listBackColumns,
  readMark,
} from '../../../../activities/registers/receipt/receipt-columns';

const FRONT = FRONT_COLUMNS.map(({ header }) => header);
const BACK = listBackColumns('Europe/Berlin').map(({ header }) => header);

describe('findReceiptColumns', () => {
  test.each<[string, readonly string[], readonly number[]]>([
    ['a register that was never a receipt', ['File', 'Revision', 'Reason'], []],
    ['a receipt', [...FRONT, 'File', 'Revision', ...BACK], [0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12]],
    ['one with a column put before ours', ['No', ...FRONT, 'File'], [1, 2, 3, 4]],
    [
      'one in another case, of another zone',
      ['OUTCOME ', 'reason', 'What to do', 'REVISION ID', 'File'],
      [0, 1, 2, 3],
    ],
    ['only some of ours', ['Outcome', 'Reason', 'File'], []],
    ['none', [], []],
  ])('%s', (_, headers, expected) => {
    expect(findReceiptColumns(headers)).toEqual(expected);
  });

  test('knows the columns behind whatever zone they were written for', () => {
    expect(findReceiptColumns(listBackColumns('America/New_York').map(({ header }) => header))).toHaveLength(
      7,
    );
  });
});

test.each([
  ['4f2a9c row 43', { jobId: '4f2a9c', row: 43, corrections: 0 }],
  ['4f2a9c row 43 corrected 2', { jobId: '4f2a9c', row: 43, corrections: 2 }],
  ['4f2a9c not listed corrected 1', { jobId: '4f2a9c', row: undefined, corrections: 1 }],
  ['0123456789abcdef0123', { jobId: '0123456789abcdef0123', row: undefined, corrections: 0 }],
  ['0123456789abcdef0123 corrected 12', { jobId: '0123456789abcdef0123', row: undefined, corrections: 12 }],
  ['4f2a9c corrected 2', undefined],
  ['4f2a9c row 43 corrected', undefined],
])('the mark "%s" is read as what it says', (text, mark) => {
  expect(readMark(text)).toEqual(mark);
});
