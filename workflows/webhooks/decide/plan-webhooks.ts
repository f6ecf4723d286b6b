// What has to be done so that a scope has exactly the wanted hook with exactly the wanted triggers.

export interface HookWish {
  readonly apiVersion: string;
  readonly destinationUrl: string;
  /** None: no hook is wanted at all. */
  readonly triggers: readonly TriggerWish[];
}

export interface TriggerWish {
  readonly resource: string;
  readonly event: 'create' | 'update' | 'delete';
}

/** A hook of our namespace, as found. */
export interface FoundHook {
  readonly id: string;
  readonly apiVersion: string;
  readonly destinationUrl: string;
  readonly headers: 'same' | 'different';
  readonly triggers: readonly { readonly id: string; readonly resource: string; readonly event: string }[];
}

export interface WebhookPlan {
  /** The hook that stays; null: there is none yet, or none is wanted. */
  readonly keep: string | null;
  readonly create: boolean;
  /** `keep` needs its destination or headers written. */
  readonly update: boolean;
  readonly createTriggers: readonly TriggerWish[];
  /** Of `keep`: not wanted, or there twice. */
  readonly deleteTriggers: readonly string[];
  /** Everything else in our namespace, which is ours alone (specification, Webhook configuration 2). */
  readonly deleteHooks: readonly string[];
}

/**
 * `renew` writes the headers although they look right: a masked secret may have changed before its last
 * characters.
 */
export function planWebhooks(wish: HookWish, found: readonly FoundHook[], renew: boolean): WebhookPlan {
  const keep = wish.triggers.length === 0 ? undefined : chooseKept(wish, found);
  const deleteHooks = found.filter(hook => hook !== keep).map(({ id }) => id);
  if (keep === undefined) {
    const create = wish.triggers.length > 0;
    return {
      keep: null,
      create,
      update: false,
      createTriggers: create ? distinct(wish.triggers) : [],
      deleteTriggers: [],
      deleteHooks,
    };
  }
  const wanted = new Set(wish.triggers.map(keyOf));
  const there = new Set<string>();
  const deleteTriggers: string[] = [];
  for (const trigger of [...keep.triggers].sort(byId)) {
    const key = keyOf(trigger);
    if (!wanted.has(key) || there.has(key)) deleteTriggers.push(trigger.id);
    else there.add(key);
  }
  return {
    keep: keep.id,
    create: false,
    update: renew || keep.headers === 'different' || keep.destinationUrl !== wish.destinationUrl,
    createTriggers: distinct(wish.triggers).filter(trigger => !there.has(keyOf(trigger))),
    deleteTriggers,
    deleteHooks,
  };
}

export function isDone(plan: WebhookPlan): boolean {
  return (
    !plan.create &&
    !plan.update &&
    plan.createTriggers.length + plan.deleteTriggers.length + plan.deleteHooks.length === 0
  );
}

/** One key for a resource and event, however they are written. */
export function keyOf(trigger: { readonly resource: string; readonly event: string }): string {
  return `${trigger.resource.trim().toLowerCase()}\u0000${trigger.event.toLowerCase()}`;
}

/**
 * A hook of another payload version cannot be changed into ours; of the others the one that needs the least
 * change stays.
 */
function chooseKept(wish: HookWish, found: readonly FoundHook[]): FoundHook | undefined {
  const costOf = (hook: FoundHook) =>
    (hook.destinationUrl === wish.destinationUrl ? 0 : 2) + (hook.headers === 'same' ? 0 : 1);
  return found
    .filter(hook => hook.apiVersion === wish.apiVersion)
    .sort((left, right) => costOf(left) - costOf(right) || byId(left, right))[0];
}

function distinct(triggers: readonly TriggerWish[]): readonly TriggerWish[] {
  return [...new Map(triggers.map(trigger => [keyOf(trigger), trigger])).values()];
}

function byId(left: { readonly id: string }, right: { readonly id: string }): number {
  return left.id.length - right.id.length || (left.id < right.id ? -1 : 1);
}
