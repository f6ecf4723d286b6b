// What the stand-in's two windows allow, reckoned beside it: when the n-th request could have
// gone out at the earliest. Pure.

export interface WindowRule {
  readonly limit: number;
  readonly lengthMs: number;
}

export interface PaceInput {
  /** When each counted request was answered, Unix ms. */
  readonly timesMs: readonly number[];
  readonly rules: readonly WindowRule[];
}

export interface Pace {
  readonly requests: number;
  readonly tookMs: number;
  /** From the first request to the last, if each had gone out as soon as the windows let it. */
  readonly allowedMs: number;
  /** Times of the shorter window, spent or not, that lie between first and last request. */
  readonly windows: number;
  /** Most requests that fell into one of them by the log. */
  readonly fullest: number;
}

/** Compares a run with the fastest one that the windows allow. */
export function paceOf({ timesMs, rules }: PaceInput): Pace {
  const sorted = [...timesMs].sort((left, right) => left - right);
  const firstMs = sorted[0] ?? 0;
  const tookMs = (sorted.at(-1) ?? 0) - firstMs;
  const shortestMs = Math.min(...rules.map(({ lengthMs }) => lengthMs));
  const counts = new Map<number, number>();
  for (const atMs of sorted) {
    const window = Math.floor((atMs - wholeSecond(firstMs)) / shortestMs);
    counts.set(window, (counts.get(window) ?? 0) + 1);
  }
  return {
    requests: sorted.length,
    tookMs,
    allowedMs: earliestMs(sorted.length, firstMs, rules) - firstMs,
    windows: Math.floor((firstMs + tookMs - wholeSecond(firstMs)) / shortestMs) + 1,
    fullest: Math.max(0, ...counts.values()),
  };
}

/**
 * When the n-th of many requests can go out at the earliest, the first at `firstMs`. Windows begin with
 * a request, at its whole second.
 */
export function earliestMs(n: number, firstMs: number, rules: readonly WindowRule[]): number {
  const windows = rules.map(rule => ({ ...rule, endsAtMs: Number.NEGATIVE_INFINITY, used: 0 }));
  let nowMs = firstMs;
  for (let sent = 0; sent < n; sent++) {
    const spent = windows.filter(({ used, limit, endsAtMs }) => used >= limit && nowMs < endsAtMs);
    nowMs = Math.max(nowMs, ...spent.map(({ endsAtMs }) => endsAtMs));
    for (const window of windows) {
      if (nowMs >= window.endsAtMs) {
        window.used = 0;
        window.endsAtMs = wholeSecond(nowMs) + window.lengthMs;
      }
      window.used += 1;
    }
  }
  return nowMs;
}

function wholeSecond(timeMs: number): number {
  return Math.floor(timeMs / 1_000) * 1_000;
}
