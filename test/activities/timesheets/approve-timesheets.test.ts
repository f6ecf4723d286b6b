// Approving sheets of the stand-in service, over real HTTP.
import { approveTimesheets } from '../../../activities/timesheets/approve-timesheets';
import { useSandboxClient } from '../../setup/sandbox-client';
import { newSheet, project, scope } from './timesheet-bed';

const bed = useSandboxClient();

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
});
