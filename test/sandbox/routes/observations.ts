/**
 * Observation items and their response logs. Not sent when they are made; only all unsent ones can be sent.
 */
import { z } from 'zod';
import type { Project } from '../entities';
import {
  checkPlainBody,
  day,
  flag,
  jsonNumber,
  listOf,
  refusePlainly,
  wholeNumber,
} from '../http/loose-values';
import type { ReceivedFile } from '../http/multipart';
import { GENERAL_PAGES, pageAnswer } from '../http/pages';
import type { Route, RouteRequest } from '../http/route';
import { LAST_ASSIGNEE, OBSERVATION_TYPES, REQUIRED_FIELDS, TRADES } from '../observations/content';
import type { ObservationRecord } from '../observations/records';
import { requireProjectById } from '../rules/access';
import type { World } from '../world';
import { wireType } from './observation-lists';

const ITEMS = '/rest/v1.0/observations/items';
const FIRST_ITEM = 510_001;
const FIRST_LOG = 520_001;
const LABELS: Readonly<Record<string, string>> = {
  initiated: 'Initiated',
  ready_for_review: 'Ready For Review',
  not_accepted: 'Not Accepted',
  closed: 'Closed',
};

const status = z.enum(['initiated', 'ready_for_review', 'not_accepted', 'closed']);
const file = z.custom<ReceivedFile>(
  value => typeof value === 'object' && value !== null && 'sha256' in value,
);
const attachments = z.array(file).optional();
/**
 * Records elsewhere in the service that an item can point to; the stand-in has none of them, so it takes any.
 */
const ELSEWHERE = [
  'checklist_item_id',
  'contributing_behavior_id',
  'contributing_condition_id',
  'coordination_issue_id',
  'hazard_id',
  'incident_action_id',
] as const;
const CUSTOM_FIELD = /^custom_field_\d+$/;

/** JSON has numbers and flags of its own; only multipart, which has none, may write them as text. */
function bodiesWith(number: typeof wholeNumber | typeof jsonNumber, yesNo: typeof flag | z.ZodBoolean) {
  const fields = {
    name: z.string().min(1),
    type_id: number,
    assignee_id: number.optional(),
    description: z.string().optional(),
    due_date: day.optional(),
    number: z.string().optional(),
    personal: yesNo.optional(),
    priority: z.enum(['Low', 'Medium', 'High', 'Urgent']).optional(),
    status: status.optional(),
    trade_id: number.optional(),
    distribution_member_ids: z.array(number).optional(),
    location_id: number.optional(),
    mt_location: z.array(z.string()).optional(),
    created_by_id: number.optional(),
    ...Object.fromEntries(ELSEWHERE.map(name => [name, number.optional()])),
  };
  const observation = z.looseObject(fields).superRefine((given, context) => {
    for (const key of Object.keys(given)) {
      if (Object.hasOwn(fields, key) || CUSTOM_FIELD.test(key)) continue;
      context.addIssue({ code: 'custom', path: [key], message: 'unknown property' });
    }
  });
  const travelling = { attachments, run_configurable_validations: yesNo.optional() };
  return {
    item: z.strictObject({
      project_id: number,
      observation,
      inspection_item_failed: number.optional(),
      ...travelling,
    }),
    log: z.strictObject({
      project_id: number,
      response_log: z.strictObject({
        comment: z.string().min(1).optional(),
        prostore_file_ids: z.array(number).optional(),
        document_management_document_revision_ids: z.array(z.string()).optional(),
      }),
      status: status.optional(),
      ...travelling,
    }),
  };
}

const OF_JSON = bodiesWith(jsonNumber, z.boolean());
const OF_MULTIPART = bodiesWith(wholeNumber, flag);
type ItemBody = z.output<typeof OF_JSON.item>;

function bodiesOf({ headers }: RouteRequest): typeof OF_JSON {
  const isMultipart = String(headers['content-type']).startsWith('multipart/form-data');
  // Both come out as the same values.
  return isMultipart ? (OF_MULTIPART as unknown as typeof OF_JSON) : OF_JSON;
}

const shared = { origin: 'api', access: 'company' } as const;

