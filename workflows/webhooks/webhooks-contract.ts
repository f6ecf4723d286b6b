// Webhooks: what the service should send us, and what an event that came in sets off.
import { z } from 'zod';
import type { SeenDelivery } from '../../activities';
import { idLike } from '../run/input-fields';

const id = idLike('5001');

export const ensureWebhooksInput = z.strictObject({
  companyId: id,
  projectId: id.optional(),
  destinationUrl: z
    .string()
    .max(2_000)
    .regex(/^https:\/\/[^\s?#@]+$/, 'an https address, for example "https://hooks.example.com/webhooks"'),
  namespace: z
    .string()
    .regex(/^[a-z0-9-]{1,100}$/, 'only a-z, 0-9 and dash, for example "drawbridge"')
    .default('drawbridge'),
  apiVersion: z
    .string()
    .regex(/^v\d{1,3}$/, 'a version, for example "v2"')
    .default('v2'),
  triggers: z
    .array(
      z.strictObject({
        resource: z.string().trim().min(1).max(200),
        events: z
          .array(z.enum(['create', 'update', 'delete']))
          .min(1)
          .max(3),
      }),
    )
    .max(100),
  renewHeaders: z.boolean().default(false),
  deliveries: z.number().int().min(0).max(2_000).default(200),
});
/**
 * Brings a scope (the company, or one project) to exactly one hook with exactly these triggers; no triggers:
 * no hook. `renewHeaders` writes the secret although the masked one looks right. `deliveries`: how many are
 * looked through.
 */
export type EnsureWebhooksInput = z.input<typeof ensureWebhooksInput>;

export interface EnsureWebhooksResult {
  /** null: none is wanted. */
  readonly hookId: string | null;
  /** What was done, in order; empty when everything was as it should be. */
  readonly changes: readonly string[];
  /** Triggers that the service does not take. */
  readonly refused: readonly string[];
  readonly notes: readonly string[];
  readonly deliveries: {
    readonly byOutcome: Readonly<Record<string, number>>;
    /** Newest first, at most 20. */
    readonly failing: readonly SeenDelivery[];
  };
}

/** One at a time for a scope and namespace. */
export function ensureWebhooksWorkflowId(input: {
  readonly companyId: string;
  readonly projectId?: string | undefined;
  readonly namespace: string;
}): string {
  return `webhooks/${input.companyId}/${input.projectId ?? 'company'}/${input.namespace}`;
}

const short = z.string().min(1).max(200);

export const webhookEventInput = z.strictObject({
  event: z.strictObject({
    eventId: short,
    version: z.enum(['v2', 'v3', 'v4']),
    resource: short,
    event: short,
    resourceId: z.string().max(200),
    companyId: z.string().max(200),
    projectId: z.string().max(200),
    timestamp: z.string().max(100),
  }),
  reactions: z
    .array(
      z.discriminatedUnion('kind', [
        z.strictObject({
          kind: z.literal('start'),
          name: short,
          workflow: z.string().regex(/^[a-z][A-Za-z0-9]{0,80}Workflow$/),
          input: z.json(),
        }),
        z.strictObject({
          kind: z.literal('signal'),
          name: short,
          workflowId: z.string().min(1).max(400),
          signal: short,
        }),
      ]),
    )
    .max(100),
});
/** One event and what it sets off, as the receiver has read both from its configuration. */
export type WebhookEventInput = z.input<typeof webhookEventInput>;

export interface WebhookEventResult {
  readonly reactions: readonly {
    readonly name: string;
    readonly outcome: 'started' | 'started-before' | 'signalled' | 'nobody-waits';
  }[];
}

/** Id of an event's run: its start makes the event durable, and starting it twice is starting it once. */
export function webhookEventWorkflowId(eventId: string): string {
  return `webhook-event/${eventId}`;
}
