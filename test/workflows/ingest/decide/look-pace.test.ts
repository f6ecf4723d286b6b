// When documents in conflict are looked at again.
import { lastLookMs, nextLookMs } from '../../../../workflows/ingest/decide/look-pace';

const HOUR_MS = 3_600_000;
const pace = { sinceMs: 0, leastMs: 60_000, longestMs: HOUR_MS };

test('after another third of the time waited, within bounds', () => {
  expect(nextLookMs(pace, 0)).toBe(60_000);
  expect(nextLookMs(pace, HOUR_MS)).toBe(HOUR_MS + HOUR_MS / 3);
  expect(nextLookMs(pace, 10 * HOUR_MS)).toBe(11 * HOUR_MS);
  expect(nextLookMs({ ...pace, leastMs: 0 }, 0)).toBe(1);
});

test('what was cut keeps its time: the looks since then are taken as made', () => {
  expect(lastLookMs(pace, 10 * HOUR_MS, 12.5 * HOUR_MS)).toBe(12 * HOUR_MS);
  expect(lastLookMs(pace, 10 * HOUR_MS, 10.5 * HOUR_MS)).toBe(10 * HOUR_MS);
});
