// One file's way into the service: open a session or take one up, send the
// segments, check the file again, report.

import { codeOf } from '../host/error-code';
import { isReportRefused, isSourceFileError, StorageUnavailableError } from './errors';
import type { Place, TransferCall } from './evidence';
import type { FileTransfer } from './file-transfer';
import { askForAddresses, putMissingSegments, SessionTurnedError } from './put-segments';
import { lookAt, open, placeOf, report as reportTo } from './session-calls';
import { chooseNextStep, readLook } from './session-step';
import { SourceFile } from './source/source-file';
import { isPassingFileFault } from './source-faults';
import type { TransferRun } from './transfer-run';

const OPEN_DELAYS_MS = [1_000, 3_000, 9_000];
const MAX_RESENDS = 1;

const HELD_BACK: Readonly<Record<TransferCall, string>> = {
  open: 'the service gives no addresses that fit, and no other file has had any since',
  put: 'the storage refuses what is sent, and has taken no other file since',
  report: 'the service does not accept what was sent, and has accepted no other file since',
  look: 'the service does not know what it was sent, and has shown no other file since',
};

/**
 * Afterwards the file has an outcome, or is reported and to be looked at. Rejects with what concerns the file
 * (FileRefusedError, SourceFileError), with StorageUnavailableError, or with what ends the call.
 */
export async function sendFile(transfer: FileTransfer, run: TransferRun): Promise<void> {
  const source = new LazySource(transfer, run);
  try {
    while (await takeStep(transfer, source, run)) {
      // Each round opens, sends or reports; the number of sessions bounds them.
    }
  } finally {
    await source.close();
  }
}

/** Whether there is more to do before the file is reported. */
async function takeStep(transfer: FileTransfer, source: LazySource, run: TransferRun): Promise<boolean> {
  const step = chooseNextStep(transfer.known, {
    segmentCount: transfer.file.segments.length,
    nowMs: run.clock.wallMs(),
    sessionMaxAgeMs: run.limits.sessionMaxAgeMs,
  });
  // What has its address is sent, if it may: it decides when it has a connection.
  if (step !== 'send' || !transfer.hasAddresses) run.throwIfStopped();
  switch (step) {
    case 'done':
      transfer.becameAvailable();
      return false;
    case 'await':
      return false;
    case 'open':
      return await openSession(transfer, source, run);
    case 'send':
      await sendSegments(transfer, source, run);
      return true;
    case 'report':
      return await report(transfer, source, run);
  }
}

async function openSession(transfer: FileTransfer, source: LazySource, run: TransferRun): Promise<boolean> {
  const sessions = Math.max(transfer.opens, transfer.tooSlow);
  if (sessions >= run.limits.opensPerFile) {
    // A session that was left for another reason than its age is not known any more.
    const because = transfer.known === undefined ? transfer.leftBecause : 'too-slow';
    const at = because === 'too-slow' ? undefined : transfer.leftAt;
    if (!doubts(transfer, at, run)) transfer.refuse(because, `given up after ${sessions} upload sessions`);
    return false;
  }
  // A storage that refuses everybody would be asked for every file by as many sessions as one may have. And
  // a session that fails when no other has got through since the one before is no strike.
  const { leftAt } = transfer;
  const isAnybodyThrough = leftAt?.call !== 'put' || run.evidence.haveOthersPassed(leftAt);
  if (transfer.opens > 0 && !isAnybodyThrough && doubts(transfer, leftAt, run)) return false;
  // A file that cannot be read is not worth a session.
  await source.open();
  const opened = await open(transfer, run);
  if (opened.segments.length !== transfer.file.segments.length) {
    // It cannot be told which segment goes where. If each further session is so, that is this file's fault.
    transfer.opens += 1;
    transfer.left('storage-refused', placeOf(transfer, 'open'));
    return true;
  }
  transfer.began(opened, times(run));
  return true;
}

/**
 * Whether it fails where others may fail as well: until it has failed there as often as it may have sessions,
 * with others that got through between each time and the next, it is held back, not refused.
 */
