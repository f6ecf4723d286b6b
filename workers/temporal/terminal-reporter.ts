// Says what takes long while it takes long: lasting lines, and one passing line
// that a terminal shows in place.
import type { Writable } from 'node:stream';
import { systemClock } from '../../activities/host/clock';

const QUIET_MS = 15_000;

export interface Reporter {
  /** A line that stays. */
  say(line: string): void;
  /** A line that the next one replaces; without a terminal it is shown now and then only. */
  progress(line: string): void;
}

/** All that does not show, except line ends and tabs. A colour sequence of ours is matched as a whole. */
const NOT_SHOWN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
  /\u001b\[\d{1,2}m|[\0-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * The last net before a terminal: names and words of others must not move its cursor or fill its clipboard.
 * What does not show is written as JSON writes it, so that JSON stays what it is; our colours are left.
 */
export function toPrintable(text: string): string {
  return text.replace(NOT_SHOWN, found =>
    found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
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
      stream.write(`${toPrintable(line)}\n`);
    },
    progress: given => {
      const line = toPrintable(given).replaceAll('\n', ' ');
      if (isTerminal) {
        clear();
        stream.write(line.slice(0, (stream.columns ?? 80) - 1));
        shown = true;
      } else if (systemClock.monotonicMs() - shownAtMs >= QUIET_MS) {
        shownAtMs = systemClock.monotonicMs();
        stream.write(`${line}\n`);
      }
    },
  };
}
