// One round of looking at the drop folder: what names are there, and which of the known ones have settled.

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

export interface ScannerDeps {
  readonly share: DropFolder;
  readonly tracker: SettleTracker;
  readonly doorbell: Doorbell;
  readonly tell: TellEvent;
  readonly nowMs: () => number;
  /** The name of a file by which a person says that a top folder is complete. */
  readonly marker: string;
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
    const { share, tracker, nowMs, marker } = this.#deps;
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
      else if (!left.has(top) && tracker.note(name, unmetMs) === 'no-room') left.add(top);
    }
    this.#marked = marked;
    if (signal.aborted || left.size > 0) return false;
    tracker.forgetUnmet();
    this.#scannedMs = beganMs;
    return true;
  }

  /** Looks at what is due. @returns when the next look is due. */
  async settle(signal: AbortSignal): Promise<number> {
    const { tracker, nowMs } = this.#deps;
    const { names, nextMs } = tracker.due(LOOKS_A_ROUND);
    let next = 0;
    const look = async () => {
      for (let name = names[next]; name !== undefined && !signal.aborted; name = names[next]) {
        next += 1;
        await this.#look(name);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL_LOOKS }, look));
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
