// Waits for the service to release files for use. The waiting is between the attempts: it holds
// no slot and writes no history.
import type { TransferredFile } from '../../workflows/ingest/ingest-contract';
import { systemClock } from '../host/clock';
import type { ActivityScope } from '../scope/activity-scope';
import { isUnexplained } from '../service/errors';
import type { Sender } from '../service/service-client';
import { NotReleasedError } from '../transfer/errors';
import type { UploadSessions } from '../transfer/ports';
import { readLook } from '../transfer/session-step';
import type { AwaitFilesInput, AwaitFilesResult } from './api';
import { isLong, judgeUnreleased, planLook } from './decide/judge-release';
import type { Releases } from './releases';
import { explainTransfer } from './transfer-batch-files';
import { ServiceUploadSessions } from './upload-sessions';

export interface AwaitFilesDeps {
  readonly client: Sender;
  readonly releases: Releases;
}

/** In an outage that begins just then, asking for all others would only cost requests. */
const MOST_UNANSWERED = 3;

type Waiting = AwaitFilesInput['files'][number];

/** Returns as soon as there is anything to say of any file. @throws NotReleasedError when there is not. */
export async function awaitFiles(
  deps: AwaitFilesDeps,
  input: AwaitFilesInput,
  scope: Pick<ActivityScope, 'signal' | 'attempt' | 'temporalMs'>,
): Promise<AwaitFilesResult> {
  const nowMs = scope.temporalMs();
  const sessions = new ServiceUploadSessions(deps.client, input.project);
  const sinceMs = Math.min(...input.files.map(heardAtMsOf));
  const plan = planLook(nowMs - sinceMs, scope.attempt, input.files.length);
  const inTurn = [...input.files.slice(plan.first), ...input.files.slice(0, plan.first)];
  const { available, gone, unanswered } = await lookAt(sessions, inTurn, plan.atFirst, scope.signal);

  for (const { reportedAtMs } of available) deps.releases.note(input.project, reportedAtMs, nowMs);
  // A time that is still to come is of a clock that was set back.
  const toldMs = input.releasedMs <= nowMs ? input.releasedMs : 0;
  const releasedMs = Math.max(toldMs, deps.releases.latest(input.project, nowMs));
  const again = new Set(gone.map(({ index }) => index));
  const overdue: AwaitFilesResult['overdue'][number][] = [];
  for (const file of input.files) {
    if (available.includes(file) || again.has(file.index) || unanswered.has(file)) continue;
    const waits = {
      openedAtMs: file.openedAtMs,
      heardAtMs: heardAtMsOf(file),
      isPassed: file.isPassed === true,
    };
    const judged = judgeUnreleased(waits, { nowMs, releasedMs, linkWithinMs: input.linkWithinMs });
    if (judged === 'too-old') again.add(file.index);
    if (judged === 'overdue')
      overdue.push({ index: file.index, reason: explainTransfer('never-available', '') });
  }
  if (available.length + again.size + overdue.length === 0) {
    // Nothing is said of any: then it is an outage, and told as one.
    for (const error of unanswered.values()) throw error;
    if (input.tellsLong === true && isLong(nowMs - sinceMs))
      return { files: [], releasedMs, again: [], overdue: [], isLong: true };
    throw new NotReleasedError(input.files.length, systemClock.wallMs() + plan.pauseMs);
  }
  return { files: available.map(toTransferred), releasedMs, again: [...again], overdue };
}

/**
 * Looks at so many files (`atFirst`); once one of them is available, at all others as well. One whose look
 * gets no response does not keep the others from being seen.
 */
async function lookAt(
  sessions: UploadSessions,
  files: readonly Waiting[],
  atFirst: number,
  signal: AbortSignal,
): Promise<{
  readonly available: readonly Waiting[];
  readonly gone: readonly Waiting[];
  readonly unanswered: ReadonlyMap<Waiting, unknown>;
}> {
  const available: Waiting[] = [];
  const gone: Waiting[] = [];
  const unanswered = new Map<Waiting, unknown>();
  for (const [position, file] of files.entries()) {
    if (position >= atFirst && available.length === 0) break;
    signal.throwIfAborted();
    try {
      const state = readLook(await sessions.look(file.fileUploadId, signal));
      if (state === 'available') available.push(file);
      else if (state !== 'finished') gone.push(file);
    } catch (error: unknown) {
      if (!isUnexplained(error)) throw error;
      unanswered.set(file, error);
      if (unanswered.size >= MOST_UNANSWERED) break;
    }
  }
  return { available, gone, unanswered };
}

function heardAtMsOf({ heardAtMs, reportedAtMs }: Waiting): number {
  return heardAtMs ?? reportedAtMs;
}

function toTransferred({ index, fileUploadId, openedAtMs }: Waiting): TransferredFile {
  return { index, fileUploadId, openedAtMs };
}
