// What workflows may ask about webhooks, as types. The header that the service sends along is the worker's own secret: it
// never travels through a workflow.
import type { Asking, Reason } from '../../workflows/contract';

/** The company's hooks, or one project's. */
export interface WebhookScope {
  readonly companyId: string;
  readonly projectId?: string | undefined;
}

export interface WantedHook {
  readonly namespace: string;
  readonly apiVersion: string;
  readonly destinationUrl: string;
}

export interface WantedTrigger {
  readonly resource: string;
  readonly event: 'create' | 'update' | 'delete';
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
  readonly scope: WebhookScope;
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

/** Run anywhere; served by the queue `drawbridge`. */
export interface WebhookActivities {
  readHooks(input: {
    readonly scope: WebhookScope;
    readonly namespace: string;
  }): Promise<{ readonly hooks: readonly SeenHook[] }>;
  /** After a lost answer it looks for the hook first; an extra one is still possible, and the next reading shows it. */
  createHook(input: {
    readonly scope: WebhookScope;
    readonly hook: WantedHook;
    readonly asked: Asking;
  }): Promise<{ readonly hookId: string }>;
  /** Writes destination and headers anew. */
  updateHook(input: HookRef & { readonly hook: WantedHook }): Promise<void>;
  deleteHook(input: HookRef): Promise<void>;
  /** The same as for createHook; `refused` is about this trigger alone. */
  createTrigger(
    input: HookRef & {
      readonly apiVersion: string;
      readonly trigger: WantedTrigger;
      readonly asked: Asking;
    },
  ): Promise<{ readonly kind: 'created' } | { readonly kind: 'refused'; readonly reason: Reason }>;
  deleteTrigger(input: HookRef & { readonly triggerId: string }): Promise<void>;
  /** Newest first, at most `most` of them. */
  readDeliveries(
    input: HookRef & {
      readonly status: 'any' | 'successful' | 'discarded' | 'failing';
      readonly most: number;
    },
  ): Promise<{ readonly deliveries: readonly SeenDelivery[] }>;
  /** Names that triggers can be set on; empty when the service does not tell. */
  listWebhookResources(input: { readonly scope: WebhookScope }): Promise<{
    readonly resources: readonly { readonly name: string; readonly except: readonly string[] }[];
  }>;
}
