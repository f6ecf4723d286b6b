// Finds a batch, open or finished, and reads what the share knows of it.
import type { KnownProgress } from '../../../workflows/ingest/ingest-contract';
import { hasCode } from '../../host/error-code';
import { isGone } from '../../host/file-trouble';
import { isMissing, requireMissing } from '../files/missing';
import { ShareError, type ShareErrorCode, toShareError } from '../files/share-error';
import {
  type BatchPaths,
  finishedBatchPaths,
  isBatchId,
  openBatchPaths,
  type ShareLayout,
} from '../files/share-layout';
import { type DatedRecord, foldJournal } from './fold-journal';
import { readJournal } from './journal';
import type { Receipt } from './kept-receipt';
import { readReceipt } from './kept-receipt';
import { readManifest, type SealedManifest } from './manifest';

export interface BatchContents extends SealedManifest {
  /** By index; documents of which nothing is recorded are left out. */
  readonly known: readonly KnownProgress[];
  /** The final receipt: when there is one, the batch is finished, whatever else is said of it. */
  readonly receipt?: Receipt;
}

/** @throws ShareError `batch-unknown`. */
export async function locateBatch(layout: ShareLayout, batchId: string): Promise<BatchPaths> {
  if (isBatchId(batchId)) {
    // An unmounted share has no batches either, and must not be taken for one that has forgotten this batch.
    const open = openBatchPaths(layout, batchId);
    if (!(await isMissing(layout.fs, open.folder, layout.batches))) return open;
    const finished = finishedBatchPaths(layout, batchId);
    if (!(await isMissing(layout.fs, finished.folder, layout.finished))) return finished;
  }
  throw new ShareError('batch-unknown', `There is no batch ${batchId.slice(0, 64)} on this share.`);
}

/**
 * Does something with a batch, wherever it lies. Somebody else may put it away meanwhile: then it is done
 * again, in its new place.
 */
export async function withBatch<T>(
  layout: ShareLayout,
  batchId: string,
  run: (paths: BatchPaths) => Promise<T>,
): Promise<T> {
  const located = await locateBatch(layout, batchId);
  try {
    return await run(located);
  } catch (error) {
    const isMoved = isGone(error) || hasCode<ShareErrorCode>(error, 'batch-unknown');
    if (located.isFinished || !isMoved) throw toShareError(error) ?? error;
    const again = await locateBatch(layout, batchId);
    if (!again.isFinished) throw toShareError(error) ?? error;
    return await run(again);
  }
}

export async function readContents(
  paths: BatchPaths,
  expectManifestSha256: string | undefined,
  onBadRecord: (name: string, why: string) => void,
  onRecords: (records: readonly DatedRecord[]) => void,
): Promise<BatchContents> {
  const sealed = await readManifest(paths, expectManifestSha256);
  const records = await readJournal(paths, onBadRecord);
  onRecords(records);
  const receipt = await readReceipt(paths);
  // If it was put away while we read, its journal and receipt are missing here: it must not be taken for a
  // batch that has just begun.
  if (receipt === undefined) await requireMissing(paths.fs, paths.receipt, paths.folder);
  return {
    manifest: sealed.manifest,
    manifestSha256: sealed.manifestSha256,
    known: foldJournal(records),
    ...(receipt === undefined ? {} : { receipt }),
  };
}
