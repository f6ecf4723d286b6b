import { estimateCost } from '../../../activities/test-run/estimate-cost';

const HUNDRED = { documents: 100, bytes: 5_000 };
const limit = { limit: 25, remaining: 25, resetInMs: 4_000, longestMs: 9_000 };

test('requests grow with files and with batches, and batches of which nothing is sent cost none', () => {
  const cost = estimateCost([HUNDRED, HUNDRED, { documents: 0, bytes: 0 }], []);
  expect(cost).toEqual({
    documents: 200,
    bytes: 10_000,
    requests: { least: 624, most: 1_024 },
    limitMs: null,
  });
});

test('the time is that of the window in which the last request may go', () => {
  const after = (remaining: number) => estimateCost([HUNDRED], [{ ...limit, remaining }]).limitMs;
  // 512 requests.
  expect(after(512)).toBe(0);
  expect(after(511)).toBe(4_000);
  expect(after(512 - 26)).toBe(14_000);
});

test('of several limits the slowest counts', () => {
  const hourly = { limit: 3_600, remaining: 100, resetInMs: 1_200_000, longestMs: 3_000_000 };
  expect(estimateCost([HUNDRED], [limit, hourly]).limitMs).toBe(1_200_000);
});
