// Rows and stored entries, paired: nothing is made twice, nothing of others is touched.
import fc from 'fast-check';
import { type TimecardEntry, timecardEntry } from '../../../activities/service/endpoints/timecard-entries';
import { type EntryFacts, keepInDoubt, pairTimecards } from '../../../activities/timesheets/pair-timecards';
import type { PlannedEntry, PlannedTimecard } from '../../../activities/timesheets/plan-timecards';
import { originPrefix } from '../../../workflows/timesheets/decide/origin-ids';

const PREFIX = originPrefix('gate', '2026-02-02');
const ENTRY: PlannedEntry = {
  date: '2026-02-02',
  timing: { mode: 'times', timeIn: '07:00', timeOut: '15:30', lunchMinutes: 30 },
  hours: '8.0',
  billable: false,
  description: '',
  costCodeId: '1',
  partyId: '7',
};
const STORED: TimecardEntry = {
  id: '100',
  hours: '8.00',
  timeIn: '2026-02-02T07:00:00Z',
  timeOut: '2026-02-02T15:30:00Z',
  lunchMinutes: '30',
  billable: false,
  description: '',
  costCodeId: '1',
  partyId: '7',
  loginId: null,
  timeTypeId: null,
  originData: `${PREFIX}a`,
  date: '2026-02-02',
  timesheetId: '9',
  approvalStatus: 'pending',
  isDeleted: false,
};

const at = (timeIn: string, timeOut: string) =>
  ({ mode: 'times', timeIn, timeOut, lunchMinutes: 30 }) as const;

const row = (ref: string, entry: Partial<PlannedEntry> = {}, index = 0): PlannedTimecard => ({
  index,
  ref,
  entry: { ...ENTRY, ...entry },
});

test.each<[string, Partial<PlannedEntry>, Partial<TimecardEntry>, boolean]>([
  ['the same work', {}, {}, false],
  ['other hours', { hours: '8.5' }, {}, true],
  ['another description', { description: 'x' }, {}, true],
  ['a description that the service has tidied', { description: 'x\r\ny ' }, { description: 'x\ny' }, false],
  ['another cost code', { costCodeId: '2' }, {}, true],
  ['billable by now', { billable: true }, {}, true],
  ['shifted by an hour', {}, { timeIn: '2026-02-02T08:00:00Z', timeOut: '2026-02-02T16:30:00Z' }, true],
  [
    'one instant, two offsets',
    {
      timing: {
        mode: 'times',
        timeIn: '2026-02-02T08:00:00+01:00',
        timeOut: '2026-02-02T16:30:00+01:00',
        lunchMinutes: 30,
      },
    },
    {},
    false,
  ],
  ['what the row leaves open', {}, { timeTypeId: '61', loginId: '9' }, false],
])('an entry with our mark is the one of its row; it differs or not: %s', (_, wanted, stored, differs) => {
  const { present, missing } = pairTimecards([row('a', wanted)], [{ ...STORED, ...stored }], PREFIX);
  expect(missing).toEqual([]);
  expect(present).toEqual([expect.objectContaining({ differs })]);
});

test('of two entries of one row the older one stands', () => {
  const entries = [STORED, { ...STORED, id: '99' }, { ...STORED, id: '1000' }];
  const { present, doubled } = pairTimecards([row('a')], entries, PREFIX);
  expect(present[0]?.stored.id).toBe('99');
  expect(doubled.map(({ id }) => id)).toEqual(['100', '1000']);
});

test('work that was entered by hand is not entered again, but stands for one row only', () => {
  const byHand = { ...STORED, originData: null };
  const { present, missing, doubled } = pairTimecards([row('a'), row('b', {}, 1)], [byHand], PREFIX);
  expect([present.length, missing.map(({ ref }) => ref), doubled.length]).toEqual([1, ['b'], 0]);
});

