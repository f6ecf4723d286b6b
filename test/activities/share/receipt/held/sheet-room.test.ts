// What is kept of corrected sheets has an end: their number, and their size.
import {
  cutTold,
  findNoRoom,
  isJobFull,
  NO_ROOM,
} from '../../../../../activities/share/receipt/held/sheet-room';

const record = (characters: number) => ({ rows: [{ cells: ['x'.repeat(characters)] }] });
const MEBIBYTE = 1024 ** 2;

test.each([
  ['the first', record(9), [], undefined],
  ['one that is too much at once', record(8 * MEBIBYTE), [], /more is corrected in it than goes at once/],
  ['the 200th', record(9), Array.from({ length: 199 }, () => record(9)), undefined],
  ['the 201st', record(9), Array.from({ length: 200 }, () => record(9)), NO_ROOM],
  ['one after many large ones', record(9), Array.from({ length: 9 }, () => record(8 * MEBIBYTE)), NO_ROOM],
  ['one that corrects nothing', { rows: [] }, Array.from({ length: 200 }, () => record(9)), undefined],
])('%s', (_name, next, earlier, why) => {
  const said = findNoRoom(next, isJobFull(earlier));
  if (why === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(why);
});

test('a job is full by its records alone, and a long list of sentences is cut', () => {
  expect([isJobFull([]), isJobFull(Array.from({ length: 200 }, () => ({})))]).toEqual([false, true]);
  expect(cutTold(['a'])).toEqual(['a']);
  const told = cutTold(Array.from({ length: 700 }, (_, at) => `Row ${at}`));
  expect([told.length, told.at(-1)]).toEqual([501, 'The same or more is to be said of 200 further rows.']);
});
