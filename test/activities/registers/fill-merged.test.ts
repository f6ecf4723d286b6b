import { fillMerged } from '../../../activities/registers/fill-merged';
import type { Merge } from '../../../activities/registers/sheet/grid';
import { startCpuTimer } from '../../setup/cpu-time';
import { gridOf } from './grid-of-texts';

const merge = (fromRow: number, fromColumn: number, toRow: number, toColumn: number): Merge => ({
  fromRow,
  fromColumn,
  toRow,
  toColumn,
});
const fill = (rows: readonly (readonly string[])[], merges: readonly Merge[]) =>
  fillMerged(gridOf(rows, { merges })).rows.map(row => row.map(({ text }) => text));

test('a value merged downwards counts for each row, also beyond the end of short ones', () => {
  expect(fill([['a', 'x'], ['b'], [], ['d', 'y']], [merge(0, 1, 2, 1)])).toEqual([
    ['a', 'x'],
    ['b', 'x'],
    ['', 'x'],
    ['d', 'y'],
  ]);
});

test('what is merged sideways stays in its first column', () => {
  expect(
    fill(
      [
        ['x', '', ''],
        ['', '', 'z'],
      ],
      [merge(0, 0, 1, 1)],
    ),
  ).toEqual([
    ['x', '', ''],
    ['x', '', 'z'],
  ]);
});

test('a value below is never covered, and empty or absent areas change nothing', () => {
  const rows = [['x'], ['y'], ['']];
  expect(fill(rows, [merge(0, 0, 1, 0), merge(2, 0, 9, 0), merge(50, 0, 60, 0)])).toEqual(rows);
});

test('values merged over all rows count in each of them, however short these are', () => {
  const rows = [['a.pdf', 'x', 'y', 'z'], ...Array.from({ length: 40 }, (_, at) => [`${at}.pdf`])];
  const filled = fill(
    rows,
    [1, 2, 3].map(column => merge(0, column, 40, column)),
  );
  expect(filled.slice(1)).toEqual(rows.slice(1).map(([file]) => [file, 'x', 'y', 'z']));
});

test('150 columns merged over 2,000 rows are filled in a moment', () => {
  const wide = Array.from({ length: 150 }, () => 'x');
  const rows = [wide, ...Array.from({ length: 2_000 }, () => [...wide.slice(1).map(() => ''), 'z'])];
  const merges = wide.map((_, column) => merge(0, column, 2_000, column));
  const cpuMs = startCpuTimer();
  expect(fill(rows, merges).at(-1)).toEqual([...wide.slice(1), 'z']);
  expect(cpuMs()).toBeLessThan(5_000);
});
