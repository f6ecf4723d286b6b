// What workflows may ask about webhooks, as types. The header that the service sends along is the worker's
// own secret: it never travels through a workflow.
import type { Asking } from '../../workflows/contract';
import type { Refused } from '../scope/refusal-reason';
import type { DeliveryStatus, HookEvent, HookScope } from '../service/endpoints/webhooks';

export type { HookScope };

export interface WantedHook {
  readonly namespace: string;
  readonly apiVersion: string;
  readonly destinationUrl: string;
}

export interface WantedTrigger {
  readonly resource: string;
  readonly event: HookEvent;
}

export interface SeenTrigger {
  readonly id: string;
  readonly resource: string;
  /** In small letters. */
  readonly event: string;
}

export interface SeenHook extends WantedHook {
  readonly id: string;
  /** Whether the headers are ours, as far as the masked ones let it be seen. */
  readonly headers: 'same' | 'different';
  readonly triggers: readonly SeenTrigger[];
}

export interface HookRef {
  readonly scope: HookScope;
  readonly hookId: string;
}

export interface SeenDelivery {
  readonly eventId: string;
  readonly resource: string;
  readonly event: string;
  /** ok, retried, failed, discarded. */
  readonly outcome: string;
  readonly responseStatus: number | null;
  /** What the destination or the network said, masked. */
  readonly trouble: string;
  /** As the service writes it. */
  readonly startedAt: string;
}

export interface ReadHooksInput {
  readonly scope: HookScope;
  readonly namespace: string;
  /** Made by this run a moment before; a worker of an earlier version passes it by. */
  readonly made?: MadeWebhooks | undefined;
}

export interface MadeWebhooks {
  readonly hookId: string;
  readonly triggers: readonly WantedTrigger[];
}

export interface CreateHookInput {
  readonly scope: HookScope;
  readonly hook: WantedHook;
  readonly asked: Asking;
}

export interface CreateTriggerInput extends HookRef {
  readonly apiVersion: string;
  readonly trigger: WantedTrigger;
  readonly asked: Asking;
}

export type CreateTriggerResult =
  | { readonly kind: 'created' }
  /** About this trigger alone. */
  | Refused;

export interface ReadDeliveriesInput extends HookRef {
  readonly status: DeliveryStatus;
  readonly most: number;
}

/** Names that triggers can be set on; empty when the service does not tell. */
export interface WebhookResources {
  readonly resources: readonly { readonly name: string; readonly except: readonly string[] }[];
}
