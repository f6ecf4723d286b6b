// One call of the engine: what all its files share, and how it ends when something
// fails that is not one file's fault.

import type { WaitingClock } from '../host/clock';
import { createLimit, type Limit } from '../host/concurrency';
import { hasCode } from '../host/error-code';
import { type StorageUnavailableError, TransferError, type TransferErrorCode } from './errors';
import { Evidence, type Place, type TransferCall } from './evidence';
import type { FileTransfer } from './file-transfer';
import type { Hashing } from './hashing/hash-file';
import { allowManyListeners } from './linked-abort';
import type { TransferLog, UploadSessions } from './ports';
import { ChunkBuffers } from './source/chunk-buffers';
import type { Storage } from './storage/storage';

export interface TransferLimits {
  /** PUTs at once over all files; 1 to 16. */
  connections: number;
  /**
   * Files between opening and report; more than connections, so that no connection waits for a session call.
   */
  filesAtOnce: number;
  /**
   * The service deletes an upload that is not linked within 24 hours; older
   * sessions than this are begun anew.
   */
  sessionMaxAgeMs: number;
  /**
   * Files that are not sent by then are left, so that the others need not wait for them; infinite
   * for files that take hours by their nature.
   */
  sendWithinMs: number;
  /** What the service has not made available so long after the sending is left, too. */
  awaitWithinMs: number;
  /** After a failure that ends the call, running PUTs may finish for so long. */
  drainMs: number;
  /** Longer waits than this are left to the caller. */
  longestWaitMs: number;
  /** Sessions opened for one file in one call, and those over all calls that were too slow. */
  opensPerFile: number;
}

/** Leaves an hour of the 24 until the service deletes what is not linked. */
export const SESSION_MAX_AGE_MS = 23 * 60 * 60 * 1000;

const DEFAULT_LIMITS: TransferLimits = {
  connections: 8,
  filesAtOnce: 16,
  sessionMaxAgeMs: SESSION_MAX_AGE_MS,
  sendWithinMs: Number.POSITIVE_INFINITY,
  awaitWithinMs: 30_000,
  drainMs: 30_000,
  longestWaitMs: 30_000,
  opensPerFile: 3,
};

const MAX_CONNECTIONS = 16;
/** When so many files in a row fail at one kind of call, asking for more of them would only cost requests. */
const MOST_FAILED_IN_ROW = 3;
/** At the end of the time for sending, PUTs under way may finish for so long. */
const LEAVING_MS = 8_000;

export interface TransferDeps {
  sessions: UploadSessions;
  storage: Storage;
  hashing: Hashing;
  clock: WaitingClock;
  /** Shared by all runs of a process: each by itself would keep what it had at its busiest. */
  buffers?: ChunkBuffers;
  /**
   * PUTs at once to the storage, shared by all runs that send to it. Who waits for a connection waits here
   * and takes its address afterwards, since that may be over before its turn comes.
   */
  slots?: Limit;
  /** For all that is asked of the share's file system, shared by all runs that send from it. */
  disk?: Limit;
  /** Of all runs of the process for a project; without it, only the files of a call are compared. */
  evidence?: Evidence;
  /**
   * Whether what `sessions` threw, neither a refusal nor a said outage, may be for the file it was about.
   * Without it, whatever they throw ends the call.
   */
  mayBeOfOneFile?: (error: unknown) => boolean;
  /** Whether what `sessions` threw says that the service is away, for this file or for all. */
  isAway?: (error: unknown) => boolean;
  limits?: Partial<TransferLimits>;
  log?: TransferLog;
}

/** Thrown inside the engine to leave work that must not go on; the reason is with the run. */
class StoppedError extends TransferError {
  readonly code = 'STOPPED';
}

