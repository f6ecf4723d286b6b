// When documents that workflows in the service stand against are looked at again. The longer they have
// waited, the less a while more matters. Pure: the run and the activity reckon alike.

/** Each look comes after another third of the time waited, `longestMs` later at the latest. */
const WAIT_DIVISOR = 3;

export interface LookPace {
  /** Since when they wait, Unix ms. */
  readonly sinceMs: number;
  readonly leastMs: number;
  readonly longestMs: number;
}

export function nextLookMs({ sinceMs, leastMs, longestMs }: LookPace, lookedMs: number): number {
  const grownMs = Math.min(longestMs, Math.round((lookedMs - sinceMs) / WAIT_DIVISOR));
  return lookedMs + Math.max(1, leastMs, grownMs);
}

/** When the last look was, if each one since `lookedMs` was made in its time. */
export function lastLookMs(pace: LookPace, lookedMs: number, nowMs: number): number {
  let lastMs = lookedMs;
  for (let next = nextLookMs(pace, lastMs); next <= nowMs; next = nextLookMs(pace, lastMs)) lastMs = next;
  return lastMs;
}
