// Whether a share's mount hangs: a small look that does not come back, and then a child process that does not
// either. A host whose mount hangs is to leave the share's work to others.
import { setTimeout as delay } from 'node:timers/promises';
import type { ShareMount } from './share';

export interface HangTimes {
  readonly lookEveryMs: number;
  /** Far longer than a look takes on a busy share; only then a process is started. */
  readonly lookWithinMs: number;
  /** How long that process may take. */
  readonly answerWithinMs: number;
  /**
   * While it hangs: the time between two more such processes, in case that the mount was made anew and the
   * look never comes back.
   */
  readonly againEveryMs: number;
}

const HANG_TIMES: HangTimes = {
  lookEveryMs: 10_000,
  lookWithinMs: 15_000,
  answerWithinMs: 15_000,
  againEveryMs: 60_000,
};

type Looked = Pick<ShareMount, 'isInPlace' | 'isReachable'>;

/** A look that has not come back. */
export interface Hang {
  readonly look: Promise<void>;
}

export interface HangWatch {
  /** Resolves when the share hangs; undefined when aborted. */
  untilHung(share: Looked, signal: AbortSignal): Promise<Hang | undefined>;
  /** Resolves when it answers again, even if only that it is away, or when aborted. */
  untilAnswers(share: Looked, hang: Hang, signal: AbortSignal): Promise<void>;
}

export function createHangWatch(times: HangTimes = HANG_TIMES): HangWatch {
  return {
    untilHung: async (share, signal) => await untilHung(share, signal, times),
    untilAnswers: async (share, hang, signal) => await untilAnswers(share, hang, signal, times),
  };
}

async function untilHung(share: Looked, signal: AbortSignal, times: HangTimes): Promise<Hang | undefined> {
  while (!signal.aborted) {
    const look = lookAt(share);
    if (!(await comesBack(look, times.lookWithinMs, signal)) && !signal.aborted) {
      if ((await share.isReachable(times.answerWithinMs)).kind === 'hung') return { look };
    }
    await pause(times.lookEveryMs, signal);
  }
  return undefined;
}

async function untilAnswers(
  share: Looked,
  { look }: Hang,
  signal: AbortSignal,
  times: HangTimes,
): Promise<void> {
  while (!signal.aborted) {
    // If the look comes back, that tells at once.
    const isBack = await comesBack(look, times.againEveryMs, signal);
    if (signal.aborted) return;
    if ((await share.isReachable(times.answerWithinMs)).kind !== 'hung') return;
    if (isBack) await pause(times.lookEveryMs, signal);
  }
}

/** Whether the look succeeds does not matter, only that it comes back. */
async function lookAt(share: Looked): Promise<void> {
  await share.isInPlace().then(
    () => undefined,
    () => undefined,
  );
}

async function comesBack(look: Promise<void>, withinMs: number, signal: AbortSignal): Promise<boolean> {
  const left = new AbortController();
  const isBack = look.then(() => true);
  try {
    return await Promise.race([
      isBack,
      pause(withinMs, AbortSignal.any([signal, left.signal])).then(() => false),
    ]);
  } finally {
    left.abort();
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
