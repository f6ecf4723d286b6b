// Hooks, their triggers, their deliveries, and what can be subscribed to (specification, Webhooks; Events).
// v1.0: responses come without an envelope, and the lists have no pages but the deliveries'.
import { z } from 'zod';
import { CREATE, type Endpoint, type PageQuery, type QueryValues, READ, REMOVE, UPDATE } from '../endpoint';
import { numericId } from './strict-values';
import { wireId, wireList, wireTextOrEmpty } from './wire';

/**
 * Where a hook belongs: the company, or one project of it; the wire carries one of the two ids, never both.
 */
export interface HookScope {
  readonly companyId: string;
  readonly projectId?: string | undefined;
}

export type HookEvent = 'create' | 'update' | 'delete';
export type DeliveryStatus = 'any' | 'successful' | 'discarded' | 'failing';

const scopeSchema = z.strictObject({ companyId: numericId, projectId: numericId.optional() });
const apiVersion = z.string().regex(/^v\d{1,3}$/);
const httpsAddress = z
  .string()
  .max(2_000)
  .regex(/^https:\/\/[^\s]+$/);
const headerMap = z.record(
  z.string().regex(/^[A-Za-z0-9-]{1,80}$/),
  z.string().regex(/^[\x20-\x7e]{1,4000}$/),
);

function wireScope(scope: z.output<typeof scopeSchema>): Record<string, number> {
  return scope.projectId === undefined ? { company_id: scope.companyId } : { project_id: scope.projectId };
}

function scopeValues({ scope }: { readonly scope: HookScope }): QueryValues {
  return scope.projectId === undefined ? { company_id: scope.companyId } : { project_id: scope.projectId };
}

const hook = z
  .object({
    id: wireId,
    api_version: wireTextOrEmpty,
    namespace: wireTextOrEmpty,
    destination_url: wireTextOrEmpty,
    destination_headers: z
      .record(z.string(), wireTextOrEmpty)
      .nullish()
      .transform(headers => headers ?? {}),
  })
  .transform(wire => ({
    id: wire.id,
    apiVersion: wire.api_version,
    namespace: wire.namespace,
    destinationUrl: wire.destination_url,
    /** Authorization masked to its last five characters. */
    maskedHeaders: wire.destination_headers as Readonly<Record<string, string>>,
  }));
export type ListedHook = z.output<typeof hook>;

const trigger = z
  .object({ id: wireId, resource_name: wireTextOrEmpty, event_type: wireTextOrEmpty })
  .transform(wire => ({
    id: wire.id,
    resourceName: wire.resource_name,
    /** In small letters, as it is asked for; the response has it in capitals. */
    eventType: wire.event_type.toLowerCase(),
  }));
export type ListedTrigger = z.output<typeof trigger>;

const delivery = z
  .object({
    id: wireId.nullish(),
    event_id: wireId.nullish(),
    outcome: wireTextOrEmpty,
    response_status: z.number().nullish(),
    response_error: wireTextOrEmpty,
    response_body: wireTextOrEmpty,
    started_at: wireTextOrEmpty,
    event: z
      .object({ id: wireId.nullish(), resource_name: wireTextOrEmpty, event_type: wireTextOrEmpty })
      .nullish(),
  })
  .transform(wire => ({
    /** For paging; the published schema shows no id of a delivery, so the event's stands in. */
    id: wire.id ?? wire.event_id ?? wire.event?.id ?? null,
    eventId: wire.event_id ?? wire.event?.id ?? null,
    resourceName: wire.event?.resource_name ?? '',
    eventType: wire.event?.event_type ?? '',
    outcome: wire.outcome,
    responseStatus: wire.response_status ?? null,
    responseError: wire.response_error,
    responseBody: wire.response_body,
    startedAt: wire.started_at,
  }));
export type ListedDelivery = z.output<typeof delivery>;

const resource = z
  .object({
    name: wireTextOrEmpty,
    resource_name: wireTextOrEmpty,
    tools: wireTextOrEmpty,
    product_category: wireTextOrEmpty,
    except: wireList(z.string()),
  })
  .transform(wire => ({
    name: wire.name || wire.resource_name || wire.tools,
    category: wire.product_category,
    /** Event types it does not have. */
    except: wire.except.map(entry => entry.toLowerCase()),
  }));
export type WebhookResource = z.output<typeof resource>;

type NoParams = Readonly<Record<string, string>>;
type HookParams = { readonly hookId: string };
type Scoped = PageQuery & { readonly scope: HookScope };

