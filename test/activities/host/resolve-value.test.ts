import fc from 'fast-check';
import { type Candidate, listNearest, resolveCandidate } from '../../../activities/host/resolve-value';

function candidate(id: string, label: string, code?: string, active = true): Candidate {
  return { id, label, alternatives: code === undefined ? [] : [code], active };
}

/** Optimal string alignment by its definition: slow, and plainly right. */
function measure(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const [restA, restB] = [a.slice(0, -1), b.slice(0, -1)];
  const [lastA, lastB] = [a.at(-1), b.at(-1)];
  if (lastA === lastB) return measure(restA, restB);
  const isSwapped = a.length > 1 && b.length > 1 && lastA === b.at(-2) && lastB === a.at(-2);
  return (
    1 +
    Math.min(
      measure(restA, b),
      measure(a, restB),
      measure(restA, restB),
      isSwapped ? measure(a.slice(0, -2), b.slice(0, -2)) : Number.POSITIVE_INFINITY,
    )
  );
}

const resolved = (value: string) => ({ kind: 'resolved', value });

describe('an entry of a list', () => {
  const list = [
    candidate('1', 'Architecture', 'A'),
    candidate('2', 'Structure', 'S'),
    candidate('3', 'S', 'Y'),
    candidate('4', 'Façade', 'F'),
    candidate('5', 'Obsolete', 'O', false),
  ];

  test.each([
    ['by id', '2', resolved('2')],
    ['by label', 'Structure', resolved('2')],
    ['by label, whatever the case and the spaces', ' sTRUCTURE  ', resolved('2')],
    ['by label in another Unicode form', 'Fac\u0327ade', resolved('4')],
    ['by code', 'a', resolved('1')],
    ['by label before another entry’s code', 'S', resolved('3')],
  ])('is found %s', (_claim, text, expected) => {
    expect(resolveCandidate(text, list)).toEqual(expected);
  });

  test('is never a near one: those are only proposed, nearest first', () => {
    const result = resolveCandidate('Strukture', list);
    expect(result).toMatchObject({
      kind: 'unknown',
      nearest: ['Structure (S)', expect.any(String), expect.any(String)],
    });
  });

  test('of two that are called alike, each is proposed as what leads to it alone', () => {
    const people = [
      candidate('11', 'Robin Hill'),
      candidate('12', 'Robin Hill'),
      candidate('13', 'Ada Ashby'),
    ];
    const nearest = listNearest('Robyn Hill', people);
    expect(nearest).toEqual(['Robin Hill (11)', 'Robin Hill (12)', 'Ada Ashby']);
    expect(nearest.map(text => resolveCandidate(text, people))).toEqual(['11', '12', '13'].map(resolved));
  });

  test('that is inactive is said to be so, and not proposed', () => {
    const result = resolveCandidate('obsolete', list);
    expect(result.kind).toBe('inactive');
    expect(JSON.stringify(result)).not.toContain('Obsolete');
  });

  test('is found although an inactive twin has its label', () => {
    const twins = [candidate('old', 'Issued', 'I', false), candidate('new', 'Issued', 'I')];
    expect(resolveCandidate('Issued', twins)).toEqual(resolved('new'));
    expect(resolveCandidate('issued', [...twins].reverse())).toEqual(resolved('new'));
  });

  test('is not ambiguous with itself when pages overlap', () => {
    expect(resolveCandidate('issued', [candidate('1', 'Issued'), candidate('1', 'Issued')])).toEqual(
      resolved('1'),
    );
  });

  test('is found by exact writing where others differ only in case', () => {
    const list = [candidate('1', 'IFC'), candidate('2', 'Ifc'), candidate('3', 'm²'), candidate('4', 'm2')];
    expect(resolveCandidate('Ifc', list)).toEqual(resolved('2'));
    expect(resolveCandidate('m²', list)).toEqual(resolved('3'));
    expect(resolveCandidate('ifc', list).kind).toBe('ambiguous');
  });

  test.each([
    ['codes', [candidate('1', 'Plan', 'P1'), candidate('2', 'Plan', 'P2')], 'plan'],
    [
      'nothing but their ids',
      [candidate('17', 'Ann Lee', 'Lee, Ann'), candidate('18', 'Ann Lee', 'Lee, Ann')],
      'Lee, Ann',
    ],
    ['blank codes', [candidate('1', 'Plan', ''), candidate('2', 'Plan', ' ')], 'plan'],
  ])(
    'that only %s tell apart is ambiguous, and each proposed writing leads to one of them',
    (_how, list, text) => {
      const result = resolveCandidate(text, list);
      if (result.kind !== 'ambiguous') throw new Error(`It is ${result.kind}`);
      expect(result.nearest.map(writing => resolveCandidate(writing, list))).toEqual(
        list.map(({ id }) => resolved(id)),
      );
    },
  );

  test('of an empty list is unknown', () => {
    expect(resolveCandidate('x', [])).toEqual({ kind: 'unknown', nearest: [] });
  });

  test('is one that names it: an inactive entry is never the answer, a proposal always is', () => {
    const spelling = fc.constantFrom('a', 'A', 'b', 'a b', 'A_B', 'c (d)', '7', 'ä', 'a\u0308');
    const entries = fc.array(
      fc.record({
        id: fc.constantFrom('7', '8', '9', '10'),
        label: spelling,
        alternatives: fc.array(spelling, { maxLength: 2 }),
        active: fc.boolean(),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(spelling, entries, (text, list) => {
        const result = resolveCandidate(text, list);
        if (result.kind === 'resolved') {
          expect(list.some(({ id, active }) => active && id === result.value)).toBe(true);
        } else if (result.kind === 'unknown' || result.kind === 'inactive') {
          const active = list.filter(entry => entry.active);
          expect(active.map(({ label }) => label)).not.toContain(text);
          for (const writing of result.nearest) {
            expect(['resolved', 'ambiguous']).toContain(resolveCandidate(writing, list).kind);
          }
        }
      }),
    );
  });
});

describe('listNearest', () => {
  test('counts a swap of neighbours as one mistake, and looks at codes too', () => {
    const list = [
      candidate('1', 'Mechanical', 'M'),
      candidate('2', 'Electrical', 'ELE'),
      candidate('3', 'Fire', 'F'),
    ];
    expect(listNearest('Mehcanical', list)[0]).toBe('Mechanical (M)');
    expect(listNearest('EEL', list)[0]).toBe('Electrical (ELE)');
  });

  test('goes before two other mistakes when it is one swap', () => {
    expect(listNearest('mehcanical', [candidate('1', 'Mezzanical'), candidate('2', 'Mechanical')])).toEqual([
      'Mechanical',
      'Mezzanical',
    ]);
  });

  test('shows no code where there is none, and none that only repeats the label', () => {
    const list = [
      candidate('1', 'Plan', ' '),
      candidate('2', 'Plans', 'PLANS'),
      candidate('3', 'Plane', 'P'),
    ];
    expect(listNearest('plan', list)).toEqual(['Plan', 'Plans', 'Plane (P)']);
  });

  test('finds the same as measuring every entry to its end', () => {
    const word = fc.stringMatching(/^[abc]{0,6}$/);
    fc.assert(
      fc.property(word, fc.uniqueArray(word, { maxLength: 12 }), (text, words) => {
        const list = words.map((label, index) => candidate(String(index), label));
        const byDistance = words
          .map(label => ({ label, distance: measure(text, label) }))
          .sort((a, b) => a.distance - b.distance);
        expect(listNearest(text, list)).toEqual(byDistance.slice(0, 3).map(({ label }) => label));
      }),
      { numRuns: 1_000 },
    );
  });

  test('copes with hundreds of long entries and a text without end', () => {
    const list = Array.from({ length: 400 }, (_, index) =>
      candidate(String(index), `Entry ${index}`.repeat(20)),
    );
    expect(listNearest('x'.repeat(100_000), list)).toHaveLength(3);
  });
});
