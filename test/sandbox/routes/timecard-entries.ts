/** Timecard entries: one timing mode only, that of the project's setting; approved sheets are closed. */
import { z } from 'zod';
import { projectUsers } from '../content/users';
import { plainError, Refusal } from '../http/answer';
import { GENERAL_PAGES, pageAnswer } from '../http/pages';
import type { Route, RouteRequest } from '../http/route';
import { requirePlainProject } from '../rules/access';
import { noticeOrigin } from '../rules/reused-origin';
import { normalHours, toHours, workedMinutes } from '../timesheets/clock-times';
import { COST_CODES, FIRST_IDS, PARTIES, TIME_TYPES, timingOf } from '../timesheets/content';
import type { TimecardRecord } from '../timesheets/records';
import { wireTimecard } from '../timesheets/wire';
import type { World } from '../world';
import { record } from './timesheets';

const ENTRIES = '/rest/v1.0/projects/:project/timecard_entries';
const common = { origin: 'api', access: 'company' } as const;

export const timecardEntryRoutes: readonly Route[] = [
  { ...common, key: 'timecards.create', method: 'POST', path: ENTRIES, body: 'json', handle: create },
  { ...common, key: 'timecards.list', method: 'GET', path: ENTRIES, body: 'none', handle: list },
  {
    ...common,
    key: 'timecards.show',
    method: 'GET',
    path: `${ENTRIES}/:entry`,
    body: 'none',
    handle: (request, world) => ({ status: 200, json: wireTimecard(world, requireEntry(world, request)) }),
  },
  {
    ...common,
    key: 'timecards.update',
    method: 'PATCH',
    path: `${ENTRIES}/:entry`,
    body: 'json',
    handle: update,
  },
  {
    ...common,
    key: 'timecards.delete',
    method: 'DELETE',
    path: `${ENTRIES}/:entry`,
    body: 'none',
    handle(request, world) {
      const entry = requireEntry(world, request);
      requirePending(world, entry.timesheetId);
      world.timecards.put({ ...entry, deletedAt: world.now() });
      record(world, request, 'timecard-deleted', { id: entry.id });
      return { status: 200, json: {} };
    },
  },
];

const shape = {
  date: z.iso.date().optional(),
  hours: z.string().optional(),
  lunch_time: z.union([z.number().int().min(0).max(1_440), z.string().regex(/^\d{1,4}$/)]).optional(),
  time_in: z.string().max(40).optional(),
  time_out: z.string().max(40).optional(),
  billable: z.boolean().optional(),
  description: z.string().max(4_000).optional(),
  cost_code_id: z.number().int().optional(),
  timecard_time_type_id: z.number().int().optional(),
  party_id: z.number().int().optional(),
  login_information_id: z.number().int().optional(),
  origin_id: z.number().int().optional(),
  origin_data: z.string().max(255).optional(),
};
const createBody = z.strictObject({
  timecard_entry: z.strictObject({ ...shape, timesheet_id: z.number().int() }),
});
const updateBody = z.strictObject({
  timecard_entry: z.strictObject({ ...shape, timesheet_id: z.number().int().optional() }),
});
type Written = Omit<z.infer<typeof updateBody>['timecard_entry'], 'timesheet_id'>;

function create(request: RouteRequest, world: World) {
  const project = requirePlainProject(world, request);
  const parsed = createBody.safeParse(request.body);
  if (!parsed.success) throw refuse(parsed.error);
  const { timesheet_id: timesheetId, ...written } = parsed.data.timecard_entry;
  const sheet = requirePending(world, String(timesheetId), project.id);
  const blank: TimecardRecord = {
    id: String(FIRST_IDS.timecard + world.timecards.size),
    projectId: project.id,
    timesheetId: sheet.id,
    date: sheet.date,
    hours: '',
    lunchMinutes: null,
    timeIn: null,
    timeOut: null,
    billable: false,
    description: '',
    costCodeId: null,
    timeTypeId: null,
    partyId: null,
    loginId: null,
    originId: written.origin_id ?? null,
    originData: written.origin_data ?? null,
    createdBy: request.caller.userId,
    createdAt: world.now(),
    updatedAt: world.now(),
    deletedAt: null,
  };
  const made = apply(blank, written, true);
  noticeMarks(world, request, made);
  const entry = world.timecards.put(made);
  record(world, request, 'timecard-created', {
    id: entry.id,
    timesheetId: sheet.id,
    originData: entry.originData,
  });
  return { status: 201, json: wireTimecard(world, entry) };
}

/** An origin id is a number here, so who marks entries with text writes that into the data beside it. */
function noticeMarks(world: World, request: RouteRequest, made: TimecardRecord): void {
  const there = [...world.timecards.values()].filter(entry => entry.deletedAt === null);
  const ofProject = there
    .filter(({ projectId }) => projectId === made.projectId)
    .map(({ id, originId }) => ({ id, origin: originId }));
  noticeOrigin(world, request, 'timecard', made.originId, ofProject);
  if (made.originId !== null) return;
  const ofSheet = there
    .filter(({ timesheetId }) => timesheetId === made.timesheetId)
    .map(({ id, originData }) => ({ id, origin: originData }));
  noticeOrigin(world, request, 'timecard', made.originData, ofSheet);
}

