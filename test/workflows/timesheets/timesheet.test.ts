// Timesheets the whole way: a real Temporal server, a real worker, and the stand-in service over HTTP.
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { resumeSignal, SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import {
  type ApprovedTimesheets,
  decideUpdate,
  type TimesheetProgress,
  type TimesheetResult,
  timesheetProgressQuery,
} from '../../../workflows/timesheets/timesheet-contract';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { askService } from '../../setup/ask-service';
import { recordHistory } from '../../setup/recorded-histories';
import { Rig } from '../../setup/rig';

const project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };
const DAY = {
  ...project,
  date: '2026-02-02',
  timing: 'times',
  source: 'gate',
  rows: [
    { person: 'Ada Ashby', costCode: '03-010', timeIn: '07:00', timeOut: '15:30', lunchMinutes: 30 },
    { partyId: 77, costCode: '03-020', timeIn: '14:00', timeOut: '22:00', lunchMinutes: 45 },
    { partyId: 78, costCode: '03-020', timeIn: '07:00', timeOut: '12:20' },
  ],
};
let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start();
  await rig.startWorker();
});
beforeEach(async () => {
  await rig.control.reset();
});
afterAll(async () => {
  await rig.close();
});

type Handle<Result> = WorkflowHandle<(input: unknown) => Promise<Result>>;

async function start<Result = TimesheetResult>(
  input: Record<string, unknown>,
  type = 'timesheetWorkflow',
): Promise<Handle<Result>> {
  return (await rig.temporal.client.workflow.start(type, {
    workflowId: `${type}/test/${randomUUID()}`,
    taskQueue: SERVICE_TASK_QUEUE,
    args: [input],
  })) as Handle<Result>;
}

async function finish(input: Record<string, unknown>): Promise<TimesheetResult> {
  const handle = await start(input);
  const result = await handle.result();
  await recordHistory(handle);
  return result;
}

async function until(
  handle: Handle<TimesheetResult>,
  holds: (progress: TimesheetProgress) => boolean,
): Promise<TimesheetProgress> {
  for (;;) {
    const progress = await handle.query(timesheetProgressQuery);
    if (holds(progress)) return progress;
    await rig.temporal.nextEvent(handle);
  }
}

async function failureOf(handle: Handle<unknown>): Promise<string> {
  const error = await handle.result().catch((reason: unknown) => reason as Error);
  return (error as Error).cause instanceof Error ? ((error as Error).cause as Error).message : '';
}

async function effects(what: string): Promise<number> {
  return (await rig.control.operations()).filter(operation => operation.what === what).length;
}

describe('a day of work', () => {
  test('becomes one sheet with an entry for each row, approved when all went well', async () => {
    const result = await finish({ ...DAY, approve: 'at-once' });
    expect(result).toMatchObject({ status: 'approved', entered: 3, refused: 0, leftOver: [] });
    expect(result.rows.map(row => (row.kind === 'refused' ? '' : row.hours))).toEqual([
      '8.0',
      '7.25',
      '5.33',
    ]);
    expect(await rig.control.violations()).toEqual([]);
    expect(await rig.control.requests()).toMatchObject({ 'timesheets.create': 1, 'timecards.create': 3 });
  });

  test('is total hours where the project takes them, computed from the times', async () => {
    const result = await finish({ ...DAY, projectId: 7002, timing: 'hours' });
    expect(result.rows.map(row => (row.kind === 'refused' ? '' : row.hours))).toEqual([
      '8.0',
      '7.25',
      '5.33',
    ]);
    expect(result.status).toBe('pending');
  });

  test('with an offset, times travel with their dates', async () => {
    const result = await finish({ ...DAY, utcOffset: '+01:00' });
    expect(result.rows.map(row => (row.kind === 'refused' ? '' : row.hours))).toEqual([
      '8.0',
      '7.25',
      '5.33',
    ]);
  });

  test('is made once although answers are lost', async () => {
    for (const route of ['timesheets.create', 'timecards.create', 'timesheets.update-approval']) {
      await rig.control.addFault({ route, action: { kind: 'reply-lost' } });
    }
    const result = await finish({ ...DAY, approve: 'at-once' });
    expect(result).toMatchObject({ status: 'approved', entered: 3, refused: 0 });
    expect([await effects('timesheet-created'), await effects('timecard-created')]).toEqual([1, 3]);
  });

  test('given again, corrected, goes on with the same sheet', async () => {
    const first = await finish(DAY);
    const [ada, ...rest] = DAY.rows;
    const second = await finish({ ...DAY, rows: [{ ...ada, timeOut: '16:00' }, ...rest] });
    expect(second.timesheetId).toBe(first.timesheetId);
    expect(second.rows.map(({ kind }) => kind)).toEqual(['updated', 'present', 'present']);
    expect(await effects('timecard-created')).toBe(3);
  });
});

