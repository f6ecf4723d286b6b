// Keeps a server that we started running: when it ends unasked it is started again, a few times.
import { setTimeout as delay } from 'node:timers/promises';

import { firstAbort } from './ending';

const FIRST_WAIT_MS = 250;
const MANY_ENDS = 5;
const MANY_ENDS_WITHIN_MS = 60_000;

export interface Part {
  /** Resolves when it ends, asked or not. */
  readonly exited: Promise<unknown>;
  stop(): Promise<void>;
}

export interface KeptPart {
  /** Rejects when it keeps ending or cannot be started again. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
}

export interface KeepRunningInput {
  readonly first: Part;
  readonly again: () => Promise<Part>;
  readonly onEnded: () => void;
  readonly onBack: () => void;
}

/** Watches over the part until it is stopped. */
export function keepRunning(input: KeepRunningInput): KeptPart {
  let current = input.first;
  const stopping = new AbortController();
  const ends: number[] = [];
  const watching = watch();
  const failed = new Promise<never>((_resolve, reject) => {
    watching.catch(reject);
  });
  failed.catch(() => undefined);
  return {
    failed,
    stop: async () => {
      stopping.abort();
      await watching.catch(() => undefined);
      await current.stop();
    },
  };

  async function watch(): Promise<void> {
    const stopped = firstAbort(stopping.signal);
    for (;;) {
      await Promise.race([current.exited, stopped]);
      if (stopping.signal.aborted) return;
      ends.push(performance.now());
      const recent = ends.filter(atMs => performance.now() - atMs < MANY_ENDS_WITHIN_MS).length;
      if (recent >= MANY_ENDS) throw new Error(`It ended ${recent} times within a minute`);
      input.onEnded();
      await delay(FIRST_WAIT_MS * recent, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      current = await input.again();
      input.onBack();
    }
  }
}
