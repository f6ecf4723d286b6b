import type { JobRow } from '../../../../../../client/console/contract/jobs';
import { labelOf, nextThatNeeds, showRows } from '../../../../../../client/console/page/views/job/shown-rows';

function row(key: string, outcome: JobRow['outcome'], number: string | null = key): JobRow {
  return {
    key,
    row: Number(key),
    outcome,
    file: `a/${key}.pdf`,
    number,
    revision: 'P01',
    title: null,
    reason: null,
    whatToDo: null,
    since: null,
  };
}

const ROWS = [row('10', 'through'), row('2', 'held'), row('30', 'set-apart'), row('4', 'through')];
const keys = (rows: readonly JobRow[]) => rows.map(({ key }) => key).join(' ');

test.each([
  [{ outcome: '', q: '', sort: '' }, '10 2 30 4'],
  [{ outcome: 'through', q: '', sort: '' }, '10 4'],
  [{ outcome: '', q: '30 PDF', sort: '' }, '30'],
  [{ outcome: '', q: '', sort: 'number' }, '2 4 10 30'],
  [{ outcome: '', q: '', sort: '-number' }, '30 10 4 2'],
  [{ outcome: '', q: '', sort: 'outcome' }, '2 30 10 4'],
  [{ outcome: '', q: '', sort: 'nonsense' }, '10 2 30 4'],
])('%j shows %s', (shown, expected) => {
  expect(keys(showRows(ROWS, shown))).toBe(expected);
});

test('the next that needs a person comes after this one, and round again', () => {
  expect(nextThatNeeds(ROWS, 1, 1)?.key).toBe('30');
  expect(nextThatNeeds(ROWS, 2, 1)?.key).toBe('2');
  expect(nextThatNeeds(ROWS, 1, -1)?.key).toBe('30');
  expect(nextThatNeeds(ROWS, -1, 1)?.key).toBe('2');
  expect(nextThatNeeds([row('1', 'through')], 0, 1)).toBeUndefined();
});

test('without a number it is called as its file', () => {
  expect(labelOf(row('7', 'through', null))).toBe('7.pdf');
});

test("sorted by a column of the register's own, whatever signs are in its name", () => {
  const rows = [
    { ...row('1', 'through'), cells: ['b'] },
    { ...row('2', 'through'), cells: ['a'] },
  ];
  const shown = { outcome: '', q: '', own: ['Sub-type'] };
  expect(keys(showRows(rows, { ...shown, sort: 'own:Sub-type' }))).toBe('2 1');
  expect(keys(showRows(rows, { ...shown, sort: '-own:Sub-type' }))).toBe('1 2');
  expect(keys(showRows(rows, { ...shown, sort: 'own:Gone' }))).toBe('1 2');
});
