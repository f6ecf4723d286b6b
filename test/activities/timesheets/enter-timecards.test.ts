// Entries of a sheet against the stand-in service, over real HTTP: once each, whatever happens to the
// answers.
import { createTimecardEntry } from '../../../activities/service/endpoints/timecard-entries';
import type { Timesheet } from '../../../activities/service/endpoints/timesheets';
import type { Sender } from '../../../activities/service/service-client';
import { approveTimesheets } from '../../../activities/timesheets/approve-timesheets';
import { checkTimesheet, enterTimecards } from '../../../activities/timesheets/enter-timecards';
import { readTimecard } from '../../../activities/timesheets/entries-by-hand';
import { readTimesheetHistory } from '../../../activities/timesheets/timesheet-history';
import { findTimesheet } from '../../../activities/timesheets/timesheets';
import type { EnteredTimecard, EnterTimecardsInput } from '../../../activities/timesheets/timesheets-api';
import { useSandboxClient } from '../../setup/sandbox-client';
import { errorOf } from '../service/client-bed';
import {
  again,
  date,
  effects,
  enterByHand,
  follows,
  lookingAgain,
  lookingOnce,
  NIGHT,
  newSheet,
  planned,
  prefix,
  project,
  ROWS,
  scope,
} from './timesheet-bed';

const bed = useSandboxClient();
const isMarkedOf = ({ outcome }: EnteredTimecard) => (outcome as { readonly isMarked?: true }).isMarked;

