/** What can be ordered to go wrong, and where each kind can strike. */
import { z } from 'zod';

/** Reason codes of the specification, plus any other text: unknown codes are a case to test. */
const reasonCode = z.string().min(1).max(100);
const status = z.number().int().min(200).max(599);
/** Unscaled seconds, or 'date' for an HTTP date some seconds ahead. */
const retryAfter = z.union([z.number().nonnegative(), z.literal('date')]);
/** Whether the request takes effect before the answer is spoiled. */
const effect = z.boolean();

const actionSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    status,
    reasonCode: reasonCode.optional(),
    message: z.string().optional(),
    body: z.unknown().optional(),
    retryAfter: retryAfter.optional(),
    headers: z.record(z.string(), z.string()).optional(),
    effect: effect.default(false),
    /** storage.put only: answer before the body was read, then cut the connection. */
    early: z.boolean().default(false),
  }),
  /** The effect happens; the connection ends without an answer. */
  z.strictObject({ kind: z.literal('reply-lost') }),
  /** The connection ends before any effect; at storage in the middle of the body. */
  z.strictObject({ kind: z.literal('cut-request') }),
  /** The effect happens; the answer ends in the middle of its body. */
  z.strictObject({ kind: z.literal('cut-answer') }),
  /** Real milliseconds, or until the fault is removed; `after`: the effect happens before the wait. */
  z.strictObject({
    kind: z.literal('delay'),
    ms: z.number().nonnegative(),
    when: z.enum(['before', 'after']).default('before'),
  }),
  /** No answer ever; `effect`: although the request took effect. */
  z.strictObject({ kind: z.literal('hang'), effect: effect.default(false) }),
  z.strictObject({
    kind: z.literal('malformed'),
    body: z.string(),
    contentType: z.string().default('application/json'),
    effect: effect.default(true),
  }),
  z.strictObject({ kind: z.literal('html'), status: status.default(200), effect: effect.default(false) }),
  /** Without `location`: to a trap that records whoever follows. */
  z.strictObject({
    kind: z.literal('redirect'),
    location: z.string().optional(),
    status: status.default(302),
  }),
  z.strictObject({
    kind: z.literal('rate-limited'),
    withRetryAfter: z.enum(['seconds', 'date', 'none']).default('seconds'),
    /** Unscaled. */
    seconds: z.number().positive().default(5),
  }),
  z.strictObject({ kind: z.literal('unavailable'), retryAfter: retryAfter.default(5) }),

  z.strictObject({ kind: z.literal('drop-from-207') }),
  z.strictObject({ kind: z.literal('fail-in-207'), code: z.number().int().default(404) }),
  /** The whole request: 500, as when storage verification fails. */
  z.strictObject({ kind: z.literal('storage-unverified') }),
  z.strictObject({ kind: z.literal('item-failure'), reasonCode }),
  /** The whole request is refused for the matching item's sake. */
  z.strictObject({
    kind: z.literal('request-refusal'),
    reasonCode,
    named: z.boolean().default(false),
    status: status.optional(),
    /** Further keys of the detail. */
    detail: z.record(z.string(), z.unknown()).default({}),
  }),
  z.strictObject({ kind: z.literal('extra-id') }),
  z.strictObject({ kind: z.literal('missing-id') }),
  z.strictObject({ kind: z.literal('swap-ids') }),

  z.strictObject({ kind: z.literal('expired-url'), early: z.boolean().default(false) }),
  /** Storage answers an ETag that is not the segment's. */
  z.strictObject({ kind: z.literal('wrong-etag') }),
  /** Storage keeps other bytes than it was sent, and says 200. */
  z.strictObject({ kind: z.literal('corrupt-bytes') }),

  z.strictObject({ kind: z.literal('analysis-error') }),
  z.strictObject({ kind: z.literal('analysis-never') }),
  z.strictObject({ kind: z.literal('never-available') }),
]);

export type FaultAction = z.output<typeof actionSchema>;
export type FaultKind = FaultAction['kind'];

const matchSchema = z.strictObject({
  /** Step 4's or Step 5's file_name of any item of the request. */
  fileName: z.string().optional(),
  uploadId: z.string().optional(),
  /** Index in the request's array. */
  position: z.number().int().nonnegative().optional(),
  header: z.strictObject({ name: z.string(), value: z.string().optional() }).optional(),
  /** Only the n-th match, counted from 1. */
  nth: z.number().int().positive().optional(),
});

export type FaultMatch = z.infer<typeof matchSchema>;

export const faultSchema = z.strictObject({
  /** A route key, `api:*`, `auth:*`, `storage:*`, or `analysis` and `scan`. */
  route: z.string().min(1),
  match: matchSchema.optional(),
  /** So many matches pass unharmed first. */
  skip: z.number().int().nonnegative().default(0),
  /** 0: until cleared. */
  times: z.number().int().nonnegative().default(1),
  action: actionSchema,
});

/** A fault as ordered. */
export type FaultOrder = z.input<typeof faultSchema>;
/** A fault with its defaults filled in. */
export type Fault = z.output<typeof faultSchema>;

/** Routes at which an item-level kind means anything; kinds that are not listed strike any request. */
const ROUTES_OF_KIND: Partial<Record<FaultKind, readonly string[]>> = {
  'drop-from-207': ['uploads.patch'],
  'fail-in-207': ['uploads.patch'],
  'storage-unverified': ['uploads.patch'],
  'item-failure': ['revisions.create'],
  'request-refusal': ['uploads.create', 'uploads.patch', 'revisions.create'],
  'extra-id': ['uploads.create'],
  'missing-id': ['uploads.create'],
  'swap-ids': ['uploads.create'],
  'expired-url': ['storage.put'],
  'wrong-etag': ['storage.put'],
  'corrupt-bytes': ['storage.put'],
  'analysis-error': ['analysis'],
  'analysis-never': ['analysis'],
  'never-available': ['scan'],
};

/** Kinds that strike a request as a whole, at any route. */
export function strikesRequests(kind: FaultKind): boolean {
  return ROUTES_OF_KIND[kind] === undefined;
}

/** Why a fault could never fire, or null. `routes` are the known route keys. */
export function whyImpossible(fault: Fault, routes: ReadonlySet<string>): string | null {
  const places = ROUTES_OF_KIND[fault.action.kind];
  if (places !== undefined) {
    return places.includes(fault.route) ? null : `${fault.action.kind} can only strike ${places.join(', ')}`;
  }
  if (/^(api|auth|storage):\*$/.test(fault.route)) return null;
  return routes.has(fault.route) ? null : `there is no route ${fault.route}`;
}
