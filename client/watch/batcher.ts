// Turns jobs that are whole into claimed, sealed batches, the jobs in turn. At most so many batches are on
// their way at one time. Two of them are in hand, being claimed or hashed here, so that one is hashed while
// the next is claimed.
import { IncidentLog } from '../../activities/host/incident-log';
import type { Claimed } from '../../activities/share/claim/claim-files';
import { keyOf } from '../../activities/share/claim/claim-record';
import type { ReturnedFile } from '../../activities/share/claim/describe-files';
import type { SealedBatch } from '../../activities/share/claim/hash-claim';
import { isOnItsWay } from '../../activities/share/claim/open-batches';
import type { DropEntry } from '../../activities/share/drop/scan-drop';
import type { SettledEntry } from '../../activities/share/drop/settled-tops';
import { toShareError, troubleOfOne } from '../../activities/share/files/share-error';
import type { CutLimits } from '../../activities/share/jobs/cut-job';
import type { JobRecord } from '../../activities/share/jobs/job-record';
import type { Claims, DropRegisters, Jobs, NamedShare, OpenBatches } from '../../activities/share/share';
import { type CutBatch, cutInTurn, type ReadyJob } from './cut-jobs';
import { type JobFiles, PortionJobs } from './portion-jobs';
import { bugOf, type TellEvent } from './watch-events';
import type { EmptiedFolders } from './watch-folders';
import type { ShareHealth } from './watch-health';
import type { BatchToAnnounce, StartQueue } from './watch-starts';
import type { SettleTracker } from './watch-tracker';
import { type DroppedSheets, type JobRegister, type OutOfSight, type Portion, WholeJobs } from './whole-jobs';

const IN_HAND = 2;
const RETRY_MS = 1_000;
/**
 * Where so many batches may be on their way, the last place is kept for a job that has none there: what is
 * dropped behind a large delivery does not wait until a batch of that one has ended.
 */
const ENOUGH_TO_KEEP_ONE = 4;
/** Top folders whose turns are remembered. */
const MAX_SERVED = 10_000;
/** A file that is busy or may not be moved is mentioned once, from this try on. */
const MENTION_AT_TRY = 2;
/** One that was changed meanwhile is likely still being written: mentioned only if that never ends. */
const MENTION_CHANGED_AT_TRY = 5;
/** Told of a folder once, in place of its files. */
const REGISTER_UNREAD = 'its register cannot be read just now';

export interface BatcherDeps {
  readonly share: NamedShare &
    Claims &
    Pick<Jobs, 'openJob'> &
    Pick<DropRegisters, 'readRegister'> &
    OpenBatches;
  readonly tracker: SettleTracker;
  readonly starts: StartQueue;
  readonly folders: EmptiedFolders;
  readonly health: ShareHealth;
  readonly tell: TellEvent;
  readonly nowMs: () => number;
  /** Whether a person has put the marker into this top folder. */
  readonly isMarked: (top: string) => boolean;
  readonly register?: JobRegister | undefined;
  readonly sheets?: DroppedSheets | undefined;
  readonly outOfSight?: OutOfSight | undefined;
  /** Aborted when there is no time left to finish a hash. */
  readonly hashSignal: AbortSignal;
  /** Told of the job that a batch is about to be claimed for. */
  onJob(job: JobRecord): void;
  /** Called whenever a batch is in hand no more: it was announced, or nothing came of it. */
  onDone(): void;
  /** Called when a claim was left behind without a manifest. */
  onAbandoned(): void;
}

export class Batcher {
  readonly #deps: BatcherDeps;
  readonly #limits: CutLimits;
  readonly #whole: WholeJobs;
  readonly #jobs: PortionJobs;
  /** What may be cut of each top folder. */
  #ready: ReadonlyMap<string, ReadyJob<SettledEntry>> = new Map();
  /** The claims under way, with their top folder. */
  readonly #inHand = new Map<Promise<void>, string>();
  /** The top folder of each batch that was sealed here and is on its way. */
  readonly #topOf = new Map<string, string>();
  /** When a batch of that top folder was begun last. */
  readonly #served = new Map<string, number>();
  readonly #incidents = new IncidentLog();
  /** How often in a row a top folder could not be begun, and what was to go then. */
  readonly #anew = new Map<string, { readonly portion: Portion; readonly times: number }>();
  #lastClaim: Promise<unknown> = Promise.resolve();
  /** Claims that were begun, but perhaps cannot be seen on the share yet. */
  #claiming = 0;
  #open = 0;
  #countedMs = Number.NEGATIVE_INFINITY;
  #countEveryMs = 0;

