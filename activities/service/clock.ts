// Time as the client sees it: durations by a clock that never steps, dates by the one people set.

export interface Clock {
  /** Milliseconds that only ever grow, whatever happens to the machine's date. */
  monotonicMs(): number;
  /** Unix milliseconds by the machine's date. */
  wallMs(): number;
}

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
};

/** As systemClock, but durations count from the start of the machine: all processes of a host read the same. */
export const hostClock: Clock = {
  monotonicMs: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  wallMs: () => Date.now(),
};
