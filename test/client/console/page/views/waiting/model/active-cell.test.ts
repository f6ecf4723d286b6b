// The active cell of the grid stays with its document.
import { cellAt, findCell } from '../../../../../../../client/console/page/views/waiting/model/active-cell';

const rows = (...ids: string[]) => ids.map(id => ({ id }));
const columns = (...names: string[]) => names.map(name => ({ name }));
const BEFORE = cellAt({ row: 1, column: 1 }, rows('a', 'b', 'c'), columns('status', 'date'));

test('rows above it go and come, columns change their order: it is the same cell', () => {
  expect(BEFORE).toEqual({ row: 1, column: 1, id: 'b', field: 'date' });
  expect(findCell(BEFORE, rows('b', 'c'), columns('status', 'date'))).toEqual({ ...BEFORE, row: 0 });
  expect(findCell(BEFORE, rows('a', 'n', 'b'), columns('date', 'status'))).toEqual({
    ...BEFORE,
    row: 2,
    column: 0,
  });
});

test('where its row is gone, the one in its place is active, and the last one behind the end', () => {
  expect(findCell(BEFORE, rows('a', 'c'), columns('status', 'date'))).toMatchObject({ row: 1, id: 'c' });
  expect(findCell(BEFORE, rows('a'), columns('status'))).toEqual({
    row: 0,
    column: 0,
    id: 'a',
    field: 'status',
  });
  expect(findCell(BEFORE, [], [])).toEqual({ row: 0, column: 0, id: undefined, field: undefined });
});