test('a list that is corrected and started again at once goes on with its sheet, although no list shows that yet', async () => {
  const late = await Rig.start({ listedAfterMs: 4_000 });
  try {
    await late.startWorker();
    const run = async (rows: readonly object[]) => {
      const handle = await late.temporal.client.workflow.start('timesheetWorkflow', {
        workflowId: 'timesheet/7001/2026-02-02/gate',
        taskQueue: SERVICE_TASK_QUEUE,
        args: [{ ...DAY, rows }],
      });
      return (await handle.result()) as TimesheetResult;
    };
    const first = await run([{ ...DAY.rows[0], costCode: '99-999' }, ...DAY.rows.slice(1)]);
    expect(first).toMatchObject({ entered: 2, refused: 1 });
    const action = { kind: 'status', status: 200, body: [] } as const;
    await late.control.addFault({ route: 'timesheets.list', action });
    expect(await run(DAY.rows)).toMatchObject({ timesheetId: first.timesheetId, entered: 3 });
    const requests = await late.control.requests();
    expect(requests).toMatchObject({ 'timesheets.create': 1, 'timecards.create': 3 });
  } finally {
    await late.close();
  }
});

test('an entry by hand that is one row exactly puts no row in doubt that is entered by another call', async () => {
  const last = DAY.rows.slice(2);
  const { timesheetId } = await finish({ ...DAY, rows: last });
  await enterByHand(timesheetId);
  const ada = DAY.rows[0];
  const others = Array.from({ length: 50 }, (_, at) => ({ ...ada, person: undefined, partyId: 100 + at }));
  const formwork = { ...ada, timeOut: '09:30', lunchMinutes: 0, description: 'formwork' };
  const result = await finish({ ...DAY, rows: [formwork, ...others, ada, ...last] });
  expect(result).toMatchObject({ timesheetId, entered: 53, refused: 0 });
  expect([result.rows[0]?.kind, result.rows[51]?.kind]).toEqual(['entered', 'present']);
});

describe('an entry by hand on another sheet of the day', () => {
  async function handSheet(): Promise<number> {
    const path = `projects/${project.projectId}/timesheets`;
    const { json } = await askService(rig.sandbox, 'POST', path, { timesheet: { date: DAY.date } });
    const { id } = json as { readonly id: number };
    await enterByHand(String(id));
    return id;
  }

  test('is not entered once more, and a list with such a row is approved by a person alone', async () => {
    const other = await handSheet();
    const handle = await start({ ...DAY, approve: 'at-once' });
    await until(handle, ({ askingUntilMs }) => askingUntilMs !== undefined);
    await handle.executeUpdate(decideUpdate, { args: [{ decision: 'leave-pending' }] });
    const result = await handle.result();
    await recordHistory(handle);
    expect(result).toMatchObject({ status: 'pending', entered: 2, refused: 1 });
    expect(result.rows[0]).toMatchObject({
      reasons: [{ code: 'entered-by-hand', text: expect.stringContaining(`on the timesheet ${other} `) }],
    });
    expect(await effects('timecard-created')).toBe(3);
  });

  test('is told in the same words for every row of a list, whichever call enters the first of them', async () => {
    await handSheet();
    const [ada, ...rest] = DAY.rows;
    const doubtful = Array.from({ length: 51 }, () => ({ ...ada, timeOut: '16:00' }));
    const result = await finish({ ...DAY, rows: [...doubtful, ...rest] });
    expect(result).toMatchObject({ entered: 2, refused: 51 });
    const fixes = result.rows.flatMap(row =>
      row.kind === 'refused' ? row.reasons.map(({ fix }) => fix) : [],
    );
    expect(fixes).toHaveLength(51);
    expect([...new Set(fixes)]).toEqual([
      expect.stringContaining(`by hand on the timesheet ${result.timesheetId}, as it stands`),
    ]);
  });

  test('so it is where the answer to the entries was lost, and they are found by the next attempt', async () => {
    await handSheet();
    const [ada, ...rest] = DAY.rows;
    const doubtful = Array.from({ length: 51 }, () => ({ ...ada, timeOut: '16:00' }));
    // The last of the two: both are there by the second attempt.
    await rig.control.addFault({ route: 'timecards.create', skip: 1, action: { kind: 'reply-lost' } });
    const result = await (await start({ ...DAY, rows: [...doubtful, ...rest] })).result();
    expect(result.rows.slice(51)).toMatchObject([{ kind: 'present' }, { kind: 'present' }]);
    const fixes = result.rows.slice(0, 51).map(row => (row.kind === 'refused' ? row.reasons[0]?.fix : null));
    expect([...new Set(fixes)]).toEqual([
      expect.stringContaining(`by hand on the timesheet ${result.timesheetId}, as it stands`),
    ]);
  });

  test('that may be every row is no reason for a sheet', async () => {
    await handSheet();
    const result = await finish({ ...DAY, rows: DAY.rows.slice(0, 1), approve: 'at-once' });
    expect(result).toMatchObject({ timesheetId: null, status: null, entered: 0, refused: 1 });
    expect([await effects('timesheet-created'), await effects('timecard-created')]).toEqual([1, 1]);
  });
});

