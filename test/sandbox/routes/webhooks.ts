/**
 * Webhooks: hooks, their triggers, their deliveries, and what can be subscribed
 * to. Ids are numbers on the wire.
 */
import { z } from 'zod';
import { plainError, Refusal } from '../http/answer';
import type { Route, RouteRequest } from '../http/route';
import { checkPlainBody } from '../rules/plain-body';
import type { Delivery, Hook, HookOwner, Trigger } from '../webhooks/records';
import { WEBHOOK_RESOURCES } from '../webhooks/resources';
import type { World } from '../world';

const HOOKS = '/rest/v1.0/webhooks/hooks';
const DEFAULT_PAGE = 100;
const STATUSES: Readonly<Record<string, readonly Delivery['outcome'][]>> = {
  any: ['ok', 'retried', 'failed', 'discarded'],
  successful: ['ok'],
  failing: ['retried', 'failed'],
  discarded: ['discarded'],
};

const scope = { company_id: z.number().int().optional(), project_id: z.number().int().optional() };
/** Payload versions that there are. */
const apiVersion = z.enum(['v2', 'v3', 'v4']);
const hookFields = z.strictObject({
  api_version: apiVersion,
  namespace: z.string().regex(/^[a-z0-9-]+$/, 'only a-z, 0-9 and dash'),
  destination_url: z.string().regex(/^https:\/\/[^\s]+$/, 'must be an https URL'),
  destination_headers: z.record(z.string(), z.string()).default({}),
});
const creation = z.strictObject({ ...scope, hook: hookFields });
const change = z.strictObject({ ...scope, hook: hookFields.partial() });
const triggerCreation = z.strictObject({
  ...scope,
  api_version: apiVersion,
  trigger: z.strictObject({
    resource_name: z.string().min(1),
    event_type: z.enum(['create', 'update', 'delete']),
  }),
});

