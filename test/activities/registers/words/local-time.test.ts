import {
  hostZone,
  roundEstimate,
  toSheetTime,
  toSpokenTime,
} from '../../../../activities/registers/words/local-time';

describe('toSheetTime', () => {
  test.each([
    ['2026-07-03T22:20:59Z', 'Europe/Berlin', '2026-07-04 00:20 +02:00'],
    ['2026-12-31T23:30:00Z', 'Europe/Berlin', '2027-01-01 00:30 +01:00'],
    ['2026-01-03T12:00:00Z', 'Europe/London', '2026-01-03 12:00 +00:00'],
    ['2026-01-03T12:00:00Z', 'UTC', '2026-01-03 12:00 +00:00'],
    ['2026-01-03T12:00:00Z', 'Asia/Kolkata', '2026-01-03 17:30 +05:30'],
    ['2026-01-03T00:00:00Z', 'America/New_York', '2026-01-02 19:00 -05:00'],
    ['2026-01-03T00:00:00Z', 'UTC', '2026-01-03 00:00 +00:00'],
  ])('%s in %s is %s', (instant, zone, expected) => {
    expect(toSheetTime(instant, zone)).toBe(expected);
  });

  test('the hour that comes twice is told apart', () => {
    const times = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'].map(at =>
      toSheetTime(at, 'Europe/Berlin'),
    );
    expect(times).toEqual(['2026-10-25 02:30 +02:00', '2026-10-25 02:30 +01:00']);
  });
});

test('a time of today is a time alone, of another day it has the month as a word', () => {
  const now = '2026-04-03T14:20:00Z';
  expect(toSpokenTime('2026-04-03T06:05:00Z', now, 'Europe/Berlin')).toBe('08:05');
  expect(toSpokenTime('2026-04-03T22:05:00Z', now, 'Europe/Berlin')).toBe('4 Apr 2026, 00:05');
});

test.each([
  ['2026-04-03T10:07:20Z', '2026-04-03T10:08:00.000Z'],
  ['2026-04-03T11:07:20Z', '2026-04-03T11:10:00.000Z'],
  ['2026-04-03T14:07:20Z', '2026-04-03T14:15:00.000Z'],
])('an estimate of %s is rounded to %s', (at, expected) => {
  expect(roundEstimate(at, '2026-04-03T10:00:00Z')).toBe(expected);
});

test('the zone of this machine is one that times can be told in', () => {
  expect(toSheetTime('2026-01-03T12:00:00Z', hostZone())).toMatch(/^2026-01-0[34] \d\d:\d\d [+-]/);
});
