import { parseRetryAfter } from '../../../activities/transfer/retry-after';
import { callInTimeZone } from '../../setup/in-time-zone';

const NOW_MS = Date.UTC(2031, 4, 6, 12, 0, 0);

test.each([
  [undefined, undefined],
  ['0', 0],
  [' 17 ', 17_000],
  ['Tue, 06 May 2031 12:00:30 GMT', 30_000],
  ['Tue, 06 May 2031 11:00:00 GMT', 0],
  ['-5', undefined],
  ['1.5', undefined],
  ['2031', 2_031_000],
  ['soon', undefined],
  ['', undefined],
  ['99999999999999', undefined],
])('%j is %j', (value, waitMs) => {
  expect(parseRetryAfter(value, NOW_MS)).toBe(waitMs);
});

test('a date without a zone is the same instant everywhere', () => {
  const file = 'activities/transfer/retry-after.ts';
  const waitMs = callInTimeZone(
    'America/New_York',
    file,
    'parseRetryAfter',
    'Tue May  6 12:00:30 2031',
    NOW_MS,
  );
  expect(waitMs).toBe(30_000);
});
