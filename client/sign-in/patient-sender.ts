// A command that reads a long list waits for the rate limit as a worker does, instead
// of ending in the middle of it.
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../activities/host/clock';
import { isServiceError } from '../../activities/service/errors';
import type { Sender } from '../../activities/service/service-client';

/** `tell` is called at each wait, with the Unix ms until which it lasts. */
export interface Patience {
  readonly tell: (untilMs: number) => void;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** A limit that refuses so often in a row is none that a short wait cures. */
const MOST_WAITS = 20;

/**
 * The same sender, with patience: a request over the limit had no effect, so it is sent again when the
 * service says.
 */
export function patientSender(sender: Sender, { tell, sleep = delay }: Patience): Sender {
  return {
    send: async (endpoint, input) => {
      for (let waits = 0; ; waits++) {
        try {
          return await sender.send(endpoint, input);
        } catch (error) {
          if (!isServiceError(error) || error.code !== 'RATE_LIMITED' || waits === MOST_WAITS) throw error;
          tell(error.retryAtMs);
          await sleep(Math.max(1_000, error.retryAtMs - systemClock.wallMs()));
        }
      }
    },
  };
}
