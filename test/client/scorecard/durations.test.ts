import { Durations } from '../../../client/scorecard/durations';

const of = (...all: number[]) => {
  const durations = new Durations();
  for (const one of all) durations.add(one);
  return durations;
};

test('the middle and the longest', () => {
  expect(of().medianMs).toBeUndefined();
  expect(of(5_021)).toMatchObject({ medianMs: 5_000, longestMs: 5_021 });
  expect(of(1_000, 180_400, 2_000)).toMatchObject({ medianMs: 2_000, longestMs: 180_400 });
  expect(of(1_000, 2_000, 3_000, 4_000).medianMs).toBe(2_000);
  expect(of(90_499).medianMs).toBe(90_000);
  expect(of(10 ** 12).medianMs).toBe(86_400_000);
});

test('added up, they are as if counted at once', () => {
  const sum = of(1_000, 9_000);
  sum.addAll(of(3_000, 3_000, 20_000));
  expect(sum).toMatchObject({ medianMs: 3_000, longestMs: 20_000 });
});
