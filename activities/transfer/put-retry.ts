// What follows when one PUT of a segment failed: the same address again, a fresh address,
// another session, or an end. Pure.

import type { StorageFaultError } from './errors';

/** Passing faults of one segment before the storage counts as unavailable: 15 to 20 s of waiting in all. */
const MAX_PASSING_FAULTS = 6;
const MAX_REFUSALS = 2;
/** Of a storage that is known to be away, the addresses are fresh, and one file asks for all. */
const MAX_PASSING_FAULTS_AWAY = 2;
const MAX_REFUSALS_AWAY = 0;
/** An expired address can look like a reset, since a rejection may be cut off by the connection's end. */
const RESETS_BEFORE_RENEWAL = 2;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 15_000;

/** The faults of one segment in one session so far. Begin with `NO_FAULTS`. */
export interface PutFaults {
  passing: number;
  refusals: number;
  resetsInRow: number;
}

export const NO_FAULTS: PutFaults = { passing: 0, refusals: 0, resetsInRow: 0 };

export type AfterFault =
  | { kind: 'repeat'; delayMs: number; faults: PutFaults }
  /** Ask the session for fresh addresses, then repeat. */
  | { kind: 'renew'; delayMs: number; faults: PutFaults }
  /** Fresh addresses did not help: this session is of no use. */
  | { kind: 'leave-session' }
  /** Not now; `retryAfterMs` when the storage named a time. */
  | { kind: 'unavailable'; retryAfterMs: number | undefined };

/**
 * `random` in [0, 1) spreads the delays; longer waits than `longestWaitMs` are not made here. `isAway`: the
 * storage has taken nothing since it failed before.
 */
export function decideAfterFault(
  faults: PutFaults,
  fault: Pick<StorageFaultError, 'kind' | 'retryAfterMs'>,
  limits: { random: number; longestWaitMs: number; isAway: boolean },
): AfterFault {
  if (fault.kind === 'refused') {
    const refusals = faults.refusals + 1;
    const mostRefusals = limits.isAway ? MAX_REFUSALS_AWAY : MAX_REFUSALS;
    if (refusals > mostRefusals) return { kind: 'leave-session' };
    return { kind: 'renew', delayMs: 0, faults: { ...faults, refusals, resetsInRow: 0 } };
  }

  const passing = faults.passing + 1;
  const { retryAfterMs } = fault;
  const isLongWait = retryAfterMs !== undefined && retryAfterMs > limits.longestWaitMs;
  const mostPassing = limits.isAway ? MAX_PASSING_FAULTS_AWAY : MAX_PASSING_FAULTS;
  if (passing >= mostPassing || isLongWait) return { kind: 'unavailable', retryAfterMs };
  const doubled = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (passing - 1));
  const delayMs = Math.max(retryAfterMs ?? 0, doubled) * (1 + limits.random / 4);
  const resetsInRow = fault.kind === 'reset' ? faults.resetsInRow + 1 : 0;
  if (resetsInRow >= RESETS_BEFORE_RENEWAL) {
    return { kind: 'renew', delayMs, faults: { ...faults, passing, resetsInRow: 0 } };
  }
  return { kind: 'repeat', delayMs, faults: { ...faults, passing, resetsInRow } };
}
