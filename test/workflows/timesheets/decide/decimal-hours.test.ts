// Decimal texts of hours: which are read, and which are the same time.
import { isSameTime, parseHours } from '../../../../workflows/timesheets/decide/decimal-hours';

test.each([
  ['8', 80_000],
  ['8.0', 80_000],
  ['7.25', 72_500],
  ['0.0167', 167],
  ['7.2500000', 72_500],
  ['24', 240_000],
  ['24.1', undefined],
  ['-1', undefined],
  ['8,5', undefined],
  ['8h', undefined],
  ['', undefined],
  ['.5', undefined],
  ['1e1', undefined],
])('"%s" is %p ten-thousandths', (text, value) => {
  expect(parseHours(text)).toBe(value);
});

test('two notations of one time are the same, another minute is not', () => {
  expect(isSameTime('7.3333', '7.33')).toBe(true);
  expect(isSameTime('8', '8.00')).toBe(true);
  expect(isSameTime('7.3333', '7.35')).toBe(false);
  expect(isSameTime('x', 'x')).toBe(false);
});
