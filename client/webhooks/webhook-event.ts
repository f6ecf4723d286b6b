// Reads an event as the service delivers it: payload versions 2, 3 and 4 (specification, Events). Nothing in
// it is believed but ids, and those only as a hint where to look.
import { z } from 'zod';

/** One form for all versions. */
export interface WebhookEvent {
  /** Digits, or a ULID in version 4: what duplicates are told by. */
  readonly eventId: string;
  readonly version: 'v2' | 'v3' | 'v4';
  readonly resource: string;
  /** As the service says it: create, update, delete; version 4 knows other verbs. */
  readonly event: string;
  /** Empty when there is none; the same for the ones below. */
  readonly resourceId: string;
  readonly companyId: string;
  readonly projectId: string;
  readonly timestamp: string;
  /** Who caused it; version 4 does not say. */
  readonly sourceUserId: string;
  readonly sourceApplicationId: string;
}

const idText = z
  .union([z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), z.number().int().nonnegative()])
  .transform(String);
const optionalId = z
  .unknown()
  .optional()
  .transform(value => {
    const parsed = idText.safeParse(value);
    return parsed.success ? parsed.data : '';
  });
const words = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u);
const optionalTime = z
  .unknown()
  .optional()
  .transform(value => {
    const text = typeof value === 'string' ? value : '';
    return /^[\dTZ:.+ -]{10,40}$/.test(text) ? text : '';
  });

const common = {
  id: idText,
  resource_id: optionalId,
  company_id: optionalId,
  project_id: optionalId,
  timestamp: optionalTime,
};
const older = z.object({
  ...common,
  resource_name: words,
  event_type: words,
  metadata: z.unknown().optional(),
  related_resources: z.unknown().optional(),
});
const newer = z.object({ ...common, resource_type: words, reason: words });

/** The event; undefined for whatever has another form: unknown to us, and no fault of the sender. */
export function readWebhookEvent(body: unknown): WebhookEvent | undefined {
  const asOlder = older.safeParse(body);
  if (asOlder.success) {
    const { data } = asOlder;
    const metadata = recordOf(data.metadata);
    return {
      eventId: data.id,
      version: data.related_resources === undefined ? 'v2' : 'v3',
      resource: data.resource_name,
      event: data.event_type,
      resourceId: data.resource_id,
      companyId: data.company_id,
      projectId: data.project_id,
      timestamp: data.timestamp,
      sourceUserId: optionalId.parse(metadata.source_user_id),
      sourceApplicationId: optionalId.parse(metadata.source_application_id),
    };
  }
  const asNewer = newer.safeParse(body);
  if (!asNewer.success) return undefined;
  const { data } = asNewer;
  return {
    eventId: data.id,
    version: 'v4',
    resource: data.resource_type,
    event: data.reason,
    resourceId: data.resource_id,
    companyId: data.company_id,
    projectId: data.project_id,
    timestamp: data.timestamp,
    sourceUserId: '',
    sourceApplicationId: '',
  };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