test('a sheet, its entries and its signature that are shown late are looked for again', async () => {
  const gone = { kind: 'status', status: 404 } as const;
  await rig.control.addFault({ route: 'timesheets.show', action: gone });
  await rig.control.addFault({ route: 'timesheets.signature', action: gone });
  const body = { id: 500_001, date: DAY.date, status: 'pending', timecard_entries: [] };
  // After the first one, and the one by which the rows are entered.
  const bare = { kind: 'status', status: 200, body } as const;
  await rig.control.addFault({ route: 'timesheets.show', skip: 1, action: bare });
  const imageBase64 = Buffer.from('an image').toString('base64');
  const signature = { userId: 9001, contentType: 'image/png', imageBase64 };
  const result = await finish({ ...DAY, signature, approve: 'at-once' });
  expect(result).toMatchObject({ status: 'approved', entered: 3, refused: 0, notes: [] });
  expect(result.signatureId).toMatch(/^\d+$/);
  expect(await rig.control.requests()).toMatchObject({ 'timesheets.show': 4, 'timesheets.signature': 2 });
  expect([await effects('timesheet-created'), await effects('timecard-created')]).toEqual([1, 3]);
});

/** The work of the first row of DAY. */
async function enterByHand(timesheetId: string | null): Promise<void> {
  const { status } = await askService(rig.sandbox, 'POST', `projects/${project.projectId}/timecard_entries`, {
    timecard_entry: {
      date: DAY.date,
      time_in: '07:00',
      time_out: '15:30',
      lunch_time: '30',
      cost_code_id: 41_032,
      login_information_id: 9_001,
      timesheet_id: Number(timesheetId),
    },
  });
  expect(status).toBe(201);
}

test('entries that no row stands for any more are left, told, and not approved unseen', async () => {
  const first = await finish(DAY);
  const handle = await start({ ...DAY, rows: DAY.rows.slice(0, 2), approve: 'at-once' });
  await until(handle, ({ askingUntilMs }) => askingUntilMs !== undefined);
  await handle.executeUpdate(decideUpdate, { args: [{ decision: 'leave-pending' }] });
  const result = await handle.result();
  const third = first.rows[2];
  expect(result.leftOver).toEqual([third?.kind === 'entered' ? third.entryId : '']);
  expect(result).toMatchObject({ status: 'pending', entered: 2 });
  expect(await effects('timecard-deleted')).toBe(0);
});

describe('the entry of a row that is refused', () => {
  const [ada, ...rest] = DAY.rows;

  test('is not told as left over where the row cannot be planned any more', async () => {
    await finish(DAY);
    const result = await finish({ ...DAY, rows: [{ ...ada, timeOut: '07:00' }, ...rest] });
    expect(result).toMatchObject({ entered: 2, refused: 1, leftOver: [] });
    expect(result.notes.join()).not.toContain('Delete them');
  });

  test('is not told as left over where the service refuses the correction', async () => {
    await finish(DAY);
    const action = { kind: 'status', status: 422, body: { errors: { time_out: ['is locked'] } } } as const;
    await rig.control.addFault({ route: 'timecards.update', action });
    const result = await finish({ ...DAY, rows: [{ ...ada, timeOut: '16:00' }, ...rest] });
    expect(result).toMatchObject({ entered: 2, refused: 1, leftOver: [] });
  });
});

