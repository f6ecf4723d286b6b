// The calls for one file to the service's upload sessions, each kept as evidence: whether other files get
// through where this one does not.

import { codeOf } from '../host/error-code';
import type { Place, TransferStep } from './evidence';
import type { FileTransfer } from './file-transfer';
import type { OpenedSession, SessionLook, SessionStatus } from './ports';
import type { TransferRun } from './transfer-run';

/** The session comes with as many addresses as the file has segments, or it is of no use. */
export async function open(transfer: FileTransfer, run: TransferRun): Promise<OpenedSession> {
  return await ask(transfer, run, {
    step: 'open',
    work: () => run.sessions.open(transfer.file, run.effectSignal),
    isPass: ({ segments }) => segments.length === transfer.file.segments.length,
  });
}

export async function report(transfer: FileTransfer, run: TransferRun): Promise<SessionStatus> {
  const { sessionId, partEtags } = transfer.session;
  return await ask(transfer, run, {
    step: 'report',
    work: () => run.sessions.report(sessionId, partEtags, run.effectSignal),
    isPass: () => true,
  });
}

export async function lookAt(transfer: FileTransfer, run: TransferRun): Promise<SessionLook> {
  return await ask(transfer, run, {
    step: 'look',
    work: () => run.sessions.look(transfer.session.sessionId, run.effectSignal),
    isPass: ({ kind }) => kind === 'found',
  });
}

/** Where a session is gone that was there: a service that does not know its sessions loses all of them. */
export function goneAt(transfer: FileTransfer, look: SessionLook): Place | undefined {
  return look.kind === 'gone' ? placeOf(transfer, 'look') : undefined;
}

export function placeOf(transfer: FileTransfer, step: TransferStep): Place {
  return { step, file: transfer.file.path };
}

async function ask<Answer>(
  transfer: FileTransfer,
  run: TransferRun,
  call: {
    readonly step: TransferStep;
    readonly work: () => Promise<Answer>;
    readonly isPass: (answer: Answer) => boolean;
  },
): Promise<Answer> {
  const { step, work, isPass } = call;
  const begunMs = run.clock.monotonicMs();
  try {
    const answer = await work();
    if (isPass(answer)) run.passed(transfer, { step }, begunMs);
    else run.evidence.failed(placeOf(transfer, step), begunMs);
    return answer;
  } catch (error: unknown) {
    if (codeOf(error) === 'REPORT_REFUSED') run.evidence.failed(placeOf(transfer, step), begunMs);
    throw error;
  }
}
