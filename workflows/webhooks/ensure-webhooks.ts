// Brings hook and triggers of a scope to the wanted state, however often it runs, and looks at how deliveries
// fare.
import { ApplicationFailure, log } from '@temporalio/workflow';
import type {
  HookScope,
  MadeWebhooks,
  SeenDelivery,
  WantedTrigger,
  WebhookActivities,
} from '../../activities';
import { ServiceCalls } from '../run/activity-calls';
import { asking } from '../run/asking';
import { parseInput } from '../run/parse-input';
import { withRefusalsExplained } from '../run/refused-request';
import { RunProgress } from '../run/run-progress';
import { isDone, keyOf, planWebhooks, type TriggerWish, type WebhookPlan } from './decide/plan-webhooks';
import {
  type EnsureWebhooksInput,
  type EnsureWebhooksResult,
  ensureWebhooksInput,
} from './webhooks-contract';

const EXAMPLE = {
  companyId: '5001',
  destinationUrl: 'https://hooks.example.com/webhooks',
  triggers: [{ resource: 'Observation Items', events: ['create', 'update'] }],
};
/** Each round reads, compares and acts; a second one sees what lost responses have left behind. */
const ROUNDS = 4;
const MOST_SHOWN = 20;

type WebhookCalls = ServiceCalls<WebhookActivities>;

interface Wish {
  readonly scope: HookScope;
  readonly namespace: string;
  readonly apiVersion: string;
  readonly destinationUrl: string;
  readonly triggers: readonly TriggerWish[];
}

/**
 * Ends when a reading shows nothing left to do. New things are made before old ones are removed, so no event
 * is missed in between. Waits, without limit, for a service that is away.
 */
export async function ensureWebhooksWorkflow(rawInput: EnsureWebhooksInput): Promise<EnsureWebhooksResult> {
  const input = parseInput(ensureWebhooksInput, rawInput, EXAMPLE);
  const scope: HookScope = {
    companyId: input.companyId,
    ...(input.projectId === undefined ? {} : { projectId: input.projectId }),
  };
  const wish: Wish = {
    scope,
    namespace: input.namespace,
    apiVersion: input.apiVersion,
    destinationUrl: input.destinationUrl,
    triggers: input.triggers.flatMap(({ resource, events }) => events.map(event => ({ resource, event }))),
  };
  const progress = new RunProgress(`Webhooks of ${describeScope(scope)}, namespace ${wish.namespace}`);
  const calls: WebhookCalls = new ServiceCalls<WebhookActivities>();
  calls.whenBlocked(progress);
  return await withRefusalsExplained(async () => {
    await warnOfUnknown(calls, progress, wish);
    const { hookId, changes, refused } = await converge(calls, progress, wish, input.renewHeaders);
    const deliveries =
      hookId === null || input.deliveries === 0
        ? { byOutcome: {}, failing: [] }
        : await lookAtDeliveries(calls, progress, { scope, hookId }, input.deliveries);
    progress.tell(changes.length === 0 ? 'Ended: everything was as it should be' : 'Ended');
    return { hookId, changes, refused, notes: progress.notes, deliveries };
  });
}

async function converge(
  calls: WebhookCalls,
  progress: RunProgress,
  wish: Wish,
  renewHeaders: boolean,
): Promise<Pick<EnsureWebhooksResult, 'hookId' | 'changes' | 'refused'>> {
  const changes: string[] = [];
  const refused = new Map<string, string>();
  let renew = renewHeaders;
  let made: MadeWebhooks | undefined;
  for (let round = 1; round <= ROUNDS; round++) {
    progress.tell('Reading what is there');
    const { hooks } = await calls.service.readHooks(
      () => ({ scope: wish.scope, namespace: wish.namespace, ...(made === undefined ? {} : { made }) }),
      `Read the hooks of ${wish.namespace}`,
    );
    const triggers = wish.triggers.filter(trigger => !refused.has(keyOf(trigger)));
    // A hook whose triggers are all refused stays, so that repeating this makes nothing new.
    const plan = planWebhooks(
      { ...wish, triggers: triggers.length === 0 ? wish.triggers : triggers },
      hooks,
      renew,
    );
    const open = triggers.length === 0 ? { ...plan, createTriggers: [] } : plan;
    if (isDone(open)) return { hookId: open.keep, changes, refused: [...refused.values()] };
    renew = false;
    made = await act(calls, progress, wish, open, changes, refused);
  }
  throw ApplicationFailure.nonRetryable(
    `After ${ROUNDS} rounds the hooks of namespace "${wish.namespace}" still differ; somebody else may be changing them. Done so far: ${changes.join('; ')}`,
    'NOT_SETTLED',
  );
}

