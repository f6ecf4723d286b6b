// Every operation of timesheets and timecard entries, over real HTTP against the stand-in service.
import {
  createTimecardEntry,
  deleteTimecardEntry,
  type EntryTiming,
  listTimecardEntries,
  showTimecardEntry,
  updateTimecardEntry,
} from '../../../../activities/service/endpoints/timecard-entries';
import {
  listTimesheetCostCodeIds,
  listTimesheetCostCodes,
  listTimesheetCreatorIds,
  listTimesheetCreators,
} from '../../../../activities/service/endpoints/timesheet-lookups';
import {
  createTimesheet,
  listTimesheetChanges,
  listTimesheets,
  showTimesheet,
  updateApproval,
} from '../../../../activities/service/endpoints/timesheets';
import { fetchAll } from '../../../../activities/service/pages';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../../../sandbox/defaults';
import { useSandboxClient } from '../../../setup/sandbox-client';
import { errorOf } from '../client-bed';

const bed = useSandboxClient();
const companyId = DEFAULT_COMPANY_ID;
const params = { projectId: DEFAULT_PROJECTS.plain };
const date = '2026-02-02';
const TIMES: EntryTiming = { mode: 'times', timeIn: '22:00', timeOut: '06:00', lunchMinutes: 45 };

async function newSheet(projectId: string = params.projectId, day = date): Promise<string> {
  const { data } = await bed().client.send(createTimesheet, {
    params: { projectId },
    companyId,
    body: { date: day },
  });
  return data.id;
}

const content = { date, timing: TIMES, billable: true, description: 'Night pour', costCodeId: '41032' };

async function newEntry(timesheetId: string, originData = 'a/1'): Promise<string> {
  const body = { ...content, timesheetId, originData };
  const { data } = await bed().client.send(createTimecardEntry, { params, companyId, body });
  return data.id;
}

describe('timesheets', () => {
  test('a new sheet is pending, empty and named after its day', async () => {
    const id = await newSheet();
    const { data } = await bed().client.send(showTimesheet, {
      params: { ...params, timesheetId: id },
      companyId,
    });
    expect(data).toMatchObject({ id, date, status: 'pending', entries: [], number: '1' });
    expect(data.name).toContain(date);
    expect(data.createdBy?.id).toBe('9900');
  });

  test('the list goes over pages, and a day can be asked for', async () => {
    for (const day of [date, date, date, '2026-02-03']) await newSheet(params.projectId, day);
    const { client, control } = bed();
    const all = await fetchAll(client, listTimesheets, { params, companyId, query: { perPage: 2 } });
    expect(all).toHaveLength(4);
    expect((await control.requests())['timesheets.list']).toBe(2);
    const query = { from: '2026-02-03', to: '2026-02-03' };
    const day = await fetchAll(client, listTimesheets, { params, companyId, query });
    expect(day.map(sheet => sheet.date)).toEqual(['2026-02-03']);
  });

  test('several are approved at once, and can be made pending again', async () => {
    const ids = [await newSheet(), await newSheet()];
    const change = (status: 'pending' | 'approved') => ({
      params,
      companyId,
      body: { timesheets: ids.map(timesheetId => ({ timesheetId, status })) },
    });
    const approved = await bed().client.send(updateApproval, change('approved'));
    expect(approved.data.map(({ id, status }) => [id, status])).toEqual(ids.map(id => [id, 'approved']));
    const pending = await bed().client.send(updateApproval, change('pending'));
    expect(pending.data.every(({ status }) => status === 'pending')).toBe(true);
  });

  test('a sheet that is not there leaves all of them as they were', async () => {
    const id = await newSheet();
    const body = {
      timesheets: [
        { timesheetId: id, status: 'approved' as const },
        { timesheetId: '999999', status: 'approved' as const },
      ],
    };
    expect(await errorOf(bed().client.send(updateApproval, { params, companyId, body }))).toMatchObject({
      code: 'NOT_FOUND',
      effect: 'rejected',
    });
    const { data } = await bed().client.send(showTimesheet, {
      params: { ...params, timesheetId: id },
      companyId,
    });
    expect(data.status).toBe('pending');
  });
});

