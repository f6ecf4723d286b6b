import { inGrowingParts } from '../../../activities/scope/growing-parts';

const HUNDRED = Array.from({ length: 100 }, (_, index) => index);

test('all are sent together at first', () => {
  expect(inGrowingParts(HUNDRED, 1)).toEqual([HUNDRED]);
});

test('then one goes before the others, and these in parts that grow', () => {
  const parts = inGrowingParts(HUNDRED, 2);
  expect(parts.map(({ length }) => length)).toEqual([1, 10, 89]);
  expect(parts.flat()).toEqual(HUNDRED);
});

test('it is another one at each attempt, and none is left out', () => {
  const attempts = [2, 3, 4, 5].map(attempt => inGrowingParts(['a', 'b', 'c'], attempt));
  expect(attempts.map(([lead]) => lead)).toEqual([['a'], ['b'], ['c'], ['a']]);
  for (const parts of attempts) expect(parts.flat().sort()).toEqual(['a', 'b', 'c']);
});

test('of nothing there are no parts to be sent one after the other', () => {
  expect(inGrowingParts([], 7).flat()).toEqual([]);
});
