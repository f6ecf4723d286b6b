// Waits until a case has ended. Its time is several times what it takes; whoever has not ended by then is
// late, and whoever has not after the same time once more hangs. On a machine that is busy much is late;
// what hangs is late everywhere.
import { setTimeout as delay } from 'node:timers/promises';
import type { Violation } from './part';
import { LATE } from './second-look';

export interface Wait {
  readonly isOver: () => boolean | Promise<boolean>;
  readonly withinMs: number;
  readonly lookEveryMs: number;
  /** Done before each look; it may throw. */
  readonly meanwhile?: () => void | Promise<void>;
  /** Default: the machine's own clock. */
  readonly nowMs?: () => number;
}

export interface Ending {
  /** Undefined: it never ended. */
  readonly afterMs: number | undefined;
  readonly isLate: boolean;
}

export async function untilEnded(wait: Wait): Promise<Ending> {
  const { isOver, withinMs, lookEveryMs, meanwhile, nowMs = () => performance.now() } = wait;
  const began = nowMs();
  for (;;) {
    await meanwhile?.();
    const afterMs = nowMs() - began;
    if (await isOver()) return { afterMs: Math.round(afterMs), isLate: afterMs > withinMs };
    if (afterMs > 2 * withinMs) return { afterMs: undefined, isLate: false };
    await delay(lookEveryMs);
  }
}

/** Late, it is a violation of its own; what never ended the judge finds on the share. */
export function judgeLateness({ afterMs, isLate }: Ending, withinMs: number, name: string): Violation[] {
  if (!isLate || afterMs === undefined) return [];
  const [took, given] = [afterMs, withinMs].map(ms => Math.round(ms / 1_000));
  return [{ invariant: LATE, case: name, what: `it ended after ${took} s, where ${given} s are the most` }];
}
