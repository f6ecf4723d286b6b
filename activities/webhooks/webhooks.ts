// Hooks and their triggers at the service (specification, Webhooks). The header's secret stays in here.

import type { Asking } from '../../workflows/contract';
import { describeRefusals } from '../../workflows/run/decide/describe-refusals';
import { keyOf } from '../../workflows/webhooks/decide/plan-webhooks';
import type { ActivityScope } from '../scope/activity-scope';
import { Making, type MakingDeps, type MakingScope } from '../scope/making';
import { unlessGone } from '../scope/refusal-reason';
import { toActivities } from '../scope/to-activities';
import type { ListedHook, NewHook } from '../service/endpoints/webhooks';
import * as endpoints from '../service/endpoints/webhooks';
import {
  AccessDeniedError,
  InternalServiceError,
  isServiceError,
  MisconfiguredError,
  RequestRefusedError,
  type ServiceErrorCode,
} from '../service/errors';
import { fetchAll } from '../service/pages';
import type { Sender } from '../service/service-client';
import { compareHeaders } from './compare-headers';
import { readDeliveries } from './deliveries';
import { echoes, secretsOf, type WebhookHeader } from './webhook-header';
import type {
  CreateHookInput,
  CreateTriggerInput,
  CreateTriggerResult,
  HookRef,
  HookScope,
  MadeWebhooks,
  ReadHooksInput,
  SeenHook,
  WantedHook,
  WebhookResources,
} from './webhooks-api';

export interface WebhookActivityDeps extends MakingDeps {
  readonly client: Sender;
  readonly draining: AbortSignal;
  /** Absent: this worker's configuration names no secret; hooks can then be neither written nor compared. */
  readonly header: WebhookHeader | undefined;
}

/** Ways in which a service says that it does not serve a list. */
const NOT_SERVED: ReadonlySet<ServiceErrorCode> = new Set([
  'REQUEST_REFUSED',
  'NOT_FOUND',
  'GONE',
  'ACCESS_DENIED',
]);

type Scope = Pick<ActivityScope, 'signal'>;

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

/** Run anywhere; served by the queue `drawbridge`. */
export function createWebhookActivities(deps: WebhookActivityDeps) {
  return toActivities(deps.draining, deps, {
    readHooks,
    createHook,
    updateHook,
    deleteHook,
    createTrigger,
    deleteTrigger,
    readDeliveries,
    listWebhookResources,
  });
}

/** Writes destination and headers anew. */
async function updateHook(
  deps: WebhookActivityDeps,
  { scope, hookId, hook }: HookRef & { readonly hook: WantedHook },
  { signal }: Pick<Scope, 'signal'>,
): Promise<void> {
  const body = { scope, hook: toNewHook(deps, hook) };
  await withoutEcho(deps, () =>
    deps.client.send(endpoints.updateHook, { ...at(scope, hookId), body, signal }),
  );
}

async function deleteHook(
  { client }: WebhookActivityDeps,
  { scope, hookId }: HookRef,
  { signal }: Pick<Scope, 'signal'>,
): Promise<void> {
  await unlessGone(() =>
    client.send(endpoints.deleteHook, { ...at(scope, hookId), query: { scope }, signal }),
  );
}

async function deleteTrigger(
  { client }: WebhookActivityDeps,
  { scope, hookId, triggerId }: HookRef & { readonly triggerId: string },
  { signal }: Pick<Scope, 'signal'>,
): Promise<void> {
  const params = { hookId, triggerId };
  await unlessGone(() =>
    client.send(endpoints.deleteTrigger, { ...at(scope, hookId), params, query: { scope }, signal }),
  );
}

async function listWebhookResources(
  { client }: WebhookActivityDeps,
  { scope }: { readonly scope: HookScope },
  { signal }: Pick<Scope, 'signal'>,
): Promise<WebhookResources> {
  try {
    const { data } = await client.send(endpoints.listWebhookResources, {
      ...at(scope),
      query: { scope },
      signal,
    });
    return { resources: data.map(({ name, except }) => ({ name, except })) };
  } catch (error: unknown) {
    // It only serves warnings, so a service without it holds nothing up.
    if (isServiceError(error) && NOT_SERVED.has(error.code)) {
      return { resources: [] };
    }
    throw error;
  }
}

/**
 * What was made a moment before, by this run or by one before of the same id, may not be listed yet: then it
 * is read once more, half a minute later. What is missing of what is wanted would else be made twice, and
 * what is not wanted any more would stay.
 */
async function readHooks(
  deps: WebhookActivityDeps,
  input: ReadHooksInput,
  scope: Scope & MakingScope,
): Promise<{ readonly hooks: readonly SeenHook[] }> {
  const { signal } = scope;
  const hooks: SeenHook[] = [];
  for (const hook of await findHooks(deps.client, input, signal)) {
    const triggers = await fetchAll(deps.client, endpoints.listTriggers, {
      ...at(input.scope, hook.id),
      query: { scope: input.scope },
      signal,
    });
    hooks.push({
      id: hook.id,
      namespace: hook.namespace,
      apiVersion: hook.apiVersion,
      destinationUrl: hook.destinationUrl,
      headers: compareHeaders(toHeaders(deps), hook.maskedHeaders),
      triggers: triggers.map(({ id, resourceName, eventType }) => ({
        id,
        resource: resourceName,
        event: eventType,
      })),
    });
  }
  const { listedAfterMs, sinceRunBefore } = deps;
  // An attempt before puts nothing in doubt: it only looked.
  const making = new Making(scope, { isRepeated: input.made !== undefined, listedAfterMs, sinceRunBefore });
  if (input.made === undefined) await making.waitUntilAllListed('webhooks');
  else if (!isShown(input.made, hooks)) making.waitUntilListed('webhooks');
  return { hooks };
}

