// Step 5 for a few files of a batch: from the share to the storage, resuming from
// what an earlier attempt finished.
import { z } from 'zod';
import type { FileUploadId, Reason } from '../../workflows/contract';
import type { TransferredFile } from '../../workflows/ingest/ingest-contract';
import type { ActivityScope } from '../scope/activity-scope';
import { ToldDates } from '../scope/told-dates';
import { isOutage, isUnexplained } from '../service/errors';
import type { Sender } from '../service/service-client';
import { type FileErrorCode, isFileError } from '../share/files/share-error';
import type { Batches, BatchNotes } from '../share/share';
import type { ProjectEvidence } from '../transfer/evidence';
import type { FileProgress, TransferOutcome, TransferRefusal } from '../transfer/ports';
import { type TransferInput, transferFiles } from '../transfer/transfer-files';
import { SESSION_MAX_AGE_MS, type TransferDeps } from '../transfer/transfer-run';
import type { SentSoFar, TransferFilesInput, TransferFilesResult } from './api';
import type { Releases } from './releases';
import { ServiceUploadSessions } from './upload-sessions';

export interface TransferBatchDeps {
  readonly client: Sender;
  readonly engine: Omit<TransferDeps, 'sessions' | 'evidence' | 'mayBeOfOneFile'>;
  readonly releases: Releases;
  readonly evidence: ProjectEvidence;
}

const heartbeat = z.record(
  z.string(),
  z.object({
    sessionId: z.string(),
    openedAtMs: z.number(),
    partEtags: z.array(z.string().nullable()),
    finished: z.boolean(),
    available: z.boolean(),
    // If it is lost with the details, the waiting is counted from a later time, never from an earlier one.
    reportedAtMs: z.number().optional(),
    tooSlow: z.number().default(0),
  }),
);

/** Ordinary files are sent by then; slower ones are left, and go on beside them in a call of their own. */
const SEND_WITHIN_MS = 30_000;

/**
 * Sends the files; a file's own trouble refuses that file only. What became available is noted on the share
 * even when the attempt ends with an error, so that nothing is sent twice.
 */
export async function transferBatchFiles(
  deps: TransferBatchDeps,
  share: Batches & BatchNotes,
  input: TransferFilesInput,
  scope: ActivityScope,
): Promise<TransferFilesResult> {
  const dates = new ToldDates(deps.engine.clock, scope);
  const progress = readProgress(input, scope.lastDetails);
  const { files, refused } = await findFiles(share, input, progress, dates);
  const available = new Map<number, TransferredFile>();
  const note = async (): Promise<void> => {
    if (available.size === 0) return;
    await share.appendRecord(input.batchId, { kind: 'transferred', files: [...available.values()] });
  };
  let outcomes: ReadonlyMap<number, TransferOutcome>;
  try {
    outcomes = await transferFiles(
      {
        files,
        signal: scope.signal,
        onProgress: (index, next) => {
          const told = toTold(next, dates);
          progress.set(index, told);
          if (next.available) available.set(index, toTransferred(index, told));
          scope.report(Object.fromEntries(progress));
        },
      },
      {
        ...deps.engine,
        mayBeOfOneFile: isUnexplained,
        isAway: isOutage,
        evidence: deps.evidence.of(input.project.projectId),
        sessions: new ServiceUploadSessions(deps.client, input.project),
        limits: {
          ...(input.isLong ? {} : { sendWithinMs: SEND_WITHIN_MS }),
          // A batch may link until the service deletes the file, but what is sent then would come too late.
          sessionMaxAgeMs: Math.min(input.linkWithinMs ?? SESSION_MAX_AGE_MS, SESSION_MAX_AGE_MS),
          ...deps.engine.limits,
        },
      },
    );
  } catch (error: unknown) {
    // Should the note fail as well: the error that ended the attempt is the one to tell.
    await note().catch(() => undefined);
    throw error;
  }
  const { left, releasedMs, ...sorted } = sortOutcomes(outcomes, dates);
  for (const file of sorted.files) available.set(file.index, file);
  await note();
  if (releasedMs > 0) deps.releases.note(input.project, releasedMs, scope.temporalMs());
  return {
    files: [...available.values()],
    refused: [...refused, ...sorted.refused],
    ...(left.length === 0 ? {} : { left }),
    ...(releasedMs === 0 ? {} : { releasedMs }),
  };
}

type Refused = TransferFilesResult['refused'][number];

async function findFiles(
  share: Batches & BatchNotes,
  input: TransferFilesInput,
  progress: ReadonlyMap<number, FileProgress>,
  dates: ToldDates,
): Promise<{ files: TransferInput['files']; refused: readonly Refused[] }> {
  const refused: Refused[] = [];
  const files: TransferInput['files'][number][] = [];
  for (const index of input.indexes) {
    try {
      const file = await share.fileToSend(input.batchId, index);
      const known = progress.get(index);
      files.push({
        key: index,
        file,
        ...(known === undefined ? {} : { progress: mapDates(known, told => dates.toHost(told)) }),
      });
    } catch (error: unknown) {
      if (!isFileError(error)) throw error;
      refused.push({ index, reason: explainTransfer(REFUSED_BY_SHARE[error.code], '') });
    }
  }
  return { files, refused };
}

