// What spreadsheets put into the clipboard, and where it goes.
import {
  planPaste,
  readTable,
  writeTable,
} from '../../../../../../../client/console/page/views/waiting/model/paste';

test.each([
  ['A4', [['A4']]],
  ['A4\r\nS1\r\n', [['A4'], ['S1']]],
  [
    'A4\tx\nS1\t\n',
    [
      ['A4', 'x'],
      ['S1', ''],
    ],
  ],
  ['"two\nlines"\tx', [['two\nlines', 'x']]],
  ['"say ""so"""', [['say "so"']]],
  ['1/2" pipe\tx', [['1/2" pipe', 'x']]],
  ['"open\tx', [['"open', 'x']]],
  ['A\n\nB\n', [['A'], [''], ['B']]],
  ['', [['']]],
])('%j', (text, table) => {
  expect(readTable(text)).toEqual(table);
});

test('what is written is read as it was', () => {
  const table = [
    ['a "b"', 'two\nlines'],
    ['x\ty', ''],
  ];
  expect(readTable(writeTable(table))).toEqual(table);
});

const OPEN = new Set(['a', 'b', 'c']);

test('a row that takes nothing keeps its place: the values below lie beside their own rows, and one is left', () => {
  const to = { ids: ['a', 'locked', 'c'], fields: ['status'], isChosen: false };
  const plan = planPaste([['A4'], ['S1'], ['S3']], to, OPEN);
  expect(plan.cells.map(({ id, text }) => [id, text])).toEqual([
    ['a', 'A4'],
    ['c', 'S3'],
  ]);
  expect(plan).toMatchObject({ given: 3, rows: 2, left: 1 });
  expect(planPaste([['A4'], [''], ['S3']], to, OPEN).left).toBe(0);
  expect(planPaste([['A4']], { ...to, ids: ['locked', 'c'] }, OPEN)).toMatchObject({ cells: [], left: 1 });
});

test('more rows than there is room for are told before anything happens; empty cells write nothing', () => {
  const to = { ids: ['a', 'b'], fields: ['status'], isChosen: true };
  const plan = planPaste([['A4'], [''], ['S1']], to, OPEN);
  expect(plan).toMatchObject({ given: 3, rows: 2, left: 1 });
  expect(plan.cells).toEqual([{ id: 'a', field: 'status', text: 'A4' }]);
});

test('one value goes into all that were chosen, and into one row where none were', () => {
  const to = { ids: ['a', 'b'], fields: ['status'] };
  expect(planPaste([['A4']], { ...to, isChosen: true }, OPEN).cells).toHaveLength(2);
  expect(planPaste([['A4']], { ...to, isChosen: false }, OPEN).cells).toHaveLength(1);
});

test('columns beyond the last one are left out', () => {
  const to = { ids: ['a'], fields: ['status', 'checked_by'], isChosen: false };
  const { cells } = planPaste([['A4', 'Raman', 'x']], to, OPEN);
  expect(cells.map(({ field }) => field)).toEqual(['status', 'checked_by']);
});
