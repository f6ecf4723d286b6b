import fc from 'fast-check';
import { compareNatural } from '../../../activities/registers/natural-order';

test('people count: A-2 comes before A-10', () => {
  const names = [
    'A-10',
    'a-9',
    'A-2',
    'B-1',
    'A-2.1',
    'A-1 (2)',
    'A-1',
    'A-100000000000000000000001',
    'A-99999999999999999999999',
  ];
  expect([...names].sort(compareNatural)).toEqual([
    'A-1',
    'A-1 (2)',
    'A-2',
    'A-2.1',
    'a-9',
    'A-10',
    'A-99999999999999999999999',
    'A-100000000000000000000001',
    'B-1',
  ]);
});

test('names that only look the same have an order too', () => {
  for (const [one, other] of [
    ['A-1', 'a-1'],
    ['A-01', 'A-1'],
    ['é', 'e\u0301'],
  ] as const) {
    expect(Math.sign(compareNatural(one, other))).toBe(-Math.sign(compareNatural(other, one)));
    expect(compareNatural(one, other)).not.toBe(0);
  }
});

test('it is an order: the same result from every beginning', () => {
  const name = fc.stringMatching(/^[aA0-2.-]{0,6}$/);
  fc.assert(
    fc.property(fc.array(name, { maxLength: 8 }), fc.infiniteStream(fc.nat()), (names, random) => {
      const shuffled = names
        .map(each => ({ each, key: random.next().value ?? 0 }))
        .sort((a, b) => a.key - b.key)
        .map(({ each }) => each);
      expect(shuffled.sort(compareNatural)).toEqual([...names].sort(compareNatural));
    }),
    { numRuns: 100, seed: 7 },
  );
});