export class TransferRun {
  readonly sessions: UploadSessions;
  readonly storage: Storage;
  readonly hashing: Hashing;
  readonly clock: WaitingClock;
  readonly limits: TransferLimits;
  readonly log: TransferLog | undefined;
  readonly buffers: ChunkBuffers;
  readonly slots: Limit;
  readonly disk: Limit;
  readonly evidence: Evidence;
  readonly mayBeOfOneFile: (error: unknown) => boolean;
  readonly isAway: (error: unknown) => boolean;
  /** When a PUT last succeeded, monotonic. */
  lastPutMs = Number.NEGATIVE_INFINITY;
  #noNewWork = new AbortController();
  #noNewPuts = new AbortController();
  #endEverything = new AbortController();
  /** What calls of the service threw: it says nothing of the storage. */
  readonly #ofService = new WeakSet<object>();
  readonly #caller: AbortSignal;
  /** Monotonic; what has no file by then is left. Infinite where the sending has no end. */
  readonly #endMs: number;
  #failure: { error: unknown } | undefined;
  #thrownAtEnd: { readonly error: unknown } | undefined;
  readonly #failedInRow = new Map<TransferCall, number>();
  #drainTimer: NodeJS.Timeout | undefined;
  #leaveTimer: NodeJS.Timeout | undefined;
  #isLeaving = false;

