import fc from 'fast-check';
import { readDate } from '../../../activities/registers/read-date';

test.each([
  ['2026-04-03', '2026-04-03'],
  ['2026/4/3', '2026-04-03'],
  ['2026-04-03T14:30', '2026-04-03T14:30:00'],
  ['2026-04-03 14:30:59.123', '2026-04-03T14:30:59'],
  ['03.04.2026', '2026-04-03'],
  ['3.4.2026 7:05', '2026-04-03T07:05:00'],
  [' 13/04/2026 ', '2026-04-13'],
  ['04/13/2026', '2026-04-13'],
  ['04/04/2026', '2026-04-04'],
  ['3 Apr 2026', '2026-04-03'],
  ['3-Apr-2026', '2026-04-03'],
  ['3. April 2026', '2026-04-03'],
  ['April 3, 2026', '2026-04-03'],
  ['1. März 2026', '2026-03-01'],
  ['1 août 2026', '2026-08-01'],
  ['1 mrt 2026', '2026-03-01'],
  ['1 juillet 2026', '2026-07-01'],
  ['24. joulukuuta 2026', '2026-12-24'],
  ['1 marraskuuta 2026', '2026-11-01'],
  ['3 tammikuu 2026', '2026-01-03'],
  ['29.02.2028', '2028-02-29'],
])('%s is %s', (text, iso) => {
  expect(readDate(text)).toEqual({ kind: 'date', iso });
});

test('a date that can be read two ways is told with both, unless it is said which is meant', () => {
  expect(readDate('03/04/2026')).toEqual({ kind: 'two-ways', readings: ['2026-04-03', '2026-03-04'] });
  expect(readDate('3-4-2026')).toMatchObject({ kind: 'two-ways' });
  expect(readDate('03/04/2026', 'day-month-year')).toEqual({ kind: 'date', iso: '2026-04-03' });
  expect(readDate('03/04/2026', 'month-day-year')).toEqual({ kind: 'date', iso: '2026-03-04' });
  expect(readDate('13/04/2026', 'month-day-year')).toEqual({ kind: 'no-date' });
  expect(readDate('04/13/2026', 'day-month-year')).toEqual({ kind: 'no-date' });
});

test('points part day, month and year in this order, whatever is said of others', () => {
  expect(readDate('03.04.2026', 'month-day-year')).toEqual({ kind: 'date', iso: '2026-04-03' });
});

test.each(['03.04.26', '3/4/26', '3-Apr-26'])('%s has a year of two digits', text => {
  expect(readDate(text)).toEqual({ kind: 'short-year' });
});

test.each([
  '',
  'soon',
  '31.04.2026',
  '29.02.2026',
  '2026-13-01',
  '2026-04-03 25:00',
  '1.2',
  '46115',
  '2026-04/03',
  '3 Foo 2026',
  'Q2 2026',
])('%j is no date', text => {
  expect(readDate(text)).toEqual({ kind: 'no-date' });
});

test('whatever is read is a day of the calendar', () => {
  const text = fc.oneof(fc.stringMatching(/^[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}$/), fc.string());
  fc.assert(
    fc.property(text, written => {
      const reading = readDate(written);
      const isos =
        reading.kind === 'date' ? [reading.iso] : reading.kind === 'two-ways' ? reading.readings : [];
      for (const iso of isos)
        expect(new Date(`${iso.slice(0, 10)}T00:00:00Z`).toISOString().slice(0, 10)).toBe(iso.slice(0, 10));
    }),
    { numRuns: 300, seed: 7 },
  );
});
