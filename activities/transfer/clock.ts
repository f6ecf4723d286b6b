// The real clock.

import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './ports';

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  async sleep(delayMs, signal) {
    signal.throwIfAborted();
    try {
      await delay(Math.max(0, delayMs), undefined, { signal });
    } catch (error: unknown) {
      throw signal.aborted ? signal.reason : error;
    }
  },
};
