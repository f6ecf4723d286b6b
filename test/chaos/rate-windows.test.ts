import { earliestMs, paceOf } from './rate-windows';

const SPIKE = { limit: 3, lengthMs: 2_000 };
const HOUR = { limit: 4, lengthMs: 10_000 };

describe('the fastest run that the windows allow', () => {
  test.each([
    ['one request', 1, 0, [SPIKE], 0],
    ['as many as a window holds', 3, 0, [SPIKE], 0],
    ['one more waits for the next window', 4, 0, [SPIKE], 2_000],
    ['seven need three windows', 7, 0, [SPIKE], 4_000],
    ['a window begins at the whole second of its first request', 4, 700, [SPIKE], 2_000],
    ['the longer window ends later', 5, 0, [SPIKE, HOUR], 10_000],
  ])('%s', (_, n, firstMs, rules, expected) => {
    expect(earliestMs(n, firstMs, rules)).toBe(expected);
  });

  test('is compared with what the log shows', () => {
    const timesMs = [100, 200, 300, 2_100, 2_200, 2_300, 4_500];
    expect(paceOf({ timesMs, rules: [SPIKE] })).toEqual({
      requests: 7,
      tookMs: 4_400,
      allowedMs: 3_900,
      windows: 3,
      fullest: 3,
    });
  });

  test('has nothing to say of a run without requests', () => {
    expect(paceOf({ timesMs: [], rules: [SPIKE] })).toMatchObject({ requests: 0, tookMs: 0, allowedMs: 0 });
  });
});
