// The activities of timesheets against the stand-in service, over real HTTP: once each,
// whatever happens to the answers.

import { createTimecardEntry } from '../../../activities/service/endpoints/timecard-entries';
import type { Sender } from '../../../activities/service/service-client';
import type { PlannedTimecard, TimecardRow } from '../../../activities/timesheets/plan-timecards';
import { signTimesheet } from '../../../activities/timesheets/timesheet-signatures';
import {
  approveTimesheets,
  checkTimesheet,
  createTimesheet,
  enterTimecards,
  findTimesheet,
  planTimecards,
  readTimecard,
  readTimesheetHistory,
} from '../../../activities/timesheets/timesheets';
import type { EnterTimecardsInput } from '../../../activities/timesheets/timesheets-api';
import { originPrefix } from '../../../workflows/timesheets/decide/origin-ids';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { useSandboxClient } from '../../setup/sandbox-client';
import { errorOf } from '../service/client-bed';

const bed = useSandboxClient();
const project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };
const date = '2026-02-02';
const prefix = originPrefix('gate', date);
const scope = { signal: new AbortController().signal, attempt: 1 };
const again = { ...scope, attempt: 2 };
const asked = { runId: 'this-run' };

const ROWS: readonly TimecardRow[] = [
  { person: 'Ada Ashby', costCode: '03-010', timeIn: '07:00', timeOut: '15:30', lunchMinutes: 30 },
  { partyId: '77', costCode: '41033', timeIn: '22:00', timeOut: '06:00', lunchMinutes: 45, billable: true },
];

async function planned(rows: readonly TimecardRow[] = ROWS): Promise<readonly PlannedTimecard[]> {
  const { ready, faulty } = await planTimecards(
    bed().client,
    { project, date, timing: 'times', utcOffset: '-05:00', rows },
    scope,
  );
  expect(faulty).toEqual([]);
  return ready;
}

async function newSheet(): Promise<string> {
  const input = { project, date, before: [], again: false, asked };
  return (await createTimesheet(bed().client, input, scope)).id;
}

async function effects(what: string): Promise<number> {
  return (await bed().control.operations()).filter(operation => operation.what === what).length;
}

describe('planning', () => {
  test('people and cost codes are found by name, code and id', async () => {
    const [first, second] = await planned();
    expect(first?.entry).toMatchObject({ loginId: '9001', costCodeId: '41032', hours: '8.0' });
    expect(second?.entry).toMatchObject({ partyId: '77', costCodeId: '41033', hours: '7.25' });
  });

  test('with ids alone, only the id lists are asked for', async () => {
    await planned([{ person: '9001', costCode: '41032', timeIn: '07:00', timeOut: '08:00' }]);
    const requests = await bed().control.requests();
    expect(requests).toMatchObject({ 'timesheets.cost-code-ids': 1, 'timesheets.creator-ids': 1 });
    expect(requests['timesheets.cost-codes']).toBeUndefined();
  });

  test('what is wrong with a row is said with what would be right', async () => {
    const { ready, faulty } = await planTimecards(
      bed().client,
      {
        project,
        date,
        timing: 'times',
        rows: [{ person: 'Ada Ashbi', costCode: '03-01O', timeIn: '07:00', timeOut: '07:00' }],
      },
      scope,
    );
    expect(ready).toEqual([]);
    expect(faulty[0]?.reasons.map(({ code }) => code)).toEqual(['person', 'cost-code', 'times']);
    expect(faulty[0]?.reasons[0]?.fix).toContain('Ada Ashby');
    expect(faulty[0]?.reasons[1]?.fix).toContain('03-010');
  });
});