function sortOutcomes(outcomes: ReadonlyMap<number, TransferOutcome>, dates: ToldDates) {
  const files: TransferredFile[] = [];
  const refused: Refused[] = [];
  const left: SentSoFar[] = [];
  let releasedMs = 0;
  for (const [index, outcome] of outcomes) {
    switch (outcome.kind) {
      case 'available':
        files.push(toTransferred(index, { ...outcome, openedAtMs: dates.toTold(outcome.openedAtMs) }));
        if (outcome.reportedAtMs !== undefined)
          releasedMs = Math.max(releasedMs, dates.toTold(outcome.reportedAtMs));
        break;
      case 'left':
        left.push({ index, progress: outcome.progress ? toTold(outcome.progress, dates) : null });
        break;
      case 'refused':
        refused.push({ index, reason: explainTransfer(outcome.reason, outcome.detail) });
    }
  }
  return { files, refused, left, releasedMs };
}

/**
 * What this attempt begins with: what the attempt before reported last, else how far the files were when they
 * were left.
 */
function readProgress(input: TransferFilesInput, details: unknown): Map<number, FileProgress> {
  const begun = (input.begun ?? []).flatMap(({ index, progress }) =>
    progress === null ? [] : [[index, progress] as const],
  );
  const { data = {} } = heartbeat.safeParse(details);
  const told = Object.entries(data).map(([index, { reportedAtMs, ...known }]): [number, FileProgress] => [
    Number(index),
    reportedAtMs === undefined ? known : { ...known, reportedAtMs },
  ]);
  return new Map([...begun, ...told]);
}

function toTold(progress: FileProgress, dates: ToldDates): FileProgress {
  return mapDates(progress, hostMs => dates.toTold(hostMs));
}

function mapDates(progress: FileProgress, map: (ms: number) => number): FileProgress {
  const { openedAtMs, reportedAtMs } = progress;
  return {
    ...progress,
    openedAtMs: map(openedAtMs),
    ...(reportedAtMs === undefined ? {} : { reportedAtMs: map(reportedAtMs) }),
  };
}

function toTransferred(
  index: number,
  { sessionId, openedAtMs }: { readonly sessionId: string; readonly openedAtMs: number },
): TransferredFile {
  return { index, fileUploadId: sessionId as FileUploadId, openedAtMs };
}

const REFUSED_BY_SHARE: Readonly<Record<FileErrorCode, TransferRefusal>> = {
  'file-missing': 'file-missing',
  'file-changed': 'file-changed',
  'file-refused': 'file-unreadable',
};

export function explainTransfer(
  reason: Extract<TransferOutcome, { kind: 'refused' }>['reason'],
  detail: string,
): Reason {
  const known = EXPLANATIONS[reason];
  return {
    code: reason,
    text: detail === '' || !known.showsDetail ? known.text : `${known.text} (${detail})`,
    fix: known.fix,
  };
}

const EXPLANATIONS: Readonly<
  Record<TransferRefusal, { readonly text: string; readonly fix: string; readonly showsDetail?: true }>
> = {
  'file-changed': {
    text: 'The file was changed after it had been taken in, so it was not submitted.',
    fix: 'Drop the finished file again.',
  },
  'file-missing': {
    text: 'The file was removed after it had been taken in.',
    fix: 'Drop the file again.',
  },
  'file-unreadable': {
    text: 'The file cannot be read.',
    fix: 'Check that it opens, and drop it again.',
  },
  'size-refused': {
    text: 'The service does not take a file of this size.',
    fix: 'Split or reduce the file, or ask the project’s administrator.',
    showsDetail: true,
  },
  'type-refused': {
    text: 'The service does not take a file of this type or name.',
    fix: 'Convert or rename the file and drop it again.',
    showsDetail: true,
  },
  'session-refused': {
    text: 'The service refused to take the file.',
    fix: 'Correct what the message names and drop the file again.',
    showsDetail: true,
  },
  'too-slow': {
    text: 'In several tries, the file could not be sent in the time in which it has to be submitted. The line is too slow for it, or was away too long.',
    fix: 'Split or reduce the file, or send it over a faster line, and drop it again. Whoever runs Drawbridge can allow more time with `linkWithin` of the share, up to 23 h.',
    showsDetail: true,
  },
  'storage-refused': {
    text: 'The service’s storage refused the file.',
    fix: 'Drop the file again later; if it happens again, ask the service’s support.',
  },
  'report-refused': {
    text: 'The service did not accept the file after it had been sent.',
    fix: 'Drop the file again later; if it happens again, ask the service’s support.',
  },
  'never-available': {
    text: 'The service took the file, but never released it for use. It may have been found harmful or damaged.',
    fix: 'Check that the file opens, and drop it again; if it happens again, ask the service’s support.',
  },
};
