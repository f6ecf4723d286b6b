// Step 5 for a few files of a batch: from the share to the storage, resuming from what an earlier attempt finished.
import { z } from 'zod';
import type { FileUploadId, Reason, TransferredFile } from '../workflows/contract';
import type { ActivityScope } from './activity-scope';
import type { TransferFilesInput, TransferFilesResult } from './api';
import type { Sender } from './service/service-client';
import type { Share } from './share/share';
import { codeOf } from './share/share-error';
import type { FileProgress, TransferOutcome, TransferRefusal } from './transfer/ports';
import { transferFiles } from './transfer/transfer-files';
import type { TransferDeps } from './transfer/transfer-run';
import { ServiceUploadSessions } from './upload-sessions';

export interface TransferBatchDeps {
  readonly client: Sender;
  readonly engine: Omit<TransferDeps, 'sessions'>;
}

const heartbeat = z.record(
  z.string(),
  z.object({
    sessionId: z.string(),
    openedAtMs: z.number(),
    partEtags: z.array(z.string().nullable()),
    finished: z.boolean(),
    available: z.boolean(),
  }),
);

/**
 * Sends the files; a file's own trouble refuses that file only. What became available is noted on the share even when
 * the attempt ends with an error, so that nothing is sent twice.
 */
export async function transferBatchFiles(
  deps: TransferBatchDeps,
  share: Share,
  input: TransferFilesInput,
  scope: ActivityScope,
): Promise<TransferFilesResult> {
  const refused: { index: number; reason: Reason }[] = [];
  const files = [];
  const progress = readHeartbeat(scope.lastDetails);
  for (const index of input.indexes) {
    try {
      const { absolutePath, mimeType, ...file } = await share.fileToSend(input.batchId, index);
      const known = progress.get(index);
      files.push({
        key: index,
        file: { ...file, path: absolutePath, contentType: mimeType },
        ...(known === undefined ? {} : { progress: known }),
      });
    } catch (error: unknown) {
      const why = REFUSED_BY_SHARE[codeOf(error) ?? ''];
      if (why === undefined) throw error;
      refused.push({ index, reason: explainTransfer(why, '') });
    }
  }

  const available = new Map<number, TransferredFile>();
  const note = async (): Promise<void> => {
    if (available.size === 0) return;
    await share.appendRecord(input.batchId, { kind: 'transferred', files: [...available.values()] });
  };
  try {
    const outcomes = await transferFiles(
      {
        files,
        signal: scope.signal,
        onProgress: (index, next) => {
          progress.set(index, next);
          if (next.available) available.set(index, toTransferred(index, next.sessionId, next.openedAtMs));
          scope.report(Object.fromEntries(progress));
        },
      },
      { ...deps.engine, sessions: new ServiceUploadSessions(deps.client, input.project) },
    );
    for (const [index, outcome] of outcomes) {
      if (outcome.kind === 'available') {
        available.set(index, toTransferred(index, outcome.sessionId, outcome.openedAtMs));
      } else refused.push({ index, reason: explainTransfer(outcome.reason, outcome.detail) });
    }
  } catch (error: unknown) {
    // The note is a courtesy here: the error that ended the attempt is the one to tell.
    await note().catch(() => undefined);
    throw error;
  }
  await note();
  return { files: [...available.values()], refused };
}

function readHeartbeat(details: unknown): Map<number, FileProgress> {
  const parsed = heartbeat.safeParse(details);
  return new Map(
    parsed.success ? Object.entries(parsed.data).map(([index, known]) => [Number(index), known]) : [],
  );
}

function toTransferred(index: number, sessionId: string, openedAtMs: number): TransferredFile {
  return { index, fileUploadId: sessionId as FileUploadId, openedAtMs };
}

const REFUSED_BY_SHARE: Readonly<Record<string, TransferRefusal>> = {
  'file-missing': 'file-missing',
  'file-changed': 'file-changed',
  'file-refused': 'file-unreadable',
};

function explainTransfer(
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
