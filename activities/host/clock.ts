// Time as all our code sees it: durations by a clock that never steps, dates by the one that people
// set. Dates serve only what crosses processes or what people read; every wait and every age
// within a process is monotonic. A test finds whoever reads the time past it. Only workflows do, which have
// Temporal's own, and the page, which runs in a browser and cannot load this file.
import { setTimeout as delay } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds that only ever grow, whatever happens to the machine's date. */
  monotonicMs(): number;
  /** Unix milliseconds by the machine's date. */
  wallMs(): number;
}

/** A clock for those who wait as well. */
export interface WaitingClock extends Clock {
  /** Rejects with the signal's reason when it is aborted. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: WaitingClock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  async sleep(delayMs, signal) {
    signal.throwIfAborted();
    try {
      await delay(Math.max(0, delayMs), undefined, { signal });
    } catch (error: unknown) {
      throw signal.aborted ? signal.reason : error;
    }
  },
};

/**
 * As systemClock, but durations count from the start of the machine: all processes of a host read the same.
 */
export const hostClock: Clock = {
  monotonicMs: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  wallMs: () => Date.now(),
};