export const observationRoutes: readonly Route[] = [
  {
    ...shared,
    key: 'observations.list',
    method: 'GET',
    path: ITEMS,
    body: 'none',
    handle: (request, world) => {
      const { query } = request;
      const project = projectOf(world, query.get('project_id'));
      const search = (query.get('filters[search]') ?? '').toLowerCase();
      const rows = itemsOf(world, project)
        .filter(item => isWanted(query, item))
        .filter(item =>
          `${item.fields.name}\n${item.fields.description ?? ''}`.toLowerCase().includes(search),
        )
        .map(item => listRow(world, item));
      return pageAnswer(rows, request, world, GENERAL_PAGES, page => page);
    },
  },
  {
    ...shared,
    key: 'observations.create',
    method: 'POST',
    path: ITEMS,
    body: 'json-or-files',
    handle: (request, world) => {
      const body = checkPlainBody(bodiesOf(request).item, request.body);
      const project = projectOf(world, String(body.project_id));
      checkItem(project, request, body);
      const record = world.observations.put({
        id: String(FIRST_ITEM + world.observations.size),
        projectId: project.id,
        number: body.observation.number ?? String(itemsOf(world, project).length + 1),
        fields: { status: 'initiated', priority: 'Low', ...body.observation },
        attachments: body.attachments ?? [],
        notifiedAt: null,
        createdBy: request.caller.userId,
        createdAt: world.now(),
        updatedAt: world.now(),
        closedAt: null,
      });
      return { status: 201, json: wireItem(world, record) };
    },
  },
  {
    ...shared,
    key: 'observations.sendUnsent',
    method: 'POST',
    path: `${ITEMS}/send_unsent`,
    body: 'json',
    handle: (request, world) => {
      const body = checkPlainBody(z.strictObject({ project_id: jsonNumber }), request.body);
      const project = projectOf(world, String(body.project_id));
      const sent = itemsOf(world, project)
        .filter(({ notifiedAt }) => notifiedAt === null)
        .map(item => world.observations.put({ ...item, notifiedAt: world.now() }));
      return { status: 200, json: sent.map(item => listRow(world, item)) };
    },
  },
  {
    ...shared,
    key: 'observations.show',
    method: 'GET',
    path: `${ITEMS}/:id`,
    body: 'none',
    handle: (request, world) => {
      const project = projectOf(world, request.query.get('project_id'));
      return { status: 200, json: wireItem(world, itemOf(world, project, request.params.id)) };
    },
  },
  {
    ...shared,
    key: 'observations.update',
    method: 'PATCH',
    path: `${ITEMS}/:id`,
    body: 'json-or-files',
    handle: (request, world) => {
      const body = checkPlainBody(bodiesOf(request).item, request.body);
      const project = projectOf(world, String(body.project_id));
      const item = itemOf(world, project, request.params.id);
      checkItem(project, request, { ...body, observation: { ...item.fields, ...body.observation } as never });
      const changed = withStatus(world, item, body.observation.status);
      const record = world.observations.put({
        ...changed,
        fields: { ...item.fields, ...body.observation },
        attachments: [...item.attachments, ...(body.attachments ?? [])],
        updatedAt: world.now(),
      });
      return { status: 200, json: wireItem(world, record) };
    },
  },
  {
    ...shared,
    key: 'responseLogs.list',
    method: 'GET',
    path: `${ITEMS}/:id/response_logs`,
    body: 'none',
    handle: (request, world) => {
      const project = projectOf(world, request.query.get('project_id'));
      const item = itemOf(world, project, request.params.id);
      const rows = [...world.responseLogs.values()].filter(({ itemId }) => itemId === item.id).map(wireLog);
      return pageAnswer(rows, request, world, GENERAL_PAGES, page => page);
    },
  },
  {
    ...shared,
    key: 'responseLogs.create',
    method: 'POST',
    path: `${ITEMS}/:id/response_logs`,
    body: 'json-or-files',
    handle: (request, world) => {
      const body = checkPlainBody(bodiesOf(request).log, request.body);
      const item = itemOf(world, projectOf(world, String(body.project_id)), request.params.id);
      const changed = withStatus(world, item, body.status);
      world.observations.put(changed);
      const log = world.responseLogs.put({
        id: String(FIRST_LOG + world.responseLogs.size),
        itemId: item.id,
        comment: body.response_log.comment ?? '',
        status: String(changed.fields.status),
        attachments: body.attachments ?? [],
        createdBy: request.caller.userId,
        createdAt: world.now(),
      });
      return { status: 201, json: wireLog(log) };
    },
  },
];

/** The filters of the list that narrow by a value; several values of one mean any of them. */
function isWanted(query: URLSearchParams, { id, fields }: ObservationRecord): boolean {
  const values: Readonly<Record<string, unknown>> = {
    id,
    type_id: fields.type_id,
    priority: fields.priority,
    assignee_id: fields.assignee_id,
    // On the wire a number: 0 is initiated, and so on.
    status: Object.keys(LABELS).indexOf(String(fields.status)),
  };
  return Object.entries(values).every(([name, value]) => {
    const wanted = listOf(query, name);
    return wanted.length === 0 || wanted.includes(String(value));
  });
}

function projectOf(world: World, id: string | null): Project {
  if (id === null || id === '') throw refusePlainly(400, 'project_id: is missing');
  return requireProjectById(world, id);
}

function itemsOf(world: World, project: Project): ObservationRecord[] {
  return [...world.observations.values()].filter(({ projectId }) => projectId === project.id);
}