/** @returns what it has made; undefined: nothing. */
async function act(
  calls: WebhookCalls,
  progress: RunProgress,
  wish: Wish,
  plan: WebhookPlan,
  changes: string[],
  refused: Map<string, string>,
): Promise<MadeWebhooks | undefined> {
  const { scope, apiVersion } = wish;
  const hook = { namespace: wish.namespace, apiVersion, destinationUrl: wish.destinationUrl };
  const did = (what: string) => {
    changes.push(what);
    progress.note(what);
  };
  let hookId = plan.keep;
  const triggers: WantedTrigger[] = [];
  if (plan.create) {
    progress.tell('Making the hook');
    const made = await calls.service.createHook(() => ({ scope, hook, asked: asking() }), 'Make the hook');
    hookId = made.hookId;
    did(`hook ${hookId} made`);
  }
  if (hookId !== null) {
    const ref = { scope, hookId };
    if (plan.update) {
      await calls.service.updateHook(() => ({ ...ref, hook }), `Write hook ${hookId}`);
      did(`hook ${hookId} written anew`);
    }
    for (const trigger of plan.createTriggers) {
      const words = `trigger "${trigger.resource}" ${trigger.event}`;
      progress.tell(`Making ${words}`);
      const made = await calls.service.createTrigger(
        () => ({ ...ref, apiVersion, trigger, asked: asking() }),
        `Make ${words}`,
      );
      if (made.kind === 'created') {
        triggers.push(trigger);
        did(`${words} made`);
      } else refused.set(keyOf(trigger), `${made.reason.text} ${made.reason.fix}`);
    }
    for (const triggerId of plan.deleteTriggers) {
      await calls.service.deleteTrigger(() => ({ ...ref, triggerId }), `Remove trigger ${triggerId}`);
      did(`trigger ${triggerId} removed`);
    }
  }
  for (const oldId of plan.deleteHooks) {
    await calls.service.deleteHook(() => ({ scope, hookId: oldId }), `Remove hook ${oldId}`);
    did(`hook ${oldId} removed`);
  }
  return hookId !== null && (plan.create || triggers.length > 0) ? { hookId, triggers } : undefined;
}

/** A name that the service does not list is only noted: triggers may be checked against another list. */
async function warnOfUnknown(calls: WebhookCalls, progress: RunProgress, wish: Wish): Promise<void> {
  if (wish.triggers.length === 0) return;
  progress.tell('Reading what can be subscribed to');
  const { resources } = await calls.service.listWebhookResources(
    () => ({ scope: wish.scope }),
    'List what can be subscribed to',
  );
  const known = new Map(resources.map(({ name, except }) => [name.trim().toLowerCase(), except]));
  if (known.size === 0) return;
  for (const { resource, event } of wish.triggers) {
    const except = known.get(resource.toLowerCase());
    if (except === undefined) progress.note(`The service does not list "${resource}".`);
    else if (except.includes(event)) progress.note(`The service lists "${resource}" without ${event}.`);
  }
}

async function lookAtDeliveries(
  calls: WebhookCalls,
  progress: RunProgress,
  ref: { readonly scope: HookScope; readonly hookId: string },
  most: number,
): Promise<EnsureWebhooksResult['deliveries']> {
  progress.tell('Looking at the deliveries');
  const read = async (status: 'any' | 'failing', limit: number): Promise<readonly SeenDelivery[]> =>
    (await calls.service.readDeliveries(() => ({ ...ref, status, most: limit }), `Read ${status} deliveries`))
      .deliveries;
  const byOutcome: Record<string, number> = {};
  for (const { outcome } of await read('any', most)) byOutcome[outcome] = (byOutcome[outcome] ?? 0) + 1;
  const failing = await read('failing', MOST_SHOWN);
  if (failing.length > 0) {
    progress.note(
      `${failing.length} deliveries have failed, the newest with ${describeFailure(failing[0])}.`,
    );
    log.warn('Deliveries of webhooks fail', { event: 'webhook-deliveries-failing', hookId: ref.hookId });
  }
  return { byOutcome, failing };
}

function describeFailure(delivery: SeenDelivery | undefined): string {
  if (delivery?.responseStatus !== null) return `status ${delivery?.responseStatus}`;
  return delivery.trouble === '' ? 'no answer' : delivery.trouble;
}

function describeScope({ companyId, projectId }: HookScope): string {
  return projectId === undefined ? `company ${companyId}` : `project ${projectId}`;
}
