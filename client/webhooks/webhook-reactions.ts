// What an event sets off, by the configuration: ours or not, our own change or not, and which workflows.
import type { WebhookConfig } from '../../workers/config/config-webhooks';
import { type EventValues, fillTemplate } from '../../workers/config/event-mapping';
import type { WebhookEventInput } from '../../workflows/webhooks/webhooks-contract';
import type { WebhookEvent } from './webhook-event';

export type Reaction = WebhookEventInput['reactions'][number];
type Trigger = WebhookConfig['triggers'][number];

/** Why an event sets nothing off; counted, never answered. */
export type IgnoredBecause = 'other-scope' | 'own-change' | 'no-trigger';

type Rules = Pick<WebhookConfig, 'scopes' | 'own' | 'triggers'>;

/**
 * Pure. An event without a company is taken by its project; one without a project, by scopes of a whole
 * company.
 */
export function chooseReactions(
  event: WebhookEvent,
  rules: Rules,
): /** `looks`: the batch that the event's upload belongs to is told of it. */
  | { readonly kind: 'react'; readonly reactions: readonly Reaction[]; readonly looks: boolean }
  | { readonly kind: 'ignore'; readonly why: IgnoredBecause } {
  if (!rules.scopes.some(scope => isInScope(event, scope))) return { kind: 'ignore', why: 'other-scope' };
  const { userIds, applicationIds } = rules.own;
  if (userIds.includes(event.sourceUserId) || applicationIds.includes(event.sourceApplicationId)) {
    return { kind: 'ignore', why: 'own-change' };
  }
  const resource = fold(event.resource);
  const verb = fold(event.event);
  const triggers = rules.triggers.filter(
    trigger => fold(trigger.resource) === resource && trigger.events.some(each => fold(each) === verb),
  );
  if (triggers.length === 0) return { kind: 'ignore', why: 'no-trigger' };
  const lasting = triggers.filter(({ look }) => look === undefined);
  return {
    kind: 'react',
    reactions: lasting.map(trigger => toReaction(trigger, event)),
    looks: lasting.length < triggers.length,
  };
}

function isInScope(event: WebhookEvent, scope: Rules['scopes'][number]): boolean {
  if (event.companyId !== '' && event.companyId !== scope.companyId) return false;
  if (scope.projectId !== undefined) return event.projectId === scope.projectId;
  // A scope of a whole company takes only events that name it.
  return event.companyId !== '';
}

function toReaction(trigger: Trigger, values: EventValues): Reaction {
  const { name, start, signal } = trigger;
  if (start !== undefined) {
    return {
      kind: 'start',
      name,
      workflow: start.workflow,
      input: fillTemplate(start.input, values) as never,
    };
  }
  const workflowId = String(fillTemplate(signal?.workflowId ?? '', values));
  return { kind: 'signal', name, workflowId, signal: signal?.name ?? '' };
}

/** The service writes event types in either case. */
function fold(text: string): string {
  return text.trim().toLowerCase();
}
