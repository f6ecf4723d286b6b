// The calls for one file to the service's upload sessions, each kept as evidence: whether other files get
// through where this one does not.

import { messageOf } from '../host/describe-bug';
import { hasCode } from '../host/error-code';
import { isFileRefused, isReportRefused, TransferError, type TransferErrorCode } from './errors';
import type { Place, TransferCall } from './evidence';
import type { FileTransfer } from './file-transfer';
import type { OpenedSession, SessionLook, SessionStatus } from './ports';
import type { TransferRun } from './transfer-run';

/**
 * Strikes of one file at a call that got no response before it is refused: over as many attempts, some
 * minutes.
 */
const MOST_STRIKES = 8;

/** A session call for one file failed in a way that may be for this file alone. */
class UnansweredError extends TransferError {
  readonly code = 'UNANSWERED';
  readonly at: Place;
  /** What the sessions threw: it ends the call when it is not for this file alone. */
  override readonly cause: unknown;

  constructor(at: Place, cause: unknown) {
    super(`no answer to ${at.call}`);
    this.at = at;
    this.cause = cause;
  }
}

export function isUnanswered(error: unknown): error is UnansweredError {
  return hasCode<TransferErrorCode>(error, 'UNANSWERED');
}

/**
 * The others go on. It is tried in later calls, and refused when it has failed for some time and others got
 * through again and again meanwhile.
 */
export function setUnansweredAside(transfer: FileTransfer, run: TransferRun, error: UnansweredError): void {
  const { at, cause } = error;
  if (run.evidence.strikes(at) >= MOST_STRIKES) {
    transfer.refuse('session-refused', messageOf(cause));
  } else run.setAside(transfer, at, cause);
}

/** The session comes with as many addresses as the file has segments, or it is of no use. */
export async function open(transfer: FileTransfer, run: TransferRun): Promise<OpenedSession> {
  return await ask(transfer, run, {
    call: 'open',
    work: () => run.sessions.open(transfer.file, run.effectSignal),
    isPass: ({ segments }) => segments.length === transfer.file.segments.length,
  });
}

export async function report(transfer: FileTransfer, run: TransferRun): Promise<SessionStatus> {
  const { sessionId, partEtags } = transfer.session;
  return await ask(transfer, run, {
    call: 'report',
    work: () => run.sessions.report(sessionId, partEtags, run.effectSignal),
    isPass: () => true,
  });
}

export async function lookAt(transfer: FileTransfer, run: TransferRun): Promise<SessionLook> {
  return await ask(transfer, run, {
    call: 'look',
    work: () => run.sessions.look(transfer.session.sessionId, run.effectSignal),
    isPass: ({ kind }) => kind === 'found',
  });
}

/** Where a session is gone that was there: a service that does not know its sessions loses all of them. */
export function goneAt(transfer: FileTransfer, look: SessionLook): Place | undefined {
  return look.kind === 'gone' ? placeOf(transfer, 'look') : undefined;
}

export function placeOf(transfer: FileTransfer, call: TransferCall): Place {
  return { call, file: transfer.file.path };
}

async function ask<Result>(
  transfer: FileTransfer,
  run: TransferRun,
  how: {
    readonly call: TransferCall;
    readonly work: () => Promise<Result>;
    readonly isPass: (result: Result) => boolean;
  },
): Promise<Result> {
  const { call, work, isPass } = how;
  const begunMs = run.clock.monotonicMs();
  try {
    const result = await work();
    run.evidence.away.passed(call, begunMs);
    if (isPass(result)) run.passed(transfer, { call }, begunMs);
    else run.evidence.failed(placeOf(transfer, call), begunMs);
    return result;
  } catch (error: unknown) {
    run.noteOfService(error);
    if (run.isAway(error)) run.evidence.away.failed(call, begunMs, error);
    // What is refused is refused by somebody who is there.
    else if (isFileRefused(error) || isReportRefused(error)) run.evidence.away.passed(call, begunMs);
    const isForThis = isReportRefused(error) || run.mayBeOfOneFile(error);
    if (isForThis) run.evidence.failed(placeOf(transfer, call), begunMs);
    if (run.mayBeOfOneFile(error)) throw new UnansweredError(placeOf(transfer, call), error);
    throw error;
  }
}
