// The receipts of all batches that were put away, one after the other: a share has a year of them and more,
// so none is kept here.
import { join } from 'node:path';
import { forEachLimited } from '../../host/concurrency';
import { isGone } from '../../host/file-trouble';
import { requireMissing } from '../files/missing';
import { comparePaths } from '../files/relative-path';
import { type ShareError, toShareError } from '../files/share-error';
import { finishedBatchPaths, isBatchId, type ShareLayout } from '../files/share-layout';
import { type Receipt, readReceipt } from './kept-receipt';

const PARALLEL = 4;

export interface ReadFinishedOptions {
  readonly onReceipt: (receipt: Receipt) => void;
  /** Batches of which there is none, or none that can be believed. */
  readonly onBad: (batchId: string, why: string) => void;
  /** After each batch. */
  readonly onProgress?: (progress: { readonly month: string; readonly batches: number }) => void;
}

/** The oldest month first. @throws ShareError while the share is away. */
export async function readFinished(layout: ShareLayout, options: ReadFinishedOptions): Promise<void> {
  let batches = 0;
  for (const month of await listFinished(layout, layout.finished, isMonth)) {
    const batchIds = await listFinished(layout, join(layout.finished, month), isBatchId);
    await forEachLimited(batchIds, PARALLEL, async batchId => {
      try {
        const receipt = await readReceipt(finishedBatchPaths(layout, batchId));
        if (receipt === undefined) options.onBad(batchId, `Batch ${batchId} has no receipt.`);
        else options.onReceipt(receipt);
      } catch (error) {
        const trouble = toShareError(error);
        if (trouble === undefined || !(isOfOneBatch(trouble) || trouble.code === 'unreadable-now'))
          throw trouble ?? error;
        options.onBad(batchId, trouble.message);
      }
      batches += 1;
      options.onProgress?.({ month, batches });
    });
  }
}

const IS_OF_ONE_BATCH: ReadonlySet<string> = new Set([
  'batch-damaged',
  'batch-unknown',
  'key-differs',
  'manifest-differs',
]);

/** Nothing that concerns the others, or that another look can cure. */
export function isOfOneBatch({ code }: ShareError): boolean {
  return IS_OF_ONE_BATCH.has(code);
}

/** Folders of finished batches are called by their months. */
export function isMonth(name: string): boolean {
  return /^\d{6}$/.test(name);
}

/** Names in a folder of finished batches, in order; none where it is not there. */
export async function listFinished(
  layout: ShareLayout,
  folder: string,
  isWanted: (name: string) => boolean,
): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of layout.fs.entries(folder)) {
      const name = entry.name.toString('utf8');
      if (isWanted(name)) names.push(name);
    }
  } catch (error) {
    if (!isGone(error)) throw toShareError(error) ?? error;
    await requireMissing(layout.fs, folder, layout.batches);
  }
  return names.sort(comparePaths);
}