function isShown(made: MadeWebhooks, hooks: readonly SeenHook[]): boolean {
  const shown = hooks.find(({ id }) => id === made.hookId);
  const keys = new Set(shown?.triggers.map(keyOf));
  return shown !== undefined && made.triggers.every(trigger => keys.has(keyOf(trigger)));
}

/** The hooks of a namespace. */
export async function findHooks(
  client: Sender,
  { scope, namespace }: { readonly scope: HookScope; readonly namespace: string },
  signal: AbortSignal,
): Promise<readonly ListedHook[]> {
  const listed = await fetchAll(client, endpoints.listHooks, {
    ...at(scope),
    query: { scope, namespace },
    signal,
  });
  // A service that ignores the filter must not make other integrations' hooks look like ours.
  return listed.filter(hook => hook.namespace === namespace);
}

/**
 * The response to an earlier attempt may have been lost, so a later one looks for the hook first, twice where
 * it is not listed. A second hook is still possible; the next reading shows it.
 */
async function createHook(
  deps: WebhookActivityDeps,
  { scope, hook, asked }: CreateHookInput,
  activityScope: Scope & MakingScope,
): Promise<{ readonly hookId: string }> {
  const body = { scope, hook: toNewHook(deps, hook) };
  const { signal } = activityScope;
  const making = makingOf(deps, asked, activityScope);
  if (making.isInDoubt) {
    const hooks = await making.look(() =>
      findHooks(deps.client, { scope, namespace: hook.namespace }, signal),
    );
    const known = hooks.find(
      ({ apiVersion, destinationUrl }) =>
        apiVersion === hook.apiVersion && destinationUrl === hook.destinationUrl,
    );
    if (known !== undefined) return { hookId: known.id };
    making.waitUntilListed('hook');
  }
  const { data } = await making.make(() =>
    withoutEcho(deps, () => deps.client.send(endpoints.createHook, { ...at(scope), body, signal })),
  );
  return { hookId: data.id };
}

/**
 * A service that quotes our header in its refusal would put the secret into a history: such words are left
 * out.
 */
async function withoutEcho<Result>(deps: WebhookActivityDeps, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error: unknown) {
    // A quote or a backslash of the secret may be written as JSON writes it, by us or already by the service.
    if (
      !isServiceError(error) ||
      !echoes(JSON.stringify([error.message, error.reasons]), secretsOf(deps.header))
    )
      throw error;
    const { effect, route, status, retryAtMs } = error;
    const facts = { effect, route, status, retryAtMs };
    const message = `${route} answered ${status} in words that are not to be repeated`;
    if (error.code === 'REQUEST_REFUSED') throw new RequestRefusedError(message, facts);
    if (error.code === 'ACCESS_DENIED') throw new AccessDeniedError(message, facts);
    throw new InternalServiceError(message, facts);
  }
}

/** From the second attempt on it looks first, as for a hook. */
async function createTrigger(
  deps: WebhookActivityDeps,
  input: CreateTriggerInput,
  activityScope: Scope & MakingScope,
): Promise<CreateTriggerResult> {
  const { client } = deps;
  const { scope, hookId, trigger } = input;
  const { signal } = activityScope;
  const making = makingOf(deps, input.asked, activityScope);
  if (making.isInDoubt) {
    const listed = await making.look(() =>
      fetchAll(client, endpoints.listTriggers, { ...at(scope, hookId), query: { scope }, signal }),
    );
    const isThere = listed.some(
      ({ resourceName, eventType }) => keyOf({ resource: resourceName, event: eventType }) === keyOf(trigger),
    );
    if (isThere) return { kind: 'created' };
    making.waitUntilListed('trigger');
  }
  try {
    const body = {
      scope,
      apiVersion: input.apiVersion,
      resourceName: trigger.resource,
      eventType: trigger.event,
    };
    await making.make(() => client.send(endpoints.createTrigger, { ...at(scope, hookId), body, signal }));
    return { kind: 'created' };
  } catch (error: unknown) {
    if (!isServiceError(error) || error.code !== 'REQUEST_REFUSED') throw error;
    const said = describeRefusals(error.reasons, 3);
    return {
      kind: 'refused',
      reason: {
        code: 'trigger-refused',
        text: `The service refused the trigger "${trigger.resource}" ${trigger.event} (status ${error.status}). ${said.join('; ')}`,
        fix: 'Compare it with what `webhooks resources` lists.',
      },
    };
  }
}

function makingOf({ listedAfterMs }: MakingDeps, asked: Asking, scope: MakingScope): Making {
  return new Making(scope, { asked, listedAfterMs });
}

function at({ companyId }: HookScope, hookId = '') {
  return { companyId, params: { hookId } };
}

function toNewHook(deps: WebhookActivityDeps, hook: WantedHook): NewHook {
  return {
    namespace: hook.namespace,
    apiVersion: hook.apiVersion,
    destinationUrl: hook.destinationUrl,
    destinationHeaders: toHeaders(deps),
  };
}

function toHeaders({ header }: WebhookActivityDeps): Readonly<Record<string, string>> {
  if (header === undefined) {
    throw new MisconfiguredError("The worker's configuration has no webhooks.secret", { effect: 'not-sent' });
  }
  return { [header.name]: header.value.reveal() };
}