const HOOKS = '/rest/v1.0/webhooks/hooks';
const HOOK = `${HOOKS}/{hookId}`;
const TRIGGERS = `${HOOK}/triggers`;

export const listHooks: Endpoint<
  NoParams,
  Scoped & { readonly namespace?: string },
  undefined,
  readonly ListedHook[]
> = {
  name: 'hooks.list',
  ...READ,
  path: HOOKS,
  query: query => ({ ...scopeValues(query), namespace: query.namespace }),
  response: z.array(hook),
};

export interface NewHook {
  readonly apiVersion: string;
  /** a-z, 0-9 and dash. */
  readonly namespace: string;
  /** https only. */
  readonly destinationUrl: string;
  /** Secret: sent to the destination with every event. */
  readonly destinationHeaders: Readonly<Record<string, string>>;
}

const newHook = z
  .strictObject({
    scope: scopeSchema,
    hook: z.strictObject({
      apiVersion,
      namespace: z.string().regex(/^[a-z0-9-]{1,100}$/),
      destinationUrl: httpsAddress,
      destinationHeaders: headerMap,
    }),
  })
  .transform(body => ({
    ...wireScope(body.scope),
    hook: {
      api_version: body.hook.apiVersion,
      namespace: body.hook.namespace,
      destination_url: body.hook.destinationUrl,
      destination_headers: body.hook.destinationHeaders,
    },
  }));

/**
 * Two calls make two hooks: after a lost response look for one of the same namespace and destination first.
 */
export const createHook: Endpoint<
  NoParams,
  undefined,
  { readonly scope: HookScope; readonly hook: NewHook },
  ListedHook
> = {
  name: 'hooks.create',
  ...CREATE,
  path: HOOKS,
  request: newHook,
  response: hook,
};

/** Writes all of the hook: the same request again changes nothing. */
export const updateHook: Endpoint<
  HookParams,
  undefined,
  { readonly scope: HookScope; readonly hook: NewHook },
  ListedHook
> = {
  name: 'hooks.update',
  ...UPDATE,
  path: HOOK,
  request: newHook,
  response: hook,
};

/** 404: is gone already. */
export const deleteHook: Endpoint<HookParams, Scoped, undefined, unknown> = {
  name: 'hooks.delete',
  ...REMOVE,
  path: HOOK,
  query: scopeValues,
};

export const listTriggers: Endpoint<HookParams, Scoped, undefined, readonly ListedTrigger[]> = {
  name: 'triggers.list',
  ...READ,
  path: TRIGGERS,
  query: scopeValues,
  response: z.array(trigger),
};

/** Two calls make two triggers: after a lost response look at the list first. */
export const createTrigger: Endpoint<
  HookParams,
  undefined,
  {
    readonly scope: HookScope;
    readonly apiVersion: string;
    readonly resourceName: string;
    readonly eventType: HookEvent;
  },
  ListedTrigger
> = {
  name: 'triggers.create',
  ...CREATE,
  path: TRIGGERS,
  request: z
    .strictObject({
      scope: scopeSchema,
      apiVersion,
      resourceName: z.string().min(1).max(200),
      eventType: z.enum(['create', 'update', 'delete']),
    })
    .transform(body => ({
      ...wireScope(body.scope),
      api_version: body.apiVersion,
      trigger: { resource_name: body.resourceName, event_type: body.eventType },
    })),
  response: trigger,
};

/** 404: is gone already. */
export const deleteTrigger: Endpoint<
  HookParams & { readonly triggerId: string },
  Scoped,
  undefined,
  unknown
> = {
  name: 'triggers.delete',
  ...REMOVE,
  path: `${TRIGGERS}/{triggerId}`,
  query: scopeValues,
};

/** Newest first; the next page begins after the last id of this one. */
export const listDeliveries: Endpoint<
  HookParams,
  {
    readonly scope: HookScope;
    readonly status: DeliveryStatus;
    readonly pageSize?: number;
    readonly pageStart?: string | undefined;
  },
  undefined,
  readonly ListedDelivery[]
> = {
  name: 'deliveries.list',
  ...READ,
  path: `${HOOK}/deliveries`,
  query: query => ({
    ...scopeValues(query),
    'filter[status]': query.status,
    page_size: query.pageSize,
    page_start: query.pageStart,
  }),
  response: z.array(delivery),
};

export const listWebhookResources: Endpoint<NoParams, Scoped, undefined, readonly WebhookResource[]> = {
  name: 'webhook-resources.list',
  ...READ,
  path: '/rest/v1.0/webhooks/resources',
  query: scopeValues,
  response: z.array(resource),
};
