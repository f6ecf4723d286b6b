// The only map from what can go wrong in an activity to what Temporal sees: one of the types of
// failure-contract.ts, and when to repeat. Failures are rebuilt from allowed parts; no error object, stack or
// cause of ours crosses into a history.
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
  TemporalFailure,
} from '@temporalio/common';
import { FAILURE_HANDLING, type FailureType, isBlocking } from '../../workflows/run/failure-contract';
import { systemClock } from '../host/clock';
import { describeBug, messageOf, nameOf } from '../host/describe-bug';
import { codeOf, hasCode } from '../host/error-code';
import { type FileTrouble, troubleOfCode } from '../host/file-trouble';
import { type Effect, isServiceError, type ServiceError, type ServiceErrorCode } from '../service/errors';
import type { RefusalReason } from '../service/reasons';
import { maskForeignText } from '../service/secret';
import type { ShareErrorCode, ShareFaultsError } from '../share/files/share-error';
import type { TransferErrorCode } from '../transfer/errors';
import { type Dependency, planAwayDelayMs, spreadAfterMs } from './dependency-away';
import type { NotYetError } from './not-yet';

/** First and only element of the failure's details. */
export interface FailureDetails {
  /** Code of the service error, or of the file system's. */
  readonly code: string;
  readonly effect: Effect | null;
  /** `METHOD /path/{template}`. */
  readonly route: string | null;
  readonly status: number | null;
  readonly reasons: readonly RefusalReason[];
  /** Unix ms. */
  readonly retryAtMs: number | null;
  /** What is away; null when it is something else that failed. */
  readonly dependency: Dependency | null;
  /** Since when it is away, Unix ms, as far as the process knows that tried. */
  readonly awaySinceMs: number | null;
}

/** What the delay until the next attempt depends on, besides the error. */
export interface RetryFacts {
  /** From 1. */
  readonly attempt: number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Longest delay, before its random spread; absent: that of planAwayDelayMs. */
  readonly longestMs?: number;
}

const FIRST_ATTEMPT: RetryFacts = { attempt: 1, random: Math.random };

const TYPE_BY_CODE: Readonly<Record<ServiceErrorCode, FailureType>> = {
  SERVICE_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
  INTERNAL_ERROR: 'SERVICE_UNAVAILABLE',
  RATE_LIMITED: 'RATE_LIMITED',
  TOKEN_REJECTED: 'TOKEN_REJECTED',
  LOGIN_REQUIRED: 'LOGIN_REQUIRED',
  ACCESS_DENIED: 'ACCESS_DENIED',
  MISCONFIGURED: 'MISCONFIGURED',
  REQUEST_REFUSED: 'REQUEST_REFUSED',
  NOT_FOUND: 'REQUEST_REFUSED',
  GONE: 'REQUEST_REFUSED',
  INVALID_REQUEST: 'BUG',
};

// A share that is unmounted, full, read-only, denied, busy, hung or to be repaired: all of it can pass
// without us. `disconnected` is not here: a socket says the same, also with `read` and `write` as its calls.
const PASSING: ReadonlySet<FileTrouble> = new Set([
  'gone',
  'no-folder',
  'denied',
  'busy',
  'short',
  'full',
  'read-only',
  'away',
  'no-device',
  'failing',
  'damaged',
]);

/**
 * The codes of all errors that the share, the upload engine and activities throw of their own.
 * Their messages hold no secrets.
 */
type OwnErrorCode =
  | ShareErrorCode
  | ShareFaultsError['code']
  | TransferErrorCode
  | NotYetError['code']
  | 'CONFLICT_STANDS'
  | 'CONFLICT_UNTOLD';

