// When a line of documents is looked at where nobody says anything: by each batch in it, whether its turn has
// come, and by the project's coordinator, whether somebody runs the batches in front. Both are told of what
// they wait for, and these looks only notice what is told by nobody: a coordinator or a run that a person has
// ended. So the longer a line has stood, the less a while more matters: each look comes after as long again.
// A look of a batch is 16 events (eleven of its own, five of the coordinator that it asks), one of the
// coordinator eleven: some 460 in the first day, and 360 in each that follows.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A person may have ended the coordinator. */
const FIRST_TURN_LOOK_MS = 10 * MINUTE_MS;
/**
 * For what the coordinator does not know: what another Temporal carries, and what is being claimed. A claim
 * is over in seconds or, of large files, in minutes, and may be given back without a word to anybody.
 */
const FIRST_UNTOLD_LOOK_MS = 5_000;
const LONGEST_TURN_LOOK_MS = 4 * HOUR_MS;

/** How often a batch that nobody runs is looked at until it has stood still long enough to be passed. */
const LOOKS_UNTIL_PASSED = 3;
const FIRST_FRONT_LOOK_MS = 5 * MINUTE_MS;
const LONGEST_FRONT_LOOK_MS = HOUR_MS;

/**
 * How long a batch that has waited in line for `waitedMs` waits until it looks by itself, ms.
 * @param isUntold nobody tells of the end of what it waits for.
 */
export function turnLookAfterMs(waitedMs: number, isUntold: boolean): number {
  const leastMs = isUntold ? FIRST_UNTOLD_LOOK_MS : FIRST_TURN_LOOK_MS;
  return Math.min(LONGEST_TURN_LOOK_MS, Math.max(leastMs, waitedMs));
}

/** How long the coordinator waits at first until it looks at the runs in front, ms. */
export function firstFrontLookAfterMs(passAfterMs: number = Number.POSITIVE_INFINITY): number {
  return Math.min(FIRST_FRONT_LOOK_MS, Math.ceil(passAfterMs / LOOKS_UNTIL_PASSED));
}

export interface Front {
  /** How long nothing new has come to be looked at, ms. */
  readonly sameMs: number;
  /** Whoever stands still for so long is passed, ms; absent: nobody waits. */
  readonly passAfterMs?: number | undefined;
  /** One in front stands still just now. */
  readonly isAnyStopped: boolean;
}

/** How long the coordinator waits from then on until it looks at the runs in front, ms. */
export function frontLookAfterMs({ sameMs, passAfterMs, isAnyStopped }: Front): number {
  const toPassMs = (passAfterMs ?? Number.POSITIVE_INFINITY) / LOOKS_UNTIL_PASSED;
  const grownMs = Math.min(LONGEST_FRONT_LOOK_MS, isAnyStopped ? Math.ceil(toPassMs) : sameMs);
  return Math.max(firstFrontLookAfterMs(passAfterMs), grownMs);
}
