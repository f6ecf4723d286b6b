import { nowAndThen } from '../../../activities/host/now-and-then';

test('what is said in between is left out, and so is all of what ends soon', () => {
  let nowMs = 500;
  const told: number[] = [];
  const say = nowAndThen<number>(1_000, at => told.push(at), { monotonicMs: () => nowMs });
  for (nowMs of [500, 1_499, 1_500, 2_499, 2_700, 3_699, 3_700]) say(nowMs);
  expect(told).toEqual([1_500, 2_700, 3_700]);
});
