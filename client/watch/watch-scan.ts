// One round of looking at the drop folder: what names are there, and which of the known ones have settled.
// Of a top folder that there is no room for all of, a walk beside these rounds goes over the names alone.

import { forEachLimited } from '../../activities/host/concurrency';
import { isGone } from '../../activities/host/file-trouble';
import type { RelativePath } from '../../activities/share/files/relative-path';
import { folderOf, topOf } from '../../activities/share/files/relative-path';
import { toShareError } from '../../activities/share/files/share-error';
import type { DropFolder } from '../../activities/share/share';
import type { Doorbell } from './watch-doorbell';
import type { TellEvent } from './watch-events';
import type { SettleTracker } from './watch-tracker';

/** Files that one round looks at, before files are claimed again. */
const LOOKS_A_ROUND = 1_000;
const PARALLEL_LOOKS = 8;
const MAX_MENTIONED = 1_000;
/** Between two walks through the names of a folder that there is no room for all of. */
const MIN_WALK_GAP_MS = 1_000;

export interface ScannerDeps {
  readonly share: DropFolder;
  readonly tracker: SettleTracker;
  readonly doorbell: Doorbell;
  readonly tell: TellEvent;
  readonly nowMs: () => number;
  /** The name of a file by which a person says that a top folder is complete. */
  readonly marker: string;
  readonly walks?: NameWalks | undefined;
}

export class Scanner {
  readonly #deps: ScannerDeps;
  readonly #mentioned = new Set<string>();
  /** When the last scan began that came to its end. */
  #scannedMs = Number.NEGATIVE_INFINITY;
  #missed = 0;
  /** Top folders with a marker, by the last scan. */
  #marked: ReadonlySet<string> = new Set();

  constructor(deps: ScannerDeps) {
    this.#deps = deps;
  }

  /** Files that settled without ever having been announced, since this was asked last. */
  takeMissed(): number {
    const missed = this.#missed;
    this.#missed = 0;
    return missed;
  }

  /** Whether the last scan met a marker in this top folder. */
  isMarked(top: string): boolean {
    return this.#marked.has(top);
  }

  /**
   * Walks the drop folder; what of a top folder cannot be kept in mind is left, and the
   * others are walked all the same.
   * @returns false when anything was left.
   */
  async discover(signal: AbortSignal): Promise<boolean> {
    const { share, tracker, nowMs, marker, walks } = this.#deps;
    const unmetMs = this.#scannedMs;
    const beganMs = nowMs();
    this.#scannedMs = Number.NEGATIVE_INFINITY;
    tracker.beginScan();
    const onTrouble = (path: string, why: string) => this.#mention(path, why);
    const left = new Set<string>();
    const marked = new Set<string>();
    const isMarker = (path: string) => topOf(path) !== '' && path === `${topOf(path)}/${marker}`;
    const onIgnored = (path: string, isFolder: boolean) => {
      if (!isFolder && isMarker(path)) marked.add(topOf(path));
    };
    const isEnough = (top: string) => left.has(top);
    for await (const name of share.scan({ signal, onTrouble, onIgnored, isEnough })) {
      const top = topOf(name.path);
      // Whatever it is called, a marker is no document.
      if (isMarker(name.path)) marked.add(top);
      else if (!left.has(top) && tracker.note(name, unmetMs, walks?.mostKept(name)) === 'no-room') {
        left.add(top);
      }
    }
    this.#marked = marked;
    if (!signal.aborted) walks?.keepOnly(left);
    if (signal.aborted || left.size > 0) return false;
    tracker.forgetUnmet();
    this.#scannedMs = beganMs;
    return true;
  }

  /** Looks at what is due. @returns when the next look is due. */
  async settle(signal: AbortSignal): Promise<number> {
    const { tracker, nowMs } = this.#deps;
    const { names, nextMs } = tracker.due(LOOKS_A_ROUND);
    await forEachLimited(names, PARALLEL_LOOKS, async name => {
      if (!signal.aborted) await this.#look(name);
    });
    return names.length >= LOOKS_A_ROUND ? nowMs() : Math.min(nextMs, tracker.due(0).nextMs);
  }

  /** Looks at a file that has settled. @returns whether it settles anew, or is gone. */
  async lookAgain(name: RelativePath): Promise<boolean> {
    const { share, tracker } = this.#deps;
    try {
      return tracker.observeAgain(name, await share.look(name));
    } catch (error) {
      const trouble = toShareError(error);
      if (trouble !== undefined) throw trouble;
      // Whoever claims it tells of what cannot be looked at.
      return false;
    }
  }

  async #look(name: RelativePath): Promise<void> {
    const { share, tracker, doorbell } = this.#deps;
    try {
      const settled = tracker.observe(name, await share.look(name));
      if (settled === undefined) return;
      if (!doorbell.hasHeard(folderOf(name.path), settled.unmetMs)) this.#missed += 1;
    } catch (error) {
      const trouble = toShareError(error);
      if (trouble !== undefined) throw trouble;
      if (isGone(error)) tracker.forget(name);
      else {
        tracker.postpone(name);
        this.#mention(name.path, 'unreadable');
      }
    }
  }

  #mention(path: string, why: string): void {
    if (this.#mentioned.has(path) || this.#mentioned.size >= MAX_MENTIONED) return;
    this.#mentioned.add(path);
    this.#deps.tell({ event: 'file-waiting', path, why });
  }
}

