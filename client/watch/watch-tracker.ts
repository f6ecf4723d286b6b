// Which files of the drop folder have stood still for long enough. It goes by what we saw and by our own
// clock alone: a file's times are compared with each other, never with now. Memory is bounded, and shared by
// the top folders; what does not fit is met again by a later scan.
//
// In hand is a file that the Batcher is about to claim, is claiming, or hashes (`take`). It is neither looked
// at nor offered again, and stays in mind whatever a scan meets. Only the Batcher gives it up:
//   release   as it was, and it may be taken at once: too many batches are on their way, its job was closed
//             meanwhile, or an error came before the claim was made
//   postpone  it settles anew, later each time: it could not be claimed (busy, changed and the like), or was
//             given back after the claim; as long as it is as it was then, the others do not wait for it
//   settleAnew  its register, or the record of its job, could not be read: it settles anew with all of its
//             folder, which waits for each of them as for files that have just come
//   forget    it is gone, or in a batch; also after an error once it is claimed: the claim lies on the share,
//             and Recovery, which is made due at once, goes on with it

import type { DropEntry } from '../../activities/share/drop/scan-drop';
import { type SettledTop, SettledTops, type Tracked } from '../../activities/share/drop/settled-tops';
import type { RelativePath } from '../../activities/share/files/relative-path';
import { topOf } from '../../activities/share/files/relative-path';

export interface TrackerOptions {
  readonly settleMs: number;
  readonly capacity: number;
  /** Monotonic. */
  readonly nowMs: () => number;
}

/** Making room costs a look at all of a folder: done for several at a time. */
const MOST_GIVE_WAY = 256;
/** After so many differences in the inode alone, it is no identity on this share. */
const MAX_INODE_CHANGES = 3;
const MAX_POSTPONE_MS = 5 * 60_000;

export class SettleTracker {
  readonly #options: TrackerOptions;
  readonly #tracked = new Map<string, Tracked>();
  /** The keys of what is tracked, by its top folder, in the order they came. */
  readonly #tops = new Map<string, Set<string>>();
  /** How many files of a top folder are kept, whoever needs room. */
  readonly #kept = new Map<string, number>();
  readonly #settled = new SettledTops();
  /** Top folders of which the last scan left something for want of room, and those of the scan under way. */
  #cutShort: ReadonlySet<string> = new Set();
  #cutting = new Set<string>();
  #scan = 0;

  constructor(options: TrackerOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#tracked.size;
  }

  get isFull(): boolean {
    return this.#tracked.size >= this.#options.capacity;
  }

  beginScan(): void {
    this.#scan += 1;
    this.#cutShort = this.#cutting;
    this.#cutting = new Set();
  }

