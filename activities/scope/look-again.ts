// What was just made, changed or removed may be shown late: by one look that follows at once, nothing is
// proved.
import type { ActivityScope } from './activity-scope';
import { LISTED_AFTER_MS, type MakingDeps } from './making';

const FIRST_WAIT_MS = 500;

export type LookingScope = Pick<ActivityScope, 'attempt' | 'lastDetails' | 'comeBack'>;

interface Options extends MakingDeps {
  /** What the next look goes on from, beside what this attempt went on from. */
  readonly details?: object;
}

/** What a look tells the next one; of an older attempt it says nothing. */
interface Told {
  readonly looked?: { readonly attempt: number; readonly looks: number };
}

/**
 * Called where a look shows what may be out of date. Ends the attempt, and another looks half a second later,
 * then after twice as long each time; no slot is held meanwhile. Returns once all these looks have taken
 * `listedAfterMs` (half a minute): what is shown by then is believed.
 */
export function lookAgainWhereEarly(
  { attempt, lastDetails, comeBack }: LookingScope,
  why: string,
  { listedAfterMs = LISTED_AFTER_MS, details }: Options = {},
): void {
  const { looked } = (lastDetails ?? {}) as Told;
  const looks = looked?.attempt === attempt ? looked.looks : 0;
  const waitedMs = FIRST_WAIT_MS * (2 ** looks - 1);
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** looks, listedAfterMs - waitedMs);
  if (waitMs <= 0) return;
  const before = (lastDetails ?? {}) as object;
  comeBack(waitMs, { ...before, ...details, looked: { attempt, looks: looks + 1 } }, why);
}
