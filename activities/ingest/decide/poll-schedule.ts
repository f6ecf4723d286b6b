// When to look at uploads that are being analysed (specification, Limits: ML polling).

export interface PollTimes {
  readonly firstLookMs: number;
  readonly everyMs: number;
  /** When analysis has usually ended; where a look costs a request per upload, the first look is then. */
  readonly typicalMs: number;
  /** Looking stops after this much of our own looking; an outage in between does not count. */
  readonly forMs: number;
}

/** After this many times `typicalMs`, the uploads that are ready no longer wait for the stragglers. */
const STRAGGLERS_AFTER = 1.4;

/** A look that costs no more requests than this may well be made too early. */
const CHEAP_LOOK_REQUESTS = 3;

/**
 * Ms from completion to the first look: early where a look costs few requests, else
 * when the analysis is likely done.
 */
export function planFirstLook(times: PollTimes, requestsPerLook: number): number {
  if (requestsPerLook <= CHEAP_LOOK_REQUESTS) return times.firstLookMs;
  return Math.min(Math.max(times.firstLookMs, times.typicalMs), times.forMs);
}

/** Whether the time for looking is spent. */
export function isTimeSpent(times: PollTimes, lookedMs: number): boolean {
  return lookedMs >= times.forMs;
}

/**
 * Ms to the next look, 0 when the time for looking is spent. Of many uploads the last one ends late: with a
 * hundred unfinished ones the next look waits until almost the typical time, with a single one half of it. As
 * long as analyses usually end, and where a look costs few requests, the next look comes as soon after this
 * one as the first did after completion; stragglers are looked for less often.
 */
export function planNextLook(
  times: PollTimes,
  lookedMs: number,
  unfinished: number,
  requestsPerLook: number,
): number {
  const leftMs = times.forMs - lookedMs;
  if (leftMs <= 0) return 0;
  const likelyMs = (times.typicalMs * unfinished) / (unfinished + 1);
  const isSoon = lookedMs < STRAGGLERS_AFTER * times.typicalMs && requestsPerLook <= CHEAP_LOOK_REQUESTS;
  const leastMs = Math.min(times.everyMs, times.firstLookMs);
  return fitPause(Math.max(isSoon ? leastMs : times.everyMs, likelyMs - lookedMs), leftMs, leastMs);
}

/**
 * So that no look comes sooner than `leastMs` after another, the last one neither: where this pause would
 * leave less than that, what is left is one pause or two of one length. Looks that took long can leave less.
 */
function fitPause(pauseMs: number, leftMs: number, leastMs: number): number {
  if (leftMs >= pauseMs + leastMs) return pauseMs;
  const isForTwo = leftMs > pauseMs && leftMs >= 2 * leastMs;
  return Math.max(leastMs, isForTwo ? leftMs / 2 : leftMs);
}

/** Ms until the next look at these, the first or a later one. */
export function planPause(
  times: PollTimes,
  { hasLooked, lookedMs }: { readonly hasLooked: boolean; readonly lookedMs: number },
  unfinished: number,
  isBulk: boolean,
): number {
  const requestsPerLook = isBulk ? 1 : unfinished;
  if (hasLooked) return planNextLook(times, lookedMs, unfinished, requestsPerLook);
  return Math.max(0, planFirstLook(times, requestsPerLook) - lookedMs);
}

/** Whether to go on with the finished ones now rather than wait for the rest. */
export function isTimeToPart(
  times: PollTimes,
  lookedMs: number,
  finished: number,
  unfinished: number,
): boolean {
  return finished > 0 && unfinished > 0 && lookedMs >= STRAGGLERS_AFTER * times.typicalMs;
}
