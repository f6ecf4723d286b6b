// How long the watcher waits for the files that a register lists. What was read is remembered by what the
// files look like: the watcher asks again and again.
import { systemClock } from '../../activities/host/clock';
import { keepFew } from '../../activities/host/keep-few';
import type { DropEntry } from '../../activities/share/drop/scan-drop';
import type { RelativePath } from '../../activities/share/files/relative-path';
import { tellAwaited } from '../../activities/share/register/awaited-file';
import type { DropRegister } from '../../activities/share/register/look-in-drop';
import type { DropRegisters } from '../../activities/share/share';
import type { WaitingFolder } from '../../activities/share/status/waiting-folder';
import type { TellEvent } from './watch-events';
import type { JobRegister, RegisterOfJob } from './whole-jobs';

const MOST_REMEMBERED = 1_000;
/** Files that are missing, or stay, and are told by name. */
const MOST_NAMED = 5;
/** How long a folder is held back for a register that cannot be read just now; it is looked at anew. */
const MOST_BUSY_MS = 5_000;

interface Known {
  /** Undefined where the register could not be read: it is looked at anew, whatever the files look like. */
  readonly mark: string | undefined;
  /** Since when it could not be read, by the watcher's clock. */
  readonly busySinceMs?: number;
  readonly register: DropRegister | undefined;
  /** Paths below the drop folder of files that stay there. */
  readonly stay: readonly string[];
  /** When files that are missing were waited for first, by the watcher's clock. */
  readonly sinceMs: number;
  /** By the clock on the wall: when they are waited for no longer. */
  readonly until: string;
  readonly files: number;
  readonly isWaiting: boolean;
  /** When the register was looked at last while its files are waited for, by the watcher's clock. */
  readonly lookedMs: number;
}

const NOT_WAITING = { until: '', files: 0, isWaiting: false, lookedMs: 0 };

export interface RegisterWaitOptions {
  readonly share: Pick<DropRegisters, 'lookForRegister' | 'leaveUnlisted'>;
  /** How long files are waited for that a register lists: `register.wait`. */
  readonly waitMs: number;
  /** While files are waited for, their register is looked at again after this. */
  readonly lookEveryMs: number;
  /** Looks at a file that has settled. @returns whether it settles anew, or is gone. */
  readonly lookAgain: (name: RelativePath) => Promise<boolean>;
  readonly nowMs: () => number;
  readonly wallMs?: () => number;
  readonly tell: TellEvent;
}

