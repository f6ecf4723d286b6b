// Counts the boundaries that a process passes, writes them down, and ends the
// process at the one that was ordered.
import { openSync, writeSync } from 'node:fs';

export interface CounterOrder {
  /** Every boundary is a line in here. */
  readonly logFile: string;
  /** `name #ordinal`; absent: nothing happens. */
  readonly killAt?: string | undefined;
}

/** The line after the boundary at which the process was killed. */
export const KILLED = 'killed here';

export type PassBoundary = (name: string) => void;

/** The functions of node:fs are taken before anybody wraps them. */
export function createCounter({ logFile, killAt }: CounterOrder): PassBoundary {
  const write = writeSync;
  const log = openSync(logFile, 'a', 0o600);
  const passed = new Map<string, number>();
  return name => {
    const ordinal = (passed.get(name) ?? 0) + 1;
    passed.set(name, ordinal);
    const boundary = `${name} #${ordinal}`;
    write(log, `${boundary}\n`);
    if (boundary !== killAt) return;
    write(log, `${KILLED}\n`);
    // The signal is delivered before the call returns: nothing after it is run.
    process.kill(process.pid, 'SIGKILL');
  };
}
