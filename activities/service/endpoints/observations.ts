// Observation items: create, list, show, update, send what is unsent (specification, Observations). v1.0:
// responses come without an envelope. Bodies travel as JSON, or as multipart/form-data when files come along.
import { z } from 'zod';
import { CREATE, type Endpoint, type PageQuery, READ } from '../endpoint';
import { dateText, numericId } from './strict-values';
import {
  pageValues,
  wireId,
  wireKind,
  wireList,
  wireNamed,
  wireOptional,
  wireText,
  wireTextOrEmpty,
} from './wire';

export const OBSERVATION_STATUSES = ['initiated', 'ready_for_review', 'not_accepted', 'closed'] as const;
export type ObservationStatus = (typeof OBSERVATION_STATUSES)[number];
export const PRIORITIES = ['Low', 'Medium', 'High', 'Urgent'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Form field of the files (published request schema). */
export const ATTACHMENTS_FIELD = 'attachments[]';

/** What of an item we may set. */
export interface ObservationFields {
  readonly name: string;
  readonly typeId: string;
  readonly description?: string | undefined;
  readonly status?: ObservationStatus | undefined;
  readonly priority?: Priority | undefined;
  /** YYYY-MM-DD. */
  readonly dueDate?: string | undefined;
  readonly assigneeId?: string | undefined;
  readonly distributionMemberIds?: readonly string[] | undefined;
  readonly locationId?: string | undefined;
  readonly tradeId?: string | undefined;
  readonly number?: string | undefined;
  readonly isPersonal?: boolean | undefined;
}

export interface ObservationWrite {
  readonly projectId: string;
  readonly fields: ObservationFields;
}

/**
 * true: the service checks the item against its category's configurable field set; otherwise nothing is
 * enforced.
 */
export interface ValidationQuery {
  readonly runConfigurableValidations?: boolean | undefined;
}

// Name and type are required by the published schemas of both calls, of the update too.
const itemBody = z
  .strictObject({
    projectId: numericId,
    fields: z.strictObject({
      name: z.string().min(1).max(255),
      typeId: numericId,
      description: z.string().max(20_000).optional(),
      status: z.enum(OBSERVATION_STATUSES).optional(),
      priority: z.enum(PRIORITIES).optional(),
      dueDate: dateText.optional(),
      assigneeId: numericId.optional(),
      distributionMemberIds: z.array(numericId).max(1_000).readonly().optional(),
      locationId: numericId.optional(),
      tradeId: numericId.optional(),
      number: z.string().min(1).max(255).optional(),
      isPersonal: z.boolean().optional(),
    }),
  })
  .transform(({ projectId, fields }) => ({
    project_id: projectId,
    observation: {
      name: fields.name,
      type_id: fields.typeId,
      description: fields.description,
      status: fields.status,
      priority: fields.priority,
      due_date: fields.dueDate,
      assignee_id: fields.assigneeId,
      distribution_member_ids: fields.distributionMemberIds,
      location_id: fields.locationId,
      trade_id: fields.tradeId,
      number: fields.number,
      personal: fields.isPersonal,
    },
  }));

// What cannot be read of these is as good as not shown.
const shownReference = z.object({ id: wireId }).nullish().catch(undefined);
const shownId = wireId.nullish().catch(undefined);

const observation = z
  .object({
    id: wireId,
    number: wireText,
    name: wireTextOrEmpty,
    description: wireText,
    status: wireKind(OBSERVATION_STATUSES),
    priority: wireText,
    date_notified: wireText,
    due_date: wireText.optional(),
    created_at: wireText,
    deleted_at: wireText,
    assignee: wireNamed.optional(),
    created_by: wireNamed,
    location: shownReference,
    location_id: shownId,
    trade: shownReference,
    trade_id: shownId,
    // The specification names the id alone, the published schema an object: read both.
    type_id: wireText,
    type: wireOptional(z.object({ id: wireId })),
    attachments: wireList(z.object({ id: wireText, name: wireText, filename: wireText })),
    distribution_members: wireList(z.object({ id: wireId })),
  })
  .transform(wire => ({
    id: wire.id,
    number: wire.number,
    name: wire.name,
    description: wire.description,
    status: wire.status,
    priority: wire.priority,
    /** When the assignee was told of it; null while the item is unsent. */
    notifiedOn: wire.date_notified,
    /** Of these four undefined: not shown; null: shown as not set. */
    dueDate: wire.due_date,
    assigneeId: wire.assignee === undefined ? undefined : (wire.assignee?.id ?? null),
    locationId: wire.location === undefined ? wire.location_id : (wire.location?.id ?? null),
    tradeId: wire.trade === undefined ? wire.trade_id : (wire.trade?.id ?? null),
    createdAt: wire.created_at,
    isDeleted: wire.deleted_at !== null,
    assignee: wire.assignee ?? null,
    createdBy: wire.created_by,
    typeId: wire.type?.id ?? wire.type_id,
    /** Each with all the names that it has. In the responses of create, show and update; empty in lists. */
    attachmentsByNames: wire.attachments.map(({ name, filename }) =>
      [name, filename].filter(each => each !== null),
    ),
    distributionMemberIds: wire.distribution_members.map(({ id }) => id),
  }));
/** Fields that a field set hides are here all the same (specification). */
export type Observation = z.output<typeof observation>;

export interface ProjectQuery extends PageQuery {
  readonly projectId: string;
}

export interface ObservationQuery extends ProjectQuery {
  readonly search?: string | undefined;
  readonly typeId?: string | undefined;
}

export interface ItemParams {
  readonly id: string;
}

const ITEMS = '/rest/v1.0/observations/items';
const ITEM = `${ITEMS}/{id}`;
const SEND_UNSENT = `${ITEMS}/send_unsent`;

export const listObservations: Endpoint<
  Record<string, never>,
  ObservationQuery,
  undefined,
  readonly Observation[]
> = {
  name: 'observations.list',
  ...READ,
  path: ITEMS,
  query: query => ({
    project_id: query.projectId,
    'filters[search]': query.search,
    'filters[type_id]': query.typeId,
    ...pageValues(query),
  }),
  response: z.array(observation),
};

/**
 * Not idempotent, and an item has no origin id. After a lost response it is looked for among the items of its
 * type and name that were not there before.
 */
export const createObservation: Endpoint<
  Record<string, never>,
  ValidationQuery,
  ObservationWrite,
  Observation
> = {
  name: 'observations.create',
  ...CREATE,
  path: ITEMS,
  query: query => ({ run_configurable_validations: query.runConfigurableValidations }),
  request: itemBody,
  requestForm: 'multipart',
  response: observation,
};

export const showObservation: Endpoint<
  ItemParams,
  Pick<ProjectQuery, 'projectId'>,
  undefined,
  Observation
> = {
  name: 'observations.show',
  ...READ,
  path: ITEM,
  query: query => ({ project_id: query.projectId }),
  response: observation,
};

/** Sets what is given; files are added to those that are there, so with files a repeat needs a look first. */
export const updateObservation: Endpoint<ItemParams, ValidationQuery, ObservationWrite, Observation> = {
  name: 'observations.update',
  method: 'PATCH',
  origin: 'api',
  path: ITEM,
  query: query => ({ run_configurable_validations: query.runConfigurableValidations }),
  request: itemBody,
  requestForm: 'multipart',
  response: observation,
  success: [200],
  repeatable: 'after-checking',
};

/**
 * Mails ALL unsent items of the project, never one (specification, Limits). A repeat
 * mails only what is unsent then.
 */
export const sendUnsentObservations: Endpoint<
  Record<string, never>,
  undefined,
  Pick<ProjectQuery, 'projectId'>,
  readonly Observation[]
> = {
  name: 'observations.sendUnsent',
  method: 'POST',
  origin: 'api',
  path: SEND_UNSENT,
  request: z.strictObject({ projectId: numericId }).transform(({ projectId }) => ({ project_id: projectId })),
  response: z.array(observation),
  success: [200, 201],
  repeatable: 'after-checking',
};

const RESPONSE_LOGS = `${ITEMS}/{itemId}/response_logs`;

export interface ResponseLogWrite {
  readonly projectId: string;
  readonly comment: string;
  /** The item's status from then on. */
  readonly status?: ObservationStatus | undefined;
}

const responseLog = z
  .object({
    id: wireId,
    item_id: wireText,
    comment: wireTextOrEmpty,
    status: wireText,
    created_at: wireText,
    created_by: wireNamed,
  })
  .transform(wire => ({
    id: wire.id,
    itemId: wire.item_id,
    comment: wire.comment,
    status: wire.status,
    createdAt: wire.created_at,
    createdBy: wire.created_by,
  }));
export type ResponseLog = z.output<typeof responseLog>;

export interface ResponseLogsParams {
  readonly itemId: string;
}

export const listResponseLogs: Endpoint<ResponseLogsParams, ProjectQuery, undefined, readonly ResponseLog[]> =
  {
    name: 'responseLogs.list',
    ...READ,
    path: RESPONSE_LOGS,
    query: query => ({ project_id: query.projectId, ...pageValues(query) }),
    response: z.array(responseLog),
  };

/**
 * Not idempotent. After a lost response it is looked for among the item's logs that were not there before.
 */
export const createResponseLog: Endpoint<ResponseLogsParams, ValidationQuery, ResponseLogWrite, ResponseLog> =
  {
    name: 'responseLogs.create',
    ...CREATE,
    path: RESPONSE_LOGS,
    query: query => ({ run_configurable_validations: query.runConfigurableValidations }),
    request: z
      .strictObject({
        projectId: numericId,
        comment: z.string().min(1).max(20_000),
        status: z.enum(OBSERVATION_STATUSES).optional(),
      })
      .transform(({ projectId, comment, status }) => ({
        project_id: projectId,
        response_log: { comment },
        status,
      })),
    requestForm: 'multipart',
    response: responseLog,
  };
