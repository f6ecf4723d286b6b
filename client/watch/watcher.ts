// Watches one share: finds files that have settled, claims them into batches, and sees to it that each batch
// has its workflow. Events only wake it; what it does is decided by scanning. It lives through an absent
// share, an absent Temporal and its own death: all it knows is on the share.
import { systemClock } from '../../activities/host/clock';
import type { OurTemporal } from '../../activities/share/batch/hold';
import { isOurs } from '../../activities/share/claim/open-batches';
import { throwIfOfShare, toShareError } from '../../activities/share/files/share-error';
import type { HeldBatches } from '../../activities/share/receipt/held/held-batches';
import { countsAmong } from '../../activities/share/register/find-job-register';
import { registerWordsOf } from '../../activities/share/register/register-words';
import type {
  Batches,
  Claims,
  CorrectedSheets,
  DropFolder,
  DropRegisters,
  Jobs,
  NamedShare,
  OpenBatches,
  OtherProjects,
  ShareLogger,
  ShareMount,
  StatusPages,
  TemporalMarks,
} from '../../activities/share/share';
import { SHARE_DEFAULTS } from '../../activities/share/share-config';
import { Outages, type OutagesDeps } from '../status/outages';
import { Batcher } from './batcher';
import { Chore } from './chore';
import { OpenJobs } from './open-jobs';
import { RegisterWait } from './register-wait';
import { Wake } from './wake';
import { Doorbell } from './watch-doorbell';
import { createTeller, type TellEvent, type WatchEvent } from './watch-events';
import { EmptiedFolders } from './watch-folders';
import { ShareHealth } from './watch-health';
import { Recovery } from './watch-recovery';
import { WatchRight } from './watch-right';
import { NameWalks, Scanner } from './watch-scan';
import { StallGuard } from './watch-stall';
import { StartQueue, type StartsBatches } from './watch-starts';
import { SettleTracker } from './watch-tracker';

/** Files kept in mind at one time; a larger drop is worked through in portions. */
const CAPACITY = 12_000;
/** Enough to keep claiming a thousand a second while others settle. */
const REFILL_BELOW = 0.75 * CAPACITY;
/** With more than this the drop is scanned back to back anyway, and watching it would only cost. */
const DOORBELL_MAX_FILES = 5_000;
const RECOVER_EVERY_MS = 60_000;
/** Beats until batches of another Temporal are looked at again. */
const HELD_BEATS = 4;
const STALL_MS = 15_000;
const AWAY_RETRY_MS = 30_000;
/** Between two scans that the doorbell asks for. */
const MIN_SCAN_GAP_MS = 250;
/** Between two looks at a register whose files are waited for. */
const MIN_REGISTER_GAP_MS = 1_000;
const FINISH_MS = 5_000;

export interface WatchTiming {
  /** Between two looks for what others left unfinished; a minute by default. */
  readonly recoverEveryMs?: number;
  /** A share that does not answer for this long is looked at from another process; 15 s by default. */
  readonly stallMs?: number;
  /**
   * How long hashing may go on after the end was asked for; what is not done then
   * is done by the next start. 5 s.
   */
  readonly finishMs?: number;
}

/** From a file in the drop folder to a batch that has its run, and what others left unfinished on the way. */
type WatchedShare = NamedShare &
  DropFolder &
  DropRegisters &
  Claims &
  Jobs &
  CorrectedSheets &
  StatusPages &
  OpenBatches &
  Pick<Batches, 'settleUp'> &
  OtherProjects &
  ShareMount &
  TemporalMarks;

export interface WatchOptions {
  readonly share: WatchedShare;
  readonly starter: StartsBatches;
  /** The Temporal that it starts batches in. Absent: no other can be on this share. */
  readonly temporal?: (() => Promise<OurTemporal>) | undefined;
  /** Asks and answers the runs of batches, for the sheets of held rows. Absent: there are none. */
  readonly heldBatches?: HeldBatches | undefined;
  /** What a batch waits for, for status pages. Absent: they do not tell it. */
  readonly waitsFor?: OutagesDeps['waitsFor'] | undefined;
  readonly logger: ShareLogger;
  /** Ends the watch; the claim in hand is finished first. */
  readonly signal: AbortSignal;
  readonly onEvent?: ((event: WatchEvent & { readonly share: string }) => void) | undefined;
  readonly timing?: WatchTiming | undefined;
}

/** Watches until aborted; resolves when all that was in hand is finished or safely left on the share. */
export async function watchShare(options: WatchOptions): Promise<void> {
  const tell = createTeller(options.share.name, options.logger, options.onEvent);
  await new Watcher(options, tell).run();
}

