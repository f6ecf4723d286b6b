// Notes facts of the batch on its share, where they survive the loss of everything Temporal knows.
import type { JournalRecord, UploadId } from '../contract';
import type { BatchState, DocumentState } from './batch-state';
import type { Desk } from './desk';

/** Returns once the record is durable on the share. */
export async function noteUploads(
  batch: BatchState,
  desk: Desk,
  kind: 'created' | 'completed' | 'intent',
  documents: readonly DocumentState[],
): Promise<void> {
  const uploads = documents.flatMap(({ document, uploadId }): { index: number; uploadId: UploadId }[] =>
    uploadId === undefined ? [] : [{ index: document.index, uploadId }],
  );
  if (uploads.length === 0) return;
  const record: JournalRecord = { kind, uploads };
  await desk.share(
    'appendRecord',
    () => ({ share: batch.share, batchId: batch.batchId, record }),
    SUMMARIES[kind],
  );
}

const SUMMARIES = {
  created: 'Note the uploads on the share',
  completed: 'Note the completed uploads on the share',
  intent: 'Note the intent to submit on the share',
} as const;