describe('rows that cannot be entered', () => {
  const WRONG = [
    DAY.rows[0],
    { person: 'Nobody Known', costCode: '03-010', timeIn: '07:00', timeOut: '15:00' },
    { partyId: '77', costCode: '03-010', hours: '8' },
  ];

  test('are told one by one, the others are on the sheet, and a person decides', async () => {
    const handle = await start({ ...DAY, rows: WRONG, approve: 'at-once' });
    const progress = await until(handle, ({ askingUntilMs }) => askingUntilMs !== undefined);
    expect(progress).toMatchObject({ rows: 3, entered: 1 });
    expect(progress.refused.map(({ row, reasons }) => [row, reasons[0]?.code])).toEqual([
      [2, 'person'],
      [3, 'timing-mode'],
    ]);
    await expect(
      handle.executeUpdate(decideUpdate, { args: [{ decision: 'maybe' as 'approve' }] }),
    ).rejects.toMatchObject({ cause: { message: expect.stringContaining('approve') } });
    await handle.executeUpdate(decideUpdate, { args: [{ decision: 'approve' }] });
    expect(await handle.result()).toMatchObject({ status: 'approved', entered: 1, refused: 2 });
    await recordHistory(handle);
  });

  test('stay pending when a person says so', async () => {
    const handle = await start({ ...DAY, approve: 'ask' });
    await until(handle, ({ askingUntilMs }) => askingUntilMs !== undefined);
    await handle.executeUpdate(decideUpdate, { args: [{ decision: 'leave-pending' }] });
    expect(await handle.result()).toMatchObject({ status: 'pending', entered: 3 });
  });

  test('are no reason for an empty sheet', async () => {
    const result = await finish({ ...DAY, rows: WRONG.slice(1) });
    expect(result).toMatchObject({ timesheetId: null, status: null, entered: 0, refused: 2 });
    expect(await effects('timesheet-created')).toBe(0);
  });
});

describe('a word that cannot count is refused, and says why', () => {
  const say = (handle: Handle<TimesheetResult>, decision: 'approve' | 'leave-pending') =>
    handle.executeUpdate(decideUpdate, { args: [{ decision }] });
  const deniedList = () =>
    rig.control.addFault({
      route: 'timesheets.list',
      action: { kind: 'status', status: 403, body: { errors: 'no access to the Timesheets tool' } },
      times: 100,
    });
  const refusal = (message: RegExp) => ({ cause: { message: expect.stringMatching(message) } });

  test('before there is anything to see: the rows may still turn out to be refused', async () => {
    const denied = await deniedList();
    const rows = [DAY.rows[0], { partyId: '77', costCode: '03-010', hours: '8' }];
    const handle = await start({ ...DAY, rows, approve: 'at-once' });
    await until(handle, ({ blocked }) => blocked !== undefined);
    await expect(say(handle, 'approve')).rejects.toMatchObject(refusal(/not entered and compared yet.*asks/));
    await rig.control.removeFault(denied);
    await handle.signal(resumeSignal, {});
    await until(handle, ({ askingUntilMs }) => askingUntilMs !== undefined);
    await say(handle, 'leave-pending');
    expect(await handle.result()).toMatchObject({ status: 'pending', entered: 1, refused: 1 });
  });

  test('while the sheet is being approved', async () => {
    const delay = { kind: 'delay', ms: 600_000, when: 'after' } as const;
    const slow = await rig.control.addFault({ route: 'timesheets.update-approval', action: delay });
    const handle = await start({ ...DAY, approve: 'at-once' });
    await until(handle, ({ step }) => step === 'Approving the sheet');
    await expect(say(handle, 'leave-pending')).rejects.toMatchObject(refusal(/is being approved already/));
    await rig.control.removeFault(slow);
    expect(await handle.result()).toMatchObject({ status: 'approved' });
  });

  test('also where a person has said so, who is told which word counts', async () => {
    const delay = { kind: 'delay', ms: 600_000, when: 'after' } as const;
    const slow = await rig.control.addFault({ route: 'timesheets.update-approval', action: delay });
    const handle = await start({ ...DAY, approve: 'ask' });
    await until(handle, ({ askingUntilMs }) => askingUntilMs !== undefined);
    await say(handle, 'approve');
    await expect(say(handle, 'leave-pending')).rejects.toMatchObject(refusal(/decided already: approve/));
    await rig.control.removeFault(slow);
    expect(await handle.result()).toMatchObject({ status: 'approved' });
  });

  test('to a run that asks nobody', async () => {
    const denied = await deniedList();
    const handle = await start(DAY);
    await until(handle, ({ blocked }) => blocked !== undefined);
    await expect(say(handle, 'approve')).rejects.toMatchObject(refusal(/"approve": "no".*approves nothing/));
    await rig.control.removeFault(denied);
    await handle.signal(resumeSignal, {});
    expect(await handle.result()).toMatchObject({ status: 'pending', entered: 3 });
  });
});