/** Total: an error with a new code does not compile before it is said here what Temporal makes of it. */
const TYPE_BY_OWN_CODE: Readonly<Record<OwnErrorCode, FailureType>> = {
  STORAGE_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
  STORAGE_FAULT: 'SERVICE_UNAVAILABLE',
  NOT_RELEASED: 'NOT_RELEASED',
  CONFLICT_STANDS: 'CONFLICT_STANDS',
  CONFLICT_UNTOLD: 'CONFLICT_STANDS',
  NOT_YET: 'NOT_YET',
  // A thread ended under its work; nothing is wrong with the file.
  HASH_THREAD: 'SHARE_UNAVAILABLE',
  UNSAFE_TARGET: 'MISCONFIGURED',
  'share-away': 'SHARE_UNAVAILABLE',
  'share-full': 'SHARE_UNAVAILABLE',
  'share-read-only': 'SHARE_UNAVAILABLE',
  'unreadable-now': 'SHARE_UNAVAILABLE',
  'folder-blocked': 'SHARE_UNAVAILABLE',
  'share-faults': 'MISCONFIGURED',
  'key-differs': 'MISCONFIGURED',
  'project-differs': 'MISCONFIGURED',
  'batch-unknown': 'BATCH_UNUSABLE',
  'batch-damaged': 'BATCH_UNUSABLE',
  'manifest-differs': 'BATCH_UNUSABLE',
  'batch-held': 'BATCH_HELD',
  // Asked for what cannot be: the asker corrects the input.
  'bad-request': 'REQUEST_REFUSED',
  'folder-too-large': 'REQUEST_REFUSED',
  // Each of these is caught near where it is thrown, and noted for its file or session;
  // one that comes this far was forgotten there.
  'file-missing': 'BUG',
  'file-changed': 'BUG',
  'file-refused': 'BUG',
  'outcomes-incomplete': 'BUG',
  FILE_EMPTY: 'BUG',
  FILE_TOO_BIG: 'BUG',
  FILE_REFUSED: 'BUG',
  REPORT_REFUSED: 'BUG',
  SESSION_TURNED: 'BUG',
  UNANSWERED: 'BUG',
  SOURCE_FILE: 'BUG',
  STOPPED: 'BUG',
};

// For so many attempts the time that the service names is believed, however short.
const TRUSTED_ATTEMPTS = 5;

// A refused batch of 100 may give a reason for each; more would only weigh on the history.
const MAX_REASONS = 100;
// Temporal warns of payloads above 256 KB, and one above 2 MB would be repeated without an end.
const MOST_CONFLICT_CHARS = 50_000;

/**
 * The failure to throw out of an activity. Cancellations and Temporal's own failures pass through as they
 * are; what is unknown becomes a BUG. What is away is tried again after a growing time with a random spread.
 */
export function toActivityFailure(error: unknown, retry: RetryFacts = FIRST_ATTEMPT): TemporalFailure {
  if (error instanceof TemporalFailure) return error;
  if (isServiceError(error)) return fromServiceError(error, retry);
  if (nameOf(error) === 'AbortError' || nameOf(error) === 'CancelledFailure') {
    return new CancelledFailure('the activity was cancelled');
  }
  const code = codeOf(error) ?? '';
  const trouble = troubleOfCode(code);
  if (trouble !== undefined && PASSING.has(trouble) && isFromFileSystem(error)) {
    const message = `the share or disk failed: ${code} at ${syscallOf(error)}`;
    return toFailure('SHARE_UNAVAILABLE', message, { code, dependency: 'share' }, retry);
  }
  const type = isOwnCode(code) ? TYPE_BY_OWN_CODE[code] : 'BUG';
  if (type !== 'BUG') {
    const dependency = dependencyOf(type, error);
    return toFailure(type, messageOf(error), { code, retryAtMs: retryAtMsOf(error), dependency }, retry);
  }
  const shown = code === '' ? 'UNKNOWN' : code.slice(0, 60);
  return toFailure('BUG', describeBug(error, masked), { code: shown }, retry);
}

/**
 * Whether the call that fails with this stands still until a person has repaired something, and is then made
 * anew: what its attempts have told one another is lost.
 */
export function isStandingStill(error: unknown): boolean {
  const failure = toActivityFailure(error);
  return failure instanceof ApplicationFailure && isBlocking(failure.type ?? '');
}

/**
 * Longest pause between two attempts of what is tried patiently: twenty attempts an hour in a long outage,
 * and nobody waits longer than this when it is over.
 */
const LONGEST_PATIENT_DELAY_MS = 3 * 60_000;

/**
 * The same of what looks before each request, and stands in three strands of a batch: under a hundred
 * requests an hour, all together.
 */
export const LONGEST_DELAY_OF_TWO_MS = 4.5 * 60_000;

/** The activity is tried again as after any outage, only that the tries of a long one lie further apart. */
export function patiently(
  error: unknown,
  { attempt }: Pick<RetryFacts, 'attempt'>,
  longestMs = LONGEST_PATIENT_DELAY_MS,
): unknown {
  if (!isServiceError(error) && !hasCode<TransferErrorCode>(error, 'STORAGE_UNAVAILABLE')) return error;
  return toActivityFailure(error, { attempt, random: Math.random, longestMs });
}

