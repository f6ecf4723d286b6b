// How a long-running command is told to end: the first signal asks, the second one insists.
import { EXIT_CODES } from './cli-error';

/** One Ctrl-C can reach us twice, from the terminal and from npm. */
const SAME_SIGNAL_MS = 700;

export interface Ending {
  readonly signal: AbortSignal;
  /** Which signal asked; undefined until then. */
  readonly askedBy: () => string | undefined;
  /** Lets the process be ended by signals as usual again. */
  dispose(): void;
}

/** Listens for SIGINT, SIGTERM and SIGHUP. A second one ends the process at once. */
export function listenForEnding(onInsist: () => void = () => undefined): Ending {
  const controller = new AbortController();
  let askedBy: string | undefined;
  let askedAtMs = 0;
  const onSignal = (name: NodeJS.Signals): void => {
    if (askedBy === undefined) {
      askedBy = name;
      askedAtMs = performance.now();
      controller.abort(new Error(`ended by ${name}`));
    } else if (performance.now() - askedAtMs > SAME_SIGNAL_MS) {
      onInsist();
      process.exit(EXIT_CODES.endedAtOnce);
    }
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  return {
    signal: controller.signal,
    askedBy: () => askedBy,
    dispose: () => {
      for (const name of names) process.removeListener(name, onSignal);
    },
  };
}