function doubts(transfer: FileTransfer, at: Place | undefined, run: TransferRun): boolean {
  if (at === undefined || run.evidence.strikes(at) >= run.limits.opensPerFile) return false;
  const error = new StorageUnavailableError(HELD_BACK[at.call]);
  transfer.doubtedAt = at;
  run.setAside(transfer, at, error);
  return true;
}

async function sendSegments(transfer: FileTransfer, source: LazySource, run: TransferRun): Promise<void> {
  try {
    // After a resume: what became of the session, and where the missing segments go.
    if (!transfer.hasAddresses) return await askForAddresses(transfer, run);
    await putMissingSegments(transfer, await source.open(), run);
  } catch (error: unknown) {
    if (!(error instanceof SessionTurnedError)) throw error;
    takeState(transfer, error, run);
  }
}

function takeState(transfer: FileTransfer, turned: SessionTurnedError, run: TransferRun): void {
  if (turned.state === 'available') transfer.becameAvailable();
  else if (turned.state === 'finished') transfer.finished(times(run));
  else transfer.left(turned.because, turned.at);
}

/*
 * The file is checked before, never after: a session once completed cannot be taken back. Every byte was
 * proven against the declared hashes as it left, in this call or in the one that recorded its ETag, so a file
 * that is still there with its size is not read once more.
 */
async function report(transfer: FileTransfer, source: LazySource, run: TransferRun): Promise<boolean> {
  await (await source.open()).verifyUnchanged(run.waitSignal);
  run.throwIfStopped();
  let status: string;
  try {
    status = await reportTo(transfer, run);
  } catch (error: unknown) {
    if (!isReportRefused(error)) throw error;
    status = 'refused';
  }
  if (status === 'available') {
    transfer.becameAvailable(run.clock.wallMs());
    return false;
  }
  if (status === 'complete' || status === 'other') {
    transfer.finished(times(run));
    return false;
  }
  return await resolveReport(transfer, run);
}

/**
 * A refused report can follow one that took effect but whose response was lost; else the
 * segments did not arrive as told.
 */
async function resolveReport(transfer: FileTransfer, run: TransferRun): Promise<boolean> {
  run.throwIfStopped();
  const look = await lookAt(transfer, run);
  const state = readLook(look);
  if (state === 'available' || state === 'finished') {
    takeState(transfer, new SessionTurnedError(state), run);
    return false;
  }
  const fresh = look.kind === 'found' ? look.freshSegments : [];
  if (fresh.length !== transfer.file.segments.length || transfer.resends >= MAX_RESENDS) {
    transfer.left('report-refused', placeOf(transfer, 'report'));
    return true;
  }
  transfer.sendAgain();
  transfer.setAddresses(fresh, times(run));
  return true;
}

function times(run: TransferRun): { nowMs: number; monotonicMs: number } {
  return { nowMs: run.clock.wallMs(), monotonicMs: run.clock.monotonicMs() };
}

/** The file on disk, opened once and only when needed; tried again while the trouble may pass. */
class LazySource {
  readonly #transfer: FileTransfer;
  readonly #run: TransferRun;
  #source: SourceFile | undefined;

  constructor(transfer: FileTransfer, run: TransferRun) {
    this.#transfer = transfer;
    this.#run = run;
  }

  async open(): Promise<SourceFile> {
    for (let tries = 0; this.#source === undefined; tries++) {
      try {
        this.#source = await SourceFile.open(this.#transfer.file, this.#run);
      } catch (error: unknown) {
        const delayMs = OPEN_DELAYS_MS[tries];
        const code = isSourceFileError(error) ? codeOf(error.cause) : undefined;
        if (delayMs === undefined || !isPassingFileFault(code)) throw error;
        await this.#run.clock.sleep(delayMs, this.#run.waitSignal);
      }
    }
    return this.#source;
  }

  async close(): Promise<void> {
    await this.#source?.close();
  }
}
