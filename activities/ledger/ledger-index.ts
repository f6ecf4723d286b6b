// Finds submitted documents among a million: a cache, in the state folder, of what the ledgers on the shares
// say. It may be lost or removed at any time. Any number of processes of a host may have it open; they look
// up at the same time, and one of them at a time brings it up to date. Never on a network share: it relies on
// locks.
import { mkdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectRef } from '../../workflows/contract';
import { type Clock, systemClock } from '../host/clock';
import { isGone } from '../host/file-trouble';
import { type HeldLock, waitForLock } from '../host/process-lock';
import type { LedgerReader } from '../share/ledger/share-ledger';
import { type FollowOptions, type FollowProgress, followLedger, isSame } from './follow-ledger';
import { EMPTY_HEAD, headPath, type IndexHead, readHead } from './index-head';
import { isFoundBy, keyBy, type LedgerDocument, type LookUp } from './index-keys';
import { IndexDamagedError, IndexView, stampOf } from './index-view';
import { IndexWriter, sizeOf } from './index-writer';
import { IndexedNames } from './indexed-names';

/** Documents of one text that are read: more than people can tell apart. */
const MOST_FOUND = 1_000;
/** How often opening is tried while other processes replace the files, before the index counts as damaged. */
const LOOKS = 20;
/**
 * Containers with one state volume cannot see each other's processes. A living holder touches its lock every
 * minute; one that has stood still for so long is of a container that was killed.
 */
const LOCK_STALE_AFTER_MS = 10 * 60_000;
const TOUCH_LOCK_EVERY_MS = 60_000;
/** Most are waited for a moment only, and nobody needs to know of that. */
const TELL_WAIT_AFTER_MS = 10_000;

/** The ledger of a share was never read to its end here: what is not found may be in it. */
class IndexNotWholeError extends Error {
  override readonly name = 'IndexNotWholeError';
  readonly code = 'index-not-whole';

  constructor(shares: readonly string[]) {
    super(`The ledger of ${shares.join(', ')} has not been read to its end yet.`);
  }
}

export interface LedgerIndexOptions {
  /** A local folder of its own; made when it is missing. */
  readonly folder: string;
  /** Names of the other shares of this host; what is of one of them is not believed here. */
  readonly otherShares: readonly string[];
  readonly clock?: Clock;
  /** Told of each record that is not believed, once for each process. */
  readonly onBad: (share: string, file: string, why: string) => void;
  /** Told when another process has been waited for some time. `lock`: the folder of its lock. */
  readonly onWait?: (owner: string, lock: string) => void;
  readonly tellWaitAfterMs?: number;
}

export interface FollowCall {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: FollowProgress) => void) | undefined;
}

export interface Followed {
  /** Record files that were read, and documents in them. */
  readonly records: number;
  readonly documents: number;
}

export class LedgerIndex {
  readonly #options: LedgerIndexOptions;
  readonly #toldOfBad = new Set<string>();
  /** By share. */
  readonly #indexed = new Map<string, IndexedNames>();
  /** Met in a look-up: the next `follow` builds the index anew. */
  #isDamaged = false;
  #view: { readonly stamp: string | undefined; readonly view: IndexView } | undefined;

  constructor(options: LedgerIndexOptions) {
    this.#options = options;
  }

  /**
   * Documents of a project by one of five texts, the newest first. Of several records of one document, the
   * one that names its revision is returned.
   * @param shares all of them must have been read to their end.
   * @throws IndexNotWholeError, IndexDamagedError: `follow` cures both.
   */
  async find(
    by: LookUp,
    text: string,
    { project, shares }: { readonly project: ProjectRef; readonly shares: readonly string[] },
  ): Promise<readonly LedgerDocument[]> {
    const view = await this.#open();
    try {
      const missing = shares.filter(share => view.head.shares[share]?.isWhole !== true);
      if (missing.length > 0) throw new IndexNotWholeError(missing);
      const found = await view.find(keyBy(by, project, text), MOST_FOUND);
      return newestFirst(found.filter(document => isFoundBy(by, project, text, document)));
    } catch (error) {
      if (error instanceof IndexDamagedError) this.#isDamaged = true;
      throw error;
    } finally {
      await view.release();
    }
  }