describe('entries', () => {
  async function input(): Promise<EnterTimecardsInput> {
    return { project, date, prefix, timesheetId: await newSheet(bed()), rows: await planned(bed()) };
  }

  test('are made once each, and left alone when they are there', async () => {
    const { client } = bed();
    const asked = await input();
    const first = await enterTimecards(client, asked, scope);
    expect(first.map(({ outcome }) => outcome.kind)).toEqual(['entered', 'entered']);
    const { outcome } = first[0]!;
    const entryId = outcome.kind === 'entered' ? outcome.entryId : '';
    expect(await readTimecard(client, { project, entryId }, scope)).toMatchObject({ hours: '8.0' });
    expect(await readTimecard(client, { project, entryId: '1' }, scope)).toBeNull();
    const second = await enterTimecards(client, asked, again);
    expect(second.map(({ outcome }) => outcome.kind)).toEqual(['present', 'present']);
    expect(await effects(bed(), 'timecard-created')).toBe(2);
    expect(await effects(bed(), 'timecard-updated')).toBe(0);
  });

  test.each(['reply-lost', 'cut-answer'] as const)(
    'whose answer was lost (%s) are not made twice',
    async kind => {
      const { client, control } = bed();
      const asked = await input();
      await control.addFault({ route: 'timecards.create', action: { kind } });
      expect(await errorOf(enterTimecards(client, asked, scope))).toMatchObject({ effect: 'unknown' });
      // Which of the two were made is not known, so both are looked for once more.
      const later = lookingAgain(await errorOf(enterTimecards(client, asked, again)));
      const done = await enterTimecards(client, asked, later);
      expect(done.map(({ outcome }) => outcome.kind)).toEqual(['present', 'entered']);
      expect(await effects(bed(), 'timecard-created')).toBe(2);
    },
  );

  test('nobody heard of are made', async () => {
    const { client, control } = bed();
    const asked = await input();
    await control.addFault({ route: 'timecards.create', action: { kind: 'cut-request' } });
    expect(await errorOf(enterTimecards(client, asked, scope))).toMatchObject({ effect: 'unknown' });
    const later = lookingAgain(await errorOf(enterTimecards(client, asked, again)));
    await enterTimecards(client, asked, later);
    expect(await effects(bed(), 'timecard-created')).toBe(2);
  });

  test('whose answer was lost, and which the sheet shows late, are not made twice', async () => {
    const { client, control } = bed();
    const asked = await input();
    await control.addFault({ route: 'timecards.create', skip: 1, action: { kind: 'reply-lost' } });
    expect(await errorOf(enterTimecards(client, asked, scope))).toMatchObject({ effect: 'unknown' });
    const bare = { id: Number(asked.timesheetId), date, status: 'pending', timecard_entries: [] };
    await control.addFault({
      route: 'timesheets.show',
      action: { kind: 'status', status: 200, body: bare },
    });
    const later = lookingAgain(await errorOf(enterTimecards(client, asked, again)));
    const done = await enterTimecards(client, asked, later);
    expect(done.map(({ outcome }) => outcome.kind)).toEqual(['present', 'present']);
    expect(await effects(bed(), 'timecard-created')).toBe(2);
  });

  test('that the run before a reset has made, and which the sheet shows late, are not made twice', async () => {
    const { client, control } = bed();
    const thisRun = { runId: 'this-run' };
    const ours = { ...(await input()), asked: thisRun };
    await enterTimecards(client, ours, scope);
    const bare = { id: Number(ours.timesheetId), date, status: 'pending', timecard_entries: [] };
    await control.addFault({ route: 'timesheets.show', action: { kind: 'status', status: 200, body: bare } });
    const reset = { ...ours, asked: { ...thisRun, afterReset: true } } as const;
    const ended = await errorOf(enterTimecards(client, reset, scope));
    const done = await enterTimecards(client, reset, { ...lookingAgain(ended), attempt: 1 });
    expect(done.map(({ outcome }) => outcome.kind)).toEqual(['present', 'present']);
    expect(await effects(bed(), 'timecard-created')).toBe(2);
  });

  test('that a run before of the same workflow id has made a moment ago, and which the sheet shows late, are not made twice', async () => {
    const { client, control } = bed();
    const ours = await input();
    await enterTimecards(client, ours, scope);
    const bare = { id: Number(ours.timesheetId), date, status: 'pending', timecard_entries: [] };
    await control.addFault({ route: 'timesheets.show', action: { kind: 'status', status: 200, body: bare } });
    const later = lookingOnce(await errorOf(enterTimecards(client, ours, scope, follows)), 10_000);
    const done = await enterTimecards(client, ours, later, follows);
    expect(done.map(({ outcome }) => outcome.kind)).toEqual(['present', 'present']);
    expect(await effects(bed(), 'timecard-created')).toBe(2);
  });

  test('that differ from a corrected row are corrected, and the history says so', async () => {
    const { client } = bed();
    const asked = await input();
    await enterTimecards(client, asked, scope);
    const [row, ...rest] = ROWS;
    const rows = await planned(bed(), [{ ...row, timeOut: '16:00' }, ...rest]);
    const corrected = await enterTimecards(client, { ...asked, rows }, scope);
    expect(corrected.map(({ outcome }) => outcome.kind)).toEqual(['updated', 'present']);
    expect(corrected.map(isMarkedOf)).toEqual([true, true]);
    const checked = await checkTimesheet(client, { ...asked, rows }, scope);
    expect(checked.stored.map(({ hours }) => hours)).toEqual(['8.5', '7.25']);
    const history = await readTimesheetHistory(client, project, asked.timesheetId);
    expect(history).toContainEqual(expect.objectContaining({ column: 'hours', before: '8.0', after: '8.5' }));
  });

  test('that the service refuses are told in its words, the others go on', async () => {
    const { client, control } = bed();
    const asked = await input();
    await control.addFault({
      route: 'timecards.create',
      action: { kind: 'status', status: 422, body: { errors: 'the cost code is closed' } },
    });
    const [first, second] = await enterTimecards(client, asked, scope);
    expect(first?.outcome).toMatchObject({
      kind: 'refused',
      reason: { code: 'refused-422', text: expect.stringContaining('the cost code is closed') },
    });
    expect(second?.outcome.kind).toBe('entered');
  });

  test('by hand, whose row was corrected since, stand alone: the hours are not entered beside them', async () => {
    const { client } = bed();
    const asked = await input();
    const byHand = await enterByHand(bed(), asked.timesheetId);
    expect((await enterTimecards(client, asked, scope))[0]?.outcome).toMatchObject({
      kind: 'present',
      entryId: byHand,
    });
    // What others have entered makes the sheet not ours.
    expect((await enterTimecards(client, asked, scope)).map(isMarkedOf)).toEqual([undefined, true]);
    const [ada, ...rest] = ROWS;
    const rows = await planned(bed(), [{ ...ada, timeOut: '16:30' }, ...rest]);
    const [first, second] = await enterTimecards(client, { ...asked, rows }, scope);
    expect(first?.outcome).toMatchObject({
      kind: 'refused',
      reason: {
        code: 'entered-by-hand',
        text: expect.stringMatching(`entry ${byHand} .*by hand.* 8\\.0 hours.* 9\\.0`),
      },
    });
    expect(second?.outcome.kind).toBe('present');
    expect(await effects(bed(), 'timecard-created')).toBe(2);
  });

  test.each<[string, Record<string, unknown>, { kind: string; entryId?: string }]>([
    ['the party of the row', { party_id: 77 }, { kind: 'present' }],
    ['another party', { party_id: 78 }, { kind: 'entered' }],
    ['somebody with a login', { login_information_id: 9_001 }, { kind: 'entered' }],
    ['the party of the row, with other hours', { party_id: 77, lunch_time: '60' }, { kind: 'refused' }],
  ])('by hand of %s are told apart, though a sheet shows no parties', async (_, facts, outcome) => {
    const timesheetId = await newSheet(bed());
    await enterByHand(bed(), timesheetId, { ...NIGHT, ...facts });
    const rows = await planned(bed(), [ROWS[1]!]);
    const input = { project, date, prefix, timesheetId, rows };
    expect(await enterTimecards(bed().client, input, scope)).toMatchObject([{ index: 0, outcome }]);
    expect(await effects(bed(), 'timecard-created')).toBe(outcome.kind === 'entered' ? 2 : 1);
  });

  test('of a row that was given to another party meanwhile are corrected', async () => {
    const timesheetId = await newSheet(bed());
    const asked = { project, date, prefix, timesheetId };
    const [row] = await planned(bed(), [{ ...ROWS[1]!, ref: 'night' }]);
    await enterTimecards(bed().client, { ...asked, rows: [row!] }, scope);
    const [other] = await planned(bed(), [{ ...ROWS[1]!, ref: 'night', partyId: '78' }]);
    expect(await enterTimecards(bed().client, { ...asked, rows: [other!] }, scope)).toMatchObject([
      { outcome: { kind: 'updated' } },
    ]);
  });

  test('of parties are asked for one by one where a row of this call is to be compared, and nowhere else', async () => {
    const { client, control } = bed();
    const timesheetId = await newSheet(bed());
    const input = { project, date, prefix, timesheetId };
    const rows = await planned(
      bed(),
      ['77', '78', '79'].map(partyId => ({ ...ROWS[1]!, partyId })),
    );
    await enterTimecards(client, { ...input, rows }, scope);
    const [own, ...beside] = rows;
    const asked = { ...input, rows: [own!], beside };
    expect(await enterTimecards(client, asked, scope)).toMatchObject([{ outcome: { kind: 'present' } }]);
    expect((await control.requests())['timecards.show']).toBe(1);
  });

  test.each([0, 1])(
    'by hand, that are one row exactly (%i), put no row of another call in doubt',
    async exact => {
      const { client } = bed();
      const timesheetId = await newSheet(bed());
      const input = { project, date, prefix, timesheetId };
      const byHand = await enterByHand(bed(), input.timesheetId);
      const ada = ROWS[0]!;
      const shorter = { ...ada, timeOut: '09:30', lunchMinutes: 0, description: 'formwork' };
      const [first, second] = await planned(bed(), exact === 0 ? [ada, shorter] : [shorter, ada]);
      const entered = [
        ...(await enterTimecards(client, { ...input, rows: [first!], beside: [second!] }, scope)),
        ...(await enterTimecards(client, { ...input, rows: [second!], beside: [first!] }, scope)),
      ];
      expect(entered.map(({ index, outcome }) => [index, outcome.kind])).toEqual([
        [0, exact === 0 ? 'present' : 'entered'],
        [1, exact === 0 ? 'entered' : 'present'],
      ]);
      expect(entered[exact]?.outcome).toMatchObject({ entryId: byHand });
      expect(await effects(bed(), 'timecard-created')).toBe(2);
    },
  );

  test('by hand stand for one of two rows that are alike, also where each is entered by its own call', async () => {
    const { client } = bed();
    const timesheetId = await newSheet(bed());
    const input = { project, date, prefix, timesheetId };
    await enterByHand(bed(), input.timesheetId);
    const [first, second] = await planned(bed(), [ROWS[0]!, ROWS[0]!]);
    await enterTimecards(client, { ...input, rows: [first!], beside: [second!] }, scope);
    expect(
      await enterTimecards(client, { ...input, rows: [second!], beside: [first!] }, scope),
    ).toMatchObject([{ index: 1, outcome: { kind: 'entered' } }]);
  });

  test.each([
    ['with other hours', { lunch_time: '60' }, '7.5'],
    ['with the same hours', {}, '8.0'],
  ])(
    'by hand on another sheet of the day, %s, are told with that sheet, and not entered',
    async (_, facts, hours) => {
      const { client } = bed();
      const asked = await input();
      const other = await newSheet(bed());
      const entry = await enterByHand(bed(), other, { login_information_id: 9_001, ...facts });
      const { byHand } = await findTimesheet(client, asked, scope);
      const [first, second] = await enterTimecards(client, { ...asked, byHand }, scope);
      expect(first?.outcome).toMatchObject({
        kind: 'refused',
        reason: {
          code: 'entered-by-hand',
          text: expect.stringMatching(
            `entry ${entry} on the timesheet ${other} was made by hand .* has ${hours} hours`,
          ),
          fix: expect.stringContaining(`by hand on the timesheet ${asked.timesheetId}, as it stands`),
        },
      });
      expect(second?.outcome.kind).toBe('entered');
      // As the fix says: by hand on this sheet, the row counts as entered.
      const here = await enterByHand(bed(), asked.timesheetId);
      expect((await enterTimecards(client, { ...asked, byHand }, scope))[0]?.outcome).toEqual({
        kind: 'present',
        entryId: here,
      });
    },
  );

  test.each([
    ['on another sheet', false],
    ['on the sheet itself', true],
  ])(
    'by hand %s are to be left out where no row came onto the sheet: the next start would not know it again',
    async (_, isHere) => {
      const { client, control } = bed();
      const asked = await input();
      const on = isHere ? asked.timesheetId : await newSheet(bed());
      const facts = { login_information_id: 9_001, lunch_time: '60' };
      const entry = await enterByHand(bed(), on, facts);
      const { byHand } = await findTimesheet(client, asked, scope);
      await control.addFault({
        route: 'timecards.create',
        action: { kind: 'status', status: 422, body: { errors: 'the cost code is closed' } },
      });
      const entered = await enterTimecards(client, { ...asked, byHand }, scope);
      expect(entered.map(({ outcome }) => outcome)).toMatchObject([
        {
          kind: 'refused',
          reason: {
            code: 'entered-by-hand',
            text: expect.stringContaining(`entry ${entry} on the timesheet ${on}`),
            fix: expect.stringContaining('enter the row by hand too, and leave it out'),
          },
        },
        { kind: 'refused', reason: { code: 'refused-422' } },
      ]);
      // Unless another call of the same list enters a row.
      expect(entered[0]?.outcome).toMatchObject({
        fixOnceBegun: expect.stringMatching(/enter the row by hand .*as it stands; it then counts/),
      });
      expect((await findTimesheet(client, asked, scope)).ours).toBeNull();
    },
  );

  test('by hand are told as on a sheet of ours where the one of ours was deleted: it is found again by that', async () => {
    const { client, control } = bed();
    const asked = await input();
    await enterByHand(bed(), asked.timesheetId, { login_information_id: 9_001, lunch_time: '60' });
    // The contract does not say whether a sheet shows what was deleted.
    const withDeleted = (sheet: Timesheet): Timesheet => {
      const [entry] = sheet.entries;
      if (entry === undefined) return sheet;
      const deleted = { ...entry, id: '1', originData: `${prefix}ref`, isDeleted: true };
      return { ...sheet, entries: [...sheet.entries, deleted] };
    };
    const sender: Sender = {
      send: async (endpoint, request) => {
        const answer = await client.send(endpoint, request);
        const data = answer.data as unknown;
        if (endpoint.name === 'timesheets.show')
          return { ...answer, data: withDeleted(data as Timesheet) } as never;
        if (endpoint.name !== 'timesheets.list') return answer;
        return { ...answer, data: (data as readonly Timesheet[]).map(withDeleted) } as never;
      },
    };
    await control.addFault({ route: 'timecards.create', action: { kind: 'status', status: 422 } });
    const [first] = await enterTimecards(sender, asked, scope);
    expect(first?.outcome).toMatchObject({
      reason: {
        code: 'entered-by-hand',
        fix: expect.stringContaining('enter the row by hand too, as it stands'),
      },
    });
    expect(await findTimesheet(sender, asked, scope)).toMatchObject({ ours: asked.timesheetId });
  });

  test('by hand that were moved to the sheet since they were listed are looked at once', async () => {
    const { client } = bed();
    const asked = await input();
    const moved = { ...(await shownEntry(await enterByHand(bed(), asked.timesheetId))), timesheetId: '1' };
    const [first] = await enterTimecards(client, { ...asked, byHand: [moved] }, scope);
    expect(first?.outcome).toEqual({ kind: 'present', entryId: moved.id });
  });

  async function shownEntry(entryId: string) {
    const entry = await readTimecard(bed().client, { project, entryId }, scope);
    if (entry === null) throw new RangeError(`There is no entry ${entryId}`);
    return entry;
  }

  test('that were made twice all the same lose the second one; foreign ones stay', async () => {
    const { client } = bed();
    const asked = await input();
    const [{ index, outcome }] = (await enterTimecards(client, asked, scope)) as [
      { index: number; outcome: { kind: 'entered'; entryId: string } },
    ];
    const row = asked.rows.find(each => each.index === index)!;
    const make = (originData: string) =>
      client.send(createTimecardEntry, {
        params: { projectId: project.projectId },
        companyId: project.companyId,
        body: {
          date,
          timing: row.entry.timing,
          billable: false,
          description: '',
          costCodeId: '41032',
          timesheetId: asked.timesheetId,
          originData,
        },
      });
    const doubled = await make(`${prefix}${row.ref}`);
    const stale = await make(`${prefix}gone`);
    await make('somebody else');
    const checked = await checkTimesheet(client, asked, scope);
    expect(checked).toMatchObject({ removed: [doubled.data.id], leftOver: [stale.data.id] });
    expect(checked.stored.find(each => each.index === index)?.entryId).toBe(outcome.entryId);
    expect((await checkTimesheet(client, asked, scope)).removed).toEqual([]);
    expect(await effects(bed(), 'timecard-deleted')).toBe(1);
  });
});

