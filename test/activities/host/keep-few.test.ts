import { keepFew } from '../../../activities/host/keep-few';

test('as many as may be stay, those that were used last', () => {
  const all = new Map<string, number>();
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ] as const)
    keepFew(all, key, value, 2);
  expect([...all]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});
