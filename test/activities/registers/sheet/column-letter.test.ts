import { columnLetter } from '../../../../activities/registers/sheet/column-letter';

test.each([
  [0, 'A'],
  [25, 'Z'],
  [26, 'AA'],
  [51, 'AZ'],
  [52, 'BA'],
  [701, 'ZZ'],
  [702, 'AAA'],
  [16_383, 'XFD'],
])('column %i is %s', (column, letter) => {
  expect(columnLetter(column)).toBe(letter);
});