  constructor(signal: AbortSignal, deps: TransferDeps) {
    this.sessions = deps.sessions;
    this.storage = deps.storage;
    this.hashing = deps.hashing;
    this.clock = deps.clock;
    this.buffers = deps.buffers ?? new ChunkBuffers();
    this.disk = deps.disk ?? (work => work());
    this.log = deps.log;
    this.evidence = deps.evidence ?? new Evidence();
    this.mayBeOfOneFile = deps.mayBeOfOneFile ?? (() => false);
    this.isAway = deps.isAway ?? this.mayBeOfOneFile;
    const limits = { ...DEFAULT_LIMITS, ...deps.limits };
    const connections = Math.max(1, Math.min(MAX_CONNECTIONS, limits.connections));
    this.limits = { ...limits, connections };
    this.#endMs = this.clock.monotonicMs() + limits.sendWithinMs + limits.awaitWithinMs;
    // A run with many segments does not stand in the shared line with all of them.
    const own = createLimit(connections);
    const { slots } = deps;
    this.slots = slots === undefined ? own : (work, waiting) => own(() => slots(work, waiting), waiting);
    this.#caller = signal;
    this.#allowManyListeners();
    if (signal.aborted) this.#onCallerAbort();
    else signal.addEventListener('abort', this.#onCallerAbort, { once: true });
  }

  /** For waits and queues: aborted as soon as nothing new may begin. */
  get waitSignal(): AbortSignal {
    return this.#noNewWork.signal;
  }

  /**
   * For a file that has its address and one PUT to go: not aborted with the others when only the service is
   * away, since a later call would have to ask for the address again.
   */
  get putSignal(): AbortSignal {
    return this.#noNewPuts.signal;
  }

  /** For what has an effect: aborted only when that, too, must end. */
  get effectSignal(): AbortSignal {
    return this.#endEverything.signal;
  }

  /**
   * Whether a look at `atMs` is in time, of a file that is awaited since then. Where the sending took all of
   * its time and more, so much less is left to wait: others of the batch are available, and go on after this.
   */
  isInTime(atMs: number, sinceMs: number): boolean {
    return atMs - sinceMs <= this.limits.awaitWithinMs && atMs <= this.#endMs;
  }

  /** The first error counts; what follows from the stop it causes does not. */
  fail(error: unknown): void {
    const isOfService = typeof error === 'object' && error !== null && this.#ofService.has(error);
    const isStop = hasCode<TransferErrorCode>(error, 'STOPPED');
    if (this.#failure !== undefined) {
      if (!isOfService && !isStop) this.#noNewPuts.abort(new StoppedError());
      return;
    }
    // What follows from the end of the sending is no failure.
    if (this.#isLeaving && (isStop || this.#endEverything.signal.aborted)) return;
    this.#failure = { error };
    if (!isOfService) this.#noNewPuts.abort(new StoppedError());
    this.#stop(this.limits.drainMs);
  }

  /** A call of the service threw this: should all end by it, that says nothing of the storage. */
  noteOfService(error: unknown): void {
    if (typeof error === 'object' && error !== null) this.#ofService.add(error);
  }

  /**
   * Runs the sending, and ends it when its time is over; afterwards new work may
   * begin unless the call has failed.
   */
  async untilLeft(sending: () => Promise<void>): Promise<void> {
    const { sendWithinMs } = this.limits;
    if (sendWithinMs === Number.POSITIVE_INFINITY) return await sending();
    // What has to be sent once more has no more time than is left of the call's.
    const leftMs = Math.max(0, this.#endMs - LEAVING_MS - this.clock.monotonicMs());
    this.#leaveTimer = setTimeout(
      () => {
        this.#isLeaving = true;
        this.#noNewPuts.abort(new StoppedError());
        this.#stop(LEAVING_MS);
      },
      Math.min(sendWithinMs, leftMs),
    );
    await sending();
    clearTimeout(this.#leaveTimer);
    if (!this.#isLeaving || this.#failure !== undefined) return;
    clearTimeout(this.#drainTimer);
    this.#isLeaving = false;
    this.#noNewWork = new AbortController();
    this.#noNewPuts = new AbortController();
    this.#endEverything = new AbortController();
    this.#allowManyListeners();
    // The caller may have aborted meanwhile, while nothing ran that would have noticed.
    if (this.#caller.aborted) this.#onCallerAbort();
  }

  /**
   * The storage does not take one file's bytes. While other PUTs succeed, the others go on and the error is
   * thrown at the end; else nothing gets through and asking for further sessions would only cost requests.
   */
  holdBack(error: StorageUnavailableError, sinceMs: number): void {
    if (this.lastPutMs < sinceMs) this.fail(error);
    else this.#thrownAtEnd ??= { error };
  }

  /** One file got through here, in a request that began then. */
  passed(transfer: FileTransfer, at: { call: TransferCall; part?: number }, begunMs: number): void {
    this.evidence.passed({ ...at, file: transfer.file.path }, begunMs);
    this.#failedInRow.delete(at.call);
  }

  /**
   * A file that fails where nobody knows yet whether others would: these go on, and tell. The error is thrown
   * at the end, or at once when one after the other fails there.
   */
  setAside(transfer: FileTransfer, at: Place, error: unknown): void {
    transfer.isHeldBack = true;
    this.#thrownAtEnd ??= { error };
    // Others got through between its tries: it says nothing of what these would meet.
    if (this.evidence.strikes(at) > 1) return;
    const inRow = (this.#failedInRow.get(at.call) ?? 0) + 1;
    this.#failedInRow.set(at.call, inRow);
    if (inRow >= MOST_FAILED_IN_ROW) this.fail(error);
  }

  /** While the call ends, one is enough: what is still to be sent waits for a later call. */
  noteStorageFault(): void {
    if (this.waitSignal.aborted) this.#noNewPuts.abort(new StoppedError());
  }

  /** Runs work of the call; what it throws ends the call. */
  async guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error: unknown) {
      this.fail(error);
    }
  }

  /** Before anything new begins. */
  throwIfStopped(): void {
    this.waitSignal.throwIfAborted();
  }

  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  throwHeldBack(): void {
    if (this.#thrownAtEnd !== undefined) throw this.#thrownAtEnd.error;
  }

  close(): void {
    clearTimeout(this.#leaveTimer);
    clearTimeout(this.#drainTimer);
    this.#caller.removeEventListener('abort', this.#onCallerAbort);
  }

  #stop(drainMs: number): void {
    clearTimeout(this.#drainTimer);
    this.#noNewWork.abort(new StoppedError());
    this.#drainTimer = setTimeout(() => {
      this.#noNewPuts.abort(new StoppedError());
      this.#endEverything.abort(new StoppedError());
    }, drainMs);
  }

  #allowManyListeners(): void {
    for (const signal of [this.waitSignal, this.putSignal, this.effectSignal]) allowManyListeners(signal);
  }

  readonly #onCallerAbort = () => {
    this.fail(this.#caller.reason);
    this.#noNewPuts.abort(this.#caller.reason);
    this.#endEverything.abort(this.#caller.reason);
  };
}
