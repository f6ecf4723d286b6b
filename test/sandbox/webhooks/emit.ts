/** Events that the service sends by itself to the hooks that have a trigger for them. */
import type { World } from '../world';
import { deliver } from './deliver';
import type { Hook } from './records';

export interface Happening {
  readonly resource: string;
  readonly type: 'create' | 'update' | 'delete';
  readonly resourceId: string;
  readonly companyId: string;
  readonly projectId: string;
  readonly userId: number;
}

/** Event numbers only grow, across hooks. */
const FIRST_EVENT = 91_000;

/**
 * Returns at once: no request waits for a receiver. Nothing is sent unless the
 * setting `eventsTo` says where to.
 */
export function emit(world: World, happening: Happening): void {
  const to = world.settings.eventsTo;
  if (to === null) return;
  for (const hook of hooksFor(world, happening)) {
    const event = eventFor(world, hook, happening);
    deliver(world, hook.id, { event, to }).catch((error: unknown) =>
      world.log.record({
        kind: 'effect',
        route: 'webhooks',
        request: 0,
        what: 'event-not-delivered',
        detail: { hook: hook.id, why: String(error) },
      }),
    );
  }
}

/** A trigger of the version that its hook had before a change of it brings nothing any more (Events 1). */
function hooksFor(world: World, { resource, type, companyId, projectId }: Happening): Hook[] {
  const keyOf = (hookId: string, apiVersion: string) => `${hookId} ${apiVersion}`;
  const wanted = new Set(
    [...world.triggers.values()]
      .filter(trigger => !trigger.deleted && trigger.resourceName === resource && trigger.eventType === type)
      .map(({ hookId, apiVersion }) => keyOf(hookId, apiVersion)),
  );
  return [...world.hooks.values()].filter(
    ({ id, apiVersion, owner, deleted }) =>
      !deleted &&
      wanted.has(keyOf(id, apiVersion)) &&
      owner.id === (owner.kind === 'company' ? companyId : projectId),
  );
}

/** The payload of the hook's version. */
function eventFor(world: World, hook: Hook, happening: Happening): Record<string, unknown> {
  const ulid = world.newId();
  const timestamp = new Date(world.now()).toISOString();
  const { companyId, projectId, userId, resource, resourceId, type } = happening;
  if (hook.apiVersion === 'v4') {
    return {
      id: ulid,
      timestamp,
      user_id: String(userId),
      company_id: companyId,
      project_id: projectId,
      api_version: 'v4',
      reason: type,
      resource_type: resource,
      resource_id: resourceId,
    };
  }
  return {
    id: FIRST_EVENT + world.nextEvent(),
    ulid,
    timestamp,
    metadata: {
      source_user_id: userId,
      source_project_id: Number(projectId),
      source_operation_id: null,
      source_company_id: Number(companyId),
      source_application_id: null,
    },
    user_id: userId,
    company_id: Number(companyId),
    project_id: Number(projectId),
    api_version: hook.apiVersion,
    event_type: type,
    resource_name: resource,
    resource_id: resourceId,
    ...(hook.apiVersion === 'v3' ? { related_resources: [] } : {}),
  };
}
