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
  listLate,
  lookingAgain,
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
});
