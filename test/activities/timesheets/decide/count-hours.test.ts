// Hours of a shift, exactly: a table of cases, and what holds for all of them.
import fc from 'fast-check';
import { countHours, toHoursText } from '../../../../activities/timesheets/decide/count-hours';
import { isSameTime, parseHours } from '../../../../workflows/timesheets/decide/decimal-hours';

describe('hours between two times', () => {
  test.each([
    ['a plain day', '07:00', '15:30', 30, '8.0', false],
    ['without a break', '07:00', '15:30', 0, '8.5', false],
    ['a quarter of an hour', '07:00', '07:15', 0, '0.25', false],
    ['a single minute', '07:00', '07:01', 0, '0.0167', false],
    ['seconds', '07:00:00', '07:00:36', 0, '0.01', false],
    ['twenty minutes of the next hour', '07:00', '14:50', 30, '7.3333', false],
    ['two thirds round up', '07:00', '14:40', 0, '7.6667', false],
    ['over midnight', '22:00', '06:00', 45, '7.25', true],
    ['until midnight', '16:00', '00:00', 0, '8.0', true],
    ['from midnight', '00:00', '08:00', 0, '8.0', false],
    ['the longest shift of times of day', '00:00', '23:59', 0, '23.9833', false],
    ['timestamps over midnight', '2026-01-31T22:00:00+01:00', '2026-02-01T06:00:00+01:00', 30, '7.5', false],
    [
      'the night of the change to summer time',
      '2026-03-28T22:00:00+01:00',
      '2026-03-29T06:00:00+02:00',
      0,
      '7.0',
      false,
    ],
    ['different notations of one offset', '2026-01-31T07:00Z', '2026-01-31T09:00:00+01:00', 0, '1.0', false],
    ['the last day of February', '2024-02-28T22:00:00Z', '2024-02-29T02:00:00Z', 0, '4.0', false],
  ])('%s', (_, timeIn, timeOut, lunchMinutes, hours, overMidnight) => {
    expect(countHours({ timeIn, timeOut, lunchMinutes })).toMatchObject({
      kind: 'counted',
      hours,
      overMidnight,
    });
  });

  test.each([
    ['equal times of day', '07:00', '07:00', 0],
    ['an end before the start with dates', '2026-01-31T07:00:00Z', '2026-01-31T06:00:00Z', 0],
    ['24 hours', '2026-01-31T07:00:00Z', '2026-02-01T07:00:00Z', 0],
    ['one with a date, one without', '07:00', '2026-01-31T15:00:00Z', 0],
    ['a break as long as the shift', '07:00', '07:30', 30],
    ['a negative break', '07:00', '15:00', -1],
    ['half minutes of break', '07:00', '15:00', 30.5],
    ['24:00', '07:00', '24:00', 0],
    ['no offset', '2026-01-31T07:00:00', '2026-01-31T09:00:00', 0],
    ['a day that does not exist', '2026-02-30T07:00:00Z', '2026-02-30T09:00:00Z', 0],
    ['words', 'seven', 'four', 0],
  ])('%s is refused with a way out', (_, timeIn, timeOut, lunchMinutes) => {
    const counted = countHours({ timeIn, timeOut, lunchMinutes });
    expect(counted).toMatchObject({ kind: 'impossible', text: expect.any(String), fix: expect.any(String) });
  });

  const minute = fc.integer({ min: 0, max: 1_439 });
  const clock = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

  test('the text gives back every minute, whether four or two decimals of it are kept', () => {
    fc.assert(
      fc.property(minute, minute, fc.integer({ min: 0, max: 300 }), (from, to, lunchMinutes) => {
        const counted = countHours({ timeIn: clock(from), timeOut: clock(to), lunchMinutes });
        const minutes = ((to - from + 1_440) % 1_440) - lunchMinutes;
        if (from === to || minutes <= 0) return expect(counted.kind).toBe('impossible');
        if (counted.kind !== 'counted') throw new Error('not counted');
        expect(counted.workedSeconds).toBe(minutes * 60);
        expect(counted.overMidnight).toBe(to < from);
        expect(Math.round((parseHours(counted.hours)! * 60) / 10_000)).toBe(minutes);
        expect(isSameTime(counted.hours, (minutes / 60).toFixed(2))).toBe(true);
      }),
    );
  });

  test('the parts of a shift, counted apart, are the whole', () => {
    fc.assert(
      fc.property(fc.uniqueArray(minute, { minLength: 3, maxLength: 3 }), times => {
        const [from, middle, to] = times.sort((a, b) => a - b).map(clock) as [string, string, string];
        const seconds = (timeIn: string, timeOut: string) => {
          const counted = countHours({ timeIn, timeOut, lunchMinutes: 0 });
          return counted.kind === 'counted' ? counted.workedSeconds : Number.NaN;
        };
        expect(seconds(from, middle) + seconds(middle, to)).toBe(seconds(from, to));
        expect(seconds(from, to) + seconds(to, from)).toBe(86_400);
      }),
    );
  });
});

test.each([
  [0, '0.0'],
  [18, '0.005'],
  [3_599, '0.9997'],
  [3_600, '1.0'],
  [86_399, '23.9997'],
])('%i seconds are %s', (seconds, text) => {
  expect(toHoursText(seconds)).toBe(text);
});