test.each<[string, Partial<PlannedEntry>, Partial<TimecardEntry>, 'missing' | 'inDoubt']>([
  ['other hours', { hours: '9.0' }, {}, 'inDoubt'],
  [
    'other hours, of a row that leaves the cost code open',
    { hours: '9.0', costCodeId: undefined },
    {},
    'inDoubt',
  ],
  ['total hours, which tell nothing of when', {}, { hours: '9.0', timeIn: null, timeOut: null }, 'inDoubt'],
  ['a later time of the same day', {}, { timeIn: '15:00', timeOut: '23:00' }, 'inDoubt'],
  ['work that begins when the row ends', {}, { timeIn: '15:30', timeOut: '17:30' }, 'missing'],
  ['work that ends when the row begins', {}, { timeIn: '05:00', timeOut: '07:00' }, 'missing'],
  [
    'the same shift as an instant of another offset, which bare times say nothing of',
    { hours: '9.0' },
    { timeIn: '2026-02-02T16:00:00Z', timeOut: '2026-02-02T23:30:00Z' },
    'inDoubt',
  ],
  [
    'bare times beside a row of instants',
    { timing: at('2026-02-02T07:00:00-05:00', '2026-02-02T15:30:00-05:00') },
    { timeIn: '16:00', timeOut: '23:00' },
    'inDoubt',
  ],
  [
    'a date without an offset',
    { timing: at('2026-02-02T07:00:00-05:00', '2026-02-02T15:30:00-05:00') },
    { timeIn: '2026-02-02T16:00:00', timeOut: '2026-02-02T23:00:00' },
    'inDoubt',
  ],
  [
    'an instant after the end of a row of instants',
    { timing: at('2026-02-02T07:00:00-05:00', '2026-02-02T15:30:00-05:00') },
    { timeIn: '2026-02-02T20:30:00Z', timeOut: '2026-02-02T22:30:00.000Z' },
    'missing',
  ],
  [
    'a night, which begins on the day and ends on the next',
    {},
    { timeIn: '15:30', timeOut: '06:00' },
    'inDoubt',
  ],
  ['another person', {}, { partyId: '8', hours: '9.0' }, 'missing'],
  ['another cost code', {}, { costCodeId: '2', hours: '9.0' }, 'missing'],
  ['the mark of another source', {}, { originData: 'payroll 7', hours: '9.0' }, 'missing'],
])('an entry by hand beside a row without one, with %s', (_, wanted, stored, list) => {
  const byHand = { ...STORED, originData: null, ...stored };
  const { present, missing, inDoubt } = pairTimecards([row('a', wanted)], [byHand], PREFIX);
  expect([present.length, missing.length, inDoubt.length]).toEqual(
    list === 'missing' ? [0, 1, 0] : [0, 0, 1],
  );
});

test('an entry by hand that counts as one row puts no other row in doubt, whichever comes first', () => {
  const byHand = { ...STORED, originData: null };
  const rows = [row('a', { hours: '2.0' }), row('b', {}, 1)];
  const { present, missing, inDoubt } = pairTimecards(rows, [byHand], PREFIX);
  expect([present, missing].map(each => each.length)).toEqual([1, 1]);
  expect(inDoubt).toEqual([]);
});

describe('an entry by hand on another sheet', () => {
  const byHand = { ...STORED, originData: null, timesheetId: '8' };
  const lengths = (rows: readonly PlannedTimecard[], stored: readonly TimecardEntry[]) => {
    const { present, missing, inDoubt } = pairTimecards(rows, stored, PREFIX, [byHand]);
    return [present, missing, inDoubt].map(each => each.length);
  };

  test.each<[string, Partial<PlannedEntry>, readonly number[]]>([
    ['is the same work', {}, [0, 0, 1]],
    ['may be the same work, with other hours', { hours: '9.0' }, [0, 0, 1]],
    [
      'is at another time of the day',
      { timing: at('2026-02-02T15:30:00Z', '2026-02-02T17:30:00Z') },
      [0, 1, 0],
    ],
    ['is of another person', { partyId: '8' }, [0, 1, 0]],
  ])('stands in doubt beside a row where it %s', (_, wanted, expected) => {
    expect(lengths([row('a', wanted)], [])).toEqual(expected);
  });

  test('puts one of two rows in doubt where it is that one exactly, whichever comes first', () => {
    const rows = [row('a', { hours: '2.0' }), row('b', {}, 1)];
    const { missing, inDoubt } = pairTimecards(rows, [], PREFIX, [byHand]);
    expect([missing, inDoubt.map(each => each.row)].map(each => each[0]?.ref)).toEqual(['a', 'b']);
  });

  test('puts no row in doubt that is on the sheet already, by our mark or by hand', () => {
    expect(lengths([row('a')], [STORED])).toEqual([1, 0, 0]);
    expect(lengths([row('a')], [{ ...byHand, id: '101', timesheetId: '9' }])).toEqual([1, 0, 0]);
  });

  test('is neither deleted nor left over', () => {
    const { doubled, leftOver } = pairTimecards([row('a')], [], PREFIX, [byHand]);
    expect([doubled, leftOver]).toEqual([[], []]);
  });
});

