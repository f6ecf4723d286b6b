// What can go wrong between us and the service. Matched by `code`, never by message; `effect`
// says whether a write may be repeated. Messages hold the route's template, a status and reason
// codes: no URL, no header, no token.
import type { RefusalReason } from './reasons';

/**
 * What is known of the request's effect: it never left, the service refused it (nothing was applied),
 * or nobody knows. A lost response to a read is harmless, but `unknown` all the same.
 */
export type Effect = 'not-sent' | 'rejected' | 'unknown';

export interface ServiceErrorFacts {
  readonly effect: Effect;
  /** `METHOD /path/{template}`; absent when no request was involved. */
  readonly route?: string | undefined;
  readonly status?: number | undefined;
  readonly reasons?: readonly RefusalReason[] | undefined;
  readonly requestId?: string | undefined;
  /** Its body has the form that the contract gives to the errors of document management. */
  readonly isEnveloped?: boolean | undefined;
  /** Wall-clock time (Unix ms) before which a repeat is pointless. */
  readonly retryAtMs?: number | undefined;
  readonly cause?: unknown;
}

// Jest and Temporal load classes several times, so `instanceof` is not to be trusted; a registered symbol is.
const mark = Symbol.for('drawbridge.ServiceError');

/** The base of all errors that the service client throws, besides the caller's own cancellation reason. */
export abstract class ServiceErrorBase extends Error {
  abstract readonly code: string;
  readonly effect: Effect;
  readonly route: string | undefined;
  readonly status: number | undefined;
  readonly reasons: readonly RefusalReason[];
  readonly requestId: string | undefined;
  readonly isEnveloped: boolean;
  readonly retryAtMs: number | undefined;
  readonly [mark] = true;

  constructor(message: string, facts: ServiceErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.effect = facts.effect;
    this.route = facts.route;
    this.status = facts.status;
    this.reasons = facts.reasons ?? [];
    this.requestId = facts.requestId;
    this.isEnveloped = facts.isEnveloped ?? false;
    this.retryAtMs = facts.retryAtMs;
  }
}

/**
 * Network fault, deadline, 408, 5xx, or a response that cannot be the service's (redirect, HTML, cut or
 * malformed JSON). Worth repeating.
 */
export class ServiceUnavailableError extends ServiceErrorBase {
  readonly code = 'SERVICE_UNAVAILABLE';
  readonly fault: 'network' | 'deadline' | 'status' | 'response' | 'token-store';

  constructor(
    message: string,
    facts: ServiceErrorFacts & { readonly fault: ServiceUnavailableError['fault'] },
  ) {
    super(message, facts);
    this.fault = facts.fault;
  }
}

/**
 * 500 with a body of the service's own. Reads may be repeated; a write's effect is unknown until looked at.
 */
export class InternalServiceError extends ServiceErrorBase {
  readonly code = 'INTERNAL_ERROR';
}

/**
 * 429, or our own gate sees the window spent for longer than the caller may wait. `retryAtMs` is always set.
 */
export class RateLimitedError extends ServiceErrorBase {
  readonly code = 'RATE_LIMITED';
  override readonly retryAtMs: number;

  constructor(message: string, facts: ServiceErrorFacts & { readonly retryAtMs: number }) {
    super(message, facts);
    this.retryAtMs = facts.retryAtMs;
  }
}

/** 401 although the token was just renewed. */
export class TokenRejectedError extends ServiceErrorBase {
  readonly code = 'TOKEN_REJECTED';
}

/**
 * No token can be had without a person: the refresh token is burnt or missing,
 * or the credentials are refused.
 */
export class LoginRequiredError extends ServiceErrorBase {
  readonly code = 'LOGIN_REQUIRED';
}

/**
 * 403, or a refusal that names a missing permission: the account's rights, not the document, are at fault.
 */
export class AccessDeniedError extends ServiceErrorBase {
  readonly code = 'ACCESS_DENIED';
}

/** Another 4xx: nothing was applied; `reasons` say why, as far as the service does. */
export class RequestRefusedError extends ServiceErrorBase {
  readonly code = 'REQUEST_REFUSED';
}

/**
 * 404 said by the service itself (a JSON response, not a gateway's page). For an upload:
 * consumed, unknown or still hidden.
 */
export class NotFoundError extends ServiceErrorBase {
  readonly code = 'NOT_FOUND';
}

/** 410: a user deleted it. */
export class GoneError extends ServiceErrorBase {
  readonly code = 'GONE';
}

/** The configuration or the token store cannot work as it stands; a person must change something. */
export class MisconfiguredError extends ServiceErrorBase {
  readonly code = 'MISCONFIGURED';
}

/** We were about to send something that the contract does not allow: a bug of ours, nothing was sent. */
export class InvalidRequestError extends ServiceErrorBase {
  readonly code = 'INVALID_REQUEST';
}

export type ServiceError =
  | ServiceUnavailableError
  | InternalServiceError
  | RateLimitedError
  | TokenRejectedError
  | LoginRequiredError
  | AccessDeniedError
  | RequestRefusedError
  | NotFoundError
  | GoneError
  | MisconfiguredError
  | InvalidRequestError;

export type ServiceErrorCode = ServiceError['code'];

/**
 * Neither a refusal nor an outage that was said to be one (503): a 500, a page that is not the service's, a
 * response that is lost or does not come. What the request holds may be the cause, and it may have been
 * heard.
 */
export function isUnexplained(error: unknown): error is InternalServiceError | ServiceUnavailableError {
  if (!isServiceError(error)) return false;
  if (error.code === 'INTERNAL_ERROR') return true;
  return error.code === 'SERVICE_UNAVAILABLE' && error.effect === 'unknown' && error.status !== 503;
}

/** The service does not work just now, or the way to it: whatever of the two answers, or nothing does. */
export function isOutage(error: unknown): error is InternalServiceError | ServiceUnavailableError {
  return isServiceError(error) && (error.code === 'SERVICE_UNAVAILABLE' || error.code === 'INTERNAL_ERROR');
}

/** Whether `error` came from the service client, in whichever realm it was made. */
export function isServiceError(error: unknown): error is ServiceError {
  return typeof error === 'object' && error !== null && mark in error;
}
