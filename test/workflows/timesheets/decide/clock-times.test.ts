// Times of a clock: which are read, and what they are.
import { instantOf, isClockTime, secondOfDay } from '../../../../workflows/timesheets/decide/clock-times';

test.each([
  ['00:00', 0],
  ['07:30', 27_000],
  ['07:30:15', 27_015],
  ['23:59:59', 86_399],
])('the time of day %s is second %i', (text, second) => {
  expect(secondOfDay(text)).toBe(second);
  expect(isClockTime(text)).toBe(true);
});

test.each([
  ['1970-01-02T00:00Z', 86_400],
  ['1970-01-01T07:30:15.000Z', 27_015],
  ['1970-01-01T01:30:00+01:30', 0],
  ['1970-01-01T01:00:00-02:00', 10_800],
  ['2024-02-29T00:00:00Z', 1_709_164_800],
])('the timestamp %s is %i seconds of Unix', (text, seconds) => {
  expect(instantOf(text)).toBe(seconds);
  expect(isClockTime(text)).toBe(true);
});

test.each(['', '7:30', '24:00', '07:60', 'seven', '2026-02-30T07:00:00Z', '2026-01-31T07:00:00'])(
  '"%s" is neither',
  text => {
    expect(isClockTime(text)).toBe(false);
  },
);
