/** How a fault that strikes a whole request turns out. */
import { type Answer, errorAnswer } from '../http/answer';
import { rateHeaders } from '../http/rate-limits';
import type { Fate } from '../http/respond';
import type { World } from '../world';
import type { FaultAction } from './fault';

type RequestAction = Exclude<FaultAction, { kind: 'delay' }>;

/** What `retryAfter: 'date'` means, unscaled. */
const DATE_AHEAD_SECONDS = 5;

/** Whether the request takes effect although its answer is spoiled. */
export function takesEffect(action: RequestAction): boolean {
  switch (action.kind) {
    case 'reply-lost':
    case 'cut-answer':
      return true;
    case 'status':
    case 'malformed':
    case 'html':
    case 'hang':
      return action.effect;
    default:
      return false;
  }
}

/** The end of a request under this fault; `honest` is the answer of the effect, if it took place. */
export function spoil(world: World, action: RequestAction, honest: Answer | null): Fate {
  switch (action.kind) {
    case 'cut-answer':
      return honest === null ? { kind: 'dropped' } : { kind: 'cut-off', answer: honest };
    case 'hang':
      return { kind: 'left-hanging' };
    case 'status':
      return answered(statusAnswer(world, action));
    case 'malformed':
      return answered({
        status: honest?.status ?? 200,
        text: { body: action.body, contentType: action.contentType },
      });
    case 'html':
      return answered({
        status: action.status,
        text: {
          body: '<!doctype html><title>Gateway</title><h1>Please sign in</h1>\n',
          contentType: 'text/html; charset=utf-8',
        },
      });
    case 'redirect': {
      const location = action.location ?? `${world.urls.storage}/redirect-trap`;
      return answered({ status: action.status, headers: { Location: location } });
    }
    case 'rate-limited':
      return answered(rateLimitedAnswer(world, action));
    case 'unavailable':
      return answered({
        status: 503,
        headers: retryAfterHeader(world, action.retryAfter),
        json: { message: 'The service is under heavy load' },
      });
    default:
      // reply-lost and cut-request; the kinds that strike items never come here.
      return { kind: 'dropped' };
  }
}

/** 429 outside any fault: both windows are real, and one of them is spent. */
export function spentAnswer(headers: Readonly<Record<string, string>>, until: number, now: number): Answer {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  return {
    status: 429,
    headers: { ...headers, 'Retry-After': String(seconds) },
    json: { message: 'The rate limit is exceeded' },
  };
}

function statusAnswer(world: World, action: Extract<FaultAction, { kind: 'status' }>): Answer {
  const headers = {
    ...(action.retryAfter === undefined ? {} : retryAfterHeader(world, action.retryAfter)),
    ...action.headers,
  };
  if (action.body !== undefined) return { status: action.status, headers, json: action.body };
  const message = action.message ?? 'An ordered fault';
  const details = action.reasonCode === undefined ? [] : [{ reason_code: action.reasonCode, message }];
  return { ...errorAnswer(action.status, details, message), headers };
}

function rateLimitedAnswer(world: World, action: Extract<FaultAction, { kind: 'rate-limited' }>): Answer {
  const until = world.after(action.seconds * 1000);
  const limit = world.settings.limits?.spike ?? 25;
  const headers = rateHeaders(limit, 0, until);
  if (action.withRetryAfter === 'seconds') {
    headers['Retry-After'] = String(Math.ceil((until - world.now()) / 1000));
  }
  if (action.withRetryAfter === 'date') headers['Retry-After'] = httpDate(until);
  return { status: 429, headers, json: { message: 'The rate limit is exceeded' } };
}

function retryAfterHeader(world: World, retryAfter: number | 'date'): Record<string, string> {
  const until = world.after((retryAfter === 'date' ? DATE_AHEAD_SECONDS : retryAfter) * 1000);
  const seconds = Math.ceil((until - world.now()) / 1000);
  return { 'Retry-After': retryAfter === 'date' ? httpDate(until) : String(seconds) };
}

/** Rounded up to the second, which is all an HTTP date can say. */
function httpDate(at: number): string {
  return new Date(Math.ceil(at / 1000) * 1000).toUTCString();
}

function answered(answer: Answer): Fate {
  return { kind: 'answered', answer };
}
