// Which files of the drop folder have stood still for long enough. It goes by what we saw and by our own clock alone:
// a file's times are compared with each other, never with now. Memory is bounded; what does not fit is met again by a
// later scan.
import type { DropEntry, DropName } from '../activities/share/scan-drop';

export interface TrackerOptions {
  readonly settleMs: number;
  readonly capacity: number;
  /** Monotonic. */
  readonly nowMs: () => number;
}

interface Tracked {
  readonly name: DropName;
  seen: DropEntry | undefined;
  /** When it was first seen as it is now. */
  sinceMs: number;
  dueMs: number;
  settledMs: number | undefined;
  /** When the scan before the one that met it began; the doorbell must have been heard since then. */
  readonly unmetMs: number;
  scan: number;
  /** Looks that differed in the inode alone: some shares make new ones up all the time. */
  inodeChanges: number;
  tries: number;
  inHand: boolean;
}

/** After so many differences in the inode alone, it is no identity on this share. */
const MAX_INODE_CHANGES = 3;
const MAX_POSTPONE_MS = 5 * 60_000;

export class SettleTracker {
  readonly #options: TrackerOptions;
  readonly #tracked = new Map<string, Tracked>();
  #scan = 0;
  #newestMs = Number.NEGATIVE_INFINITY;

  constructor(options: TrackerOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#tracked.size;
  }

  get isFull(): boolean {
    return this.#tracked.size >= this.#options.capacity;
  }

  /** When something new came, or something settled, for the last time. */
  get newestMs(): number {
    return this.#newestMs;
  }

  beginScan(): void {
    this.#scan += 1;
  }

  /** Notes that a scan met this name. @param unmetMs when the last whole scan began that did not meet it. */
  note(name: DropName, unmetMs: number): 'known' | 'new' | 'no-room' {
    const key = keyOf(name);
    const known = this.#tracked.get(key);
    if (known !== undefined) {
      known.scan = this.#scan;
      return 'known';
    }
    if (this.isFull) return 'no-room';
    const nowMs = this.#options.nowMs();
    this.#newestMs = nowMs;
    this.#tracked.set(key, {
      name,
      seen: undefined,
      sinceMs: nowMs,
      dueMs: nowMs,
      settledMs: undefined,
      unmetMs,
      scan: this.#scan,
      inodeChanges: 0,
      tries: 0,
      inHand: false,
    });
    return 'new';
  }

  /** After a scan that came to its end: what it did not meet is gone. */
  forgetUnmet(): void {
    for (const [key, tracked] of this.#tracked) {
      if (tracked.scan !== this.#scan && !tracked.inHand) this.#tracked.delete(key);
    }
  }

  /** Names to look at now, at most `limit`, and when the next one is due. */
  due(limit: number): { readonly names: DropName[]; readonly nextMs: number } {
    const nowMs = this.#options.nowMs();
    const names: DropName[] = [];
    let nextMs = Number.POSITIVE_INFINITY;
    for (const tracked of this.#tracked.values()) {
      if (tracked.settledMs !== undefined || tracked.inHand) continue;
      if (tracked.dueMs <= nowMs && names.length < limit) names.push(tracked.name);
      else nextMs = Math.min(nextMs, tracked.dueMs);
    }
    return { names, nextMs };
  }

  /** Takes in a look. @returns since when the file must have come, once it has settled. */
  observe(name: DropName, entry: DropEntry | undefined): { readonly unmetMs: number } | undefined {
    const key = keyOf(name);
    const tracked = this.#tracked.get(key);
    if (tracked === undefined) return undefined;
    if (entry === undefined) {
      this.#tracked.delete(key);
      return undefined;
    }
    const nowMs = this.#options.nowMs();
    const before = tracked.seen;
    tracked.seen = entry;
    if (before === undefined || !this.#isUnchanged(tracked, before, entry)) {
      tracked.sinceMs = nowMs;
      tracked.dueMs = nowMs + this.#options.settleMs;
      return undefined;
    }
    if (nowMs - tracked.sinceMs < this.#options.settleMs) {
      tracked.dueMs = tracked.sinceMs + this.#options.settleMs;
      return undefined;
    }
    tracked.settledMs = nowMs;
    this.#newestMs = nowMs;
    return { unmetMs: tracked.unmetMs };
  }

  /** What has settled and is not being claimed. */
  settled(): { readonly entries: DropEntry[]; readonly oldestMs: number } {
    const entries: DropEntry[] = [];
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const { seen, settledMs, inHand, inodeChanges } of this.#tracked.values()) {
      if (seen === undefined || settledMs === undefined || inHand) continue;
      oldestMs = Math.min(oldestMs, settledMs);
      entries.push(inodeChanges >= MAX_INODE_CHANGES ? { ...seen, identity: '' } : seen);
    }
    return { entries, oldestMs };
  }

  take(names: readonly DropName[]): void {
    for (const name of names) {
      const tracked = this.#tracked.get(keyOf(name));
      if (tracked !== undefined) tracked.inHand = true;
    }
  }

  forget(name: DropName): void {
    this.#tracked.delete(keyOf(name));
  }

  /**
   * It could not be claimed: it settles anew, later each time.
   * @returns how often that has happened to it.
   */
  postpone(name: DropName): number {
    const tracked = this.#tracked.get(keyOf(name));
    if (tracked === undefined) return 0;
    const nowMs = this.#options.nowMs();
    tracked.tries += 1;
    tracked.inHand = false;
    tracked.seen = undefined;
    tracked.settledMs = undefined;
    tracked.sinceMs = nowMs;
    const delayMs = Math.min(MAX_POSTPONE_MS, this.#options.settleMs * 2 ** (tracked.tries - 1));
    // The next look is the first of two.
    tracked.dueMs = nowMs + delayMs - this.#options.settleMs;
    return tracked.tries;
  }

  /** Gives back what was taken, as it was. */
  release(names: readonly DropName[]): void {
    for (const name of names) {
      const tracked = this.#tracked.get(keyOf(name));
      if (tracked !== undefined) tracked.inHand = false;
    }
  }

  /** Makes room when nothing moves: the least promising go, and are met again by a later scan. */
  evictStuck(): number {
    let evicted = 0;
    for (const [key, tracked] of this.#tracked) {
      if (tracked.inHand || (tracked.tries < 3 && tracked.settledMs !== undefined)) continue;
      this.#tracked.delete(key);
      evicted += 1;
      if (evicted >= this.#options.capacity / 2) break;
    }
    return evicted;
  }

  clear(): void {
    for (const [key, tracked] of this.#tracked) if (!tracked.inHand) this.#tracked.delete(key);
  }

  #isUnchanged(tracked: Tracked, before: DropEntry, now: DropEntry): boolean {
    if (before.kind !== now.kind || before.sizeBytes !== now.sizeBytes || before.mtimeNs !== now.mtimeNs) {
      tracked.inodeChanges = 0;
      return false;
    }
    if (before.identity === now.identity) return true;
    tracked.inodeChanges += 1;
    return tracked.inodeChanges >= MAX_INODE_CHANGES;
  }
}

function keyOf(name: DropName): string {
  // A slash cannot begin a relative path: names in bytes never meet names in text.
  return name.bytes === undefined ? name.path : `/${name.bytes.toString('latin1')}`;
}
