// Keeps a server that we started running: when it ends unasked it is started again, a few times; so is one
// that lives and answers nobody. (Temporal's development server can come to that: once a statement of its
// database is interrupted in the wrong moment, all later ones are, until it is started anew.)
import { setTimeout as delay } from 'node:timers/promises';

import { systemClock } from '../../activities/host/clock';
import { firstAbort } from '../session/ending';

const FIRST_WAIT_MS = 250;
const MANY_ENDS = 5;
const MANY_ENDS_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 15_000;
/** A machine that is busy, or a server that reads a large database first, is given its time. */
const SILENT_FOR_MS = 120_000;

export interface Part {
  /** Resolves when it ends, asked or not. */
  readonly exited: Promise<unknown>;
  /** Whether it does what it is there for; false, too, when it does not answer within some seconds. */
  answers?(): Promise<boolean>;
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
  /** It lives, has answered nobody for two minutes, and is ended now. */
  readonly onSilent?: () => void;
  readonly onBack: () => void;
  /** How often it is asked, and how long it may be silent. */
  readonly asking?: { readonly everyMs: number; readonly silentForMs: number };
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
      const over = new AbortController();
      const silent = untilSilent(current, over.signal);
      const what = await Promise.race([current.exited.then(() => 'ended'), stopped, silent]);
      over.abort();
      if (stopping.signal.aborted) return;
      if (what === 'silent') {
        input.onSilent?.();
        await current.stop();
      }
      ends.push(systemClock.monotonicMs());
      const recent = ends.filter(atMs => systemClock.monotonicMs() - atMs < MANY_ENDS_WITHIN_MS).length;
      if (recent >= MANY_ENDS) throw new Error(`It ended ${recent} times within a minute`);
      if (what !== 'silent') input.onEnded();
      await delay(FIRST_WAIT_MS * recent, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      current = await input.again();
      input.onBack();
    }
  }

  /** Never resolves for a part that cannot be asked, or when that is over. */
  async function untilSilent(part: Part, over: AbortSignal): Promise<'silent'> {
    const { everyMs, silentForMs } = input.asking ?? { everyMs: ASK_EVERY_MS, silentForMs: SILENT_FOR_MS };
    let unanswered = 0;
    while (part.answers !== undefined && !over.aborted) {
      await delay(everyMs, undefined, { signal: over, ref: false }).catch(() => undefined);
      if (over.aborted) break;
      // Counted, not timed: while we stand still ourselves (a paused machine), nobody is asked.
      unanswered = (await part.answers()) ? 0 : unanswered + 1;
      if (unanswered * everyMs >= silentForMs) return 'silent';
    }
    return await new Promise<never>(() => undefined);
  }
}
