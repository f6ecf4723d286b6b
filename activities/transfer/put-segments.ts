// Sends the segments of one file that are not sent yet, in parallel, each with its own retries.

import { forEachLimited } from '../host/concurrency';
import { codeOf, hasCode } from '../host/error-code';
import {
  isSourceFileError,
  isStorageFault,
  type StorageFaultError,
  StorageUnavailableError,
  TransferError,
  type TransferErrorCode,
} from './errors';
import type { Place } from './evidence';
import type { FileTransfer } from './file-transfer';
import { LinkedAbort } from './linked-abort';
import type { TransferRefusal } from './ports';
import { type AfterFault, decideAfterFault, NO_FAULTS, type PutFaults } from './put-retry';
import { goneAt, lookAt } from './session-calls';
import { matchFreshSegments, readLook, type SessionState } from './session-step';
import type { SourceFile } from './source/source-file';
import { isPassingFileFault } from './source-faults';
import type { TransferRun } from './transfer-run';

/** Thrown when sending cannot go on in this session, because it turned out to be in another state. */
export class SessionTurnedError extends TransferError {
  readonly code = 'SESSION_TURNED';
  readonly state: Exclude<SessionState, 'wants-segments'>;
  readonly because: TransferRefusal;
  /** Where it failed, if that can happen to all files alike. */
  readonly at: Place | undefined;

  constructor(
    state: Exclude<SessionState, 'wants-segments'>,
    because: TransferRefusal = 'session-refused',
    at?: Place,
  ) {
    super(`the upload session is ${state}`);
    this.state = state;
    this.because = because;
    this.at = at;
  }
}

const MAX_READ_FAULTS = 3;

/**
 * Afterwards every segment has its ETag. Rejects with SessionTurnedError, StorageUnavailableError,
 * SourceFileError or what sessions threw.
 */
export async function putMissingSegments(
  transfer: FileTransfer,
  source: SourceFile,
  run: TransferRun,
): Promise<void> {
  const renewal = new Renewal(transfer, run);
  const [first, ...others] = transfer.missing;
  if (first !== undefined && others.length === 0) {
    // Signals of its own would cost a small file as much as its bytes do.
    const signals = { stopSignal: run.waitSignal, beginSignal: run.putSignal, cutSignal: run.effectSignal };
    return await putSegment(first, { transfer, source, run, renewal, ...signals });
  }
  const stop = new LinkedAbort(run.waitSignal);
  const cut = new LinkedAbort(run.effectSignal);
  const signals = { stopSignal: stop.signal, beginSignal: stop.signal, cutSignal: cut.signal };
  const at = { transfer, source, run, renewal, ...signals };
  try {
    await forEachLimited(transfer.missing, run.limits.connections, async index => {
      try {
        await putSegment(index, at);
      } catch (error: unknown) {
        stop.abort(error);
        // What the others send is lost anyway; when the storage is merely out of
        // reach, what they finish is kept.
        if (isSourceFileError(error) || hasCode<TransferErrorCode>(error, 'SESSION_TURNED')) cut.abort(error);
        throw error;
      }
    });
  } finally {
    stop.release();
    cut.release();
  }
}

interface At {
  transfer: FileTransfer;
  source: SourceFile;
  run: TransferRun;
  renewal: Renewal;
  /** Ends waiting: aborted with the whole call, or when another segment of the file has failed. */
  stopSignal: AbortSignal;
  /** Ends waiting for a connection, and what would begin then. */
  beginSignal: AbortSignal;
  /** Ends sending, too. */
  cutSignal: AbortSignal;
}

async function putSegment(index: number, at: At): Promise<void> {
  const { transfer, run, renewal, stopSignal, beginSignal } = at;
  const startedMs = run.clock.monotonicMs();
  let faults: PutFaults = NO_FAULTS;
  let readFaults = 0;
  for (;;) {
    let generation = transfer.generation;
    let begunMs = startedMs;
    try {
      return await run.slots(async () => {
        // Only now is there a connection for it: what was good when it stood in line may be over.
        await renewal.ifOver(index);
        generation = transfer.generation;
        begunMs = run.clock.monotonicMs();
        await putOnce(index, at);
      }, beginSignal);
    } catch (error: unknown) {
      if (isStorageFault(error)) {
        run.noteStorageFault();
        const next = afterFault(faults, error, run);
        run.log?.warn(
          { key: transfer.key, segment: index, fault: error.message, next: next.kind },
          'a PUT failed',
        );
        if (next.kind === 'unavailable')
          throw unavailable(transfer, run, { error, next, startedMs, begunMs });
        if (next.kind === 'leave-session') {
          run.evidence.failed(placeOf(transfer, index), begunMs);
          run.evidence.away.failed('put', begunMs, new StorageUnavailableError(error.message));
          throw new SessionTurnedError('unusable', 'storage-refused', placeOf(transfer, index));
        }
        faults = next.faults;
        await run.clock.sleep(next.delayMs, stopSignal);
        if (next.kind === 'renew') await renewal.of(generation);
      } else if (isPassingReadFault(error) && ++readFaults < MAX_READ_FAULTS) {
        await run.clock.sleep(1_000 * 3 ** readFaults, stopSignal);
      } else {
        throw error;
      }
    }
  }
}

