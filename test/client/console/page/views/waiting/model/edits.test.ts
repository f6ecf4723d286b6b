// What is written into the grid: steps, undo, filling.
import {
  fillDown,
  forget,
  NO_EDITS,
  textAt,
  undo,
  write,
} from '../../../../../../../client/console/page/views/waiting/model/edits';

const cell = (id: string, text: string, field = 'status') => ({ id, field, text });

test('one step writes many cells, and one undo takes them all back', () => {
  const one = write(NO_EDITS, [cell('a', 'A4'), cell('b', ' A4 ')]);
  const two = write(one, [cell('a', 'S1'), cell('c', 'S1', 'type')]);
  expect(textAt(two.now, cell('a', ''))).toBe('S1');
  expect(textAt(two.now, cell('b', ''))).toBe('A4');
  expect(undo(two).now).toEqual(one.now);
  expect(undo(undo(two)).now.size).toBe(0);
  expect(undo(NO_EDITS)).toEqual(NO_EDITS);
});

test('writing what stands there is no step; an empty text takes the cell back', () => {
  const one = write(NO_EDITS, [cell('a', 'A4')]);
  expect(write(one, [cell('a', 'A4 ')])).toBe(one);
  expect(write(one, [cell('a', '')]).now.size).toBe(0);
});

test('what was saved does not come back by undo', () => {
  const two = write(write(NO_EDITS, [cell('a', 'A4')]), [cell('b', 'A4')]);
  const saved = forget(two, new Set(['a']));
  expect([...saved.now.keys()]).toEqual(['b']);
  expect(undo(undo(saved)).now.has('a')).toBe(false);
  expect(saved.past).toHaveLength(1);
  expect(forget(saved, new Set(['b'])).past).toEqual([]);
});

test('filling down takes the first of the rows for all below it', () => {
  const { now } = write(NO_EDITS, [cell('a', 'A4')]);
  expect(fillDown(now, ['a', 'b', 'c'], 'status')).toEqual([cell('b', 'A4'), cell('c', 'A4')]);
  expect(fillDown(now, ['b', 'c'], 'status')).toEqual([]);
});
