// How long the service or its storage asks us to stay away (RFC 9110, section 10.2.3;
// specification: Errors, rate limiting). Pure.

/** However far off a header says, we look again after an hour. */
export const MAX_DELAY_MS = 3_600_000;
/** The other side counts the delay by its own clock: requests of ours have come up to 22 ms too early. */
const NEVER_EARLY_MS = 50;

/**
 * Milliseconds of a `Retry-After` value, seconds or an HTTP date; a date counts from the server's own `Date`,
 * since ours may differ; a moment more than it says. `undefined` when absent or unreadable; at most an hour.
 */
export function parseRetryAfter(value: string | undefined, serverNowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,12}(\.\d{1,6})?$/.test(text)) return clampDelay(Number(text) * 1_000 + NEVER_EARLY_MS);
  const at = parseHttpDate(text);
  return at === undefined ? undefined : clampDelay(at - serverNowMs + NEVER_EARLY_MS);
}

/** Unix ms of an HTTP date in any of its three forms; `undefined` when absent or unreadable. */
export function parseHttpDate(value: string | undefined): number | undefined {
  const text = value?.trim() ?? '';
  // Date.parse takes far more than HTTP dates ("1", "-5"); those begin with a weekday.
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return undefined;
  // The oldest form names no zone and means UTC; Date.parse would take ours.
  const at = Date.parse(/gmt|utc|[+-]\d{4}$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : at;
}

/**
 * Delay after a 429 or 503: the longer of Retry-After and the window's reset, or a doubling fallback from 2 s
 * to a minute when neither is said; at most an hour. `nthInARow` counts from 0. Without jitter.
 */
export function planDelayMs(input: {
  readonly retryAfterMs: number | undefined;
  readonly resetInMs: number | undefined;
  readonly nthInARow: number;
}): number {
  const said = [input.retryAfterMs, input.resetInMs].filter(delay => delay !== undefined);
  if (said.length > 0) return clampDelay(Math.max(...said));
  return Math.min(60_000, 2_000 * 2 ** Math.min(input.nthInARow, 10));
}

/**
 * Spreads those who come back at once: up to a tenth more, 50 ms at least and 5 s
 * at most. `random` is in [0, 1).
 */
export function jitterMs(delayMs: number, random: number): number {
  return Math.min(5_000, Math.max(50, delayMs * 0.1)) * random;
}

function clampDelay(delayMs: number): number {
  return Math.min(MAX_DELAY_MS, Math.max(0, delayMs));
}
