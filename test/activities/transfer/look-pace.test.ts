import { firstLookAgeMs, pauseAfterLookMs } from '../../../activities/transfer/look-pace';

test('the first look comes at one second, or later than what was found too young', () => {
  expect([undefined, 300, 1_000, 4_000, 60_000].map(firstLookAgeMs)).toEqual([
    1_000, 1_000, 1_500, 6_000, 15_000,
  ]);
});

test('pauses grow to half a minute', () => {
  expect([1, 2, 3, 4, 5, 6, 50].map(pauseAfterLookMs)).toEqual([
    1_500, 3_500, 7_500, 15_500, 30_000, 30_000, 30_000,
  ]);
});
