// Approving sheets of the stand-in service, over real HTTP.
import { approveTimesheets } from '../../../activities/timesheets/approve-timesheets';
import { useSandboxClient } from '../../setup/sandbox-client';
import { date, lookingOnce, newSheet, project, scope } from './timesheet-bed';

const bed = useSandboxClient();

const pendingSheet = (id: string) => ({ id, date, status: 'pending', timecard_entries: [] });

describe('approval', () => {
  test('one request for several sheets', async () => {
    const timesheetIds = [await newSheet(bed()), await newSheet(bed())];
    const { client, control } = bed();
    const done = await approveTimesheets(client, { project, timesheetIds, status: 'approved' }, scope);
    expect(done.changed.map(({ id, status }) => [id, status])).toEqual(
      timesheetIds.map(id => [id, 'approved']),
    );
    expect((await control.requests())['timesheets.update-approval']).toBe(1);
  });

  test('of many sheets takes a request for each ten, since the answer shows all their entries', async () => {
    const timesheetIds = [];
    for (let count = 0; count < 11; count += 1) timesheetIds.push(await newSheet(bed()));
    const { client, control } = bed();
    const done = await approveTimesheets(client, { project, timesheetIds, status: 'approved' }, scope);
    expect(done.changed.map(({ id }) => id)).toEqual(timesheetIds);
    expect((await control.requests())['timesheets.update-approval']).toBe(2);
  });

  test('a sheet that is not there does not hold back the others', async () => {
    const id = await newSheet(bed());
    const done = await approveTimesheets(
      bed().client,
      { project, timesheetIds: [id, '999999'], status: 'approved' },
      scope,
    );
    expect(done.changed.map(sheet => sheet.id)).toEqual([id]);
    expect(done.refused).toEqual([
      { timesheetId: '999999', reason: expect.objectContaining({ code: 'refused-404' }) },
    ]);
  });

  test('a sheet left out of the answer is looked at', async () => {
    const ids = [await newSheet(bed()), await newSheet(bed())];
    const { client, control } = bed();
    await control.addFault({
      route: 'timesheets.update-approval',
      action: { kind: 'status', status: 200, body: [], effect: true },
    });
    const done = await approveTimesheets(client, { project, timesheetIds: ids, status: 'approved' }, scope);
    expect(done.changed.map(({ id }) => id)).toEqual(ids);
    expect((await control.requests())['timesheets.show']).toBe(2);
  });

  test.each([
    ['as it was before', { kind: 'status', status: 200, body: pendingSheet } as const],
    ['not at all', { kind: 'status', status: 404, body: {} } as const],
  ])('one that a late look shows %s is looked at again, and not asked for again', async (_, late) => {
    const id = await newSheet(bed());
    const { client, control } = bed();
    await control.addFault({
      route: 'timesheets.update-approval',
      action: { kind: 'status', status: 200, body: [], effect: true },
    });
    const action = late.status === 200 ? { ...late, body: late.body(id) } : late;
    await control.addFault({ route: 'timesheets.show', action });
    const input = { project, timesheetIds: [id], status: 'approved' } as const;
    const ended: unknown = await approveTimesheets(client, input, scope).catch((error: unknown) => error);
    const done = await approveTimesheets(client, input, lookingOnce(ended, 500));
    expect([done.changed.map(({ status }) => status), done.refused]).toEqual([['approved'], []]);
    expect((await control.requests())['timesheets.update-approval']).toBe(1);
  });

  test('one that has another status in every look is told as that', async () => {
    const id = await newSheet(bed());
    const { client, control } = bed();
    await control.addFault({
      route: 'timesheets.update-approval',
      action: { kind: 'status', status: 200, body: [] },
    });
    const input = { project, timesheetIds: [id], status: 'approved' } as const;
    const done = await approveTimesheets(client, input, scope, { listedAfterMs: 0 });
    expect(done.changed).toEqual([]);
    expect(done.refused).toMatchObject([{ timesheetId: id, reason: { code: 'status-not-taken' } }]);
  });
});
