// How a long-running command is told to end: the first signal asks, the second one insists.
import { setMaxListeners } from 'node:events';

import { systemClock } from '../../activities/host/clock';
import { reopenLogs } from '../../workers/log-file';
import { EXIT_CODES } from './cli-error';

/** One Ctrl-C can reach us twice, from the terminal and from npm. */
const SAME_SIGNAL_MS = 700;

/**
 * Resolves once one of them is aborted. Not AbortSignal.any: nothing would hold the signal that it returns,
 * and it may be collected before it fires.
 */
export function firstAbort(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise(resolve => {
    for (const signal of signals) {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    }
  });
}

export interface Ending {
  readonly signal: AbortSignal;
  /** Which signal asked; undefined until then. */
  readonly askedBy: () => string | undefined;
  /** Lets the process be ended by signals as usual again. */
  dispose(): void;
}

/**
 * Does the work of a command, then no longer listens. To be told to end while it still waits for something is
 * no failure.
 */
export async function untilEnded(
  ending: Pick<Ending, 'signal' | 'dispose'>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { aborted, reason } = ending.signal;
    // Some who wait throw what they were told, others an error of their own.
    const isCalledOff = error === reason || (error as { name?: unknown }).name === 'AbortError';
    if (!aborted || !isCalledOff) throw error;
  } finally {
    ending.dispose();
  }
}

/**
 * Listens for SIGINT, SIGTERM and SIGHUP. A second one ends the process at once. SIGHUP says that the
 * terminal was closed; to a service, which has none, it says that its log files were moved, and ends nothing.
 */
export function listenForEnding(
  onInsist: () => void = () => undefined,
  hasTerminal = process.stdin.isTTY === true || process.stdout.isTTY === true,
): Ending {
  const controller = new AbortController();
  // Every share, receiver and part listens; their number is no sign of a leak.
  setMaxListeners(0, controller.signal);
  let askedBy: string | undefined;
  let askedAtMs = 0;
  const onSignal = (name: NodeJS.Signals): void => {
    if (name === 'SIGHUP' && !hasTerminal) reopenLogs();
    else if (askedBy === undefined) {
      askedBy = name;
      askedAtMs = systemClock.monotonicMs();
      controller.abort(new Error(`ended by ${name}`));
    } else if (systemClock.monotonicMs() - askedAtMs > SAME_SIGNAL_MS) {
      onInsist();
      process.exit(EXIT_CODES.endedAtOnce);
    }
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  // A closed terminal, or a reader of the log that has ended, is no reason to lose the orderly end.
  const ignore = (): void => undefined;
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignore);
  return {
    signal: controller.signal,
    askedBy: () => askedBy,
    dispose: () => {
      for (const name of names) process.removeListener(name, onSignal);
      for (const stream of [process.stdout, process.stderr]) stream.removeListener('error', ignore);
    },
  };
}