class Watcher {
  readonly #options: WatchOptions;
  readonly #tell: TellEvent;
  readonly #wake = new Wake();
  readonly #nowMs = systemClock.monotonicMs;
  readonly #hashing = new AbortController();
  readonly #tracker: SettleTracker;
  readonly #doorbell: Doorbell;
  readonly #health: ShareHealth;
  readonly #starts: StartQueue;
  readonly #walks: NameWalks;
  readonly #scanner: Scanner;
  readonly #folders: EmptiedFolders;
  readonly #stall: StallGuard;
  readonly #batcher: Batcher;
  readonly #jobs: OpenJobs;
  readonly #status: Chore;
  readonly #corrections: Chore;
  readonly #recovery: Recovery;
  readonly #right: WatchRight;
  #rung = false;
  #scanAtMs = 0;
  #scanEndedMs = Number.NEGATIVE_INFINITY;
  #scanGapMs = MIN_SCAN_GAP_MS;
  /** The last scan met more files than can be kept in mind. */
  #isPartial = false;
  #recoverAtMs = 0;
  #recovering: Promise<void> | undefined;
  #missedTotal = 0;
  #doorbellFromMs = Number.NEGATIVE_INFINITY;
  #doorbellTrouble: string | undefined;
  #awayTries = 0;

