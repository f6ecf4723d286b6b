// The receipts of all batches that were put away, one after the other: a share has a year of them and more,
// so none is kept here.
import { join } from 'node:path';
import { isGone } from '../../host/file-trouble';
import { requireMissing } from '../files/missing';
import { comparePaths } from '../files/relative-path';
import { type ShareError, type ShareErrorCode, toShareError } from '../files/share-error';
import { finishedBatchPaths, isBatchId, type ShareLayout } from '../files/share-layout';
import { type Receipt, readReceipt } from './kept-receipt';

/**
 * How many receipts are read at one time. They are handed on in order, and no more than these are in memory:
 * so each few wait for the slowest of them.
 */
const PARALLEL = 8;

export interface ReadFinishedOptions {
  readonly onReceipt: (receipt: Receipt) => void;
  /** For batches that have no receipt, or none that can be believed. */
  readonly onBad: (batchId: string, why: string) => void;
  /** Called after every few batches; `batches` is how many were read so far. */
  readonly onProgress?: (progress: { readonly month: string; readonly batches: number }) => void;
}

/** In the order in which they were claimed. @throws ShareError while the share is away. */
export async function readFinished(layout: ShareLayout, options: ReadFinishedOptions): Promise<void> {
  let batches = 0;
  for (const month of await listFinished(layout, layout.finished, isMonth)) {
    const batchIds = await listFinished(layout, join(layout.finished, month), isBatchId);
    for (let from = 0; from < batchIds.length; from += PARALLEL) {
      const some = batchIds.slice(from, from + PARALLEL);
      for (const read of await Promise.all(some.map(batchId => readOne(layout, batchId)))) {
        if ('why' in read) options.onBad(read.batchId, read.why);
        else options.onReceipt(read);
      }
      batches += some.length;
      options.onProgress?.({ month, batches });
    }
  }
}

/** Ids of all of them, the oldest month first. @throws ShareError while the share is away. */
export async function listFinishedBatches(layout: ShareLayout): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const month of await listFinished(layout, layout.finished, isMonth)) {
    for (const id of await listFinished(layout, join(layout.finished, month), isBatchId)) ids.push(id);
  }
  return ids;
}

async function readOne(
  layout: ShareLayout,
  batchId: string,
): Promise<Receipt | { readonly batchId: string; readonly why: string }> {
  try {
    const receipt = await readReceipt(finishedBatchPaths(layout, batchId));
    return receipt ?? { batchId, why: `Batch ${batchId} has no receipt.` };
  } catch (error) {
    const trouble = toShareError(error);
    const isOfIt = trouble !== undefined && (isOfOneBatch(trouble) || trouble.code === 'unreadable-now');
    if (!isOfIt) throw trouble ?? error;
    return { batchId, why: trouble.message };
  }
}

const IS_OF_ONE_BATCH: ReadonlySet<ShareErrorCode> = new Set([
  'batch-damaged',
  'batch-unknown',
  'key-differs',
  'manifest-differs',
]);

/** Whether it concerns one batch alone, and no later look can cure it. */
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
