// Notes in the ledger what was submitted before there was one: from the sealed receipts of finished batches.
// Can be ended at any moment and begun again; what is noted already is left out.
import { join } from 'node:path';
import { forEachLimited } from '../../host/concurrency';
import { isGone } from '../../host/file-trouble';
import { isMonth, isOfOneBatch, listFinished } from '../batch/finished-receipts';
import { readReceipt } from '../batch/kept-receipt';
import { readManifest } from '../batch/manifest';
import { requireMissing } from '../files/missing';
import { ShareError, toShareError } from '../files/share-error';
import { finishedBatchPaths, isBatchId, type ShareLayout } from '../files/share-layout';
import type { OnBadRecord } from './append-entries';
import { type EntryRules, entriesOfReceipt, toLedgerJob } from './entries-of-receipt';
import { ledgerFolder } from './ledger-files';
import { ShareLedger } from './share-ledger';

/** Batches at one time; each is a few small files. */
const PARALLEL = 4;

export interface RecordFinishedOptions {
  readonly share: string;
  readonly rules: EntryRules;
  readonly signal?: AbortSignal | undefined;
  /** Remembers batches of which nothing became a revision, so that they are looked at only once. */
  readonly seen?: { has(batchId: string): boolean; add(batchId: string): void } | undefined;
  /** Called after each month, the oldest first. */
  readonly onProgress?: (progress: RecordedFinished & { readonly month: string }) => void;
  /** Called for each receipt and record that cannot be believed; its batch is left out. */
  readonly onBad: OnBadRecord;
}

export interface RecordedFinished {
  /** Finished batches that were looked at. */
  readonly batches: number;
  /** Documents that the ledger did not have. */
  readonly added: number;
}

/** @throws ShareError while the share is away: what was noted until then stays. */
export async function recordFinished(
  layout: ShareLayout,
  options: RecordFinishedOptions,
): Promise<RecordedFinished> {
  const ledger = new ShareLedger(options.share, () => layout);
  let [batches, added] = [0, 0];
  const months = await listFinished(layout, layout.finished, isMonth);
  for (const month of months) {
    const noted = await listNoted(ledger, layout, month);
    const names = await listFinished(
      layout,
      join(layout.finished, month),
      name => isBatchId(name) && !noted.has(name) && options.seen?.has(name) !== true,
    );
    await forEachLimited(names, PARALLEL, async batchId => {
      options.signal?.throwIfAborted();
      added += await recordBatch(layout, ledger, batchId, options);
      batches += 1;
    });
    options.onProgress?.({ month, batches, added });
  }
  return { batches, added };
}

/** @returns how many of its documents the ledger did not have. */
async function recordBatch(
  layout: ShareLayout,
  ledger: ShareLedger,
  batchId: string,
  { share, rules, seen, onBad }: RecordFinishedOptions,
): Promise<number> {
  try {
    const paths = finishedBatchPaths(layout, batchId);
    const [{ manifest }, receipt] = [await readManifest(paths), await readReceipt(paths)];
    if (receipt === undefined) throw new ShareError('batch-damaged', `Batch ${batchId} has no receipt.`);
    const entries = entriesOfReceipt(manifest, receipt, rules);
    if (entries.length === 0) {
      if (receipt.final) seen?.add(batchId);
      return 0;
    }
    const { project } = receipt;
    return (await ledger.append(batchId, { share, project, job: toLedgerJob(manifest.job), entries }, onBad))
      .added;
  } catch (error) {
    const trouble = toShareError(error);
    if (trouble === undefined || !isOfOneBatch(trouble)) throw trouble ?? error;
    onBad(batchId, trouble.message);
    return 0;
  }
}

/** Batches of a month that the ledger has records of. One that is put away was noted whole before. */
async function listNoted(
  ledger: ShareLedger,
  layout: ShareLayout,
  month: string,
): Promise<ReadonlySet<string>> {
  const noted = new Set<string>();
  try {
    for await (const { batchId } of ledger.recordNames(month)) noted.add(batchId);
  } catch (error) {
    if (!isGone(error)) throw error;
    await requireMissing(layout.fs, join(ledgerFolder(layout), month), layout.finished);
  }
  return noted;
}
