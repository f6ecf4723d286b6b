import fc from 'fast-check';
import {
  isTimeSpent,
  isTimeToPart,
  planFirstLook,
  planNextLook,
} from '../../../../activities/ingest/decide/poll-schedule';

/** Specification, Limits: first look after 5 s, then every 5 to 10 s, for 3 minutes at most. */
const times = { firstLookMs: 5_000, everyMs: 8_000, typicalMs: 28_000, forMs: 180_000 };

/** More than 600 s hold at pauses of 100 ms: so many looks have no end. */
const MOST_LOOKS = 10_000;

function listLooks(given: typeof times, requestsPerLook: number, unfinished = 1): readonly number[] {
  return goOn(given, planFirstLook(given, requestsPerLook), requestsPerLook, unfinished);
}

function goOn(given: typeof times, from: number, requestsPerLook = 1, unfinished = 1): readonly number[] {
  const looks = [from];
  for (;;) {
    const last = looks.at(-1) ?? 0;
    if (isTimeSpent(given, last) || looks.length > MOST_LOOKS) return looks;
    looks.push(last + planNextLook(given, last, unfinished, requestsPerLook));
  }
}

function listPauses(looks: readonly number[]): readonly number[] {
  return looks.slice(1).map((at, position) => at - (looks[position] ?? 0));
}

describe('looking at uploads that are being analysed', () => {
  test('starts 5 s after completion where one request reads them all', () => {
    expect(planFirstLook(times, 1)).toBe(5_000);
  });

  test('starts when the analysis is likely over, within 30 s, where each look costs a request per upload', () => {
    expect(planFirstLook(times, 100)).toBeGreaterThan(20_000);
    expect(planFirstLook(times, 100)).toBeLessThanOrEqual(30_000);
  });

  test.each([1, 100])(
    'goes on every 5 to 10 s and ends after 3 minutes sharp (%d requests a look)',
    requestsPerLook => {
      const looks = listLooks(times, requestsPerLook);
      for (const pause of listPauses(looks)) {
        expect(pause).toBeGreaterThanOrEqual(5_000);
        expect(pause).toBeLessThanOrEqual(10_000);
      }
      expect(looks.at(-1)).toBe(180_000);
    },
  );

  test.each([
    // One alone is looked for as often as the contract allows until most have ended.
    [1, [5_000, 14_000, 19_000, 24_000, 29_000, 34_000, 39_000, 44_000, 52_000]],
    [5, [5_000, 23_333, 28_333, 33_333, 38_333, 43_333, 51_333]],
    [100, [5_000, 27_723, 32_723, 37_723, 42_723, 50_723]],
  ])('the second look of %d that are unfinished is made when most have likely ended', (unfinished, first) => {
    const looks = listLooks(times, 1, unfinished).map(Math.round);
    expect(looks.slice(0, first.length)).toEqual(first);
  });

  test.each([
    // What is left after a look, and the pauses that it is spent in: a look counts towards the time, too.
    [30_000, [8_000, 8_000, 8_000, 6_000]],
    [27_000, [8_000, 8_000, 5_500, 5_500]],
    [13_000, [8_000, 5_000]],
    [12_900, [6_450, 6_450]],
    [10_000, [5_000, 5_000]],
    [9_900, [9_900]],
    [8_000, [8_000]],
    [5_000, [5_000]],
    // Looks that took long: it ends late rather than to be asked twice within five seconds.
    [3_000, [5_000]],
    [1, [5_000]],
    [0, []],
  ])('the last %d ms are no pause that is too short', (leftMs, pauses) => {
    expect(listPauses(goOn(times, times.forMs - leftMs))).toEqual(pauses);
  });

  test('where each look costs a request per upload, none is made sooner for company', () => {
    expect(listLooks(times, 100, 100).slice(0, 3)).toEqual([28_000, 36_000, 44_000]);
  });

  test('is one look where no time for looking is given', () => {
    expect(isTimeSpent({ ...times, forMs: 0 }, planFirstLook({ ...times, forMs: 0 }, 1))).toBe(true);
    expect(planFirstLook({ ...times, forMs: 0 }, 100)).toBe(0);
  });

  test('ends for all times: a shortest pause later than allowed at the most, unless the first look already is', () => {
    const ms = fc.integer({ min: 100, max: 600_000 });
    fc.assert(
      fc.property(
        fc.record({ firstLookMs: ms, everyMs: ms, typicalMs: ms, forMs: ms }),
        fc.constantFrom(1, 100),
        (given, requestsPerLook) => {
          const looks = listLooks(given, requestsPerLook);
          expect(looks.length).toBeLessThan(MOST_LOOKS);
          const [first = 0, last = 0] = [looks[0], looks.at(-1)];
          const leastMs = Math.min(given.firstLookMs, given.everyMs);
          expect(last).toBeGreaterThanOrEqual(Math.max(first, given.forMs));
          if (first + leastMs <= given.forMs) expect(last).toBeCloseTo(given.forMs);
          else expect(last).toBeLessThan(Math.max(first, given.forMs) + leastMs);
          expect(Math.min(leastMs, ...listPauses(looks))).toBeCloseTo(leastMs);
        },
      ),
    );
  });

  test('parts from stragglers only late, and only if some are done and some are not', () => {
    expect(isTimeToPart(times, 180_000, 99, 1)).toBe(true);
    expect(isTimeToPart(times, 60_000, 1, 99)).toBe(true);
    // Analysis typically takes up to 30 s: before that, nobody straggles.
    expect(isTimeToPart(times, 30_000, 99, 1)).toBe(false);
    expect(isTimeToPart(times, 180_000, 0, 100)).toBe(false);
    expect(isTimeToPart(times, 180_000, 100, 0)).toBe(false);
  });
});
