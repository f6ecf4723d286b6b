// A second look is for lateness, never for what is lost, doubled or told.
import type { Violation } from './part';
import { isWorthASecondLook } from './second-look';

const found = (...invariants: string[]): Violation[] =>
  invariants.map(invariant => ({ invariant, case: 'seed 1', what: 'something' }));

test.each([
  ['1 every file is in one place'],
  ['2 one revision a document'],
  ['3 a receipt that says submitted is true'],
  ['6 no other upload while a submission is in doubt'],
  ['10 a bad document never changes the fate of the others'],
  ['12 nothing is overwritten'],
  ['15 no run ends but by finishing'],
  ['16 no request while the window is spent'],
  ['19 no secret anywhere'],
  ['the suite notices'],
  ['the case runs'],
  ['the drill runs'],
  ['the part runs'],
])('%s counts the first time, alone and beside a case that is late', invariant => {
  expect(isWorthASecondLook(found(invariant))).toBe(false);
  expect(isWorthASecondLook(found('15 everything ends', invariant))).toBe(false);
});

test('a case that has not ended is late with its receipts as well', () => {
  expect(isWorthASecondLook(found('15 everything ends', '4 no success is unrecorded'))).toBe(true);
  expect(isWorthASecondLook(found('15 everything ends', '2 one revision a document'))).toBe(false);
  const other: Violation = { invariant: '4 no success is unrecorded', case: 'seed 2', what: 'something' };
  expect(isWorthASecondLook([...found('15 everything ends'), other])).toBe(false);
});
