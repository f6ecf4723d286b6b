// What the server's clock shows, from `Date` headers that tell whole seconds only. Pure. Each response gives
// two bounds for the difference between its clock and ours; together they are narrower than each.

/** Server time minus our monotonic time lies in [lowMs, highMs], as known at `asOfMs` of our clock. */
export interface ServerClock {
  readonly lowMs: number;
  readonly highMs: number;
  readonly asOfMs: number;
}

// Quartz clocks drift by some 50 parts in a million each; twice that for two of them.
const DRIFT = 1e-4;

/**
 * Narrows the bounds by one response: its date (Unix ms, whole seconds) was written between
 * `sentAtMs` and `respondedAtMs`.
 */
export function narrowClock(
  clock: ServerClock | null,
  dateMs: number,
  sentAtMs: number,
  respondedAtMs: number,
): ServerClock {
  const seen = { lowMs: dateMs - respondedAtMs, highMs: dateMs + 1_000 - sentAtMs, asOfMs: respondedAtMs };
  if (clock === null) return seen;
  const drift = Math.max(0, respondedAtMs - clock.asOfMs) * DRIFT;
  const lowMs = Math.max(clock.lowMs - drift, seen.lowMs);
  const highMs = Math.min(clock.highMs + drift, seen.highMs);
  // A contradiction: the server's clock was set, or another server responded. Believe the latest.
  return lowMs > highMs ? seen : { lowMs, highMs, asOfMs: respondedAtMs };
}

/** Our time from which on the server's clock certainly shows `serverMs`. */
export function certainlyAt(clock: ServerClock, serverMs: number): number {
  const atMs = serverMs - clock.lowMs;
  return atMs + Math.max(0, atMs - clock.asOfMs) * DRIFT;
}
