// Names that are in the index for certain: only what was committed, and never more than has room.
import { IndexedNames } from '../../../activities/ledger/indexed-names';

const name = (at: number) => ({ batchId: `20260131-09300${at}-aaaaaa`, part: 1 });

test('a name counts once the index has it on disk', () => {
  const names = new IndexedNames();
  names.add('202601', name(0));
  expect(names.has('202601', name(0))).toBe(false);
  names.committed();
  expect(names.has('202601', name(0))).toBe(true);
  expect(names.has('202601', { ...name(0), part: 2 })).toBe(false);
  expect(names.has('202602', name(0))).toBe(false);
});

test('what was not committed is forgotten, and so is a month of an index that was begun anew', () => {
  const names = new IndexedNames();
  names.add('202601', name(0));
  names.rolledBack();
  names.committed();
  expect(names.has('202601', name(0))).toBe(false);
  names.add('202601', name(0));
  names.committed();
  names.forget('202601');
  expect(names.has('202601', name(0))).toBe(false);
});

test('of too many, those of the month that was listed longest ago are forgotten', () => {
  const names = new IndexedNames(2);
  for (const [at, month] of ['202601', '202602', '202601'].entries()) {
    names.add(month, name(at));
    names.committed();
  }
  expect(names.has('202602', name(1))).toBe(false);
  expect([0, 2].map(at => names.has('202601', name(at)))).toEqual([true, true]);
});