describe('a sheet', () => {
  test('whose creation was not answered is found and not made again', async () => {
    const { client, control } = bed();
    await control.addFault({ route: 'timesheets.create', action: { kind: 'reply-lost' } });
    const input = { project, date, before: [], again: false, asked };
    expect(await errorOf(createTimesheet(client, input, scope))).toMatchObject({ effect: 'unknown' });
    const found = await createTimesheet(client, input, again);
    expect(await effects('timesheet-created')).toBe(1);
    expect(found.status).toBe('pending');
    const after = await createTimesheet(client, { ...input, again: true }, scope);
    expect(after.id).toBe(found.id);
  });

  test('that was there before, or that has entries, is never taken for the lost one', async () => {
    const { client } = bed();
    const before = await newSheet();
    const filled = await newSheet();
    await enterTimecards(
      client,
      { project, date, prefix: originPrefix('other', date), timesheetId: filled, rows: await planned() },
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
    const other = await newSheet();
    const ours = await newSheet();
    await enterTimecards(client, { project, date, prefix, timesheetId: ours, rows: await planned() }, scope);
    expect(await findTimesheet(client, { project, date, prefix }, scope)).toEqual({
      ours,
      all: [other, ours],
    });
    expect((await findTimesheet(client, { project, date, prefix: 'x/' }, scope)).ours).toBeNull();
  });
});

describe('entries', () => {
  async function input(): Promise<EnterTimecardsInput> {
    return { project, date, prefix, timesheetId: await newSheet(), rows: await planned() };
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
    expect(await effects('timecard-created')).toBe(2);
    expect(await effects('timecard-updated')).toBe(0);
  });

  test.each(['reply-lost', 'cut-answer'] as const)(
    'whose answer was lost (%s) are not made twice',
    async kind => {
      const { client, control } = bed();
      const asked = await input();
      await control.addFault({ route: 'timecards.create', action: { kind } });
      expect(await errorOf(enterTimecards(client, asked, scope))).toMatchObject({ effect: 'unknown' });
      const done = await enterTimecards(client, asked, again);
      expect(done.map(({ outcome }) => outcome.kind)).toEqual(['present', 'entered']);
      expect(await effects('timecard-created')).toBe(2);
    },
  );

  test('nobody heard of are made', async () => {
    const { client, control } = bed();
    const asked = await input();
    await control.addFault({ route: 'timecards.create', action: { kind: 'cut-request' } });
    expect(await errorOf(enterTimecards(client, asked, scope))).toMatchObject({ effect: 'unknown' });
    await enterTimecards(client, asked, again);
    expect(await effects('timecard-created')).toBe(2);
  });

  test('that differ from a corrected row are corrected, and the history says so', async () => {
    const { client } = bed();
    const asked = await input();
    await enterTimecards(client, asked, scope);
    const [row, ...rest] = ROWS;
    const rows = await planned([{ ...row, timeOut: '16:00' }, ...rest]);
    const corrected = await enterTimecards(client, { ...asked, rows }, scope);
    expect(corrected.map(({ outcome }) => outcome.kind)).toEqual(['updated', 'present']);
    const checked = await checkTimesheet(client, { ...asked, rows }, scope);
    expect(checked.stored.map(({ hours }) => hours)).toEqual(['8.5', '7.25']);
    const history = await readTimesheetHistory(client, asked, scope);
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
    expect(await effects('timecard-deleted')).toBe(1);
  });
});

describe('approval', () => {
  test('one request for several sheets', async () => {
    const timesheetIds = [await newSheet(), await newSheet()];
    const { client, control } = bed();
    const done = await approveTimesheets(client, { project, timesheetIds, status: 'approved' }, scope);
    expect(done.changed.map(({ id, status }) => [id, status])).toEqual(
      timesheetIds.map(id => [id, 'approved']),
    );
    expect((await control.requests())['timesheets.update-approval']).toBe(1);
  });

  test('a sheet that is not there does not hold back the others', async () => {
    const id = await newSheet();
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
    const ids = [await newSheet(), await newSheet()];
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

describe('signatures', () => {
  const input = {
    project,
    userId: '9001',
    text: 'I agree',
    fileName: 'timesheet-1.png',
    contentType: 'image/png' as const,
    imageBase64: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 13, 10]).toString('base64'),
  };

  test('the image arrives byte for byte, and signing twice is signing once', async () => {
    const { client, control } = bed();
    const signed = await signTimesheet(client, input, scope);
    expect(signed.fileName).toBe('timesheet-1.png');
    expect(await signTimesheet(client, input, scope)).toEqual(signed);
    const [made, ...more] = (await control.operations()).filter(({ what }) => what === 'signature-created');
    expect(more).toEqual([]);
    const { createHash } = await import('node:crypto');
    const sha256 = createHash('sha256').update(Buffer.from(input.imageBase64, 'base64')).digest('hex');
    expect(made?.detail).toMatchObject({ sha256 });
  });

  test('a lost answer is found in the list', async () => {
    const { client, control } = bed();
    await control.addFault({ route: 'timesheets.sign', action: { kind: 'reply-lost' } });
    expect(await errorOf(signTimesheet(client, input, scope))).toMatchObject({ effect: 'unknown' });
    await signTimesheet(client, input, again);
    expect(await effects('signature-created')).toBe(1);
  });

  test('what is no base64 is not sent', async () => {
    const broken = { ...input, imageBase64: 'not base64!' };
    expect(await errorOf(signTimesheet(bed().client, broken, scope))).toMatchObject({
      code: 'INVALID_REQUEST',
    });
    expect((await bed().control.requests())['timesheets.sign']).toBeUndefined();
  });
});

describe('an approved sheet', () => {
  test('takes nothing, and that is told for each row instead of a missing right', async () => {
    const [first, second] = await planned();
    const timesheetId = await newSheet();
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
    expect(await effects('timecard-created')).toBe(1);
  });

  test('what is as the rows say stays present', async () => {
    const rows = await planned();
    const timesheetId = await newSheet();
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
    const [first, second] = await planned();
    const timesheetId = await newSheet();
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
    const rows = await planned();
    const timesheetId = await newSheet();
    await bed().control.addFault({ route: 'timecards.create', action: { kind: 'status', status: 403 } });
    expect(
      await errorOf(enterTimecards(bed().client, { project, date, prefix, timesheetId, rows }, scope)),
    ).toMatchObject({ code: 'ACCESS_DENIED' });
  });
});