function itemOf(world: World, project: Project, id: string | undefined): ObservationRecord {
  const item = itemsOf(world, project).find(entry => entry.id === id);
  if (item === undefined) throw refusePlainly(404, 'There is no such observation');
  return item;
}

/** Type and people must be there; the field set counts only when asked. */
function checkItem(project: Project, request: RouteRequest, body: ItemBody): void {
  const { observation: fields } = body;
  const type = OBSERVATION_TYPES.find(({ id }) => id === fields.type_id);
  if (type === undefined || !type.active) throw refusePlainly(400, 'type_id: there is no such active type');
  const isUser = (id: number) => project.users.some(user => user.id === id);
  if (
    fields.assignee_id !== undefined &&
    (!isUser(fields.assignee_id) || fields.assignee_id > LAST_ASSIGNEE)
  ) {
    throw refusePlainly(400, 'assignee_id: observations cannot be assigned to this user');
  }
  if (fields.created_by_id !== undefined && !isUser(fields.created_by_id))
    throw refusePlainly(400, 'created_by_id: there is no such user');
  if (fields.trade_id !== undefined && !TRADES.some(({ id }) => id === fields.trade_id))
    throw refusePlainly(400, 'trade_id: there is no such trade');
  const locations = project.fields.find(({ name }) => name === 'location')?.values ?? [];
  if (fields.location_id !== undefined && !locations.some(({ id }) => id === String(fields.location_id)))
    throw refusePlainly(400, 'location_id: there is no such location');
  const stranger = fields.distribution_member_ids?.find(id => !isUser(id));
  if (stranger !== undefined) throw refusePlainly(400, 'distribution_member_ids: not in the project');
  const isAsked =
    request.query.get('run_configurable_validations') === 'true' ||
    body.run_configurable_validations === true;
  const missing = (REQUIRED_FIELDS[type.category] ?? []).filter(
    name => (fields as Record<string, unknown>)[name] === undefined,
  );
  if (isAsked && missing.length > 0)
    throw refusePlainly(422, `${missing.join(', ')}: required by the field set`);
}

/** Closed is what was ready for review. */
function withStatus(world: World, item: ObservationRecord, next: string | undefined): ObservationRecord {
  const present = item.fields.status;
  if (next === undefined || next === present) return item;
  if (next === 'closed' && present !== 'ready_for_review') {
    throw refusePlainly(422, 'status: only an item that is ready for review can be closed');
  }
  return {
    ...item,
    fields: { ...item.fields, status: next },
    closedAt: next === 'closed' ? world.now() : null,
    updatedAt: world.now(),
  };
}

/** Lists have no attachments and no distribution. */
function listRow(world: World, item: ObservationRecord): Record<string, unknown> {
  const { attachments: _, distribution_members: __, ...row } = wireItem(world, item);
  return row;
}

function wireItem(world: World, item: ObservationRecord): Record<string, unknown> {
  const { type_id, assignee_id, distribution_member_ids, ...fields } = item.fields;
  const type = OBSERVATION_TYPES.find(({ id }) => id === type_id);
  const users = world.projects.get(item.projectId)?.users ?? [];
  const person = (id: unknown) => {
    const user = users.find(entry => entry.id === id);
    return user === undefined ? null : { id: user.id, name: `${user.firstName} ${user.lastName}` };
  };
  return {
    id: Number(item.id),
    ...fields,
    number: item.number,
    type: type === undefined ? null : wireType(type),
    assignee: person(assignee_id),
    created_by: person(item.createdBy) ?? { id: item.createdBy, name: 'Service Account' },
    distribution_members: ((distribution_member_ids as number[] | undefined) ?? []).map(person),
    attachments: item.attachments.map(({ fileName }, index) => ({
      id: Number(item.id) * 100 + index,
      name: fileName,
      filename: fileName,
      url: `${world.urls.api}/files/${item.id}/${index}`,
    })),
    date_notified: item.notifiedAt === null ? null : new Date(item.notifiedAt).toISOString().slice(0, 10),
    created_at: new Date(item.createdAt).toISOString(),
    updated_at: new Date(item.updatedAt).toISOString(),
    closed_at: item.closedAt === null ? null : new Date(item.closedAt).toISOString(),
    deleted_at: null,
  };
}

function wireLog(log: {
  id: string;
  itemId: string;
  comment: string;
  status: string;
  attachments: ReceivedFile[];
  createdAt: number;
  createdBy: number;
}): Record<string, unknown> {
  return {
    id: Number(log.id),
    item_id: Number(log.itemId),
    status: LABELS[log.status] ?? log.status,
    comment: log.comment,
    created_at: new Date(log.createdAt).toISOString(),
    created_by: { id: log.createdBy, name: 'Service Account' },
    attachments: log.attachments.map(({ fileName }) => ({ name: fileName, filename: fileName })),
  };
}
