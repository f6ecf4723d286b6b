// Turns settled files into claimed, sealed batches: cut by count, bytes or quiet time, at most so many on
// their way at one time, two of them in hand so that hashing one overlaps with claiming the next.
import { IncidentLog } from '../../activities/host/incident-log';
import { keyOf } from '../../activities/share/claim/claim-record';
import type { ReturnedFile, SealedBatch } from '../../activities/share/claim/hash-claim';
import { isOnItsWay } from '../../activities/share/claim/open-batches';
import { cutBatches } from '../../activities/share/drop/cut-batch';
import type { DropEntry } from '../../activities/share/drop/scan-drop';
import { topOf } from '../../activities/share/files/relative-path';
import { toShareError } from '../../activities/share/files/share-error';
import type { Claims, NamedShare, OpenBatches } from '../../activities/share/share';
import type { TellEvent } from './watch-events';
import type { EmptiedFolders } from './watch-folders';
import type { ShareHealth } from './watch-health';
import type { BatchToAnnounce, StartQueue } from './watch-starts';
import type { SettledEntry, SettleTracker } from './watch-tracker';

const IN_HAND = 2;
const RETRY_MS = 1_000;
/**
 * However steadily files trickle in, one that has settled waits for company no
 * longer than so many quiet times.
 */
const MAX_QUIET_TIMES = 10;
/** Top folders whose turns are remembered. */
const MAX_SERVED = 10_000;
/** A file that is busy or may not be moved is mentioned once, from this try on. */
const MENTION_AT_TRY = 2;

export interface BatcherDeps {
  readonly share: NamedShare & Claims & OpenBatches;
  readonly tracker: SettleTracker;
  readonly starts: StartQueue;
  readonly folders: EmptiedFolders;
  readonly health: ShareHealth;
  readonly tell: TellEvent;
  readonly nowMs: () => number;
  /** Aborted when there is no time left to finish a hash. */
  readonly hashSignal: AbortSignal;
  /** Called whenever a batch is out of hand. */
  onDone(): void;
  /** Called when a claim was left behind without a manifest. */
  onAbandoned(): void;
}

export class Batcher {
  readonly #deps: BatcherDeps;
  readonly #inHand = new Set<Promise<void>>();
  /** When a batch with files of that top folder was begun last. */
  readonly #served = new Map<string, number>();
  readonly #incidents = new IncidentLog();
  /** Begun, but perhaps not yet to be seen on the share. */
  #claiming = 0;
  #open = 0;
  #countedMs = Number.NEGATIVE_INFINITY;
  #countEveryMs = 0;

  constructor(deps: BatcherDeps) {
    this.#deps = deps;
  }

  /** Begins as many claims as may be begun. @returns when to ask again, at the latest. */
  async pump(): Promise<number> {
    const { tracker, health } = this.#deps;
    // Woken when one is out of hand. Nothing is cut ahead: whoever comes meanwhile has his turn.
    if (this.#inHand.size >= IN_HAND) return Number.POSITIVE_INFINITY;
    const { batches, askAgainMs } = this.#cutSettled();
    let waiting = batches.reduce((sum, batch) => sum + batch.length, 0);
    for (const batch of batches) {
      if (this.#inHand.size >= IN_HAND || !health.mayClaim()) break;
      tracker.take(batch);
      if (!(await this.#hasRoom(waiting))) {
        tracker.release(batch);
        break;
      }
      this.#begin(batch);
      waiting -= batch.length;
    }
    return askAgainMs;
  }

  /** Waits for the batches in hand. */
  async finish(): Promise<void> {
    while (this.#inHand.size > 0) await Promise.all(this.#inHand);
  }

  #cutSettled(): { readonly batches: SettledEntry[][]; readonly askAgainMs: number } {
    const { share, tracker, nowMs } = this.#deps;
    const { entries, oldestMs } = tracker.settled();
    if (entries.length === 0) return { batches: [], askAgainMs: Number.POSITIVE_INFINITY };
    const { quietMs } = share.config;
    const quietAtMs = Math.min(tracker.newestMs + quietMs, oldestMs + MAX_QUIET_TIMES * quietMs);
    const { batches } = cutBatches(
      entries,
      { maxFiles: share.config.maxBatchFiles, maxBytes: share.config.maxBatchBytes },
      nowMs() >= quietAtMs,
      this.#served,
    );
    return { batches, askAgainMs: batches.length > 0 ? nowMs() + RETRY_MS : quietAtMs };
  }

  #begin(entries: DropEntry[]): void {
    this.#open += 1;
    this.#claiming += 1;
    this.#noteServed(entries);
    const task = this.#carry(entries).finally(() => {
      this.#inHand.delete(task);
      this.#deps.onDone();
    });
    this.#inHand.add(task);
  }

