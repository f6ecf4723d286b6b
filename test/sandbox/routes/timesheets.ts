/**
 * Timesheets: create, list, show, approve, change history, and what they can
 * refer to. Errors have no envelope.
 */
import { z } from 'zod';
import { DEFAULT_USERS } from '../defaults';
import { plainError, Refusal } from '../http/answer';
import { GENERAL_PAGES, pageAnswer } from '../http/pages';
import type { Route, RouteRequest } from '../http/route';
import { requirePlainProject } from '../rules/access';
import { COST_CODES, type CostCode, FIRST_IDS } from '../timesheets/content';
import type { TimesheetRecord } from '../timesheets/records';
import { wirePerson, wireTimesheet } from '../timesheets/wire';
import type { World } from '../world';

const SHEETS = '/rest/v1.0/projects/:project/timesheets';
const common = { origin: 'api', access: 'company' } as const;

export const timesheetRoutes: readonly Route[] = [
  { ...common, key: 'timesheets.create', method: 'POST', path: SHEETS, body: 'json', handle: create },
  {
    ...common,
    key: 'timesheets.list',
    method: 'GET',
    path: SHEETS,
    body: 'none',
    handle(request, world) {
      const { id } = requirePlainProject(world, request);
      const [from, to] = dateRange(request.query.get('filters[date]'));
      const rows = [...world.timesheets.values()]
        .filter(sheet => sheet.projectId === id && sheet.date >= from && sheet.date <= to)
        .map(sheet => wireTimesheet(world, sheet));
      return pageAnswer(rows, request, world, GENERAL_PAGES, sheets => sheets);
    },
  },
  {
    ...common,
    key: 'timesheets.update-approval',
    method: 'PATCH',
    path: `${SHEETS}/update_approval`,
    body: 'json',
    handle: updateApproval,
  },
  {
    ...common,
    key: 'timesheets.change-history',
    method: 'GET',
    path: `${SHEETS}/change_history`,
    body: 'json',
    handle: changeHistory,
  },
  {
    ...common,
    key: 'timesheets.creators',
    method: 'GET',
    path: `${SHEETS}/potential_timesheet_creators`,
    body: 'none',
    handle: (request, world) =>
      pageAnswer(
        creatorIds(request, world).map(id => {
          const { name } = wirePerson(world, request.params.project ?? '', id);
          return { id, name };
        }),
        request,
        world,
        GENERAL_PAGES,
        creators => creators,
      ),
  },
  {
    ...common,
    key: 'timesheets.creator-ids',
    method: 'GET',
    path: `${SHEETS}/potential_timesheet_creator_ids`,
    body: 'none',
    handle: (request, world) => ({ status: 200, json: creatorIds(request, world) }),
  },
  {
    ...common,
    key: 'timesheets.cost-codes',
    method: 'GET',
    path: `${SHEETS}/scoped_cost_codes`,
    body: 'none',
    handle: (request, world) =>
      pageAnswer(costCodes(request, world).map(wireCostCode), request, world, GENERAL_PAGES, codes => codes),
  },
  {
    ...common,
    key: 'timesheets.cost-code-ids',
    method: 'GET',
    path: `${SHEETS}/scoped_cost_code_ids`,
    body: 'none',
    handle: (request, world) => ({ status: 200, json: costCodes(request, world).map(({ id }) => id) }),
  },
  {
    ...common,
    key: 'timesheets.show',
    method: 'GET',
    path: `${SHEETS}/:timesheet`,
    body: 'none',
    handle(request, world) {
      const { id } = requirePlainProject(world, request);
      const sheet = world.timesheets.get(request.params.timesheet ?? '');
      if (sheet?.projectId !== id) throw new Refusal(plainError(404, 'There is no such timesheet'));
      return { status: 200, json: wireTimesheet(world, sheet) };
    },
  },
];

const createBody = z.strictObject({ timesheet: z.strictObject({ date: z.iso.date() }) });

function create(request: RouteRequest, world: World) {
  const project = requirePlainProject(world, request);
  const parsed = createBody.safeParse(request.body);
  if (!parsed.success) throw new Refusal(plainError(422, 'timesheet.date must be a date, YYYY-MM-DD'));
  const { date } = parsed.data.timesheet;
  const ours = [...world.timesheets.values()].filter(({ projectId }) => projectId === project.id);
  const sheet = world.timesheets.put({
    id: String(FIRST_IDS.timesheet + world.timesheets.size),
    projectId: project.id,
    date,
    number: ours.length + 1,
    sequence: ours.filter(other => other.date === date).length + 1,
    status: 'pending',
    createdBy: request.caller.userId,
    createdAt: world.now(),
    updatedAt: world.now(),
  });
  record(world, request, 'timesheet-created', { id: sheet.id, date });
  return { status: 201, json: wireTimesheet(world, sheet) };
}

