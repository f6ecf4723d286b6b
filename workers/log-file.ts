// A log file that stays small: at its limit it becomes `<name>.1`, the one before `<name>.2`, and the oldest
// goes. A disk that is full costs lines of the log and nothing else.

import { closeSync, fstatSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../activities/host/error-code';
import { IncidentLog } from '../activities/host/incident-log';

/** Files that are kept besides the present one. */
const KEPT = 4;
/**
 * The size is looked at each time this process has written so many bytes, since a look costs a system call.
 * Other processes may write to the same file.
 */
const LOOK_EVERY_BYTES = 256 * 1024;

const openFiles = new Set<LogFile>();

export class LogFile {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #complain: (text: string) => void;
  readonly #incidents = new IncidentLog();
  #fd: number;
  #unlookedBytes = 0;

  /** Creates folder and file, for this user only. Throws when that cannot be done. */
  constructor(
    path: string,
    maxBytes: number,
    complain: (text: string) => void = text => process.stderr.write(text),
  ) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#complain = complain;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#fd = open(path);
    openFiles.add(this);
  }

  /** Never throws: what is done matters more than that it is logged. */
  write(line: string): void {
    try {
      const bytes = Buffer.from(line);
      this.#unlookedBytes += bytes.length;
      if (this.#unlookedBytes >= Math.min(LOOK_EVERY_BYTES, this.#maxBytes)) this.#keepSmall();
      for (let from = 0; from < bytes.length; ) from += writeSync(this.#fd, bytes, from);
      this.#incidents.ends('unwritable');
    } catch (error) {
      // Said once each time it begins: a complaint for every line of the log would only fill another disk.
      if (this.#incidents.begins('unwritable')) {
        const code = String(codeOf(error));
        this.#complain(`The log ${this.#path} cannot be written (${code}); the work goes on.\n`);
      }
    }
  }

  /** For a file that somebody has moved away: the next line goes into a new one. */
  reopen(): void {
    try {
      const fd = open(this.#path);
      closeSync(this.#fd);
      this.#fd = fd;
      this.#unlookedBytes = 0;
    } catch {
      // The old one goes on; the next time it may work.
    }
  }

  close(): void {
    if (openFiles.delete(this)) closeSync(this.#fd);
  }

  #keepSmall(): void {
    this.#unlookedBytes = 0;
    const own = fstatSync(this.#fd);
    const there = statSync(this.#path, { throwIfNoEntry: false });
    // Somebody was faster: another process of ours, or a program for logs.
    const isOurs = there !== undefined && there.ino === own.ino && there.dev === own.dev;
    if (isOurs && own.size < this.#maxBytes) return;
    if (isOurs) shift(this.#path);
    this.reopen();
  }
}

/** What SIGHUP asks of a service: log files that were moved away are made anew. */
export function reopenLogs(): void {
  for (const file of openFiles) file.reopen();
}

/** The file and those before it, one number up each; the last one is overwritten. */
function shift(path: string): void {
  for (let number = KEPT - 1; number >= 0; number--) {
    const from = number === 0 ? path : `${path}.${number}`;
    if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, `${path}.${number + 1}`);
  }
}

function open(path: string): number {
  return openSync(path, 'a', 0o600);
}
