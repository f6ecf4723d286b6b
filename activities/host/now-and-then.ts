// What long work says of itself while it goes on.
import { type Clock, systemClock } from './clock';

/** Tells what is said at most that often, the first time after as long; the rest is left out. */
export function nowAndThen<Said>(
  everyMs: number,
  tell: (said: Said) => void,
  clock: Pick<Clock, 'monotonicMs'> = systemClock,
): (said: Said) => void {
  let lastMs = clock.monotonicMs();
  return said => {
    const nowMs = clock.monotonicMs();
    if (nowMs - lastMs < everyMs) return;
    lastMs = nowMs;
    tell(said);
  };
}
