import type { DatedRecord } from '../../../../activities/share/batch/fold-journal';
import { findRequirement, tellNoted } from '../../../../activities/share/batch/noted-requirement';

const noted = (atMs: number, index: number, when: string): DatedRecord => ({
  atMs,
  name: `${atMs}-required`,
  record: { kind: 'required', documents: [{ index, when, asks: ['Type'] }] },
});

test('the latest that was noted of a document counts, in whatever order the records come', () => {
  const records = [noted(3, 0, 'new'), noted(1, 0, 'old'), noted(4, 1, 'of another')];
  expect(findRequirement(records, 0)).toEqual({ atMs: 3, when: 'new', asks: ['Type'] });
  expect(findRequirement(records, 2)).toBeUndefined();
  expect(
    findRequirement([{ atMs: 1, name: 'x', record: { kind: 'intent', uploads: [] } }], 0),
  ).toBeUndefined();
});

test('it is told with what it asks for, if that is anything', () => {
  expect(tellNoted({ when: 'Type is "A"', asks: ['Type', 'Number'] })).toBe(
    'Type is "A": asks for Type, Number',
  );
  expect(tellNoted({ when: 'no requirement of the project applies', asks: [] })).toBe(
    'no requirement of the project applies',
  );
});