describe('what stands in the way', () => {
  test('a missing right waits in sight, and after it was given the sheet is made once', async () => {
    await rig.control.addFault({ route: 'timesheets.create', action: { kind: 'reply-lost' } });
    const denied = await rig.control.addFault({
      route: 'timesheets.list',
      action: { kind: 'status', status: 403, body: { errors: 'no access to the Timesheets tool' } },
      skip: 1,
      times: 100,
    });
    const handle = await start(DAY);
    const { blocked } = await until(handle, progress => progress.blocked !== undefined);
    expect(blocked?.reason.code).toBe('ACCESS_DENIED');
    await rig.control.removeFault(denied);
    await handle.signal(resumeSignal, {});
    expect(await handle.result()).toMatchObject({ entered: 3 });
    expect(await effects('timesheet-created')).toBe(1);
    await recordHistory(handle);
  });

  test('an input that cannot be used fails at once with all faults and an example', async () => {
    const message = await failureOf(
      await start({
        companyId: '5001',
        date: '2026-02-30',
        timing: 'both',
        rows: [{ ref: 'a' }, { ref: 'a' }],
      }),
    );
    for (const part of ['"projectId"', '"date"', '"timing"', '"rows"', 'For example:', '"Ada Ashby"']) {
      expect(message).toContain(part);
    }
    expect(await rig.control.requests()).toEqual({});
  });

  test('a sheet that the service refuses ends the run in its words', async () => {
    const action = {
      kind: 'status',
      status: 422,
      body: { errors: { date: ['is in a closed period'] } },
    } as const;
    await rig.control.addFault({ route: 'timesheets.create', action });
    expect(await failureOf(await start(DAY))).toContain('is in a closed period');
  });

  test('a signature travels along, once', async () => {
    const imageBase64 = Buffer.from('an image').toString('base64');
    await rig.control.addFault({ route: 'timesheets.sign', action: { kind: 'reply-lost' } });
    const signature = { userId: 9001, contentType: 'image/png', imageBase64 };
    const result = await finish({ ...DAY, signature });
    expect(result.signatureId).toMatch(/^\d+$/);
    expect(await effects('signature-created')).toBe(1);
  });
});

describe('several sheets', () => {
  test('are approved with one request; the one at fault is named', async () => {
    const ids = [(await finish(DAY)).timesheetId, (await finish({ ...DAY, source: 'other' })).timesheetId];
    const input = { ...project, timesheetIds: [...ids, 999_999] };
    const handle = await start<ApprovedTimesheets>(input, 'approveTimesheetsWorkflow');
    const result = await handle.result();
    expect(result.changed.map(({ timesheetId }) => timesheetId)).toEqual(ids);
    expect(result.refused.map(({ timesheetId }) => timesheetId)).toEqual(['999999']);
    await recordHistory(handle as WorkflowHandle);
  });

  test('an approval whose answer was lost is asked for again', async () => {
    const { timesheetId } = await finish(DAY);
    await rig.control.addFault({ route: 'timesheets.update-approval', action: { kind: 'reply-lost' } });
    const input = { ...project, timesheetIds: [timesheetId] };
    const handle = await start<ApprovedTimesheets>(input, 'approveTimesheetsWorkflow');
    expect(await handle.result()).toMatchObject({ status: 'approved', refused: [] });
    expect(await effects('timesheet-status')).toBe(1);
  });

  test('no ids, or an unknown status, is refused with an example', async () => {
    const input = { ...project, timesheetIds: [], status: 'done' };
    const message = await failureOf(await start(input, 'approveTimesheetsWorkflow'));
    expect(message).toContain('"timesheetIds"');
    expect(message).toContain('"status"');
  });
});