  /**
   * Notes that a scan met this name.
   * @param unmetMs when the last whole scan began that did not meet it.
   * @param mostKept as it may be the register of its folder, it is kept whoever needs room, unless so many of
   * that are: another file of the folder gives way to it, where nothing else does. 0 for all others.
   */
  note(name: RelativePath, unmetMs: number, mostKept = 0): 'known' | 'new' | 'no-room' {
    const key = keyOf(name);
    const known = this.#tracked.get(key);
    if (known !== undefined) {
      known.scan = this.#scan;
      return 'known';
    }
    const top = topOf(name.path);
    const kept = this.#kept.get(top) ?? 0;
    const isKept = kept < mostKept;
    if (this.isFull && !this.#makeRoomFor(top) && !(isKept && this.#giveWay(top, 1))) {
      this.#cutting.add(top);
      return 'no-room';
    }
    if (isKept) this.#kept.set(top, kept + 1);
    const nowMs = this.#options.nowMs();
    this.#tracked.set(key, {
      name,
      metMs: nowMs,
      seen: undefined,
      sinceMs: nowMs,
      dueMs: nowMs,
      settled: undefined,
      settledMs: nowMs,
      unmetMs,
      scan: this.#scan,
      inodeChanges: 0,
      tries: 0,
      isPutOff: false,
      former: undefined,
      inHand: false,
      isKept,
      // A register is news of its folder, however long it was there.
      isBelated: !isKept && this.#cutShort.has(top),
    });
    this.#settled.changed(top);
    const keys = this.#tops.get(top);
    if (keys === undefined) this.#tops.set(top, new Set([key]));
    else keys.add(key);
    return 'new';
  }

  /** After a scan that came to its end: what it did not meet is gone. */
  forgetUnmet(): void {
    for (const [key, tracked] of this.#tracked) {
      if (tracked.scan !== this.#scan && !tracked.inHand) this.#drop(key, tracked);
    }
  }

  /** Names to look at now, at most `limit`, and when the next one is due. */
  due(limit: number): { readonly names: RelativePath[]; readonly nextMs: number } {
    const nowMs = this.#options.nowMs();
    const names: RelativePath[] = [];
    let nextMs = Number.POSITIVE_INFINITY;
    for (const tracked of this.#tracked.values()) {
      if (tracked.settled !== undefined || tracked.inHand) continue;
      if (tracked.dueMs <= nowMs && names.length < limit) names.push(tracked.name);
      else nextMs = Math.min(nextMs, tracked.dueMs);
    }
    return { names, nextMs };
  }

  /** Takes in a look. @returns once the file has settled, when the last scan began that did not meet it. */
  observe(name: RelativePath, entry: DropEntry | undefined): { readonly unmetMs: number } | undefined {
    const key = keyOf(name);
    const tracked = this.#tracked.get(key);
    if (tracked === undefined) return undefined;
    if (entry === undefined) {
      this.#drop(key, tracked);
      return undefined;
    }
    this.#settled.changed(topOf(name.path));
    const nowMs = this.#options.nowMs();
    const before = tracked.seen;
    tracked.seen = entry;
    const known = before ?? tracked.former;
    if (known !== undefined && isRewritten(known, entry)) {
      tracked.isPutOff = false;
      tracked.isBelated = false;
    }
    tracked.former = undefined;
    if (before === undefined || !this.#isUnchanged(tracked, before, entry)) {
      if (before !== undefined) tracked.isBelated = false;
      tracked.sinceMs = nowMs;
      tracked.dueMs = nowMs + this.#options.settleMs;
      return undefined;
    }
    if (nowMs - tracked.sinceMs < this.#options.settleMs) {
      tracked.dueMs = tracked.sinceMs + this.#options.settleMs;
      return undefined;
    }
    const identity = tracked.inodeChanges >= MAX_INODE_CHANGES ? '' : entry.identity;
    tracked.settled = { ...entry, identity, sinceMs: tracked.metMs };
    // The two are equal, so that one of them is enough to keep.
    tracked.seen = tracked.settled;
    tracked.settledMs = nowMs;
    tracked.isPutOff = false;
    return { unmetMs: tracked.unmetMs };
  }

  /** Takes in a look at a file that has settled. @returns whether it settles anew, or is gone. */
  observeAgain(name: RelativePath, entry: DropEntry | undefined): boolean {
    const key = keyOf(name);
    const tracked = this.#tracked.get(key);
    const before = tracked?.settled;
    if (tracked === undefined || before === undefined || tracked.inHand) return false;
    if (entry === undefined) this.#drop(key, tracked);
    else if (isRewritten(before, entry)) {
      this.settleAnew([name], 1);
      this.observe(name, entry);
    } else return false;
    return true;
  }

  /** Whether anything of this top folder is in sight, but for these paths. */
  hasAny(top: string, except: ReadonlySet<string> = new Set()): boolean {
    // By their keys: names that are not UTF-8 are never among the paths.
    for (const key of this.#tops.get(top) ?? []) if (!except.has(key)) return true;
    return false;
  }

  /** Files of this top folder that are in sight and not being claimed, but for these paths. */
  pathsOf(top: string, except: ReadonlySet<string> = new Set()): readonly string[] {
    const keys = [...(this.#tops.get(top) ?? [])];
    return keys.filter(key => !except.has(key) && this.#tracked.get(key)?.inHand === false);
  }

  /**
   * What has settled and is not being claimed, by top folder; '' has the loose files. Of a folder where
   * nothing has changed it is the very same value as before.
   */
  settled(): ReadonlyMap<string, SettledTop> {
    const tops = new Map<string, SettledTop>();
    for (const [top, keys] of this.#tops) {
      const found = this.#settled.of(top, () => this.#filesOf(keys));
      if (found.entries.length > 0) tops.set(top, found);
    }
    return tops;
  }

  *#filesOf(keys: ReadonlySet<string>): Generator<Tracked> {
    for (const key of keys) {
      const tracked = this.#tracked.get(key);
      if (tracked !== undefined) yield tracked;
    }
  }

  take(names: readonly RelativePath[]): void {
    for (const name of names) this.#setInHand(name, true);
  }

  forget(name: RelativePath): void {
    const key = keyOf(name);
    const tracked = this.#tracked.get(key);
    if (tracked !== undefined) this.#drop(key, tracked);
  }

  /**
   * It could not be claimed: it settles anew, later each time.
   * @returns how often that has happened to it.
   */
  postpone(name: RelativePath): number {
    const tracked = this.#tracked.get(keyOf(name));
    if (tracked === undefined) return 0;
    tracked.tries += 1;
    this.#beginAnew(tracked, tracked.tries);
    tracked.isPutOff = true;
    return tracked.tries;
  }

  /**
   * The folder of these files could not be begun, for the `times`-th time in a row: all of them settle anew,
   * later each time. That says nothing of any of them, so that each is waited for.
   */
  settleAnew(names: readonly RelativePath[], times: number): void {
    for (const name of names) {
      const tracked = this.#tracked.get(keyOf(name));
      if (tracked === undefined) continue;
      this.#beginAnew(tracked, times);
      tracked.isPutOff = false;
      tracked.isBelated = false;
    }
  }

  #beginAnew(tracked: Tracked, times: number): void {
    const { settleMs, nowMs } = this.#options;
    this.#settled.changed(topOf(tracked.name.path));
    tracked.inHand = false;
    tracked.former = tracked.seen ?? tracked.former;
    tracked.seen = undefined;
    tracked.settled = undefined;
    tracked.sinceMs = nowMs();
    const delayMs = Math.min(MAX_POSTPONE_MS, settleMs * 2 ** (times - 1));
    // A file settles by two looks that agree: the next one is the first of them.
    tracked.dueMs = tracked.sinceMs + delayMs - settleMs;
  }

  /** Gives back what was taken, as it was. */
  release(names: readonly RelativePath[]): void {
    for (const name of names) this.#setInHand(name, false);
  }

  #setInHand(name: RelativePath, inHand: boolean): void {
    const tracked = this.#tracked.get(keyOf(name));
    if (tracked === undefined) return;
    tracked.inHand = inHand;
    this.#settled.changed(topOf(name.path));
  }

  /** Makes room when nothing moves: the least promising go, and are met again by a later scan. */
  evictStuck(): number {
    let evicted = 0;
    for (const [key, tracked] of this.#tracked) {
      const isPromising = tracked.tries < 3 && (tracked.isKept || tracked.settled !== undefined);
      if (tracked.inHand || isPromising) continue;
      this.#drop(key, tracked);
      this.#cutting.add(topOf(tracked.name.path));
      evicted += 1;
      if (evicted >= this.#options.capacity / 2) break;
    }
    return evicted;
  }

  clear(): void {
    for (const [key, tracked] of this.#tracked) if (!tracked.inHand) this.#drop(key, tracked);
    this.#cutting.clear();
  }

  /**
   * Room for a file of `top`: the top folder with the most files gives up those that came last, if it has
   * more than `top`. @returns whether it did.
   */
  #makeRoomFor(top: string): boolean {
    // Where each folder has one file only, none gives way.
    if (this.#tops.size >= this.#tracked.size) return false;
    const has = this.#tops.get(top)?.size ?? 0;
    let [largestTop, largest] = ['', new Set<string>()];
    for (const [other, keys] of this.#tops) {
      if (keys.size > largest.size) [largestTop, largest] = [other, keys];
    }
    // Each time more, but no more than it has already: one file does not push out hundreds.
    const most = Math.min(MOST_GIVE_WAY, Math.max(1, has), Math.floor((largest.size - has) / 2));
    if (most <= 0) return false;
    return this.#giveWay(largestTop, most);
  }

  /** So many files of `top` go, those that came last first. @returns whether any did. */
  #giveWay(top: string, most: number): boolean {
    let given = 0;
    for (const key of [...(this.#tops.get(top) ?? [])].reverse()) {
      if (given >= most) break;
      const tracked = this.#tracked.get(key);
      if (tracked === undefined || tracked.inHand || tracked.isKept) continue;
      this.#drop(key, tracked);
      given += 1;
    }
    if (given > 0) this.#cutting.add(top);
    return given > 0;
  }

  #drop(key: string, { name, isKept }: Tracked): void {
    this.#tracked.delete(key);
    const top = topOf(name.path);
    if (isKept) this.#kept.set(top, (this.#kept.get(top) ?? 1) - 1);
    if (this.#kept.get(top) === 0) this.#kept.delete(top);
    this.#settled.changed(top);
    const keys = this.#tops.get(top);
    keys?.delete(key);
    if (keys?.size === 0) this.#tops.delete(top);
  }

  #isUnchanged(tracked: Tracked, before: DropEntry, now: DropEntry): boolean {
    if (isRewritten(before, now)) {
      tracked.inodeChanges = 0;
      return false;
    }
    if (before.identity === now.identity) return true;
    tracked.inodeChanges += 1;
    return tracked.inodeChanges >= MAX_INODE_CHANGES;
  }
}

function isRewritten(before: DropEntry, now: DropEntry): boolean {
  return before.kind !== now.kind || before.sizeBytes !== now.sizeBytes || before.mtimeNs !== now.mtimeNs;
}

function keyOf(name: RelativePath): string {
  // A slash cannot begin a relative path: names in bytes never meet names in text.
  return name.bytes === undefined ? name.path : `/${name.bytes.toString('latin1')}`;
}
