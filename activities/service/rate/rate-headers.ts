// What the headers of a response say of the rate limit, by the service's public documentation.
import { parseHttpDate, parseRetryAfter } from '../../host/retry-after';
import type { RateResponse } from './rate-state';

/** The rate headers of a response; without a `Date` the machine's own date stands in for the server's. */
export function readRateHeaders(
  headers: ReadonlyMap<string, string>,
  status: number,
  wallMs: number,
): RateResponse {
  const resetS = readCount(headers.get('x-rate-limit-reset'));
  const date = parseHttpDate(headers.get('date'));
  // A date of ours, cut to the second, is treated like theirs: a skewed clock shows as a
  // wait that is too long or short.
  const dateMs = date ?? Math.floor(wallMs / 1_000) * 1_000;
  return {
    status,
    limit: readCount(headers.get('x-rate-limit-limit')),
    remaining: readCount(headers.get('x-rate-limit-remaining')),
    resetAtServerMs: resetS === undefined ? undefined : resetS * 1_000,
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), dateMs),
    dateMs,
  };
}

/** The number in a header that counts something; undefined when it is no such number. */
export function readCount(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,12}$/.test(value.trim()) ? Number(value) : undefined;
}
