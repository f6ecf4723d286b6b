// How long the watcher waits for the files that a register lists. What was read is remembered by what the
// files look like: the watcher asks again and again.
import type { DropEntry } from '../../activities/share/drop/scan-drop';
import type { DropRegister } from '../../activities/share/register/look-in-drop';
import type { DropRegisters } from '../../activities/share/share';

/** What the register of a job says of its files. */
export interface RegisterOfJob {
  /** `now`: all its files are there. `not-yet`: others are waited for. `when-quiet`: as without one. */
  readonly begins: 'now' | 'not-yet' | 'when-quiet';
  /** Paths below the drop folder in the order of its rows. */
  readonly order: readonly string[];
}

interface Known {
  readonly mark: string;
  readonly register: DropRegister | undefined;
  /** When files that are missing were waited for first, by the watcher's clock. */
  readonly sinceMs: number;
}

export interface RegisterWaitOptions {
  readonly share: DropRegisters;
  /** How long files are waited for that a register lists: `register.wait`. */
  readonly waitMs: number;
  readonly nowMs: () => number;
}

export class RegisterWait {
  readonly #options: RegisterWaitOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: RegisterWaitOptions) {
    this.#options = options;
  }

  /** Of a top folder, all of whose files have settled; undefined where it has no register. */
  async look(top: string, files: readonly DropEntry[]): Promise<RegisterOfJob | undefined> {
    const { share, waitMs, nowMs } = this.#options;
    const mark = files.map(({ path, sizeBytes, mtimeNs }) => `${path}\n${sizeBytes}\n${mtimeNs}`).join('\n');
    const before = this.#known.get(top);
    const register = before?.mark === mark ? before.register : await share.lookForRegister(top, files);
    if (register === undefined) {
      this.#known.set(top, { mark, register, sinceMs: nowMs() });
      return undefined;
    }
    // The time counts from the first look at this register: files that come one by one do not draw it out.
    const sinceMs = before?.register?.path === register.path ? before.sinceMs : nowMs();
    this.#known.set(top, { mark, register, sinceMs });
    const { missing, order } = register;
    if (missing === 0) return { begins: 'now', order };
    return { begins: nowMs() - sinceMs < waitMs ? 'not-yet' : 'when-quiet', order };
  }

  /** Forgets folders that are gone. */
  keepOnly(tops: ReadonlySet<string>): void {
    for (const top of this.#known.keys()) if (!tops.has(top)) this.#known.delete(top);
  }
}