export class RegisterWait implements JobRegister {
  readonly #options: RegisterWaitOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: RegisterWaitOptions) {
    this.#options = options;
  }

  /** Of a top folder, all of whose files have settled; undefined where it has no register. */
  async look(top: string, files: readonly DropEntry[], isMarked = false): Promise<RegisterOfJob | undefined> {
    const { share, waitMs, nowMs, wallMs = systemClock.wallMs } = this.#options;
    const mark = files.map(({ path, sizeBytes, mtimeNs }) => `${path}\n${sizeBytes}\n${mtimeNs}`).join('\n');
    const before = this.#known.get(top);
    const isAsBefore = before?.mark === mark;
    if (isAsBefore && !isMarked && (await this.#hasChanged(top, before))) {
      return { begins: 'not-yet', order: [], stay: before.stay };
    }
    const found = isAsBefore ? before.register : await share.lookForRegister(top, files);
    const stay = isAsBefore ? before.stay : await share.leaveUnlisted(top, files);
    this.#tellOfLeft(top, before?.stay ?? [], stay);
    if (found === 'busy') {
      const busySinceMs = before?.busySinceMs ?? nowMs();
      const kept = before ?? { register: undefined, sinceMs: nowMs(), ...NOT_WAITING };
      this.#remember(top, { ...kept, mark: undefined, stay, isWaiting: false, busySinceMs });
      if (nowMs() - busySinceMs < MOST_BUSY_MS) return { begins: 'not-yet', order: [], stay };
      return stay.length === 0 ? undefined : { begins: 'as-without', order: [], stay };
    }
    const register = found;
    if (register === undefined) {
      this.#remember(top, { mark, register, stay, sinceMs: nowMs(), ...NOT_WAITING });
      return stay.length === 0 ? undefined : { begins: 'as-without', order: [], stay };
    }
    // The time counts from the first look at this register: files that come one by one do not draw it out.
    const isKnown = before?.register?.path === register.path;
    const sinceMs = isKnown ? before.sinceMs : nowMs();
    const { awaited, path } = register;
    // Whoever has marked it says that these will not come.
    const isWhole = awaited.length === 0 || isMarked;
    const isWaiting = !isWhole && nowMs() - sinceMs < waitMs;
    const until = isKnown ? before.until : new Date(wallMs() + waitMs).toISOString();
    // The register itself is not counted.
    const lookedMs = (isAsBefore ? this.#known.get(top)?.lookedMs : undefined) ?? nowMs();
    const count = files.length - 1;
    this.#remember(top, { mark, register, stay, sinceMs, until, files: count, isWaiting, lookedMs });
    if (!isKnown && isWaiting) this.#tellOfWait(top, register);
    // The register goes with the first of its files.
    const order = [path, ...register.order];
    const begins = isWhole ? 'now' : isWaiting ? 'not-yet' : 'when-quiet';
    return { begins, register: path, order, stay };
  }

  /** Forgets all other folders: one that is dropped again under its name is told of, and waited for, anew. */
  keepOnly(tops: ReadonlyMap<string, unknown>): void {
    for (const top of this.#known.keys()) if (!tops.has(top)) this.#known.delete(top);
  }

  /** The folders that waited when they were looked at last. */
  waiting(): readonly WaitingFolder[] {
    return [...this.#known].flatMap(([top, { register, isWaiting, files, until }]) => {
      if (register === undefined || !isWaiting) return [];
      const since = new Date(Date.parse(until) - this.#options.waitMs).toISOString();
      const missing = register.awaited.map(tellAwaited);
      return [{ top, files, register: register.path, missing, since, until }];
    });
  }

  /**
   * A settled file is looked at no more, and nothing tells of one that is saved again: so the register is,
   * while its files are waited for. What it said before counts no more once it has changed.
   */
  async #hasChanged(top: string, known: Known): Promise<boolean> {
    const { nowMs, lookEveryMs, lookAgain } = this.#options;
    if (known.register === undefined || !known.isWaiting) return false;
    if (nowMs() - known.lookedMs < lookEveryMs) return false;
    const hasChanged = await lookAgain({ path: known.register.path });
    const again = { ...known, lookedMs: nowMs() };
    this.#remember(top, hasChanged ? { ...again, mark: undefined, isWaiting: false } : again);
    return hasChanged;
  }

  /** Whoever looks at a folder that does not go is to know what it waits for. */
  #tellOfWait(top: string, { path, awaited }: DropRegister): void {
    const { tell, waitMs } = this.#options;
    tell({
      event: 'register-waits',
      path: top,
      register: path.slice(top.length + 1),
      missing: awaited.length,
      named: awaited.slice(0, MOST_NAMED).map(tellAwaited),
      waitMs,
    });
  }

  /** Tells of each file once: it lies there as long as nobody lists it. */
  #tellOfLeft(top: string, before: readonly string[], stay: readonly string[]): void {
    const told = new Set(before);
    const fresh = stay.filter(path => !told.has(path));
    if (fresh.length === 0) return;
    const named = fresh.slice(0, MOST_NAMED).map(path => path.slice(top.length + 1));
    this.#options.tell({ event: 'files-left', path: top, files: fresh.length, named });
  }

  /** The folders that were looked at last; one that is forgotten is read again, and waited for anew. */
  #remember(top: string, known: Known): void {
    keepFew(this.#known, top, known, MOST_REMEMBERED);
  }
}
