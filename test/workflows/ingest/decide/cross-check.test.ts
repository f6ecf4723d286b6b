import fc from 'fast-check';
import { crossCheck } from '../../../../workflows/ingest/decide/cross-check';

const idOf = (id: string): string => id;
const sorted = (ids: readonly string[]) => ids.toSorted((a, b) => (a < b ? -1 : 1));

describe('crossCheck', () => {
  test.each([
    ['every id succeeded', ['a', 'b'], ['a', 'b'], [], { succeeded: ['a', 'b'] }],
    ['an id in neither list is missing', ['a', 'b'], ['a'], [], { succeeded: ['a'], missing: ['b'] }],
    ['two empty lists: all ids are unknown to the service', ['a', 'b'], [], [], { missing: ['a', 'b'] }],
    ['an id in both lists failed', ['a'], ['a'], ['a'], { failed: ['a'] }],
    [
      'an id that succeeded twice counts once',
      ['a', 'b'],
      ['a', 'a'],
      [],
      { succeeded: ['a'], missing: ['b'] },
    ],
    ['an unasked success is told', ['a'], ['a', 'x'], [], { succeeded: ['a'], unasked: ['x'] }],
    [
      'an unasked id in both lists is told once',
      ['a'],
      ['a', 'x'],
      ['x'],
      { succeeded: ['a'], unasked: ['x'] },
    ],
    ['nothing asked, nothing answered', [], [], [], {}],
    [
      'the order of the answer does not matter',
      ['a', 'b', 'c'],
      ['c', 'a'],
      ['b'],
      { succeeded: ['a', 'c'], failed: ['b'] },
    ],
  ] as const)('%s', (_claim, asked, successes, failures, expected) => {
    const result = crossCheck(
      asked,
      idOf,
      successes,
      failures.map(id => ({ id, code: 404 })),
    );
    expect({ ...result, failed: result.failed.map(({ item }) => item) }).toEqual({
      succeeded: [],
      failed: [],
      missing: [],
      unasked: [],
      ...expected,
    });
  });

  test('hands on the failure that belongs to the item', () => {
    const { failed } = crossCheck(
      ['a', 'b'],
      idOf,
      [],
      [
        { id: 'b', code: 500 },
        { id: 'a', code: 404 },
      ],
    );
    expect(failed).toEqual([
      { item: 'a', failure: { id: 'a', code: 404 } },
      { item: 'b', failure: { id: 'b', code: 500 } },
    ]);
  });

  test('asked is succeeded, failed and missing together: nothing is lost, doubled or reordered', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'constructor', '__proto__', '');
    fc.assert(
      fc.property(fc.uniqueArray(id), fc.array(id), fc.array(id), (asked, successes, failures) => {
        const result = crossCheck(
          asked,
          idOf,
          successes,
          failures.map(failed => ({ id: failed })),
        );
        const parts = [result.succeeded, result.failed.map(({ item }) => item), result.missing];
        expect(sorted(parts.flat())).toEqual(sorted(asked));
        for (const part of parts) expect(part).toEqual(asked.filter(item => part.includes(item)));
        for (const item of result.succeeded) {
          expect(successes).toContain(item);
          expect(failures).not.toContain(item);
        }
        for (const item of result.missing) expect([...successes, ...failures]).not.toContain(item);
        const unasked = new Set([...successes, ...failures].filter(other => !asked.includes(other)));
        expect(sorted(result.unasked)).toEqual(sorted([...unasked]));
      }),
    );
  });
});
