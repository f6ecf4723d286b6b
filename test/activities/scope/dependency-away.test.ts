// How what waited through an outage comes back: spread out, and soon.
import { planAwayDelayMs, spreadAfterMs } from '../../../activities/scope/dependency-away';
import { seeded } from './seeded';

/** When each of `count` callers, failing since time 0, first comes back after the outage has ended. */
function arrivals(count: number, outageMs: number, random: () => number): number[] {
  return Array.from({ length: count }, () => {
    let atMs = 0;
    for (let attempt = 1; atMs < outageMs; attempt++) atMs += planAwayDelayMs(attempt, random());
    return atMs - outageMs;
  });
}

test.each([60_000, 600_000, 3_600_000])(
  'after %d ms, 200 callers come back over time, none late',
  outageMs => {
    const late = arrivals(200, outageMs, seeded(outageMs));
    expect(Math.max(...late)).toBeLessThanOrEqual(90_000);
    const bySecond = new Map<number, number>();
    for (const ms of late)
      bySecond.set(Math.floor(ms / 1_000), (bySecond.get(Math.floor(ms / 1_000)) ?? 0) + 1);
    // All at once would be 200.
    expect(Math.max(...bySecond.values())).toBeLessThanOrEqual(20);
  },
);

test('the first attempts come soon, later ones not more than 90 s apart, whatever the number', () => {
  expect(planAwayDelayMs(1, 0)).toBe(500);
  expect(planAwayDelayMs(1, 0.5)).toBe(1_000);
  for (const attempt of [7, 100, 10_000, Number.MAX_SAFE_INTEGER]) {
    expect(planAwayDelayMs(attempt, 0)).toBe(30_000);
    expect(planAwayDelayMs(attempt, 1)).toBe(90_000);
  }
});

test('a time that the other side named is kept, and what is added bounded', () => {
  expect(spreadAfterMs(10, 0)).toBe(0);
  expect(spreadAfterMs(10, 1)).toBe(1_000);
  expect(spreadAfterMs(20_000, 0.5)).toBe(5_000);
  expect(spreadAfterMs(3_600_000, 1)).toBe(30_000);
});
