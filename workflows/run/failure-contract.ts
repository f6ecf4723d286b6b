// What an activity can fail with, and what then happens to the run that asked. Activities give their errors
// these types (activities/scope/failure.ts), and a run decides by the type alone.

/**
 * `repeated`: it can pass by itself, so Temporal tries again without an end. `blocks`: only a person, or the
 * repair of a cause, can cure it; the run stands still in sight of all, and tries now and then. `fails`:
 * trying again would only repeat it; whoever asked decides what becomes of it.
 */
export type FailureHandling = 'repeated' | 'blocks' | 'fails';

/**
 * A new type stands here with its handling, or nobody can use it. Histories carry the types: none is ever
 * renamed.
 */
export const FAILURE_HANDLING = {
  /** The service, the network or the token store is away or answers nonsense. */
  SERVICE_UNAVAILABLE: 'repeated',
  /** The rate limit is spent: repeated when it is over. */
  RATE_LIMITED: 'repeated',
  /** Files that the service has not released for use yet; nothing is away. */
  NOT_RELEASED: 'repeated',
  /** Workflows in the service still stand against documents; nothing is away. */
  CONFLICT_STANDS: 'repeated',
  /** What is waited for has not happened yet; nothing is away, and the next attempt looks again. */
  NOT_YET: 'repeated',
  /** The share or the local disk fails. */
  SHARE_UNAVAILABLE: 'repeated',
  /** A person must look: the service refuses tokens it just gave. */
  TOKEN_REJECTED: 'blocks',
  /** A person must log in, or correct the credentials. */
  LOGIN_REQUIRED: 'blocks',
  /** A person must grant a right. */
  ACCESS_DENIED: 'blocks',
  /** A person must correct the configuration. */
  MISCONFIGURED: 'blocks',
  /** Another Temporal carries the batch: it is waited for, or a person decides. */
  BATCH_HELD: 'blocks',
  /** The service refused the content; `reasons` in the details say why. */
  REQUEST_REFUSED: 'fails',
  /** The batch on the share is not there, not readable, or not the one that was meant. */
  BATCH_UNUSABLE: 'fails',
  /** A mistake of ours. */
  BUG: 'fails',
} as const satisfies Readonly<Record<string, FailureHandling>>;

export type FailureType = keyof typeof FAILURE_HANDLING;

/** The types that a run waits for in sight. */
export type BlockingType = {
  [Type in FailureType]: (typeof FAILURE_HANDLING)[Type] extends 'blocks' ? Type : never;
}[FailureType];

/**
 * Whether a failure with this type blocks. Those of Temporal and of other people's code have types that are
 * none of ours.
 */
export function isBlocking(type: string): type is BlockingType {
  return Object.hasOwn(FAILURE_HANDLING, type) && FAILURE_HANDLING[type as FailureType] === 'blocks';
}
