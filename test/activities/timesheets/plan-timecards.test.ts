// Rows of a time clock, planned: which entry each becomes, or everything that is wrong with it.
import {
  nameRows,
  planTimecards,
  type TimecardRow,
  type TimingMode,
} from '../../../activities/timesheets/plan-timecards';

const candidate = (id: string, label: string, ...alternatives: string[]) => ({
  id,
  label,
  alternatives,
  active: true,
});
const LISTS = {
  date: '2026-02-28',
  costCodes: [candidate('1', 'Concrete', '03-000'), candidate('2', 'Concrete Placing', '03-010')],
  people: [
    candidate('11', 'Ada Ashby'),
    candidate('12', 'Robin Namesake'),
    candidate('13', 'Robin Namesake'),
  ],
};

function planOne(row: TimecardRow, timing: TimingMode, utcOffset?: string) {
  const { ready, faulty } = planTimecards({ ...LISTS, rows: [row], timing, utcOffset });
  return { entry: ready[0]?.entry, codes: faulty[0]?.reasons.map(({ code }) => code) };
}

const SHIFT = { partyId: '7', timeIn: '22:00', timeOut: '06:00', lunchMinutes: 30 };
const DAY_SHIFT = { ...SHIFT, timeIn: '07:00', timeOut: '15:00' };

describe('the timing mode', () => {
  test.each<[string, TimecardRow, TimingMode, string | undefined, object]>([
    [
      'times stay as they are without an offset',
      DAY_SHIFT,
      'times',
      undefined,
      { mode: 'times', timeIn: '07:00', timeOut: '15:00', lunchMinutes: 30 },
    ],
    [
      'with an offset they get their dates, the end the next one',
      SHIFT,
      'times',
      '-05:00',
      {
        mode: 'times',
        timeIn: '2026-02-28T22:00:00-05:00',
        timeOut: '2026-03-01T06:00:00-05:00',
        lunchMinutes: 30,
      },
    ],
    [
      'times become hours where the project takes hours',
      SHIFT,
      'hours',
      undefined,
      { mode: 'hours', hours: '7.5' },
    ],
    [
      'thirds of an hour with many decimals are taken',
      { partyId: '7', hours: String(22 / 3) },
      'hours',
      undefined,
      { mode: 'hours', hours: '7.3333' },
    ],
    ['hours stay hours', { partyId: '7', hours: '8' }, 'hours', undefined, { mode: 'hours', hours: '8.0' }],
    [
      'both are taken when they agree',
      { ...SHIFT, hours: '7.50' },
      'hours',
      undefined,
      { mode: 'hours', hours: '7.5' },
    ],
    [
      'a break that is not given is none',
      { partyId: '7', timeIn: '07:00', timeOut: '15:00' },
      'times',
      undefined,
      { mode: 'times', timeIn: '07:00', timeOut: '15:00', lunchMinutes: 0 },
    ],
  ])('%s', (_, row, timing, offset, expected) => {
    expect(planOne(row, timing, offset)).toMatchObject({ entry: { timing: expected }, codes: undefined });
  });
});

describe('what is wrong with a row', () => {
  test.each<[string, TimecardRow, TimingMode, string[]]>([
    ['hours alone where times are taken', { partyId: '7', hours: '8' }, 'times', ['timing-mode']],
    ['no times at all', { partyId: '7' }, 'hours', ['times']],
    ['an end without a start', { partyId: '7', timeOut: '15:00', hours: '8' }, 'hours', ['times']],
    ['hours that the times do not make', { ...SHIFT, hours: '8' }, 'hours', ['hours-differ']],
    ['hours in words', { partyId: '7', hours: 'eight' }, 'hours', ['hours']],
    ['no hours', { partyId: '7', hours: '0' }, 'hours', ['hours']],
    ['an end before its start, with nothing that says it is the next day', SHIFT, 'times', ['over-midnight']],
    ['nobody', { timeIn: '07:00', timeOut: '15:00' }, 'times', ['no-person']],
    ['two people of one name', { ...DAY_SHIFT, person: 'Robin Namesake' }, 'times', ['person']],
    [
      'everything at once',
      { person: 'Eve', costCode: '99', timeIn: '07:00', timeOut: '07:00' },
      'times',
      ['person', 'cost-code', 'times'],
    ],
  ])('%s', (_, row, timing, codes) => {
    expect(planOne(row, timing)).toEqual({ entry: undefined, codes });
  });

  test('never holds back the others', () => {
    const rows = [DAY_SHIFT, { partyId: '8' }, { ...DAY_SHIFT, person: 'Ada Ashby' }];
    const { ready, faulty } = planTimecards({ ...LISTS, rows, timing: 'times' });
    expect([ready.map(({ index }) => index), faulty.map(({ index }) => index)]).toEqual([[0, 2], [1]]);
  });
});

describe('names of rows', () => {
  test('a row keeps its name when its times or texts are corrected, and loses it with another person or code', () => {
    const [name] = nameRows([SHIFT]);
    expect(nameRows([{ ...SHIFT, timeOut: '07:00', description: 'x', billable: true }])).toEqual([name]);
    expect(nameRows([{ ...SHIFT, partyId: '8' }])).not.toEqual([name]);
    expect(nameRows([{ ...SHIFT, costCode: '03-010' }])).not.toEqual([name]);
  });

  test('the same work twice has two names; a given one is taken', () => {
    const names = nameRows([SHIFT, SHIFT, { ...SHIFT, ref: 'clock-7' }]);
    expect(new Set(names).size).toBe(3);
    expect(names[2]).toBe('clock-7');
  });
});
