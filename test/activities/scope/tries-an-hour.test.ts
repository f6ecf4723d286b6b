// A day of waiting costs under a hundred requests in each of its hours after the first, of each kind of wait:
// reckoned from the pauses themselves, on a clock of the test's own. (The part `long-waits` of the chaos
// suite counts the requests of real waits, whose hours are blurred by a clock that runs a thousand times too
// fast.)
import { planLook } from '../../../activities/ingest/decide/judge-release';
import { patiently, toActivityFailure } from '../../../activities/scope/failure';
import {
  InternalServiceError,
  RateLimitedError,
  ServiceUnavailableError,
} from '../../../activities/service/errors';
import { nextLookMs } from '../../../workflows/ingest/decide/look-pace';
import { seeded } from './seeded';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MOST_AN_HOUR = 100;

const SEEDS = Array.from({ length: 4 }, (_, index) => 7 + index * 104_729);

/** Most requests in any hour that begins after the first one. */
function busiestHour(tryCosts: number, pauseMs: (attempt: number, atMs: number) => number): number {
  const triesMs: number[] = [];
  let atMs = 0;
  for (let attempt = 1; atMs < DAY_MS; attempt++) {
    triesMs.push(atMs);
    atMs += pauseMs(attempt, atMs);
  }
  const later = triesMs.filter(ms => ms >= HOUR_MS);
  const inHour = later.map(from => later.filter(ms => ms >= from && ms < from + HOUR_MS).length);
  return tryCosts * Math.max(...inHour);
}

const delayOf = (failure: unknown): number => Number((failure as { nextRetryDelay: unknown }).nextRetryDelay);
const away = () => new ServiceUnavailableError('503', { fault: 'status', effect: 'unknown', status: 503 });
const broken = () => new InternalServiceError('500', { effect: 'unknown', status: 500 });
const inASecond = () =>
  new RateLimitedError('429', { effect: 'rejected', status: 429, retryAtMs: Date.now() + 1_000 });

afterEach(() => {
  jest.restoreAllMocks();
});

/**
 * A try to link costs a look as well. At Step 4 a try asks for all and for two by themselves; three loads try
 * beside each other at Step 5, one file of each, and three analyses at Step 7: with each pause at its mean,
 * these come to three requests. (test/activities/ingest/away-requests.test.ts counts what they do send.)
 */
test.each([
  ['creating uploads', 3, 0.5, broken],
  ['opening sessions', 3, 0.5, away],
  ['reading uploads', 3, 0.5, broken],
  ['submitting', 1, 0, away],
  ['linking', 2, 0, broken],
  ['what answers "in a second" each time', 2, 0, inASecond],
])('a probe waits out an outage of %s', (_, tryCosts, spread, failed) => {
  jest.spyOn(Math, 'random').mockReturnValue(spread);
  const most = busiestHour(tryCosts, attempt => delayOf(patiently(failed(), { attempt })));
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(MOST_AN_HOUR);
});

/** Minutes apart on the average: here the spread is what makes it sixty an hour, whatever falls together. */
test.each([
  ['what is away, with one request a try', away],
  ['what answers "in a second" each time', inASecond],
])('any other activity waits out %s', (_, failed) => {
  for (const seed of SEEDS) {
    const random = seeded(seed);
    const most = busiestHour(1, attempt => delayOf(toActivityFailure(failed(), { attempt, random })));
    expect(most).toBeGreaterThan(30);
    expect(most).toBeLessThanOrEqual(MOST_AN_HOUR);
  }
});

test.each([1, 2, 100])('%d files wait for their release', count => {
  let look = 0;
  const most = busiestHour(1, (_, atMs) => {
    look += 1;
    return planLook(atMs, look, count).pauseMs;
  });
  expect(planLook(HOUR_MS, look, count).atFirst).toBe(1);
  expect(most).toBeLessThanOrEqual(MOST_AN_HOUR);
});

/** One request to read and one to submit. */
test.each([1_000, 60_000])('conflicts are waited out, looked at after %d ms first', leastMs => {
  const pace = { sinceMs: 0, leastMs, longestMs: HOUR_MS };
  const most = busiestHour(2, (_, atMs) => nextLookMs(pace, atMs) - atMs);
  expect(most).toBeLessThanOrEqual(MOST_AN_HOUR);
});