export const webhookRoutes: readonly Route[] = [
  {
    key: 'hooks.list',
    origin: 'api',
    method: 'GET',
    path: HOOKS,
    access: 'company',
    body: 'none',
    handle(request, world) {
      const owner = ownerOfQuery(request, world);
      const namespace = request.query.get('namespace');
      const version = request.query.get('api_version');
      const found = [...world.hooks.values()]
        .filter(hook => !hook.deleted && isSameOwner(hook.owner, owner))
        .filter(hook => namespace === null || hook.namespace === namespace)
        .filter(hook => version === null || hook.apiVersion === version);
      return { status: 200, json: found.map(wireHook) };
    },
  },
  {
    key: 'hooks.create',
    origin: 'api',
    method: 'POST',
    path: HOOKS,
    access: 'company',
    body: 'json',
    handle(request, world) {
      const body = checkPlainBody(creation, request.body);
      const hook = world.hooks.put({
        id: nextNumber(world.hooks.size, 41_000),
        owner: ownerOf(body.company_id, body.project_id, request, world),
        userId: request.caller.userId,
        apiVersion: body.hook.api_version,
        namespace: body.hook.namespace,
        destinationUrl: body.hook.destination_url,
        destinationHeaders: body.hook.destination_headers,
        deleted: false,
      });
      effect(world, request, 'hook-created', { hook: hook.id });
      return { status: 201, json: wireHook(hook) };
    },
  },
  {
    key: 'hooks.update',
    origin: 'api',
    method: 'PATCH',
    path: `${HOOKS}/:hook`,
    access: 'company',
    body: 'json',
    handle(request, world) {
      const body = checkPlainBody(change, request.body);
      const hook = hookOf(request, world, ownerOf(body.company_id, body.project_id, request, world));
      const { hook: fields } = body;
      noticeVersion(world, request, hook, fields.api_version);
      const changed = world.hooks.put({
        ...hook,
        apiVersion: fields.api_version ?? hook.apiVersion,
        namespace: fields.namespace ?? hook.namespace,
        destinationUrl: fields.destination_url ?? hook.destinationUrl,
        destinationHeaders: fields.destination_headers ?? hook.destinationHeaders,
      });
      effect(world, request, 'hook-updated', { hook: hook.id });
      return { status: 200, json: wireHook(changed) };
    },
  },
  {
    key: 'hooks.delete',
    origin: 'api',
    method: 'DELETE',
    path: `${HOOKS}/:hook`,
    access: 'company',
    body: 'none',
    handle(request, world) {
      const hook = hookOf(request, world, ownerOfQuery(request, world));
      world.hooks.put({ ...hook, deleted: true });
      for (const trigger of [...world.triggers.values()]) {
        if (trigger.hookId === hook.id) world.triggers.put({ ...trigger, deleted: true });
      }
      effect(world, request, 'hook-deleted', { hook: hook.id });
      return { status: 200, json: {} };
    },
  },
  {
    key: 'triggers.list',
    origin: 'api',
    method: 'GET',
    path: `${HOOKS}/:hook/triggers`,
    access: 'company',
    body: 'none',
    handle(request, world) {
      const hook = hookOf(request, world, ownerOfQuery(request, world));
      const found = [...world.triggers.values()].filter(
        trigger => !trigger.deleted && trigger.hookId === hook.id,
      );
      return { status: 200, json: found.map(trigger => wireTrigger(trigger, hook)) };
    },
  },
  {
    key: 'triggers.create',
    origin: 'api',
    method: 'POST',
    path: `${HOOKS}/:hook/triggers`,
    access: 'company',
    body: 'json',
    handle(request, world) {
      const body = checkPlainBody(triggerCreation, request.body);
      const hook = hookOf(request, world, ownerOf(body.company_id, body.project_id, request, world));
      const { resource_name: resourceName, event_type: eventType } = body.trigger;
      const resource = WEBHOOK_RESOURCES.find(({ name }) => name === resourceName);
      if (resource === undefined) throw unprocessable(`resource_name: there is no ${resourceName}`);
      if (resource.except.includes(eventType))
        throw unprocessable(`event_type: ${resourceName} has no ${eventType}`);
      if (body.api_version !== hook.apiVersion)
        throw unprocessable(`api_version: the hook has ${hook.apiVersion}`);
      const isThere = [...world.triggers.values()].some(
        other =>
          !other.deleted &&
          other.hookId === hook.id &&
          other.resourceName === resourceName &&
          other.eventType === eventType,
      );
      if (isThere) throw unprocessable('resource_name: the hook has this trigger already');
      const trigger = world.triggers.put({
        id: nextNumber(world.triggers.size, 52_000),
        hookId: hook.id,
        apiVersion: body.api_version,
        resourceName,
        eventType,
        userId: request.caller.userId,
        deleted: false,
      });
      effect(world, request, 'trigger-created', { trigger: trigger.id });
      return { status: 201, json: wireTrigger(trigger, hook) };
    },
  },
  {
    key: 'triggers.delete',
    origin: 'api',
    method: 'DELETE',
    path: `${HOOKS}/:hook/triggers/:trigger`,
    access: 'company',
    body: 'none',
    handle(request, world) {
      const hook = hookOf(request, world, ownerOfQuery(request, world));
      const trigger = world.triggers.get(request.params.trigger ?? '');
      if (trigger === undefined || trigger.deleted || trigger.hookId !== hook.id) {
        throw new Refusal(plainError(404, 'There is no such trigger'));
      }
      world.triggers.put({ ...trigger, deleted: true });
      effect(world, request, 'trigger-deleted', { trigger: trigger.id });
      return { status: 200, json: {} };
    },
  },
  {
    key: 'deliveries.list',
    origin: 'api',
    method: 'GET',
    path: `${HOOKS}/:hook/deliveries`,
    access: 'company',
    body: 'none',
    handle(request, world) {
      const hook = hookOf(request, world, ownerOfQuery(request, world));
      const { query } = request;
      const status = query.get('filter[status]') ?? query.get('filters[status]') ?? 'any';
      const outcomes = STATUSES[status];
      if (outcomes === undefined) throw new Refusal(plainError(400, `filter[status]: not ${status}`));
      const size = wholeNumber(query, 'page_size') ?? DEFAULT_PAGE;
      const after = wholeNumber(query, 'page_start');
      const rows = [...world.deliveries.values()]
        .filter(delivery => delivery.hookId === hook.id && outcomes.includes(delivery.outcome))
        .sort((left, right) => Number(right.id) - Number(left.id))
        .filter(({ id }) => after === undefined || Number(id) < after);
      return { status: 200, json: rows.slice(0, size).map(wireDelivery) };
    },
  },
  {
    key: 'webhook-resources.list',
    origin: 'api',
    method: 'GET',
    path: '/rest/v1.0/webhooks/resources',
    access: 'company',
    body: 'none',
    handle(request, world) {
      ownerOfQuery(request, world);
      return {
        status: 200,
        json: WEBHOOK_RESOURCES.map(({ name, category, except }) => ({
          api_version: 'v2',
          product_category: category,
          tools: name,
          except,
          create: except.includes('create') ? '' : `${name} create`,
          update: except.includes('update') ? '' : `${name} update`,
          delete: except.includes('delete') ? '' : `${name} delete`,
        })),
      };
    },
  },
];

