import {
  chooseLocale,
  dayOf,
  daysBack,
  type Reader,
  roundEstimate,
  tellClock,
  tellDate,
  tellDuration,
  tellLongDay,
  tellSize,
  tellTime,
} from '../../../../../client/console/page/shell/format';

const LONDON: Reader = { locale: 'en-GB', zone: 'Europe/London', hour: 'locale' };
const CHICAGO: Reader = { locale: 'en-US', zone: 'America/Chicago', hour: 'h24' };
const NOW = new Date('2026-11-23T10:14:00Z');

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [2_400_000, '2.4 MB'],
  [412_000_000, '412 MB'],
  [999_600_000, '1 GB'],
  [1_840_000_000, '1.8 GB'],
])('%d bytes are %s', (bytes, told) => {
  expect(tellSize(bytes, LONDON)).toBe(told);
});

test('no zero goes before the hour of half a day', () => {
  const chicago: Reader = { ...CHICAGO, hour: 'locale' };
  expect(tellClock('2026-11-23T15:46:00Z', chicago)).toMatch(/^9:46\sAM$/);
  expect(tellClock('2026-11-23T15:46:00Z', CHICAGO)).toBe('09:46');
  expect(tellClock('2026-11-23T09:46:00Z', LONDON)).toBe('09:46');
  expect(tellClock('2026-11-23T09:46:00Z', { ...LONDON, hour: 'h12' })).toMatch(/^9:46\sam$/);
});

test.each([
  [40_000, '40 s'],
  [34 * 60_000, '34 min'],
  [86 * 60_000, '1 h 26 min'],
  [120 * 60_000, '2 h'],
  [72 * 3_600_000, '3 days'],
])('%d ms are %s', (ms, told) => {
  expect(tellDuration(ms)).toBe(told);
});

test.each([
  ['2026-11-23T09:41:00Z', '09:41'],
  ['2026-11-20T16:20:00Z', 'Fri 16:20'],
  ['2026-04-03T16:20:00Z', '3 Apr'],
  ['2025-04-03T16:20:00Z', '3 Apr 2025'],
  ['2026-11-30T09:00:00Z', '30 Nov'],
])('%s is told as %s', (at, told) => {
  expect(tellTime(at, NOW, LONDON)).toBe(told);
});

test('the month is a word for Americans as well, and their day is their own', () => {
  expect(tellDate('2026-04-03T12:00:00Z', CHICAGO)).toBe('3 Apr 2026');
  expect(tellClock('2026-11-23T10:14:00Z', CHICAGO)).toBe('04:14');
  expect(dayOf('2026-11-23T03:00:00Z', CHICAGO)).toBe('2026-11-22');
  expect(tellLongDay('2026-11-23T12:00:00Z', NOW, LONDON)).toBe('Monday 23 November');
});

test.each([
  ['2026-11-23T10:25:10Z', '2026-11-23T10:26:00.000Z'],
  ['2026-11-23T11:36:00Z', '2026-11-23T11:40:00.000Z'],
  ['2026-11-23T15:01:00Z', '2026-11-23T15:15:00.000Z'],
])('the estimate %s is no finer than it can be', (at, rounded) => {
  expect(roundEstimate(at, NOW).toISOString()).toBe(rounded);
});

test('what no language is called is passed over', () => {
  expect(chooseLocale(['en-US@posix', 'C', 'de-CH', 'fr'])).toBe('de-CH');
  expect(chooseLocale(['en-US@posix'])).toBeUndefined();
});

test.each([
  ['after the clocks went forward', '2026-04-12T22:30:00Z', 'Europe/Berlin', '2026-04-13', '2026-03-29'],
  ['after they went back', '2026-11-09T22:30:00Z', 'Europe/Berlin', '2026-11-09', '2026-10-25'],
  ['elsewhere', '2026-04-12T22:30:00Z', 'Pacific/Auckland', '2026-04-13', '2026-04-05'],
])('the days of the last month are each there once, %s', (_, now, zone, today, changed) => {
  const days = daysBack(new Date(now), 31, { locale: 'en-GB', zone, hour: 'locale' });
  expect(days).toHaveLength(31);
  expect(new Set(days).size).toBe(31);
  expect(days[0]).toBe(today);
  expect(days).toContain(changed);
});