  /**
   * Reads what is new in the ledger of a share; a damaged index is built anew. It waits for other processes.
   */
  async follow(reader: LedgerReader, call: FollowCall = {}): Promise<Followed> {
    return await this.#whileLocked(call, async lock => {
      if (this.#isDamaged) await this.#removeHead();
      this.#isDamaged = false;
      try {
        const head = (await readHead(this.#options.folder)) ?? EMPTY_HEAD;
        return await this.#follow(reader, head, lock, call);
      } catch (error) {
        // What another process writes meanwhile only looks damaged.
        if (!(error instanceof IndexDamagedError && (await lock.isHeld()))) throw error;
        // Nobody is to take the old head with the files of the new index.
        await this.#removeHead();
        return await this.#follow(reader, EMPTY_HEAD, lock, call);
      }
    });
  }

  /** Forgets everything; `follow` reads it anew. */
  async clear(call: FollowCall = {}): Promise<void> {
    await this.#whileLocked(call, () => this.#removeHead());
  }

  async describe(): Promise<{
    readonly records: number;
    readonly documents: number;
    readonly sizeBytes: number;
  }> {
    const view = await this.#open();
    const { records, documents } = view.head;
    await view.release();
    return { records, documents, sizeBytes: sizeOf(view.head) };
  }

  async close(): Promise<void> {
    const view = this.#view?.view;
    this.#view = undefined;
    await view?.release();
  }

  async #follow(reader: LedgerReader, head: IndexHead, lock: HeldLock, call: FollowCall): Promise<Followed> {
    const { folder, otherShares, clock = systemClock, onBad } = this.#options;
    const indexed = this.#indexed.get(reader.share) ?? new IndexedNames();
    this.#indexed.set(reader.share, indexed);
    const options: FollowOptions = {
      ...call,
      indexed,
      otherShares,
      nowMs: () => clock.wallMs(),
      onBad: (file, why) => {
        if (this.#toldOfBad.has(`${reader.share} ${file}`)) return;
        this.#toldOfBad.add(`${reader.share} ${file}`);
        onBad(reader.share, file, why);
      },
    };
    const view = await IndexView.open(folder, head);
    try {
      const writer = await IndexWriter.open(folder, head, lock);
      try {
        try {
          return await followLedger(reader, view, writer, options);
        } finally {
          // Also what was read before the share went away: it is not read again.
          if (!writer.hasLostRows) {
            if (!isSame(writer.head, head)) await writer.commit();
            indexed.committed();
          }
        }
      } finally {
        await writer.close();
      }
    } finally {
      indexed.rolledBack();
      await view.release();
    }
  }

  async #removeHead(): Promise<void> {
    await unlink(headPath(this.#options.folder)).catch(error => {
      if (!isGone(error)) throw error;
    });
  }

  async #whileLocked<Result>(call: FollowCall, work: (lock: HeldLock) => Promise<Result>): Promise<Result> {
    const lock = await this.#lock(call);
    const touching = setInterval(() => void lock.touch().catch(() => undefined), TOUCH_LOCK_EVERY_MS);
    touching.unref();
    try {
      return await work(lock);
    } finally {
      clearInterval(touching);
      await lock.release();
    }
  }

  async #lock({ signal }: FollowCall): Promise<HeldLock> {
    const { folder, onWait, tellWaitAfterMs = TELL_WAIT_AFTER_MS } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, 'lock');
    let waitsFor: string | undefined;
    const telling = setTimeout(() => {
      if (waitsFor !== undefined) onWait?.(waitsFor, path);
    }, tellWaitAfterMs);
    telling.unref();
    try {
      const whenWaiting = (owner: string) => {
        waitsFor = owner;
      };
      return await waitForLock(path, { signal, staleAfterMs: LOCK_STALE_AFTER_MS, onWait: whenWaiting });
    } finally {
      clearTimeout(telling);
    }
  }

  /** The newest index there is; the caller releases it. Other processes may replace it while it is opened. */
  async #open(): Promise<IndexView> {
    const { folder } = this.#options;
    for (let look = 1; ; look += 1) {
      const stamp = await stampOf(headPath(folder));
      if (this.#view !== undefined && this.#view.stamp === stamp) return this.#view.view.use();
      try {
        const view = await IndexView.open(folder, (await readHead(folder)) ?? EMPTY_HEAD);
        const before = this.#view?.view;
        this.#view = { stamp, view };
        view.use();
        await before?.release();
        if ((await stampOf(headPath(folder))) === stamp) return view;
        // Its files may be those of a newer one by now.
        await view.release();
      } catch (error) {
        if (look >= LOOKS) throw error;
      }
    }
  }
}

function newestFirst(documents: readonly LedgerDocument[]): LedgerDocument[] {
  const best = new Map<string, LedgerDocument>();
  for (const document of documents) {
    const key = `${document.share}/${document.batchId}/${document.index}`;
    const known = best.get(key);
    // A later record of the same document names the revision that an earlier one did not know.
    if (known === undefined || known.revisionId === null) best.set(key, document);
  }
  return [...best.values()].sort((one, other) => other.submittedAtMs - one.submittedAtMs);
}