describe('timecard entries', () => {
  test('an entry is stored with its hours, and found on its sheet by what we left there', async () => {
    const sheet = await newSheet();
    const id = await newEntry(sheet);
    const { data } = await bed().client.send(showTimesheet, {
      params: { ...params, timesheetId: sheet },
      companyId,
    });
    expect(data.entries).toEqual([
      expect.objectContaining({
        id,
        hours: '7.25',
        costCodeId: '41032',
        originData: 'a/1',
        timeOut: '2026-02-03T06:00:00Z',
        billable: true,
        isDeleted: false,
      }),
    ]);
  });

  test('a change is stored and shows in the history; a deleted entry is gone', async () => {
    const { client } = bed();
    const entryId = await newEntry(await newSheet());
    const one = { params: { ...params, entryId }, companyId };
    const body = { ...content, description: 'Night pour, north' };
    const changed = await client.send(updateTimecardEntry, { ...one, body });
    expect(changed.data.description).toBe('Night pour, north');
    const history = await client.send(listTimesheetChanges, {
      params,
      companyId,
      body: { entryIds: [entryId] },
    });
    expect(history.data).toEqual([
      expect.objectContaining({ column: 'description', before: 'Night pour', after: 'Night pour, north' }),
    ]);
    await client.send(deleteTimecardEntry, one);
    expect(await errorOf(client.send(showTimecardEntry, one))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await errorOf(client.send(deleteTimecardEntry, one))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('the list gives the pending entries of the days asked for', async () => {
    const { client } = bed();
    const sheet = await newSheet();
    const id = await newEntry(sheet);
    const list = () =>
      fetchAll(client, listTimecardEntries, { params, companyId, query: { from: date, to: date } });
    expect((await list()).map(entry => [entry.id, entry.timesheetId])).toEqual([[id, sheet]]);
    await client.send(updateApproval, {
      params,
      companyId,
      body: { timesheets: [{ timesheetId: sheet, status: 'approved' }] },
    });
    expect(await list()).toEqual([]);
  });

  test.each([
    ['hours where start and stop are set', DEFAULT_PROJECTS.plain, { mode: 'hours', hours: '8.0' }],
    ['times where total hours are set', DEFAULT_PROJECTS.namingStandard, TIMES],
  ] as const)('%s are refused, with the reason in words', async (_, projectId, timing) => {
    const body = { ...content, timing, timesheetId: await newSheet(projectId), originData: 'a/1' };
    const error = await errorOf(
      bed().client.send(createTimecardEntry, { params: { projectId }, companyId, body }),
    );
    expect(error).toMatchObject({ code: 'REQUEST_REFUSED', status: 422 });
    expect(JSON.stringify(error.reasons)).toContain('this project takes');
  });

  test('total hours are stored where the project takes them', async () => {
    const projectId = DEFAULT_PROJECTS.namingStandard;
    const body = {
      ...content,
      timing: { mode: 'hours', hours: '7.3333' } as const,
      timesheetId: await newSheet(projectId),
      originData: 'a/1',
    };
    const { data } = await bed().client.send(createTimecardEntry, { params: { projectId }, companyId, body });
    expect(data).toMatchObject({ hours: '7.33', timeIn: null });
  });

  test('a body that breaks the contract is not sent', async () => {
    const body = { ...content, date: '2026-02-30', timesheetId: 'x', originData: '' };
    expect(await errorOf(bed().client.send(createTimecardEntry, { params, companyId, body }))).toMatchObject({
      code: 'INVALID_REQUEST',
      effect: 'not-sent',
    });
    expect((await bed().control.requests())['timecards.create']).toBeUndefined();
  });
});

describe('what a timesheet can refer to', () => {
  test('creators, as people and as ids', async () => {
    const { client } = bed();
    const people = await fetchAll(client, listTimesheetCreators, {
      params,
      companyId,
      query: { perPage: 50 },
    });
    const ids = await client.send(listTimesheetCreatorIds, { params, companyId });
    expect(people.map(({ id }) => id)).toEqual(ids.data);
    expect(people.find(({ id }) => id === '9001')?.name).toBe('Ada Ashby');
  });

  test('cost codes, as codes and as ids, also of a sub job', async () => {
    const { client } = bed();
    const codes = await fetchAll(client, listTimesheetCostCodes, {
      params,
      companyId,
      query: { perPage: 50 },
    });
    const ids = await client.send(listTimesheetCostCodeIds, { params, companyId, query: {} });
    expect(codes.map(({ id }) => id)).toEqual(ids.data);
    expect(codes.find(({ code }) => code === '03-010')).toMatchObject({ id: '41032' });
    const subJob = await client.send(listTimesheetCostCodeIds, {
      params,
      companyId,
      query: { subJobId: '88' },
    });
    expect(subJob.data).toHaveLength(30);
    expect(subJob.data.some(id => ids.data.includes(id))).toBe(false);
  });
});
