// What of each top folder has settled. It is asked for whenever a batch is cut, with thousands of files, and
// only some folders have changed since: for the others the former result is given again.
import type { RelativePath } from '../files/relative-path';
import type { DropEntry } from './scan-drop';

/** A file of the drop folder that the watcher keeps in memory. Times are ms of a monotonic clock. */
export interface Tracked {
  readonly name: RelativePath;
  /** When it came into sight. */
  readonly metMs: number;
  seen: DropEntry | undefined;
  /** When it was first seen as it is now. */
  sinceMs: number;
  dueMs: number;
  /** As it is to be claimed, once it has settled. */
  settled: SettledEntry | undefined;
  settledMs: number;
  /** When the last whole scan that did not meet it began; a change must have been announced since then. */
  readonly unmetMs: number;
  scan: number;
  /** How many looks differed in the inode alone: some shares make up new ones all the time. */
  inodeChanges: number;
  /** How often it could not be claimed. */
  tries: number;
  /** It could not be claimed, and settles anew as it was then, as far as it was seen since. */
  isPutOff: boolean;
  /** As it was when it began to settle anew, until the next look. */
  former: DropEntry | undefined;
  inHand: boolean;
  /** It may be the register of its folder: it stays in mind, whoever needs room. */
  readonly isKept: boolean;
  /**
   * As far as can be told it was there at an earlier scan, which had no room for it: so it is not new.
   */
  isBelated: boolean;
}

/** What has settled, and since when it has been in sight. */
export interface SettledEntry extends DropEntry {
  readonly sinceMs: number;
}

/** What of one top folder has settled. */
export interface SettledTop {
  readonly entries: readonly SettledEntry[];
  /** When the first of them settled. */
  readonly oldestMs: number;
  /** When something in the folder came, changed or settled for the last time. */
  readonly newestMs: number;
  /** Something in it has not settled yet. */
  readonly isMoving: boolean;
  /** All that has not settled yet are files that an earlier scan had no room for. */
  readonly isFilling: boolean;
}

export class SettledTops {
  readonly #known = new Map<string, SettledTop>();

  /** To be called when anything in this top folder is not as it was. */
  changed(top: string): void {
    this.#known.delete(top);
  }

  /** The very same value as before where nothing has changed. */
  of(top: string, files: () => Iterable<Tracked>): SettledTop {
    const known = this.#known.get(top);
    if (known !== undefined) return known;
    const found = addUp(files());
    this.#known.set(top, found);
    return found;
  }
}

function addUp(files: Iterable<Tracked>): SettledTop {
  const entries: SettledEntry[] = [];
  let oldestMs = Number.POSITIVE_INFINITY;
  let newestMs = Number.NEGATIVE_INFINITY;
  let isMoving = false;
  let isFilling = false;
  for (const { inHand, isBelated, isPutOff, metMs, settled, settledMs, sinceMs } of files) {
    if (inHand) continue;
    if (settled === undefined) {
      // A file that could not be claimed is tried again, later each time: the others do not wait for it.
      if (isPutOff) continue;
      if (isBelated) {
        isFilling = true;
        continue;
      }
      isMoving = true;
      newestMs = Math.max(newestMs, metMs, sinceMs);
      continue;
    }
    oldestMs = Math.min(oldestMs, settledMs);
    if (!isBelated) newestMs = Math.max(newestMs, metMs, settledMs);
    entries.push(settled);
  }
  return { entries, oldestMs, newestMs, isMoving, isFilling: isFilling && !isMoving };
}
