// Rows of other calls that a call has to know of: no more than can matter, and none that does is left out.
import type { PlannedTimecard } from '../../../../activities/timesheets/plan-timecards';
import { findBeside } from '../../../../workflows/timesheets/decide/find-beside';

const row = (index: number, entry: Partial<PlannedTimecard['entry']>): PlannedTimecard => ({
  index,
  ref: `row-${index}`,
  entry: {
    date: '2026-02-02',
    timing: { mode: 'hours', hours: '8.0' },
    hours: '8.0',
    billable: false,
    description: '',
    costCodeId: '1',
    ...entry,
  },
});

test.each<[string, Partial<PlannedTimecard['entry']>, boolean]>([
  ['the same person and cost code', { loginId: '9' }, true],
  ['another person', { loginId: '8' }, false],
  ['another cost code', { loginId: '9', costCodeId: '2' }, false],
  ['the cost code left open', { loginId: '9', costCodeId: undefined }, true],
  ['a party, which may be the same person', { partyId: '77' }, true],
])('a row of another call with %s', (_, entry, isBeside) => {
  const own = [row(0, { loginId: '9' })];
  const other = row(1, entry);
  expect(findBeside(own, [...own, other])).toEqual(isBeside ? [other] : []);
});

test('rows of the call itself are not beside it', () => {
  const own = [row(0, { loginId: '9' }), row(1, { loginId: '9' })];
  expect(findBeside(own, own)).toEqual([]);
});
