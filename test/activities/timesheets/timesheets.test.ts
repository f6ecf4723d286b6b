// The sheets of a day against the stand-in service, over real HTTP: made once, whatever happens to the
// answers.
import { MockActivityEnvironment } from '@temporalio/testing';
import { createServiceActivities } from '../../../activities/create-activities';
import { enterTimecards } from '../../../activities/timesheets/enter-timecards';
import { pairTimecards } from '../../../activities/timesheets/pair-timecards';
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
  follows,
  listLate,
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

  describe('that a run before of the same workflow id has begun a moment ago', () => {
    async function begin() {
      const ours = await newSheet(bed());
      const rows = await planned(bed());
      await enterTimecards(bed().client, { project, date, prefix, timesheetId: ours, rows }, scope);
      return { ours, input: { project, date, prefix, rows } };
    }

    test('and that is listed late, is looked for once more, and is the one to go on with', async () => {
      const { client } = bed();
      const { ours, input } = await begin();
      await listLate(bed(), 'timesheets.list');
      const later = lookingOnce(await errorOf(findTimesheet(client, input, scope, follows)), 10_000);
      expect(await findTimesheet(client, input, later, follows)).toMatchObject({ ours });
    });

    test('is waited for no more once it was looked for twice, or where it is listed', async () => {
      const { client } = bed();
      const { ours, input } = await begin();
      expect(await findTimesheet(client, input, scope, follows)).toMatchObject({ ours });
      const other = { ...input, prefix: originPrefix('canteen', date) };
      const later = lookingOnce(await errorOf(findTimesheet(client, other, scope, follows)), 10_000);
      expect(await findTimesheet(client, other, later, follows)).toMatchObject({ ours: null });
    });

    test('is asked about by what a worker registers; a run that follows none asks the service once', async () => {
      const find = async (sinceMs: number) => {
        const activities = createServiceActivities({
          client: bed().client,
          draining: new AbortController().signal,
          sinceRunBefore: async () => sinceMs,
        } as never);
        return await new MockActivityEnvironment().run(activities.findTimesheet, { project, date, prefix });
      };
      await expect(find(20_000)).rejects.toMatchObject({ type: 'NOT_YET' });
      const before = (await bed().control.requests())['timesheets.list'] ?? 0;
      expect(await find(Number.POSITIVE_INFINITY)).toEqual({ ours: null, all: [] });
      expect((await bed().control.requests())['timesheets.list']).toBe(before + 1);
    });
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

    test('is told with what the pairing reads of one entry for each row, however long its description', async () => {
      const other = await newSheet(bed());
      const description = 'formwork '.repeat(400).trim();
      const exact = await enterByHand(bed(), other, { login_information_id: 9_001, description });
      await enterByHand(bed(), other, { login_information_id: 9_001, description: 'x' });
      const rows = await planned(bed(), [{ ...ROWS[0]!, description: ` ${description}\n` }, ROWS[1]!]);
      const { byHand = [] } = await find(rows);
      expect(byHand.map(({ id }) => id)).toEqual([exact]);
      expect(JSON.stringify(byHand).length).toBeLessThan(500);
      expect(pairTimecards(rows, [], prefix, byHand).inDoubt).toMatchObject([{ row: { index: 0 } }]);
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
