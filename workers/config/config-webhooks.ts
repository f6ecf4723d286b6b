// The webhooks' section of the config file: how events reach us, what they trigger,
// and the secret they must carry.
import { z } from 'zod';

import { Secret } from '../../activities/service/secret';
import { readSecret } from './config-secrets';
import type { ConfigFault, ConfigReading } from './config-types';
import { type SecretReference, secretReference } from './config-values';
import { EVENT_NAMES, type Json, unknownNames } from './event-mapping';

/** Shorter ones could be guessed. */
const LEAST_SECRET = 16;
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

const numericId = z
  .union([z.string().regex(/^[1-9]\d{0,14}$/), z.number().int().positive()], {
    error: 'an id of digits, such as 7001',
  })
  .transform(String);

const template = z
  .json()
  .refine(value => unknownNames(value as Json).length === 0, {
    error: `texts with names of an event's values in braces: ${EVENT_NAMES.join(', ')}`,
  })
  .transform(value => value as Json);

const trigger = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'a short name of its own such as "look-at-observation"')
      .describe('Tells the triggers apart.'),
    resource: z.string().min(1).max(200).describe('As `webhooks resources` lists it.'),
    events: z
      .array(z.string().regex(/^[A-Za-z][\w .-]{0,39}$/))
      .min(1)
      .max(20)
      .describe('create, update, delete; other verbs are listened for, but cannot be subscribed to.'),
    start: z
      .strictObject({
        workflow: z.string().regex(/^[a-z][A-Za-z0-9]{0,80}Workflow$/, 'a workflow of ours by name'),
        input: template,
      })
      .optional(),
    signal: z
      .strictObject({
        workflowId: z
          .string()
          .min(1)
          .max(200)
          .refine(text => unknownNames(text).length === 0, `names of an event's values in braces`),
        name: z.string().regex(/^[a-zA-Z][\w-]{0,60}$/),
      })
      .optional()
      .describe('Wakes a workflow that waits; when none does, nothing happens.'),
    look: z
      .literal('batch')
      .optional()
      .describe('The batch that waits for the upload the event names looks at once; for "Document Upload".'),
  })
  .refine(
    ({ start, signal, look }) => [start, signal, look].filter(each => each !== undefined).length === 1,
    { error: 'one of "start", "signal" and "look"' },
  );

export const webhooksSection = z
  .strictObject({
    host: z.string().min(1).default('127.0.0.1').describe('Where the receiver listens, behind TLS.'),
    port: z.number().int().min(1).max(65_535).default(7480),
    path: z
      .string()
      .regex(/^\/[\w./-]{0,200}$/, 'a path such as "/webhooks"')
      .default('/webhooks'),
    inRun: z.boolean().default(false).describe('Whether `run` starts the receiver as well.'),
    header: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,80}$/, 'a header name such as "Authorization"')
      .default('Authorization')
      .describe('The header that proves where an event comes from.'),
    secret: secretReference.describe('Its whole value, 16 characters or more.'),
    previousSecret: secretReference
      .optional()
      .describe('While the secret is changed: the old one, still taken until `previousSecretUntil`.'),
    previousSecretUntil: z.iso
      .datetime({ offset: true, error: 'a date with its time and zone, such as "2026-02-01T18:00:00Z"' })
      .transform(text => Date.parse(text))
      .optional()
      .describe('When the old one ends; needed with it, so that it is not taken for ever.'),
    destinationUrl: z
      .string()
      .regex(/^https:\/\/[^\s?#@]+$/, 'an https address such as "https://hooks.example.com/webhooks"')
      .optional()
      .describe('Where the service sends events; leads to the receiver.'),
    namespace: z
      .string()
      .regex(/^[a-z0-9-]{1,100}$/, 'only a-z, 0-9 and dash')
      .default('drawbridge')
      .describe('Everything in it is ours: hooks that are not wanted are removed from it.'),
    apiVersion: z.enum(['v2', 'v3', 'v4']).default('v2'),
    scopes: z
      .array(z.strictObject({ companyId: numericId, projectId: numericId.optional() }))
      .min(1)
      .max(100)
      .describe('Companies or projects whose events are wanted; all others are ignored.'),
    own: z
      .strictObject({
        userIds: z.array(numericId).max(100).default([]),
        applicationIds: z
          .array(z.union([z.string().min(1).max(100), z.number().int()]).transform(String))
          .max(100)
          .default([]),
      })
      .prefault({})
      .describe('Events that these caused are our own changes, and are ignored.'),
    triggers: z.array(trigger).max(100).default([]),
  })
  .optional();

export type WebhookSettings = NonNullable<z.output<typeof webhooksSection>>;

/** Settings with their secrets read. */
export interface WebhookConfig
  extends Omit<WebhookSettings, 'secret' | 'previousSecret' | 'previousSecretUntil'> {
  /** The present one, then the one before it. Empty when secrets were left unread. */
  readonly secrets: readonly WebhookSecret[];
}

export interface WebhookSecret {
  readonly secret: Secret;
  /** Unix ms; absent: as long as it is configured. */
  readonly untilMs?: number;
}

/** Reads the section's secrets; what goes wrong then is reported together with all other faults. */
export function readWebhooks(
  section: WebhookSettings | undefined,
  input: ConfigReading,
): { readonly webhooks?: WebhookConfig; readonly faults: readonly ConfigFault[] } {
  if (section === undefined) return { faults: [] };
  const { secret, previousSecret, previousSecretUntil, ...settings } = section;
  const faults: ConfigFault[] = [];
  if ((previousSecret === undefined) !== (previousSecretUntil === undefined)) {
    faults.push({
      path: 'webhooks.previousSecretUntil',
      text: 'expected together with webhooks.previousSecret: when the old secret ends',
    });
  }
  const secrets: WebhookSecret[] = readOne('secret', secret, input, faults).map(one => ({ secret: one }));
  if (previousSecret !== undefined && previousSecretUntil !== undefined) {
    const before = readOne('previousSecret', previousSecret, input, faults);
    secrets.push(...before.map(one => ({ secret: one, untilMs: previousSecretUntil })));
  }
  const names = settings.triggers.map(({ name }) => name);
  for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index))) {
    faults.push({
      path: 'webhooks.triggers',
      text: `expected a name of its own for each, "${name}" is there twice`,
    });
  }
  return { webhooks: { ...settings, secrets }, faults };
}

function readOne(
  key: string,
  reference: SecretReference,
  input: ConfigReading,
  faults: ConfigFault[],
): readonly Secret[] {
  if (input.secrets === 'leave') return [];
  const path = `webhooks.${key}`;
  const outcome = readSecret(reference, input.environment, input.folder);
  if ('fault' in outcome) {
    faults.push({ path, text: outcome.fault });
    return [];
  }
  if (outcome.value.length < LEAST_SECRET || !HEADER_VALUE.test(outcome.value)) {
    faults.push({
      path,
      text: `expected at least ${LEAST_SECRET} printable characters, as a header can carry them`,
    });
    return [];
  }
  return [new Secret(outcome.value)];
}
