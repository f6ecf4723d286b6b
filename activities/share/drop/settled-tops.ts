// What of each top folder has settled. It is asked for whenever a batch is cut, of thousands of files, and
// only some folders have changed since: the others are answered for with what was answered before.
import type { RelativePath } from '../files/relative-path';
import type { DropEntry } from './scan-drop';

/** A file of the drop folder that is kept in mind. */
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
  /** When the scan before the one that met it began; the doorbell must have been heard since then. */
  readonly unmetMs: number;
  scan: number;
  /** Looks that differed in the inode alone: some shares make new ones up all the time. */
  inodeChanges: number;
  tries: number;
  inHand: boolean;
  /**
   * It has been there since an earlier scan, which had no room for it, as far as can be told: it is no news.
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
  /** Nothing in it has, but for files that there was no room for before. */
  readonly isFilling: boolean;
}

export class SettledTops {
  readonly #known = new Map<string, SettledTop>();

  /** Something of this top folder is not as it was. */
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
  for (const { inHand, isBelated, metMs, settled, settledMs, sinceMs, tries } of files) {
    if (inHand) continue;
    if (settled === undefined) {
      // One that could not be claimed is tried again later each time: nothing waits for it.
      if (tries > 0) continue;
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