test('of entries on other sheets those that a row is in doubt beside leave the same rows in doubt, whichever are entered by then', () => {
  const entry = fc.record({
    hours: fc.constantFrom('8.00', '4.00'),
    costCodeId: fc.constantFrom('1', '2'),
    description: fc.constantFrom('', 'x', 'long '.repeat(50)),
    ...{ timeIn: fc.constantFrom(null, '07:00:00'), timeOut: fc.constantFrom(null, '15:30:00') },
  });
  const wanted = fc.record({
    hours: fc.constantFrom('8.0', '4.0'),
    costCodeId: fc.constantFrom(undefined, '1', '2'),
    description: fc.constantFrom('', 'x', 'long '.repeat(50)),
    timing: fc.constantFrom(
      { mode: 'hours', hours: '8.0' } as const,
      at('07:00', '15:30'),
      at('16:00', '18:00'),
    ),
  });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(wanted, fc.boolean()), { minLength: 1, maxLength: 6 }),
      fc.array(entry, { maxLength: 6 }),
      (rowsAndMarks, entries) => {
        const rows = rowsAndMarks.map(([each], index) => row(`r${index}`, each, index));
        const byHand = entries.map((each, index) => ({
          ...STORED,
          ...each,
          id: String(200 + index),
          originData: null,
        }));
        const onSheet = rows
          .filter((_, index) => rowsAndMarks[index]?.[1])
          .map(({ ref }, index) => ({ ...STORED, id: String(300 + index), originData: `${PREFIX}${ref}` }));
        const inDoubt = (elsewhere: readonly EntryFacts[]) =>
          pairTimecards(rows, onSheet, PREFIX, elsewhere).inDoubt.map(each => each.row.ref);
        const kept = keepInDoubt(byHand, pairTimecards(rows, [], PREFIX, byHand).inDoubt);
        expect(inDoubt(kept)).toEqual(inDoubt(byHand));
        expect(kept.length).toBeLessThanOrEqual(rows.length);
      },
    ),
  );
});

test.each(['7.333333', '7.33333333333333', 7.333333333333333, '7.3333'])(
  'hours that the service keeps as %p are those of the row',
  hours => {
    const stored = { ...STORED, hours: timecardEntry.parse({ id: 100, hours }).hours };
    const { present } = pairTimecards([row('a', { hours: '7.3333' })], [stored], PREFIX);
    expect(present).toEqual([expect.objectContaining({ differs: false })]);
  },
);

test.each(['', null, undefined])('an entry whose origin is %p was entered by hand', origin => {
  const byHand = { ...STORED, originData: timecardEntry.parse({ id: 100, origin_data: origin }).originData };
  const { present, missing } = pairTimecards([row('a')], [byHand], PREFIX);
  expect([present.length, missing.length]).toEqual([1, 0]);
});

test.each([
  ['7.99995', '8.0000'],
  ['7.99994', '7.9999'],
  ['8.0', '8.0'],
  ['-7.123456', '-7.123456'],
  ['much', 'much'],
])('hours of %s are read as %s', (hours, read) => {
  expect(timecardEntry.parse({ id: 1, hours }).hours).toBe(read);
});

test('what others left is neither taken nor told as ours', () => {
  const others = [
    { ...STORED, originData: `${originPrefix('canteen', '2026-02-02')}a` },
    { ...STORED, id: '101', originData: 'payroll 7' },
  ];
  const { present, missing, leftOver } = pairTimecards([row('a')], others, PREFIX);
  expect([present.length, missing.length, leftOver.length]).toEqual([0, 1, 0]);
});

test('entries of ours that no row stands for are left over', () => {
  const { leftOver } = pairTimecards([row('b')], [STORED], PREFIX);
  expect(leftOver.map(({ id }) => id)).toEqual(['100']);
});

test('every row ends in one list, and every entry is used at most once', () => {
  const refs = fc.constantFrom('a', 'b', 'c', 'd');
  const origins = fc.oneof(
    fc.constant(null),
    refs.map(ref => `${PREFIX}${ref}`),
    fc.constant('other'),
  );
  fc.assert(
    fc.property(
      fc.uniqueArray(refs, { minLength: 1 }),
      fc.array(fc.record({ originData: origins, hours: fc.constantFrom('8.0', '4.0') })),
      (wanted, found) => {
        const rows = wanted.map((ref, index) => row(ref, {}, index));
        const stored = found.map((part, index) => ({ ...STORED, ...part, id: String(index + 1) }));
        const { present, missing, inDoubt, doubled, leftOver } = pairTimecards(rows, stored, PREFIX);
        expect(present.length + missing.length + inDoubt.length).toBe(rows.length);
        const used = [...present.map(each => each.stored), ...doubled, ...leftOver].map(({ id }) => id);
        expect(new Set(used).size).toBe(used.length);
        for (const entry of doubled) expect(entry.originData?.startsWith(PREFIX)).toBe(true);
        // A second pass over a sheet that holds everything changes nothing.
        const whole = [
          ...stored.filter(({ id }) => !doubled.some(entry => entry.id === id)),
          ...missing.map((each, at) => ({
            ...STORED,
            id: String(1_000 + at),
            originData: `${PREFIX}${each.ref}`,
          })),
        ];
        expect(pairTimecards(rows, whole, PREFIX).missing).toEqual([]);
      },
    ),
  );
});