  constructor(deps: BatcherDeps) {
    const { maxBatchFiles, maxBatchBytes, quietMs } = deps.share.config;
    this.#deps = deps;
    this.#limits = { maxFiles: maxBatchFiles, maxBytes: maxBatchBytes };
    const { isMarked, register, sheets, outOfSight } = deps;
    this.#jobs = new PortionJobs(deps.share);
    this.#whole = new WholeJobs({
      limits: this.#limits,
      quietMs,
      isMarked,
      register,
      sheets,
      outOfSight,
      onTrouble: (top, why, error) =>
        deps.tell({
          event: 'file-waiting',
          path: top === '' ? 'loose files' : top,
          why,
          ...bugOf(error),
        }),
    });
  }

  /** Begins as many claims as may be begun. @returns when to ask again, at the latest. */
  async pump(): Promise<number> {
    const { tracker, health } = this.#deps;
    // `onDone` wakes us when one is done. Nothing is cut ahead: jobs that come meanwhile have their turn.
    if (this.#inHand.size >= IN_HAND) return Number.POSITIVE_INFINITY;
    const { batches, askAgainMs } = await this.#cutSettled();
    let waiting = batches.reduce((sum, { entries }) => sum + entries.length, 0);
    const waitingTops = new Set<string>();
    for (const batch of batches) {
      if (this.#inHand.size >= IN_HAND || !health.mayClaim()) break;
      if (waitingTops.has(batch.top)) continue;
      // Nobody else is to cut them meanwhile. Whatever becomes of the count, they are given back or begun.
      tracker.take(batch.entries);
      let hasRoom = false;
      try {
        hasRoom = await this.#hasRoom(batch.top, waiting);
      } finally {
        if (!hasRoom) tracker.release(batch.entries);
      }
      if (hasRoom) {
        this.#begin(batch);
        waiting -= batch.entries.length;
        continue;
      }
      if (this.#open >= this.#deps.share.config.maxOpenBatches) break;
      waitingTops.add(batch.top);
    }
    return askAgainMs;
  }

  /** What of this top folder stays in the drop folder. */
  stayingOf(top: string): ReadonlySet<string> {
    return this.#whole.stayingOf(top);
  }

  /** Whether a claim of files of this top folder is under way. */
  isClaiming(top: string): boolean {
    return [...this.#inHand.values()].includes(top);
  }

  /** Waits for the batches in hand. */
  async finish(): Promise<void> {
    while (this.#inHand.size > 0) await Promise.all(this.#inHand.keys());
  }

  async #cutSettled(): Promise<{
    readonly batches: CutBatch<SettledEntry>[];
    readonly askAgainMs: number;
  }> {
    const { tracker, nowMs } = this.#deps;
    const { jobs, askAgainMs } = await this.#whole.ready(tracker.settled(), nowMs());
    this.#ready = new Map(jobs.map(job => [job.top, job]));
    this.#jobs.keepOnly(top => tracker.hasAny(top));
    for (const top of this.#anew.keys()) if (!tracker.hasAny(top)) this.#anew.delete(top);
    const batches = cutInTurn(jobs, this.#limits, this.#served);
    return { batches, askAgainMs: batches.length > 0 ? nowMs() + RETRY_MS : askAgainMs };
  }

  #begin({ top, entries }: CutBatch<DropEntry>): void {
    this.#open += 1;
    this.#claiming += 1;
    this.#noteServed(top);
    const portion = this.#whole.portionOf(top);
    const all = this.#ready.get(top)?.entries ?? entries;
    const files = top === '' || portion === undefined ? undefined : { top, portion, entries: all };
    const task = this.#carry(files, entries).finally(() => {
      this.#inHand.delete(task);
      this.#deps.onDone();
    });
    this.#inHand.set(task, top);
  }

  #noteServed(top: string): void {
    // In the order they were served. One that is forgotten waits from when its files came: never for ever.
    this.#served.delete(top);
    this.#served.set(top, this.#deps.nowMs());
    for (const oldest of this.#served.keys()) {
      if (this.#served.size <= MAX_SERVED) break;
      this.#served.delete(oldest);
    }
  }

  /** @param files all that goes together with these; undefined for loose files. */
  async #carry(files: JobFiles | undefined, entries: readonly DropEntry[]): Promise<void> {
    const { share, tracker, health, folders } = this.#deps;
    // By their bytes: names that are not UTF-8 can look alike.
    const byName = new Map(entries.map(entry => [keyOf(entry), entry]));
    let isClaimed = false;
    try {
      const { batch, notClaimed, isJobClosed } = await this.#claimInTurn(files, entries).finally(() => {
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
      if (batch !== undefined) for (const { path } of byName.values()) folders.noteClaim(path);
      health.worked();
      if (batch === undefined) {
        this.#open -= 1;
        // The next round begins another job with them.
        if (isJobClosed === true) tracker.release(entries);
        return;
      }
      const sealed = await share.writeManifest(batch, { signal: this.#deps.hashSignal });
      for (const file of sealed.returned) this.#takeBack(byName, file);
      for (const entry of byName.values()) tracker.forget(entry);
      if (sealed.batchId === undefined) {
        this.#open -= 1;
        return;
      }
      this.#topOf.set(sealed.batchId, files?.top ?? '');
      this.#announce(sealed);
    } catch (error) {
      this.#open -= 1;
      if (isClaimed) for (const entry of byName.values()) tracker.forget(entry);
      else tracker.release([...byName.values()]);
      if (isClaimed) this.#deps.onAbandoned();
      if (!this.#deps.hashSignal.aborted) health.failed(toShareError(error) ?? error);
    }
  }

  /** One after the other: the parts of a job are numbered as they are claimed, so they keep its order. */
  async #claimInTurn(files: JobFiles | undefined, entries: readonly DropEntry[]): Promise<Claimed> {
    const before = this.#lastClaim;
    const claim = before.then(async () => await this.#claim(files, entries));
    this.#lastClaim = claim.catch(() => undefined);
    return await claim;
  }

  async #claim(files: JobFiles | undefined, entries: readonly DropEntry[]): Promise<Claimed> {
    const { share, onJob } = this.#deps;
    if (files === undefined) return await share.claim(entries);
    const job = await this.#jobOf(files);
    if (job === undefined) return { batch: undefined, notClaimed: [] };
    onJob(job);
    const claimed = await share.claim(entries, { job });
    if (claimed.isJobClosed) this.#jobs.forget(files.top);
    return claimed;
  }

  /** Undefined when all of it has to settle anew. Trouble with one job keeps no other folder waiting. */
  async #jobOf(files: JobFiles): Promise<JobRecord | undefined> {
    const { top } = files;
    try {
      const job = await this.#jobs.jobOf(files);
      if (job !== undefined) {
        this.#incidents.ends(`job ${top}`);
        this.#anew.delete(top);
      } else if (this.#settleAnew(files) >= MENTION_AT_TRY) this.#tellOfJob(top, REGISTER_UNREAD);
      return job;
    } catch (error) {
      const trouble = troubleOfOne(error);
      if (trouble === undefined) throw error;
      this.#settleAnew(files);
      this.#tellOfJob(top, trouble.message);
      return undefined;
    }
  }

  /**
   * All of it, so that it comes back together; its batches that are in hand come here one after the other,
   * for the same reason.
   * @returns how often in a row that has happened to the folder.
   */
  #settleAnew({ top, portion, entries }: JobFiles): number {
    const before = this.#anew.get(top);
    const times = (before?.times ?? 0) + (before?.portion === portion ? 0 : 1);
    this.#anew.set(top, { portion, times });
    this.#deps.tracker.settleAnew(entries, times);
    this.#whole.forget(top);
    return times;
  }

  #tellOfJob(top: string, why: string): void {
    if (this.#incidents.begins(`job ${top}`, why)) {
      this.#deps.tell({ event: 'file-waiting', path: top, why });
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
      job: manifest.job,
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
    if (tries === (why === 'changed' ? MENTION_CHANGED_AT_TRY : MENTION_AT_TRY)) {
      this.#deps.tell({ event: 'file-waiting', path: entry.path, why });
    }
  }

  async #hasRoom(top: string, waiting: number): Promise<boolean> {
    const { share, nowMs, tell } = this.#deps;
    const limit = share.config.maxOpenBatches;
    const ageMs = nowMs() - this.#countedMs;
    // Counting costs looks: seldom while there is room by what we know, every second when there is none.
    if (ageMs >= (this.#open < this.#mostFor(top) ? this.#countEveryMs : RETRY_MS)) await this.#count();
    const hasRoom = this.#open < this.#mostFor(top);
    if (hasRoom) this.#incidents.ends('full');
    else if (this.#open >= limit && this.#incidents.begins('full'))
      tell({ event: 'batches-full', open: this.#open, waiting });
    return hasRoom;
  }

  /** How many batches may be on their way for this job to begin another one. */
  #mostFor(top: string): number {
    const limit = this.#deps.share.config.maxOpenBatches;
    if (limit < ENOUGH_TO_KEEP_ONE) return limit;
    const hasAny = [...this.#inHand.values(), ...this.#topOf.values()].includes(top);
    return hasAny ? limit - 1 : limit;
  }

  async #count(): Promise<void> {
    const { share, nowMs } = this.#deps;
    const startedMs = nowMs();
    const open = (await share.openBatches()).filter(isOnItsWay);
    const ids = new Set(open.map(({ batchId }) => batchId));
    for (const batchId of this.#topOf.keys()) if (!ids.has(batchId)) this.#topOf.delete(batchId);
    this.#open = open.length + this.#claiming;
    this.#countedMs = nowMs();
    this.#countEveryMs = Math.max(RETRY_MS, 20 * (this.#countedMs - startedMs));
  }
}