function update(request: RouteRequest, world: World) {
  const before = requireEntry(world, request);
  const parsed = updateBody.safeParse(request.body);
  if (!parsed.success) throw refuse(parsed.error);
  requirePending(world, before.timesheetId);
  const { timesheet_id: sheetId, ...written } = parsed.data.timecard_entry;
  // To another sheet of the same day: the entry's date is the sheet's.
  const sheet = sheetId === undefined ? undefined : requirePending(world, String(sheetId), before.projectId);
  if (sheet !== undefined && sheet.date !== before.date)
    throw unprocessable('the date is not that of the timesheet');
  const after = apply({ ...before, timesheetId: sheet?.id ?? before.timesheetId }, written, false);
  for (const column of ['hours', 'description', 'costCodeId', 'timeIn', 'timeOut', 'billable'] as const) {
    if (before[column] === after[column]) continue;
    world.timecardChanges.put({
      id: String(FIRST_IDS.timecardChange + world.timecardChanges.size),
      projectId: after.projectId,
      entryId: after.id,
      column,
      before: before[column] === null ? null : String(before[column]),
      after: after[column] === null ? null : String(after[column]),
      at: world.now(),
      by: request.caller.userId,
    });
  }
  world.timecards.put({ ...after, updatedAt: world.now() });
  record(world, request, 'timecard-updated', { id: after.id });
  return { status: 200, json: wireTimecard(world, after) };
}

/** Pending entries of the given days, today's when none are given. */
function list(request: RouteRequest, world: World) {
  const { id } = requirePlainProject(world, request);
  const { query } = request;
  const today = new Date(world.now()).toISOString().slice(0, 10);
  const day = query.get('log_date');
  const from = day ?? query.get('start_date') ?? (query.get('end_date') === null ? today : '');
  const to = day ?? query.get('end_date') ?? (query.get('start_date') === null ? today : '9999');
  const rows = [...world.timecards.values()]
    .filter(
      entry => entry.projectId === id && entry.deletedAt === null && entry.date >= from && entry.date <= to,
    )
    .filter(entry => world.timesheets.get(entry.timesheetId)?.status !== 'approved')
    .map(entry => wireTimecard(world, entry));
  return pageAnswer(rows, request, world, GENERAL_PAGES, entries => entries);
}

/** The entry with what was written, or 422 for what does not fit together. */
function apply(entry: TimecardRecord, written: Written, isNew: boolean): TimecardRecord {
  if (written.cost_code_id !== undefined && !COST_CODES.some(({ id }) => id === written.cost_code_id)) {
    throw unprocessable('cost_code_id is no cost code of this project');
  }
  const { party_id: party, login_information_id: login } = written;
  if (party !== undefined && !PARTIES.includes(party)) throw unprocessable('there is no such party');
  if (login !== undefined && !projectUsers().some(({ id }) => id === login))
    throw unprocessable('login_information_id is nobody of this project');
  const type = written.timecard_time_type_id;
  if (type !== undefined && TIME_TYPES[type] === undefined) throw unprocessable('there is no such time type');
  if (written.date !== undefined && written.date !== entry.date) {
    throw unprocessable('the date is not that of the timesheet');
  }
  return {
    ...entry,
    ...timingIn(entry, written, isNew),
    billable: written.billable ?? entry.billable,
    description: written.description ?? entry.description,
    costCodeId: written.cost_code_id ?? entry.costCodeId,
    timeTypeId: type ?? entry.timeTypeId,
    partyId: written.party_id ?? entry.partyId,
    loginId: written.login_information_id ?? entry.loginId,
  };
}

function timingIn(entry: TimecardRecord, written: Written, isNew: boolean) {
  const hasTimes = [written.time_in, written.time_out, written.lunch_time].some(value => value !== undefined);
  if (!isNew && !hasTimes && written.hours === undefined) return {};
  if (timingOf(entry.projectId) === 'total-hours') {
    if (hasTimes) throw unprocessable('this project takes total hours, not start and stop times');
    const hours = normalHours(written.hours ?? '');
    if (hours === null) throw unprocessable('hours must be a decimal number of 0 to 24 in a string');
    return { hours };
  }
  if (written.hours !== undefined) throw unprocessable('this project takes start and stop times, not hours');
  const timeIn = written.time_in ?? entry.timeIn ?? '';
  const timeOut = written.time_out ?? entry.timeOut ?? '';
  const lunchMinutes = Number(written.lunch_time ?? entry.lunchMinutes ?? 0);
  const minutes = workedMinutes(timeIn, timeOut, lunchMinutes);
  if (minutes === null) throw unprocessable('time_in, time_out and lunch_time do not fit together');
  return { timeIn, timeOut, lunchMinutes, hours: toHours(minutes) };
}

function requireEntry(world: World, request: RouteRequest): TimecardRecord {
  const { id } = requirePlainProject(world, request);
  const entry = world.timecards.get(request.params.entry ?? '');
  if (entry?.projectId !== id || entry.deletedAt !== null) {
    throw new Refusal(plainError(404, 'There is no such timecard entry'));
  }
  return entry;
}

function requirePending(world: World, timesheetId: string, projectId?: string) {
  const sheet = world.timesheets.get(timesheetId);
  if (sheet === undefined || (projectId !== undefined && sheet.projectId !== projectId)) {
    throw unprocessable('there is no such timesheet');
  }
  if (sheet.status !== 'pending') throw unprocessable('the timesheet is approved');
  return sheet;
}

function refuse(error: z.ZodError): Refusal {
  return new Refusal(
    plainError(400, error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')),
  );
}

function unprocessable(message: string): Refusal {
  return new Refusal(plainError(422, message));
}