/** How a top folder stands that there is no room for all of. Times are ms of the watcher's clock. */
interface CutShort {
  /** How many names the last walk met, and when the first walk in a row began that met so many. */
  names: number;
  sameSinceMs: number;
  /** When the last walk began that came to its end. */
  walkedMs: number;
  /** No walk begins before. */
  againMs: number;
  hasBegun: boolean;
}

export interface NameWalksDeps {
  readonly share: Pick<DropFolder, 'scan'>;
  readonly tracker: SettleTracker;
  readonly nowMs: () => number;
  readonly quietMs: number;
  /** Of a file by its path below its top folder: see `note` of the tracker. */
  readonly mostKept: (path: string) => number;
  readonly signal: AbortSignal;
}

/**
 * The register of a top folder may be among the names that there was no room for: its files would go without
 * their rows. So all its names are walked through, a folder at a time and beside everything else, before it
 * begins; what may be the register comes into sight. Once it has begun, nothing of it is walked any more.
 */
export class NameWalks {
  readonly #deps: NameWalksDeps;
  readonly #cutShort = new Map<string, CutShort>();
  /** Top folders that are to be walked through, in their order. */
  readonly #waiting = new Set<string>();
  #walking: Promise<void> | undefined;

  constructor(deps: NameWalksDeps) {
    this.#deps = deps;
  }

  mostKept({ path, bytes }: RelativePath): number {
    const top = topOf(path);
    return top === '' || bytes !== undefined ? 0 : this.#deps.mostKept(path.slice(top.length + 1));
  }

  /** Told by each scan: the top folders that it left something of. One that is new is walked through. */
  keepOnly(tops: ReadonlySet<string>): void {
    for (const top of this.#cutShort.keys()) if (!tops.has(top)) this.#cutShort.delete(top);
    const never = Number.NEGATIVE_INFINITY;
    for (const top of tops) {
      if (top === '' || this.#cutShort.has(top)) continue;
      const walk = { names: -1, sameSinceMs: never, walkedMs: never, againMs: never };
      this.#cutShort.set(top, { ...walk, hasBegun: false });
      this.#begin(top);
    }
  }

  /** Whether the last scan left something of this top folder. */
  isCutShort(top: string): boolean {
    return this.#cutShort.has(top);
  }

  /**
   * Whether all names of this top folder were walked through after `sinceMs`, and none have come for the
   * quiet time, unless a person has marked it. Where not, it is walked through again.
   */
  mayBegin(top: string, sinceMs: number, isMarked: boolean): boolean {
    const { nowMs, quietMs } = this.#deps;
    const known = this.#cutShort.get(top);
    if (known === undefined || known.hasBegun) return true;
    const isQuiet = isMarked || known.walkedMs - known.sameSinceMs >= quietMs;
    if (known.walkedMs >= sinceMs && isQuiet) return true;
    if (nowMs() >= known.againMs) this.#begin(top);
    return false;
  }

  /** What comes into sight later goes on without a walk. */
  noteBegun(top: string): void {
    const known = this.#cutShort.get(top);
    if (known !== undefined) known.hasBegun = true;
  }

  /** Waits for the walks that are to be made. */
  async end(): Promise<void> {
    await this.#walking;
  }

  #begin(top: string): void {
    this.#waiting.add(top);
    this.#walking ??= this.#walkAll().finally(() => {
      this.#walking = undefined;
    });
  }

  async #walkAll(): Promise<void> {
    // Those that come meanwhile are met as well.
    for (const top of this.#waiting) {
      this.#waiting.delete(top);
      const known = this.#cutShort.get(top);
      if (known !== undefined) await this.#walk(top, known);
    }
  }

  async #walk(top: string, known: CutShort): Promise<void> {
    const { share, tracker, nowMs, signal } = this.#deps;
    const beganMs = nowMs();
    let names = 0;
    known.againMs = Number.POSITIVE_INFINITY;
    try {
      for await (const name of share.scan({ under: top, signal })) {
        if (this.#cutShort.get(top) !== known) return;
        names += 1;
        const mostKept = this.mostKept(name);
        if (mostKept > 0) tracker.note(name, Number.NEGATIVE_INFINITY, mostKept);
      }
      if (signal.aborted) return;
      if (names !== known.names) known.sameSinceMs = beganMs;
      known.names = names;
      known.walkedMs = beganMs;
    } catch {
      // The scan meets the same, and tells of it; the folder waits for another walk.
    } finally {
      const endedMs = nowMs();
      known.againMs = endedMs + Math.max(MIN_WALK_GAP_MS, endedMs - beganMs);
    }
  }
}
