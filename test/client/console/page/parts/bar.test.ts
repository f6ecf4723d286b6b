import { cutBar } from '../../../../../client/console/page/parts/bar';

const BAR = { width: 1_000, gap: 5, least: 10 };

test('parts fill the bar, with gaps between, in their order', () => {
  expect(cutBar([1, 0, 1], BAR)).toEqual([
    { from: 0, width: 497.5 },
    undefined,
    { from: 502.5, width: 497.5 },
  ]);
});

test('1 of 5,000 is seen, and the bar is no longer for it', () => {
  const parts = cutBar([4_998, 1, 1], BAR);
  expect(parts[1]?.width).toBe(10);
  const last = parts[2];
  expect((last?.from ?? 0) + (last?.width ?? 0)).toBeCloseTo(1_000);
});

test('nothing at all has no parts', () => {
  expect(cutBar([0, 0], BAR)).toEqual([undefined, undefined]);
});