async function putOnce(index: number, at: At): Promise<void> {
  const { transfer, source, run, beginSignal, cutSignal } = at;
  const address = transfer.address(index);
  if (address === undefined) throw new SessionTurnedError('unusable');
  beginSignal.throwIfAborted();
  let sentBytes = 0;
  const begunMs = run.clock.monotonicMs();
  try {
    const { etag } = await run.storage.put({
      segment: address.segment,
      source: source.segment(index),
      signal: cutSignal,
      onBytes: sizeBytes => {
        sentBytes += sizeBytes;
        transfer.bytesLeft(sizeBytes, run.clock.monotonicMs());
      },
    });
    run.lastPutMs = run.clock.monotonicMs();
    run.passed(transfer, { call: 'put', part: index }, begunMs);
    transfer.segmentSent(index, etag);
  } catch (error: unknown) {
    transfer.bytesLost(sentBytes);
    throw error;
  }
}

function placeOf(transfer: FileTransfer, index: number): Place {
  return { call: 'put', file: transfer.file.path, part: index };
}

function afterFault(faults: PutFaults, error: StorageFaultError, run: TransferRun): AfterFault {
  return decideAfterFault(faults, error, {
    random: Math.random(),
    longestWaitMs: run.limits.longestWaitMs,
    isAway: run.evidence.away.has('put'),
  });
}

function unavailable(
  transfer: FileTransfer,
  run: TransferRun,
  at: {
    error: StorageFaultError;
    next: { retryAfterMs: number | undefined };
    startedMs: number;
    begunMs: number;
  },
): StorageUnavailableError {
  const { retryAfterMs } = at.next;
  const retryAtMs = retryAfterMs === undefined ? undefined : run.clock.wallMs() + retryAfterMs;
  const error = new StorageUnavailableError(at.error.message, retryAtMs, { cause: at.error });
  transfer.isHeldBack = true;
  run.evidence.away.failed('put', at.begunMs, error);
  run.holdBack(error, at.startedMs);
  return error;
}

function isPassingReadFault(error: unknown): boolean {
  return isSourceFileError(error) && isPassingFileFault(codeOf(error.cause));
}

/** Fresh addresses for a file, asked for once however many of its segments need them. */
class Renewal {
  readonly #transfer: FileTransfer;
  readonly #run: TransferRun;
  #running: Promise<void> | undefined;

  constructor(transfer: FileTransfer, run: TransferRun) {
    this.#transfer = transfer;
    this.#run = run;
  }

  async ifOver(index: number): Promise<void> {
    const endsAtMs = this.#transfer.address(index)?.endsAtMs;
    if (endsAtMs !== undefined && endsAtMs <= this.#run.clock.monotonicMs()) {
      await this.of(this.#transfer.generation);
    }
  }

  /** Afterwards the addresses are of a later generation than the given one. */
  async of(generation: number): Promise<void> {
    if (this.#transfer.generation !== generation) return;
    this.#running ??= askForAddresses(this.#transfer, this.#run).finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }
}

/** @throws SessionTurnedError when there are none to be had. */
export async function askForAddresses(transfer: FileTransfer, run: TransferRun): Promise<void> {
  run.throwIfStopped();
  const look = await lookAt(transfer, run);
  const state = readLook(look);
  if (state !== 'wants-segments')
    throw new SessionTurnedError(state, 'session-refused', goneAt(transfer, look));
  const fresh = look.kind === 'found' ? look.freshSegments : [];
  const matched = matchFreshSegments(transfer.session.partEtags, fresh);
  if (matched === undefined) throw new SessionTurnedError('unusable');
  transfer.setAddresses(matched, { nowMs: run.clock.wallMs(), monotonicMs: run.clock.monotonicMs() });
}