/** Which dependency's absence made an activity fail like this; null when nothing is away. */
function dependencyOf(type: FailureType, error: unknown): Dependency | null {
  if (type === 'SHARE_UNAVAILABLE') return 'share';
  if (type !== 'SERVICE_UNAVAILABLE') return null;
  if (!isServiceError(error)) return 'storage';
  if (error.route?.includes(' /oauth/') === true) return 'authentication';
  // Only what stands before every call has no route of its own: the token store, and the way to a token.
  const isAboutTokens =
    error.code === 'SERVICE_UNAVAILABLE' && (error.fault === 'token-store' || error.fault === 'network');
  return error.route === undefined && isAboutTokens ? 'authentication' : 'api';
}

function isOwnCode(code: string): code is OwnErrorCode {
  return Object.hasOwn(TYPE_BY_OWN_CODE, code);
}

function fromServiceError(error: ServiceError, retry: RetryFacts): ApplicationFailure {
  const type = TYPE_BY_CODE[error.code];
  const facts = {
    code: error.code,
    effect: error.effect,
    route: error.route ?? null,
    status: error.status ?? null,
    reasons: withinWeight(error.reasons.slice(0, MAX_REASONS)),
    retryAtMs: error.retryAtMs ?? null,
    dependency: dependencyOf(type, error),
  };
  return toFailure(type, error.message, facts, retry);
}

/**
 * Reasons are short; the revisions that a conflict names are not, and are left out where there is no room.
 */
function withinWeight(reasons: readonly RefusalReason[]): readonly RefusalReason[] {
  let room = MOST_CONFLICT_CHARS;
  return reasons.map(reason => {
    const { conflict, ...bare } = reason;
    if (conflict === undefined) return reason;
    room -= JSON.stringify(conflict).length;
    return room >= 0 ? reason : bare;
  });
}

function toFailure(
  type: FailureType,
  message: string,
  facts: Partial<FailureDetails> & { readonly code: string },
  retry: RetryFacts,
): ApplicationFailure {
  const details: FailureDetails = {
    effect: null,
    route: null,
    status: null,
    reasons: [],
    retryAtMs: null,
    dependency: null,
    awaySinceMs: null,
    ...facts,
  };
  const isRetryable = FAILURE_HANDLING[type] === 'repeated';
  return ApplicationFailure.create({
    type,
    message: maskForeignText(message, [], 500),
    nonRetryable: !isRetryable,
    details: [details],
    ...(isRetryable ? { nextRetryDelay: planRetryDelayMs(details, retry) } : {}),
    // Benign: the SDK does not log it as an error. An incident is told once, and not with every attempt.
    ...(details.dependency === null && !isOnlyWaiting(type)
      ? {}
      : { category: ApplicationFailureCategory.BENIGN }),
  });
}

/** Whether a failure of this type means that nothing has failed: something is waited for, and asked again. */
export function isOnlyWaiting(type: string | null | undefined): boolean {
  return type === 'NOT_RELEASED' || type === 'NOT_YET' || type === 'CONFLICT_STANDS';
}

function planRetryDelayMs(
  { retryAtMs, dependency, status }: FailureDetails,
  { attempt, random, longestMs }: RetryFacts,
): number {
  if (retryAtMs === null) return planAwayDelayMs(attempt, random(), longestMs);
  const delayMs = Math.max(1, Math.ceil(retryAtMs - systemClock.wallMs()));
  // What our own rate gate says costs no request, and it has spread those who wait for it.
  if (dependency === null && status === null) return delayMs;
  // "In a second", said a hundred times over, is not taken at its word: it is an outage by another name.
  const leastMs = attempt > TRUSTED_ATTEMPTS ? planAwayDelayMs(attempt, random(), longestMs) : 0;
  // What is away asks everybody back at the same moment.
  const spreadMs = dependency === null ? 0 : spreadAfterMs(delayMs, random());
  return Math.max(delayMs + spreadMs, leastMs);
}

function masked(message: string): string {
  return maskForeignText(message, [], 200);
}

function retryAtMsOf(error: unknown): number | null {
  const retryAtMs = (error as { readonly retryAtMs?: unknown } | null | undefined)?.retryAtMs;
  return typeof retryAtMs === 'number' && Number.isFinite(retryAtMs) ? retryAtMs : null;
}

function isFromFileSystem(error: unknown): boolean {
  return syscallOf(error) !== '' && !/^(connect|getaddrinfo|read ECONN|spawn)/.test(syscallOf(error));
}

function syscallOf(error: unknown): string {
  const syscall = (error as { readonly syscall?: unknown } | null | undefined)?.syscall;
  return typeof syscall === 'string' ? syscall : '';
}
