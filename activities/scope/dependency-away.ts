// What Drawbridge cannot do without, and when to try again while it is away. Pure.

const DEPENDENCIES = ['authentication', 'api', 'storage', 'share', 'temporal'] as const;
/**
 * `authentication`: the way to a token, with its store on disk. `storage`: the
 * hosts that take the files' bytes.
 */
export type Dependency = (typeof DEPENDENCIES)[number];

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
const LEAST_SPREAD_MS = 1_000;
const MOST_SPREAD_MS = 30_000;

/**
 * Milliseconds until the next attempt: 1 s, doubling to 60 s, times a random factor of 0.5 to 1.5. So
 * what waited through an outage comes back over some 90 s instead of all at once, and none of it later
 * than that. `random` is in [0, 1).
 */
export function planAwayDelayMs(attempt: number, random: number, longestMs = LONGEST_DELAY_MS): number {
  const meanMs = Math.min(longestMs, FIRST_DELAY_MS * 2 ** Math.min(Math.max(0, attempt - 1), 16));
  return Math.max(1, Math.round(meanMs * (0.5 + random)));
}

/**
 * What is added to a delay that the other side named, since it named the same to
 * everybody. `random` is in [0, 1).
 */
export function spreadAfterMs(delayMs: number, random: number): number {
  return Math.round(Math.min(MOST_SPREAD_MS, Math.max(LEAST_SPREAD_MS, delayMs / 2)) * random);
}
