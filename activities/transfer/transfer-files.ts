// The upload engine's entrance: files on disk become available uploads, many at a time, resumable,
// each with an outcome of its own.

import { atOnce } from '../host/concurrency';
import { hasCode } from '../host/error-code';
import { withResolvers } from '../host/with-resolvers';
import { awaitAvailable } from './await-available';
import { isFileRefused, isSourceFileError, type TransferErrorCode } from './errors';
import type { TransferCall } from './evidence';
import { FileTransfer, type TellProgress } from './file-transfer';
import type { FileProgress, FileToSend, TransferOutcome } from './ports';
import { sendFile } from './send-file';
import { isUnanswered, setUnansweredAside } from './session-calls';
import { type TransferDeps, TransferRun } from './transfer-run';

export interface TransferInput {
  files: readonly {
    /** The caller's own number for the file; unique in a call. */
    key: number;
    file: FileToSend;
    /** What an earlier call told of this file. */
    progress?: FileProgress;
  }[];
  signal: AbortSignal;
  /**
   * After every step of a file, and about once a second while bytes move. `bytesSent` counts the bytes
   * of this call, without those of failed attempts.
   */
  onProgress: TellProgress;
}

/**
 * Returns an outcome for every file. Rejects, after all that ran has ended and all progress is told, with:
 * what `sessions` threw and is not about one file, unchanged; StorageUnavailableError (when others became
 * available, the files that met it are left instead); UnsafeTargetError; FileSystemError (the share); the
 * signal's reason. A later call with the progress told goes on from there.
 */
export async function transferFiles(
  input: TransferInput,
  deps: TransferDeps,
): Promise<Map<number, TransferOutcome>> {
  for (const { file } of input.files) assertSegmentsCover(file);
  const run = new TransferRun(input.signal, deps);
  const transfers = input.files.map(each => new FileTransfer(each, input.onProgress));
  // What failed before goes last: what others meet tells whether it is to blame.
  const inTurn = transfers.toSorted(
    (one, other) =>
      Number(run.evidence.hasFailed(one.file.path)) - Number(run.evidence.hasFailed(other.file.path)),
  );
  try {
    // All files are reported before the first is looked at: each is old enough by then to need one look only.
    for (let pending = inTurn; pending.length > 0; pending = pending.filter(isOpen)) {
      await run.untilLeft(() => sendAll(pending, run));
      run.throwFailure();
      const reported = pending.filter(transfer => isOpen(transfer) && transfer.known?.finished === true);
      await awaitAvailable(reported, run);
      run.throwFailure();
      for (const transfer of pending) {
        if (!takeUpAgain(transfer, run) && !reported.includes(transfer)) transfer.isLeft = true;
      }
    }
    const isAnyAvailable = transfers.some(({ outcome }) => outcome?.kind === 'available');
    if (!isAnyAvailable && transfers.some(isHeld)) run.throwHeldBack();
    for (const { file, outcome } of transfers) if (outcome !== undefined) run.evidence.forget(file.path);
    return new Map(
      transfers.map(({ key, outcome, known }) => [key, outcome ?? { kind: 'left', progress: known }]),
    );
  } finally {
    run.close();
  }
}

function isOpen(transfer: FileTransfer): boolean {
  return transfer.outcome === undefined && !transfer.isHeldBack && !transfer.isLeft;
}

function isHeld(transfer: FileTransfer): boolean {
  return transfer.isHeldBack && transfer.outcome === undefined;
}

/** While something is known to be away, one file asks for all; the others begin when it has got through. */
async function sendAll(pending: readonly FileTransfer[], run: TransferRun): Promise<void> {
  const begun = new Map<FileTransfer, Promise<void>>();
  const { away } = run.evidence;
  for (;;) {
    const asking = pending.filter(transfer => !begun.has(transfer) && asksFor(transfer, away.calls));
    const first = away.choose(asking);
    if (first === undefined || run.waitSignal.aborted) break;
    if (away.asking !== undefined) {
      await untilAborted(away.asking, run.waitSignal);
      if (asksFor(first, away.calls)) run.fail(away.error);
    } else if (away.isTooSoon(run.clock.monotonicMs())) {
      run.fail(away.error);
    } else {
      const sending = run.guard(() => sendOrRefuse(first, run));
      begun.set(first, sending);
      await away.ask(first.file.path, sending, run.clock.monotonicMs());
      if (first.isHeldBack && asksFor(first, away.calls)) run.fail(away.error);
    }
  }
  const others = pending.filter(transfer => !begun.has(transfer));
  await Promise.all([sendInTurn(others, run), ...begun.values()]);
}

/** However the work ends, or as soon as nobody is to wait for it any more. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = withResolvers<void>();
  const stop = (): void => resolve();
  signal.addEventListener('abort', stop, { once: true });
  await Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', stop));
}

/** Whether it makes one of these calls before anything else is known of it. */
function asksFor({ known }: FileTransfer, calls: readonly TransferCall[]): boolean {
  const isSent = known?.partEtags.every(etag => etag !== null) === true;
  const asks: Readonly<Record<TransferCall, boolean>> = {
    open: known === undefined,
    look: known !== undefined && !isSent,
    put: !isSent,
    report: known?.finished !== true,
  };
  return calls.some(call => asks[call]);
}

async function sendInTurn(pending: readonly FileTransfer[], run: TransferRun): Promise<void> {
  const inTurn = withThoseHeldBack(pending, run);
  await atOnce(Math.min(run.limits.filesAtOnce, pending.length), async () => {
    // They all take from one iterator.
    for (const transfer of inTurn) await run.guard(() => sendOrRefuse(transfer, run));
  });
}

/**
 * Between the others come those that are held back, as soon as one of these has told: a file that is to blame
 * is so only when others get through between its tries.
 */
function* withThoseHeldBack(pending: readonly FileTransfer[], run: TransferRun): Generator<FileTransfer> {
  for (const next of pending) {
    for (const held of pending) if (takeUpAgain(held, run)) yield held;
    yield next;
  }
}

/** It was held back until others would tell whether it is to blame, and one has: it is tried once more. */
function takeUpAgain(transfer: FileTransfer, run: TransferRun): boolean {
  const { doubtedAt } = transfer;
  if (doubtedAt === undefined || !run.evidence.haveOthersPassed(doubtedAt)) return false;
  transfer.doubtedAt = undefined;
  transfer.isHeldBack = false;
  transfer.opens = Math.min(transfer.opens, run.limits.opensPerFile - 1);
  return true;
}

async function sendOrRefuse(transfer: FileTransfer, run: TransferRun): Promise<void> {
  try {
    await sendFile(transfer, run);
  } catch (error: unknown) {
    if (isFileRefused(error) || isSourceFileError(error)) transfer.refuse(error.reason, error.message);
    else if (isUnanswered(error)) setUnansweredAside(transfer, run, error);
    else if (!hasCode<TransferErrorCode>(error, 'STORAGE_UNAVAILABLE') || !transfer.isHeldBack) throw error;
  }
}

function assertSegmentsCover(file: FileToSend): void {
  let end = 0;
  for (const { offset, sizeBytes } of file.segments) {
    if (offset !== end || sizeBytes <= 0)
      throw new RangeError('the segments of a file must follow each other');
    end += sizeBytes;
  }
  if (end !== file.sizeBytes || end === 0)
    throw new RangeError('the segments must cover a file that is not empty');
}