const approvalBody = z.strictObject({
  timesheets: z
    .array(z.strictObject({ id: z.number().int(), status: z.enum(['pending', 'approved']) }))
    .min(1),
});

function updateApproval(request: RouteRequest, world: World) {
  const project = requirePlainProject(world, request);
  const parsed = approvalBody.safeParse(request.body);
  if (!parsed.success) {
    throw new Refusal(
      plainError(400, 'An improper status was submitted - valid statuses are pending, approved'),
    );
  }
  const changes = parsed.data.timesheets.map(({ id, status }) => {
    const sheet = world.timesheets.get(String(id));
    if (sheet?.projectId !== project.id) {
      throw new Refusal(plainError(404, 'There was a Timesheet that could not be found'));
    }
    return { sheet, status };
  });
  const changed = changes.map(({ sheet, status }): TimesheetRecord => {
    if (sheet.status === status) return sheet;
    record(world, request, 'timesheet-status', { id: sheet.id, status });
    return world.timesheets.put({ ...sheet, status, updatedAt: world.now() });
  });
  return { status: 200, json: changed.map(sheet => wireTimesheet(world, sheet, { isApproval: true })) };
}

const historyBody = z.strictObject({ ids: z.array(z.number().int()).min(1) });

function changeHistory(request: RouteRequest, world: World) {
  const { id } = requirePlainProject(world, request);
  const parsed = historyBody.safeParse(request.body);
  if (!parsed.success) throw new Refusal(plainError(400, 'ids must be a list of timecard entry ids'));
  const ids = parsed.data.ids.map(String);
  if (ids.some(entry => world.timecards.get(entry)?.projectId !== id)) {
    throw new Refusal(plainError(404, 'There was a Timecard Entry that could not be found'));
  }
  return {
    status: 200,
    json: [...world.timecardChanges.values()]
      .filter(({ entryId }) => ids.includes(entryId))
      .map(change => ({
        id: Number(change.id),
        ref_id: Number(change.entryId),
        created_at: new Date(change.at).toISOString(),
        created_by: wirePerson(world, id, change.by),
        column: change.column,
        old_value: change.before,
        new_value: change.after,
      })),
  };
}

/** The service account, and everybody but those with the template Read-only. */
function creatorIds(request: RouteRequest, world: World): number[] {
  const { users } = requirePlainProject(world, request);
  return [
    DEFAULT_USERS.serviceAccount,
    ...users.filter(({ templateId }) => templateId !== 301).map(({ id }) => id),
  ];
}

function costCodes(request: RouteRequest, world: World): CostCode[] {
  requirePlainProject(world, request);
  const subJob = request.query.get('sub_job_id');
  return COST_CODES.filter(code =>
    subJob === null ? code.subJobId === null : String(code.subJobId) === subJob,
  );
}

function wireCostCode(code: CostCode): Record<string, unknown> {
  return {
    id: code.id,
    biller_id: null,
    biller_type: 'Project',
    code: code.code,
    full_code: code.fullCode,
    long_name: `${code.fullCode} - ${code.name}`,
    name: code.name,
    parent_id: code.parentId,
    sortable_code: code.fullCode,
    standard_cost_code_id: null,
    deleted_at: null,
  };
}

/** `YYYY-MM-DD...YYYY-MM-DD`, or one day; without it, all time. */
function dateRange(text: string | null): [string, string] {
  if (text === null) return ['', '9999'];
  const match = /^(\d{4}-\d{2}-\d{2})(?:\.\.\.(\d{4}-\d{2}-\d{2}))?$/.exec(text);
  if (match === null) throw new Refusal(plainError(400, 'filters[date] must be a date or a range of dates'));
  return [match[1] ?? '', match[2] ?? match[1] ?? ''];
}

export function record(
  world: World,
  request: RouteRequest,
  what: string,
  detail: Record<string, unknown>,
): void {
  world.log.record({ kind: 'effect', route: request.route, request: request.number, what, detail });
}
