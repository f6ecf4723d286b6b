import { type Additions, addToGrid, newColumn } from '../../../../activities/registers/write/additions';

const additions = (overrides: Partial<Additions> = {}): Additions => ({
  headerRow: 1,
  front: [{ header: 'Outcome', width: 1 }],
  back: [{ header: 'Mark', width: 1 }],
  rows: new Map([[2, { front: ['Held'], back: ['m'], tone: 'waits' }]]),
  below: [],
  outdated: [],
  ...overrides,
});

const ROWS = [['Title'], ['File', 'Status'], ['a.pdf', '-'], [], ['=b.pdf']];

describe('addToGrid', () => {
  test('keeps rows, columns and cells as they came, also what looks like a formula', () => {
    expect(addToGrid(ROWS, additions())).toEqual([
      ['', 'Title', '', ''],
      ['Outcome', 'File', 'Status', 'Mark'],
      ['Held', 'a.pdf', '-', 'm'],
      ['', '', '', ''],
      ['', '=b.pdf', '', ''],
    ]);
  });

  test('makes texts of ours safe', () => {
    const rows = new Map([[2, { front: ['=1'], back: ['a;+1'], tone: 'wrong' as const }]]);
    expect(addToGrid(ROWS, additions({ rows }))[2]).toEqual(["'=1", 'a.pdf', '-', "a;'+1"]);
  });

  test('puts rows that the sheet did not have below it', () => {
    const below = [{ front: ['Held'], back: ['m'], tone: 'waits' as const, column: 0, text: '=c.pdf' }];
    expect(addToGrid(ROWS, additions({ below })).at(-1)).toEqual(['Held', "'=c.pdf", '', 'm']);
  });

  test('takes out the columns of an earlier receipt first', () => {
    const first = addToGrid(ROWS, additions());
    expect(addToGrid(first, additions({ outdated: [0, 3] }))).toEqual(first);
    expect(newColumn(4, [0, 1, 7])).toBe(2);
  });
});