describe('what was just made and is shown late', () => {
  /** Half a minute of looks is over with this one. */
  const lastLook = { ...scope, lastDetails: { looked: { attempt: 1, looks: 6 } } };
  const lookAgain = (ended: unknown) => ({ ...lookingAgain(ended), attempt: 1 });

  async function sheetOfRows() {
    const timesheetId = await newSheet(bed());
    return { project, date, prefix, timesheetId, rows: await planned(bed()) };
  }

  async function showLate(timesheetId: string): Promise<void> {
    const body = { id: Number(timesheetId), date, status: 'pending', timecard_entries: [] };
    await bed().control.addFault({ route: 'timesheets.show', action: { kind: 'status', status: 200, body } });
  }

  test('as a sheet is looked for again before rows are entered, for half a minute', async () => {
    const { client, control } = bed();
    const input = await sheetOfRows();
    const gone = { route: 'timesheets.show', action: { kind: 'status', status: 404 } } as const;
    await control.addFault(gone);
    const later = lookAgain(await errorOf(enterTimecards(client, input, scope)));
    const done = await enterTimecards(client, input, later);
    expect(done.map(({ outcome }) => outcome.kind)).toEqual(['entered', 'entered']);
    await control.addFault(gone);
    expect(await errorOf(enterTimecards(client, input, lastLook))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('as entries is looked for again before it is told as missing', async () => {
    const { client } = bed();
    const input = await sheetOfRows();
    await enterTimecards(client, input, scope);
    const check = { ...input, answered: [0, 1] };
    await showLate(input.timesheetId);
    const later = lookAgain(await errorOf(checkTimesheet(client, check, scope)));
    expect((await checkTimesheet(client, check, later)).stored).toHaveLength(2);
    await showLate(input.timesheetId);
    expect((await checkTimesheet(client, check, lastLook)).stored).toEqual([]);
    await showLate(input.timesheetId);
    expect((await checkTimesheet(client, { ...check, answered: [] }, scope)).stored).toEqual([]);
  });

  test('as a correction is looked for again before other hours are told', async () => {
    const { client } = bed();
    const input = await sheetOfRows();
    await enterTimecards(client, input, scope);
    const [row, ...rest] = ROWS;
    // The sheet has the hours of before, as one that is shown late.
    const rows = await planned(bed(), [{ ...row, timeOut: '16:00' }, ...rest]);
    const check = { ...input, rows, answered: [0, 1] };
    expect(await errorOf(checkTimesheet(client, { ...check, updated: [0] }, scope))).toMatchObject({
      code: 'NOT_YET',
      message: expect.stringContaining('rows 1'),
    });
    expect((await checkTimesheet(client, check, scope)).stored).toHaveLength(2);
  });
});

describe('an approved sheet', () => {
  test('takes nothing, and that is told for each row instead of a missing right', async () => {
    const [first, second] = await planned(bed());
    const timesheetId = await newSheet(bed());
    const input = { project, date, prefix, timesheetId };
    await enterTimecards(bed().client, { ...input, rows: [first!] }, scope);
    await approveTimesheets(
      bed().client,
      { project, timesheetIds: [timesheetId], status: 'approved' },
      scope,
    );
    const longer = { ...first!, entry: { ...first!.entry, description: 'longer' } };
    const entered = await enterTimecards(bed().client, { ...input, rows: [longer, second!] }, scope);
    expect(entered).toMatchObject([
      { index: 0, outcome: { kind: 'refused', reason: { code: 'sheet-approved' } } },
      { index: 1, outcome: { kind: 'refused', reason: { code: 'sheet-approved' } } },
    ]);
    expect(await effects(bed(), 'timecard-created')).toBe(1);
  });

  test('what is as the rows say stays present', async () => {
    const rows = await planned(bed());
    const timesheetId = await newSheet(bed());
    const input = { project, date, prefix, timesheetId, rows };
    await enterTimecards(bed().client, input, scope);
    await approveTimesheets(
      bed().client,
      { project, timesheetIds: [timesheetId], status: 'approved' },
      scope,
    );
    expect(await enterTimecards(bed().client, input, scope)).toMatchObject([
      { outcome: { kind: 'present' } },
      { outcome: { kind: 'present' } },
    ]);
  });

  test('approved by somebody while rows are entered: a refusal like a missing right is looked into', async () => {
    const [first, second] = await planned(bed());
    const timesheetId = await newSheet(bed());
    await bed().control.addFault({ route: 'timecards.create', action: { kind: 'status', status: 403 } });
    const approval = { project, timesheetIds: [timesheetId], status: 'approved' } as const;
    const { client } = bed();
    // The approval comes between the reading of the sheet and the first entry.
    const send: Sender['send'] = async (endpoint, call) => {
      const { name } = endpoint;
      if (name === createTimecardEntry.name) await approveTimesheets(client, approval, scope);
      return await client.send(endpoint, call);
    };
    const rows = [first!, second!];
    const entered = await enterTimecards({ send }, { project, date, prefix, timesheetId, rows }, scope);
    expect(entered.map(({ outcome }) => outcome.kind)).toEqual(['refused', 'refused']);
  });

  test('a right that is really missing is still waited for', async () => {
    const rows = await planned(bed());
    const timesheetId = await newSheet(bed());
    await bed().control.addFault({ route: 'timecards.create', action: { kind: 'status', status: 403 } });
    expect(
      await errorOf(enterTimecards(bed().client, { project, date, prefix, timesheetId, rows }, scope)),
    ).toMatchObject({ code: 'ACCESS_DENIED' });
  });
});
