// Says what takes long while it takes long: lasting lines, and one passing line that a terminal shows in place.
import type { Writable } from 'node:stream';

const QUIET_MS = 15_000;

export interface Reporter {
  /** A line that stays. */
  say(line: string): void;
  /** A line that the next one replaces; without a terminal it is shown now and then only. */
  progress(line: string): void;
}

/** Reports nothing; for callers that only want the outcome. */
export const SILENT_REPORTER: Reporter = { say: () => undefined, progress: () => undefined };

/** Reports to a stream, in place when it is a terminal. */
export function reportTo(stream: Writable & { isTTY?: boolean; columns?: number }): Reporter {
  const isTerminal = stream.isTTY === true;
  let shown = false;
  let shownAtMs = Number.NEGATIVE_INFINITY;
  const clear = () => {
    if (shown) stream.write('\r\u001b[2K');
    shown = false;
  };
  return {
    say: line => {
      clear();
      stream.write(`${line}\n`);
    },
    progress: line => {
      if (isTerminal) {
        clear();
        stream.write(line.slice(0, (stream.columns ?? 80) - 1));
        shown = true;
      } else if (performance.now() - shownAtMs >= QUIET_MS) {
        shownAtMs = performance.now();
        stream.write(`${line}\n`);
      }
    },
  };
}
