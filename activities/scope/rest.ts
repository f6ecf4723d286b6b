// A pause between two looks, which holds no slot of the worker.
import type { ActivityScope } from './activity-scope';

/** A shorter pause is slept through in place. */
const LEAST_BETWEEN_ATTEMPTS_MS = 200;

interface Pause {
  readonly ms: number;
  /** What the attempt after it goes on from. */
  readonly details: object;
  readonly why: string;
}

/** Sleeps through a short pause and returns. A longer one ends this attempt; another goes on after it. */
export async function rest(
  { sleep }: { readonly sleep: (ms: number, signal: AbortSignal) => Promise<void> },
  scope: Pick<ActivityScope, 'signal' | 'comeBack'>,
  { ms, details, why }: Pause,
): Promise<void> {
  if (ms >= LEAST_BETWEEN_ATTEMPTS_MS) scope.comeBack(ms, details, why);
  await sleep(ms, scope.signal);
}
