import fc from 'fast-check';
import { editDistance } from '../../../activities/host/edit-distance';

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['plan', 'plan', 0],
  ['plan', 'plans', 1],
  ['plan', 'pln', 1],
  ['plan', 'plun', 1],
  ['plan', 'palm', 2],
  ['plan', 'lpan', 1],
  ['projectId', 'companyId', 7],
])('from %j to %j it is %d', (from, to, expected) => {
  expect(editDistance(from, to)).toBe(expected);
});

test('it is the same both ways, none only for equals, and at most the longer length', () => {
  const short = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(short, short, (a, b) => {
      const distance = editDistance(a, b);
      expect(editDistance(b, a)).toBe(distance);
      expect(distance === 0).toBe(a === b);
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
      expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
    }),
  );
});

test('what is long costs no more than its first 64 characters', () => {
  expect(editDistance('a'.repeat(1_000_000), 'b'.repeat(1_000_000))).toBe(64);
});
