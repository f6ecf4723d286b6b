import { fillMerged } from '../../../activities/registers/fill-merged';
import type { Merge } from '../../../activities/registers/sheet/grid';
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
