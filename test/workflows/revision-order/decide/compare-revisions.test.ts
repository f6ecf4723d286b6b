// Revision values as people write them, in the order they follow each other.
import { compareParsed, parseRevision } from '../../../../workflows/revision-order/decide/compare-revisions';

/** Undefined when nothing is known of the two. */
function compare(one: string, other: string): number | undefined {
  const [first, second] = [parseRevision(one), parseRevision(other)];
  if (first === undefined || second === undefined || first.scheme !== second.scheme) return undefined;
  return Math.sign(compareParsed(first, second));
}

describe('each follows the one before it', () => {
  test.each([
    ['numbers', ['0', '1', '2', '10', '11']],
    ['numbers with zeros and parts', ['00', '01', '01.1', '01.2', '02']],
    ['a part more, though it is nothing', ['1', '1.0', '1.0.0', '1.1']],
    ['letters', ['A', 'B', 'Z', 'AA', 'AB', 'BA']],
    ['ISO 19650: preliminary, then contractual', ['P01', 'P01.1', 'P02', 'P10', 'C01', 'C02']],
    ['one prefix of another kind', ['T1', 'T2', 'T10']],
    ['with the word itself', ['Rev A', 'rev.B', 'REVISION C', 'Rev-D', 'E']],
  ])('%s', (_, revisions) => {
    for (const [at, revision] of revisions.entries()) {
      for (const [otherAt, other] of revisions.entries()) {
        expect([revision, other, compare(revision, other)]).toEqual([
          revision,
          other,
          Math.sign(at - otherAt),
        ]);
      }
    }
  });
});

test.each([
  ['a', 'A'],
  ['p1', 'P01'],
  ['1', '01'],
  [' B ', 'b'],
])('%s and %s are the same', (one, other) => {
  expect(compare(one, other)).toBe(0);
});

test.each([
  ['A', '1'],
  ['P01', '1'],
  ['T1', 'D1'],
  ['A', 'P01'],
  ['A', 'A1'],
])('nothing is known of %s and %s', (one, other) => {
  expect(compare(one, other)).toBeUndefined();
});

test.each(['', '  ', 'IFC', 'as built', '2026-01-31', 'A-', '1234567', '-1', 'rev'])(
  '"%s" has no order of its own',
  value => {
    expect(parseRevision(value)).toBeUndefined();
  },
);

test('no value is no revision', () => {
  expect(parseRevision(undefined)).toBeUndefined();
});
