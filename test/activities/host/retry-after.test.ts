import fc from 'fast-check';
import {
  jitterMs,
  MAX_DELAY_MS,
  parseHttpDate,
  parseRetryAfter,
  planDelayMs,
} from '../../../activities/host/retry-after';
import { callInTimeZone } from '../../setup/in-time-zone';

const NOW = Date.UTC(2026, 0, 31, 12, 0, 0);

// What the service and its storage were seen or are allowed to say; a moment more, for they have a clock of
// their own.
test.each([
  ['120', 120_050],
  ['0', 50],
  [' 17 ', 17_050],
  ['2031', 2_031_050],
  ['99999999999999', undefined],
  [' 0 ', 50],
  ['1.5', 1_550],
  ['99999999', MAX_DELAY_MS],
  ['Sat, 31 Jan 2026 12:00:30 GMT', 30_050],
  ['Saturday, 31-Jan-26 12:00:30 GMT', 30_050],
  ['Sat Jan 31 12:00:30 2026', 30_050],
  ['Sat, 31 Jan 2026 11:59:00 GMT', 0],
  ['Sat, 31 Jan 2099 12:00:00 GMT', MAX_DELAY_MS],
  ['-5', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
  ['2026-01-31T12:00:30Z', undefined],
  ['Infinity', undefined],
  ['1e9', undefined],
])('%p waits %p ms', (value, expected) => {
  expect(parseRetryAfter(value, NOW)).toBe(expected);
});

test('any text gives a wait between nothing and an hour, or none at all', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.integer().map(String),
        fc.date({ noInvalidDate: true }).map(date => date.toUTCString()),
      ),
      text => {
        const delay = parseRetryAfter(text, NOW);
        expect(delay === undefined || (delay >= 0 && delay <= MAX_DELAY_MS)).toBe(true);
      },
    ),
  );
});

test('a date written as HTTP does reads back the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e9 }), seconds => {
      expect(parseHttpDate(new Date(seconds * 1_000).toUTCString())).toBe(seconds * 1_000);
    }),
  );
});

test('the longer of what is said counts, and silence doubles up to a minute', () => {
  expect(planDelayMs({ retryAfterMs: 3_000, resetInMs: 8_000, nthInARow: 0 })).toBe(8_000);
  expect(planDelayMs({ retryAfterMs: 0, resetInMs: undefined, nthInARow: 5 })).toBe(0);
  expect(
    [0, 1, 2, 9].map(nthInARow => planDelayMs({ retryAfterMs: undefined, resetInMs: undefined, nthInARow })),
  ).toEqual([2_000, 4_000, 8_000, 60_000]);
});

test('jitter is a tenth at most, and five seconds', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: MAX_DELAY_MS }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (delay, random) => {
        const jitter = jitterMs(delay, random);
        expect(jitter).toBeGreaterThanOrEqual(0);
        expect(jitter).toBeLessThanOrEqual(Math.min(5_000, Math.max(50, delay * 0.1)));
      },
    ),
  );
});

test('a date without a zone is the same instant everywhere', () => {
  const file = 'activities/host/retry-after.ts';
  const atMs = callInTimeZone('America/New_York', file, 'parseHttpDate', 'Sat Jan 31 12:00:30 2026');
  expect(atMs).toBe(NOW + 30_000);
});