function ownerOfQuery(request: RouteRequest, world: World): HookOwner {
  return ownerOf(
    wholeNumber(request.query, 'company_id'),
    wholeNumber(request.query, 'project_id'),
    request,
    world,
  );
}

/** One scope, never both (specification, Webhook configuration 3). */
function ownerOf(
  companyId: number | undefined,
  projectId: number | undefined,
  request: RouteRequest,
  world: World,
): HookOwner {
  if ((companyId === undefined) === (projectId === undefined)) {
    throw new Refusal(plainError(400, 'Give company_id or project_id, not both'));
  }
  const company = String(request.headers['service-company-id']);
  if (companyId !== undefined) {
    if (String(companyId) !== company) throw new Refusal(plainError(403, 'This is not your company'));
    return { kind: 'company', id: company };
  }
  const project = world.projects.get(String(projectId));
  if (project === undefined || project.companyId !== company) {
    throw new Refusal(plainError(404, 'There is no such project'));
  }
  return { kind: 'project', id: project.id };
}

function hookOf(request: RouteRequest, world: World, owner: HookOwner): Hook {
  const hook = world.hooks.get(request.params.hook ?? '');
  if (hook === undefined || hook.deleted || !isSameOwner(hook.owner, owner)) {
    throw new Refusal(plainError(404, 'There is no such hook'));
  }
  return hook;
}

/** With another version than its triggers a hook gets no event any more (specification, Events 1). */
function noticeVersion(world: World, request: RouteRequest, hook: Hook, version = hook.apiVersion): void {
  const left = [...world.triggers.values()].filter(
    trigger => !trigger.deleted && trigger.hookId === hook.id && trigger.apiVersion !== version,
  );
  if (version === hook.apiVersion || left.length === 0) return;
  const detail = { hook: hook.id, triggers: left.length };
  world.log.remark('version-changed-under-triggers', request.route, request.number, detail);
}

function isSameOwner(left: HookOwner, right: HookOwner): boolean {
  return left.kind === right.kind && left.id === right.id;
}

function wireHook(hook: Hook): Record<string, unknown> {
  return {
    id: Number(hook.id),
    api_version: hook.apiVersion,
    namespace: hook.namespace,
    destination_url: hook.destinationUrl,
    destination_headers: Object.fromEntries(
      Object.entries(hook.destinationHeaders).map(([name, value]) => [
        name,
        name.toLowerCase() === 'authorization' ? mask(value) : value,
      ]),
    ),
    ...(hook.owner.kind === 'company'
      ? { owned_by_company_id: Number(hook.owner.id) }
      : { owned_by_project_id: Number(hook.owner.id) }),
    owned_by_user_id: hook.userId,
  };
}

/** Only the last five characters are shown. */
function mask(value: string): string {
  return `${'*'.repeat(Math.max(0, value.length - 5))}${value.slice(-5)}`;
}

/** The answer writes the event type in capitals, the request in small letters. */
function wireTrigger(trigger: Trigger, hook: Hook): Record<string, unknown> {
  return {
    id: Number(trigger.id),
    webhook_hook_id: Number(hook.id),
    resource_name: trigger.resourceName,
    resource_id: null,
    event_type: trigger.eventType.toUpperCase(),
    ...(hook.owner.kind === 'company'
      ? { company_id: Number(hook.owner.id) }
      : { project_id: Number(hook.owner.id) }),
    user_id: trigger.userId,
  };
}

function wireDelivery(delivery: Delivery): Record<string, unknown> {
  return {
    id: Number(delivery.id),
    event: delivery.event,
    event_id: delivery.event.id,
    outcome: delivery.outcome,
    response_status: delivery.responseStatus,
    response_error: delivery.responseError,
    response_body: delivery.responseBody,
    response_headers: {},
    started_at: new Date(delivery.startedAt).toISOString(),
    completed_at: new Date(delivery.completedAt).toISOString(),
  };
}

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Refusal(plainError(400, `${name}: a whole number from 1`));
  return Number(text);
}

/** Records are never removed, so their number makes ids that only grow. */
function nextNumber(count: number, first: number): string {
  return String(first + count);
}

function effect(world: World, request: RouteRequest, what: string, detail: Record<string, unknown>): void {
  world.log.record({ kind: 'effect', route: request.route, request: request.number, what, detail });
}

function unprocessable(message: string): Refusal {
  return new Refusal(plainError(422, message));
}
