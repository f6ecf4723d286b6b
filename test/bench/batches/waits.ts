// How long requests waited for leave to go, and which of them waited behind a look. Times are ms of one
// clock.

export interface Asked {
  /** It gives way to all others. */
  readonly isLook: boolean;
  readonly atMs: number;
  /** When it got its permit. */
  givenMs?: number;
  /**
   * When it stopped waiting without one: the time that it was told to come back at, or the moment in which
   * whoever asked gave up.
   */
  endsMs?: number;
}

/** Longer than this is a wait. */
export const LONG_MS = 1_000;

/** What has neither got a permit nor been sent away by the end has waited since it asked. */
export function waitedMs({ atMs, givenMs, endsMs = Number.POSITIVE_INFINITY }: Asked, endMs: number): number {
  return (givenMs ?? Math.min(endsMs, endMs)) - atMs;
}

/** Those of `others` that waited for more than a second after a look was let through. */
export function behindLooks(
  others: readonly Asked[],
  looks: readonly Asked[],
  endMs: number,
): readonly Asked[] {
  const givenMs = looks.flatMap(look => (look.givenMs === undefined ? [] : [look.givenMs]));
  return others.filter(one => {
    const untilMs = one.atMs + waitedMs(one, endMs);
    return givenMs.some(at => at > one.atMs && untilMs - at > LONG_MS);
  });
}