  #noteServed(entries: readonly DropEntry[]): void {
    const nowMs = this.#deps.nowMs();
    for (const top of new Set(entries.map(({ path }) => topOf(path)))) {
      // In the order they were served. One that is forgotten waits from when its files came: never for ever.
      this.#served.delete(top);
      this.#served.set(top, nowMs);
    }
    for (const top of this.#served.keys()) {
      if (this.#served.size <= MAX_SERVED) break;
      this.#served.delete(top);
    }
  }

  async #carry(entries: DropEntry[]): Promise<void> {
    const { share, tracker, health, folders } = this.#deps;
    // By their bytes: names that are not UTF-8 can look alike.
    const byName = new Map(entries.map(entry => [keyOf(entry), entry]));
    let isClaimed = false;
    try {
      const { batch, notClaimed } = await share.claim(entries).finally(() => {
        this.#claiming -= 1;
      });
      isClaimed = batch !== undefined;
      for (const { why, ...name } of notClaimed) {
        const entry = byName.get(keyOf(name));
        if (entry === undefined) continue;
        if (why === 'gone') tracker.forget(entry);
        else this.#postpone(entry, why);
        byName.delete(keyOf(name));
      }
      for (const { path } of byName.values()) folders.noteClaim(path);
      health.worked();
      if (batch === undefined) {
        this.#open -= 1;
        return;
      }
      const sealed = await share.writeManifest(batch, { signal: this.#deps.hashSignal });
      for (const file of sealed.returned) this.#takeBack(byName, file);
      for (const entry of byName.values()) tracker.forget(entry);
      if (sealed.batchId === undefined) {
        this.#open -= 1;
        return;
      }
      this.#announce(sealed);
    } catch (error) {
      this.#open -= 1;
      if (isClaimed) for (const entry of byName.values()) tracker.forget(entry);
      else tracker.release([...byName.values()]);
      if (isClaimed) this.#deps.onAbandoned();
      if (!this.#deps.hashSignal.aborted) health.failed(toShareError(error) ?? error);
    }
  }

  #announce(sealed: SealedBatch): void {
    const { tell, starts } = this.#deps;
    const { batchId, manifest, manifestSha256 } = sealed;
    for (const file of manifest.files) {
      const { path, index, sizeBytes } = file;
      tell({ event: 'file-claimed', batchId, path, index, sizeBytes });
      if (file.refused !== undefined) {
        tell({
          event: 'file-refused',
          batchId,
          path,
          index,
          code: file.refused.code,
          reason: file.refused.text,
        });
      }
    }
    const bytes = manifest.files.reduce((sum, file) => sum + file.sizeBytes, 0);
    tell({ event: 'batch-claimed', batchId, files: manifest.files.length, bytes });
    const batch: BatchToAnnounce = {
      batchId,
      manifestSha256,
      project: manifest.project,
      files: manifest.files.length,
    };
    starts.add(batch);
  }

  #takeBack(byName: Map<string, DropEntry>, file: ReturnedFile): void {
    const entry = byName.get(keyOf(file));
    byName.delete(keyOf(file));
    if (entry === undefined) return;
    if (file.why === 'gone') this.#deps.tracker.forget(entry);
    else this.#deps.tracker.postpone(entry);
    this.#deps.tell({ event: 'file-returned', path: file.path, why: file.why });
  }

  #postpone(entry: DropEntry, why: string): void {
    const tries = this.#deps.tracker.postpone(entry);
    if (tries === MENTION_AT_TRY && why !== 'changed') {
      this.#deps.tell({ event: 'file-waiting', path: entry.path, why });
    }
  }

  async #hasRoom(waiting: number): Promise<boolean> {
    const { share, nowMs, tell } = this.#deps;
    const limit = share.config.maxOpenBatches;
    const ageMs = nowMs() - this.#countedMs;
    // Counting costs looks: seldom while there is room by what we know, every second when there is none.
    if (ageMs >= (this.#open < limit ? this.#countEveryMs : RETRY_MS)) await this.#count();
    const hasRoom = this.#open < limit;
    if (hasRoom) this.#incidents.ends('full');
    else if (this.#incidents.begins('full')) tell({ event: 'batches-full', open: this.#open, waiting });
    return hasRoom;
  }

  async #count(): Promise<void> {
    const { share, nowMs } = this.#deps;
    const startedMs = nowMs();
    const open = (await share.openBatches()).filter(isOnItsWay);
    this.#open = open.length + this.#claiming;
    this.#countedMs = nowMs();
    this.#countEveryMs = Math.max(RETRY_MS, 20 * (this.#countedMs - startedMs));
  }
}
