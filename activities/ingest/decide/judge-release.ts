// What to make of a file that is with the service and that the service does not release for use. Pure.

/** A file may wait this long before it counts as late. */
const PATIENCE_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 30_000;
const LATER_PAUSE_MS = 60_000;

export type Unreleased =
  /** Slow, or an outage: nothing that came later was released either. */
  | 'wait'
  /** The service drops what is not linked within a day. */
  | 'too-old'
  /** Later files of the project passed it. */
  | 'overdue';

/**
 * All times: Unix ms by Temporal's clock. The hosts that send files tell by this clock as well when they
 * reported them, but too early by up to the time that their work lay in a queue: therefore a file that waits
 * counts from when it was heard of, which is never too early.
 * @param releasedMs when the latest of the project's released files was reported.
 */
export function judgeUnreleased(
  file: { readonly openedAtMs: number; readonly heardAtMs: number; readonly isPassed: boolean },
  at: { readonly nowMs: number; readonly releasedMs: number; readonly linkWithinMs: number },
): Unreleased {
  if (at.nowMs - file.openedAtMs >= at.linkWithinMs) return 'too-old';
  const isLate = isLong(at.nowMs - file.heardAtMs);
  return isLate && (file.isPassed || at.releasedMs > file.heardAtMs) ? 'overdue' : 'wait';
}

/** Whether a file that has waited so long counts as late. */
export function isLong(waitedMs: number): boolean {
  return waitedMs >= PATIENCE_MS;
}

/**
 * The next look: at which file it begins, and how many files it looks at first (`atFirst`). One tells whether
 * anything is released again, and only then the others are looked at. An hour of waiting costs under a
 * hundred requests, however many files wait.
 */
export function planLook(
  waitedMs: number,
  look: number,
  count: number,
): { readonly first: number; readonly atFirst: number; readonly pauseMs: number } {
  const isEarly = waitedMs < PATIENCE_MS;
  const atFirst = isEarly ? 2 : 1;
  return {
    first: count === 0 ? 0 : ((look - 1) * atFirst) % count,
    atFirst,
    pauseMs: isEarly ? FIRST_PAUSE_MS : LATER_PAUSE_MS,
  };
}