  constructor(options: WatchOptions, tell: TellEvent) {
    const { share, starter } = options;
    const { settleMs, quietMs, scanEveryMs, polling } = share.config;
    const nowMs = this.#nowMs;
    this.#options = options;
    this.#tell = tell;
    this.#tracker = new SettleTracker({ settleMs, capacity: CAPACITY, nowMs });
    this.#doorbell = new Doorbell({
      polling,
      pollEveryMs: Math.max(100, Math.min(2_000, scanEveryMs, settleMs / 2)),
      nowMs,
      onRing: () => {
        this.#rung = true;
        this.#wake.ring();
      },
      onTrouble: why => this.#onDoorbellTrouble(why),
    });
    this.#health = new ShareHealth(tell, nowMs);
    this.#stall = new StallGuard({
      share,
      health: this.#health,
      signal: options.signal,
      stallMs: options.timing?.stallMs ?? STALL_MS,
      finishMs: this.#finishMs,
    });
    this.#starts = new StartQueue(share.name, starter, tell, {
      isOpen: async batchId =>
        (await share.openBatches()).some(
          batch => batch.batchId === batchId && batch.state !== 'settling' && isOurs(batch),
        ),
      isHeldHere: async batchId => {
        const ours = await options.temporal?.();
        return ours === undefined || (await share.temporals.holdOf(batchId, ours))?.isOurs === true;
      },
      noteStopped: async (batchId, outcome) => await share.temporals.noteStopped(batchId, outcome),
      clearStopped: async batchId => await share.temporals.clearStopped(batchId),
    });
    const marker = share.config.jobMarker ?? SHARE_DEFAULTS.jobMarker;
    const { isNamed } = registerWordsOf(share.config);
    this.#walks = new NameWalks({
      share,
      tracker: this.#tracker,
      nowMs,
      quietMs,
      mostKept: path => countsAmong(isNamed, path),
      signal: options.signal,
    });
    const scanner = new Scanner({
      share,
      tracker: this.#tracker,
      doorbell: this.#doorbell,
      tell,
      nowMs,
      marker,
      walks: this.#walks,
    });
    this.#scanner = scanner;
    this.#folders = new EmptiedFolders(share, 10 * settleMs, nowMs);
    this.#right = new WatchRight({
      share,
      temporal: options.temporal,
      tell,
      onOurs: () => {
        this.#recoverAtMs = 0;
        this.#wake.ring();
      },
    });
    this.#recovery = new Recovery({
      share,
      starts: this.#starts,
      tell,
      ours: () => this.#right.ours,
      hashSignal: this.#hashing.signal,
    });
    this.#jobs = new OpenJobs({
      share,
      hasAny: top => this.#tracker.hasAny(top, this.#batcher.stayingOf(top)),
      folders: this.#folders,
      isClaiming: top => this.#batcher.isClaiming(top),
      forget: path => this.#tracker.forget({ path }),
      tell,
      nowMs,
    });
    const outages = options.waitsFor && new Outages({ waitsFor: options.waitsFor, nowMs });
    const registers = new RegisterWait({
      share,
      waitMs: share.config.register?.waitMs ?? SHARE_DEFAULTS.registerWaitMs,
      lookEveryMs: Math.max(MIN_REGISTER_GAP_MS, scanEveryMs),
      lookAgain: name => scanner.lookAgain(name),
      nowMs,
      tell,
    });
    this.#status = new Chore({
      onBug: (why, error) => tell({ event: 'chore-failed', chore: 'status pages', why, error }),
      work: () =>
        share.writeStatus({
          inLine: top => this.#tracker.pathsOf(top, this.#batcher.stayingOf(top)),
          waiting: registers.waiting().filter(({ top }) => this.#tracker.hasAny(top)),
          ...(outages === undefined ? {} : { outagesOf: (jobId, ids) => outages.of(jobId, ids) }),
        }),
      nowMs,
    });
    this.#corrections = new Chore({
      onBug: (why, error) => tell({ event: 'chore-failed', chore: 'corrected sheets', why, error }),
      work: () => this.#jobs.takeUpCorrections(options.heldBatches),
      nowMs,
      everyMs: Math.min(5_000, scanEveryMs),
    });
    this.#batcher = new Batcher({
      share,
      tracker: this.#tracker,
      starts: this.#starts,
      folders: this.#folders,
      health: this.#health,
      tell,
      nowMs,
      isMarked: top => scanner.isMarked(top),
      register: registers,
      outOfSight: this.#walks,
      sheets: { takeUp: (files, isQuiet) => this.#jobs.takeUpDropped(files, isQuiet) },
      hashSignal: this.#hashing.signal,
      onJob: job => this.#jobs.note(job),
      onDone: () => this.#wake.ring(),
      onAbandoned: () => {
        this.#recoverAtMs = 0;
      },
    });
  }

  async run(): Promise<void> {
    const { share, signal } = this.#options;
    this.#tell({ event: 'watch-started', drop: share.dropFolder });
    const starting = Promise.all([this.#starts.run(signal), this.#right.run(signal)]);
    while (!signal.aborted) {
      let nextMs: number;
      try {
        nextMs = this.#health.isAway ? await this.#waitForShare() : await this.#step();
      } catch (error) {
        this.#health.failed(toShareError(error) ?? error);
        nextMs = this.#nowMs() + MIN_SCAN_GAP_MS;
      }
      await this.#wake.wait(nextMs - this.#nowMs(), signal);
    }
    await this.#finish(starting);
    this.#tell({ event: 'watch-ended' });
  }

  /**
   * One turn: scan if it is time, look at what is due, claim what may be claimed.
   * @returns when the next is due.
   */
  async #step(): Promise<number> {
    const { signal } = this.#options;
    if (!this.#right.isOurs) return this.#nowMs() + RECOVER_EVERY_MS;
    this.#recover();
    if (this.#nowMs() >= this.#scanTimeMs()) await this.#stall.unlessHung(this.#scan());
    const lookAtMs = await this.#stall.unlessHung(this.#scanner.settle(signal));
    this.#judgeDoorbell();
    if (!(await this.#stall.unlessHung(this.#hasSpace())))
      this.#health.refuses('The share has hardly any room left.');
    const claimAtMs = await this.#stall.unlessHung(this.#batcher.pump());
    const closeAtMs = await this.#stall.unlessHung(this.#jobs.close());
    this.#status.look();
    this.#corrections.look();
    return Math.min(this.#scanTimeMs(), lookAtMs, claimAtMs, closeAtMs, this.#nextRecoveryMs());
  }

  async #scan(): Promise<void> {
    const { share, signal } = this.#options;
    const beganMs = this.#nowMs();
    this.#rung = false;
    if (!(await share.isInPlace())) {
      // Removed, made anew or mounted over: what was known of it no longer counts.
      await share.reopen();
      this.#tracker.clear();
      this.#doorbell.stop();
    }
    const isWhole = await this.#scanner.discover(signal);
    await this.#folders.sweep();
    const endedMs = this.#nowMs();
    this.#scanAtMs = endedMs + share.config.scanEveryMs;
    this.#scanGapMs = Math.max(MIN_SCAN_GAP_MS, 2 * (endedMs - beganMs));
    this.#scanEndedMs = endedMs;
    this.#isPartial = !isWhole;
    this.#setDoorbell();
    this.#makeRoom();
  }

  #scanTimeMs(): number {
    // A drop larger than our memory is met again as soon as there is room for more of it.
    const wantsMore = this.#isPartial && this.#tracker.size < REFILL_BELOW;
    if (this.#rung || wantsMore) return Math.min(this.#scanAtMs, this.#scanEndedMs + this.#scanGapMs);
    return this.#scanAtMs;
  }

  /** Files that can never be claimed must not keep the others of a very large drop out of sight. */
  #makeRoom(): void {
    if (!this.#isPartial || this.#tracker.settled().size > 0) return;
    if (this.#tracker.due(1).names.length === 0) this.#tracker.evictStuck();
  }

  /**
   * On for a drop of ordinary size, off for one that is scanned back to back anyway: the doorbell looks at
   * every file of a folder when it begins, and again at each change.
   */
  #setDoorbell(): void {
    if (this.#tracker.size > DOORBELL_MAX_FILES) this.#doorbell.stop();
    else if (!this.#doorbell.isOn && this.#tracker.size < DOORBELL_MAX_FILES / 2) this.#startDoorbell();
  }

  /** Not over and over: where watching does not work, the regular scan has to do. */
  #startDoorbell(): void {
    if (this.#nowMs() < this.#doorbellFromMs) return;
    this.#doorbell.start(this.#options.share.dropFolder);
  }

  #judgeDoorbell(): void {
    const missed = this.#scanner.takeMissed();
    if (missed === 0) return;
    this.#missedTotal += missed;
    this.#tell({ event: 'doorbell-missed', files: missed, total: this.#missedTotal });
    this.#startDoorbell();
    this.#doorbellFromMs = this.#nowMs() + 10 * this.#options.share.config.scanEveryMs;
  }

  #onDoorbellTrouble(why: string): void {
    if (this.#doorbellTrouble !== why) this.#tell({ event: 'doorbell-trouble', why });
    this.#doorbellTrouble = why;
    this.#doorbellFromMs = this.#nowMs() + 10 * this.#options.share.config.scanEveryMs;
    this.#doorbell.stop();
    this.#wake.ring();
  }

  #recover(): void {
    if (this.#recovering !== undefined || this.#nowMs() < this.#recoverAtMs) return;
    this.#recoverAtMs = this.#nowMs() + (this.#options.timing?.recoverEveryMs ?? RECOVER_EVERY_MS);
    this.#recovering = this.#takeUpLeft()
      .then(isAnyHeld => {
        const soonMs = this.#nowMs() + HELD_BEATS * this.#options.share.temporals.beatMs;
        if (isAnyHeld) this.#recoverAtMs = Math.min(this.#recoverAtMs, soonMs);
      })
      .catch(error => {
        if (!this.#hashing.signal.aborted) this.#health.failed(toShareError(error) ?? error);
      })
      .finally(() => {
        this.#recovering = undefined;
        this.#wake.ring();
      });
  }

  /** What others left behind: jobs, and batches. Trouble with the jobs keeps no batch from its end. */
  async #takeUpLeft(): Promise<boolean> {
    let trouble: unknown;
    try {
      await this.#jobs.find();
    } catch (error) {
      throwIfOfShare(error);
      trouble = error;
    }
    const isAnyHeld = await this.#recovery.run(this.#options.signal);
    if (trouble !== undefined) throw trouble;
    return isAnyHeld;
  }

  /** Its end wakes us, whatever was asked of it meanwhile. */
  #nextRecoveryMs(): number {
    return this.#recovering === undefined ? this.#recoverAtMs : Number.POSITIVE_INFINITY;
  }

  async #hasSpace(): Promise<boolean> {
    const { share } = this.#options;
    if (!this.#health.mayClaim() || this.#tracker.size === 0) return true;
    return (await share.freeBytes()) >= (share.config.minFreeBytes ?? SHARE_DEFAULTS.minFreeBytes);
  }

  /** While away: looked for from another process, so that a mount that hangs cannot hold us. */
  async #waitForShare(): Promise<number> {
    const { share } = this.#options;
    const found = await share.isReachable();
    if (found.kind === 'reachable') {
      try {
        await share.reopen();
        this.#awayTries = 0;
        this.#tracker.clear();
        this.#scanAtMs = 0;
        this.#recoverAtMs = 0;
        this.#health.back();
        return this.#nowMs();
      } catch {
        // Not really back; said once already.
      }
    }
    this.#doorbell.stop();
    this.#awayTries += 1;
    const waitMs = Math.min(AWAY_RETRY_MS, this.#options.share.config.scanEveryMs * this.#awayTries);
    return this.#nowMs() + waitMs;
  }

  get #finishMs(): number {
    return this.#options.timing?.finishMs ?? FINISH_MS;
  }

  async #finish(starting: Promise<unknown>): Promise<void> {
    // Hashing that takes longer is cut; the claim is then on the share, and the next start adopts it.
    const cut = setTimeout(() => this.#hashing.abort(), this.#finishMs);
    const all = Promise.all([
      this.#batcher.finish(),
      this.#walks.end(),
      this.#recovering,
      this.#status.end(),
      this.#corrections.end(),
      starting,
      this.#doorbell.close(),
    ]);
    const enough = new Promise<void>(resolve => setTimeout(resolve, 2 * this.#finishMs).unref());
    await Promise.race([all, enough]);
    clearTimeout(cut);
  }
}
