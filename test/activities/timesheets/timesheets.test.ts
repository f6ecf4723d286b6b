// The sheets of a day against the stand-in service, over real HTTP: made once, whatever happens to the
// answers.
import { enterTimecards } from '../../../activities/timesheets/enter-timecards';
import { createTimesheet, findTimesheet } from '../../../activities/timesheets/timesheets';
import { originPrefix } from '../../../workflows/timesheets/decide/origin-ids';
import { useSandboxClient } from '../../setup/sandbox-client';
import { errorOf } from '../service/client-bed';
import {
  again,
  asked,
  date,
  effects,
  enterByHand,
  listLate,
  lookingAgain,
  NIGHT,
  newSheet,
  planned,
  prefix,
  project,
  scope,
} from './timesheet-bed';

const bed = useSandboxClient();

describe('a sheet', () => {
  test('whose creation was not answered is found and not made again', async () => {
    const { client, control } = bed();
    await control.addFault({ route: 'timesheets.create', action: { kind: 'reply-lost' } });
    const input = { project, date, before: [], asked };
    expect(await errorOf(createTimesheet(client, input, scope))).toMatchObject({ effect: 'unknown' });
    const found = await createTimesheet(client, input, again);
    expect(await effects(bed(), 'timesheet-created')).toBe(1);
    expect(found.status).toBe('pending');
    const repaired = { ...input, asked: { ...asked, again: true } } as const;
    const ofTheReleaseBefore = { ...input, again: true };
    for (const after of [repaired, ofTheReleaseBefore])
      expect((await createTimesheet(client, after, scope)).id).toBe(found.id);
  });

  test('whose creation was not answered, and which is listed late, is looked for twice and not made again', async () => {
    const { client, control } = bed();
    await control.addFault({ route: 'timesheets.create', action: { kind: 'reply-lost' } });
    const input = { project, date, before: [], asked };
    expect(await errorOf(createTimesheet(client, input, scope))).toMatchObject({ effect: 'unknown' });
    await listLate(bed(), 'timesheets.list');
    const later = lookingAgain(await errorOf(createTimesheet(client, input, again)));
    await createTimesheet(client, input, later);
    expect(await effects(bed(), 'timesheet-created')).toBe(1);
  });

  test('whose creation nobody heard of is made once it was looked for twice', async () => {
    const { client, control } = bed();
    await control.addFault({ route: 'timesheets.create', action: { kind: 'cut-request' } });
    const input = { project, date, before: [], asked };
    expect(await errorOf(createTimesheet(client, input, scope))).toMatchObject({ effect: 'unknown' });
    const later = lookingAgain(await errorOf(createTimesheet(client, input, again)));
    await createTimesheet(client, input, later);
    expect(await effects(bed(), 'timesheet-created')).toBe(1);
  });

  test('that was there before, or that has entries, is never taken for the lost one', async () => {
    const { client } = bed();
    const before = await newSheet(bed());
    const filled = await newSheet(bed());
    await enterTimecards(
      client,
      { project, date, prefix: originPrefix('other', date), timesheetId: filled, rows: await planned(bed()) },
      scope,
    );
    const created = await createTimesheet(
      client,
      { project, date, before: [before], again: true, asked },
      scope,
    );
    expect([before, filled]).not.toContain(created.id);
  });

  test('that holds entries of this source is the one to go on with', async () => {
    const { client } = bed();
    const other = await newSheet(bed());
    const ours = await newSheet(bed());
    await enterTimecards(
      client,
      { project, date, prefix, timesheetId: ours, rows: await planned(bed()) },
      scope,
    );
    expect(await findTimesheet(client, { project, date, prefix }, scope)).toEqual({
      ours,
      all: [other, ours],
    });
    expect((await findTimesheet(client, { project, date, prefix: 'x/' }, scope)).ours).toBeNull();
  });

  describe('of the day that has entries by hand', () => {
    const find = async (rows: Awaited<ReturnType<typeof planned>>) =>
      await findTimesheet(bed().client, { project, date, prefix, rows }, scope);

    test('is told with those that may be the work of a row, and costs no other request', async () => {
      const other = await newSheet(bed());
      const ada = await enterByHand(bed(), other);
      await enterByHand(bed(), other, { login_information_id: 9_002 });
      const found = await find(await planned(bed()));
      expect(found).toMatchObject({ ours: null, byHand: [{ id: ada, timesheetId: other }] });
      expect(found).not.toHaveProperty('refused');
      expect(await bed().control.requests()).not.toHaveProperty('timecards.show');
    });

    test('of parties is asked whose they are, where a row of a party may be that work', async () => {
      const other = await newSheet(bed());
      const night = await enterByHand(bed(), other, { ...NIGHT, party_id: 77 });
      await enterByHand(bed(), other, { ...NIGHT, party_id: 78 });
      await enterByHand(bed(), other, { party_id: 79 });
      expect((await find(await planned(bed()))).byHand?.map(({ id }) => id)).toEqual([night]);
      expect(await bed().control.requests()).toMatchObject({ 'timecards.show': 2 });
    });

    test('is no other one where it is ours, and entries of another source are not by hand', async () => {
      const ours = await newSheet(bed());
      const rows = await planned(bed());
      await enterTimecards(bed().client, { project, date, prefix, timesheetId: ours, rows }, scope);
      await enterByHand(bed(), ours);
      const timesheetId = await newSheet(bed());
      const others = { project, date, prefix: originPrefix('canteen', date), timesheetId, rows };
      await enterTimecards(bed().client, others, scope);
      expect(await find(rows)).toEqual({ ours, all: [ours, timesheetId] });
    });

    test('is enough where they may be every row: each is refused, and told', async () => {
      const other = await newSheet(bed());
      const ada = await enterByHand(bed(), other, { login_information_id: 9_001, lunch_time: '60' });
      const [first] = await planned(bed());
      expect((await find([first!])).refused).toEqual([
        {
          index: 0,
          outcome: {
            kind: 'refused',
            reason: {
              code: 'entered-by-hand',
              text: expect.stringContaining(`entry ${ada} on the timesheet ${other}`),
              fix: expect.stringContaining('leave it out'),
            },
          },
        },
      ]);
    });
  });
});
