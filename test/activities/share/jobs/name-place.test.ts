import { formerEndings, namePlaces, withEnding } from '../../../../activities/share/jobs/name-place';

const NOW = new Date('2026-02-03T23:59:00Z');

function first(folder: string, count: number): string[] {
  const names = namePlaces(folder, NOW);
  return Array.from({ length: count }, () => String(names.next().value));
}

test('a place is called like the folder; where another has that, with the day, and then with a number', () => {
  expect(first('Package A', 4)).toEqual([
    'Package A',
    'Package A (2026-02-03)',
    'Package A (2026-02-03, 2)',
    'Package A (2026-02-03, 3)',
  ]);
});

test('a long name gives way to its ending, letter by letter', () => {
  const [whole = '', dated = ''] = first('ü'.repeat(127), 2);
  expect(Buffer.byteLength(whole)).toBe(254);
  expect(Buffer.byteLength(dated)).toBeLessThanOrEqual(255);
  expect(dated).toMatch(/^ü+ \(2026-02-03\)$/);
});

test('the places of former days are those that a job of the folder was given then', () => {
  const listed = [...formerEndings(NOW)].map(ending => withEnding('Package A', ending));
  const former = new Set(listed);
  // Each is hashed: none is there twice.
  expect(listed).toHaveLength(former.size);
  for (const place of ['Package A', 'Package A (2026-02-04)', 'Package A (2025-03-01, 7)']) {
    expect(former).toContain(place);
  }
  expect(former).not.toContain('Package A (2024-02-03)');
});
