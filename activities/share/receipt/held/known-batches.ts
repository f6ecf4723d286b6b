// Which receipts a job shows, looked at in each round: what can never change of a batch is read once, and a
// receipt so far is looked at, not read.
import { readReceipt } from '../../batch/kept-receipt';
import { lookIfThere } from '../../files/if-there';
import { openBatchPaths, type ShareLayout } from '../../files/share-layout';
import { listNotedBatches } from '../../jobs/job-book';
import type { JobPaths } from '../../jobs/job-record';
import { jobOf, locate } from '../settle-job';

/**
 * What is known of batches, by id. `open`: of the job, without a final receipt yet; `other`: not of the job,
 * somebody has put the name there.
 */
export type KnownBatches = Map<string, 'open' | 'final' | 'other'>;

export interface Shown {
  /** The batches of the job. */
  readonly batchIds: readonly string[];
  /** Another text when one of them shows another receipt. */
  readonly stamp: string;
}

/** Undefined while one of its batches has no receipt at all. */
export async function lookAtShown(
  layout: ShareLayout,
  job: JobPaths,
  known: KnownBatches,
): Promise<Shown | undefined> {
  const batchIds: string[] = [];
  const stamps: string[] = [];
  for (const batchId of await listNotedBatches(layout, job)) {
    const shown = await lookAt(layout, job, batchId, known);
    if (shown === 'nothing yet') return undefined;
    if (shown === 'none') continue;
    batchIds.push(batchId);
    if (shown !== 'final') stamps.push(`${batchId} ${shown.stamp}`);
  }
  return { batchIds, stamp: stamps.join('\n') };
}

async function lookAt(
  layout: ShareLayout,
  { jobId }: JobPaths,
  batchId: string,
  known: KnownBatches,
): Promise<'none' | 'nothing yet' | 'final' | { readonly stamp: string }> {
  const before = known.get(batchId);
  if (before === 'other') return 'none';
  if (before === 'final') return 'final';
  // Looked at before anything is read: a receipt so far that comes later is another one in the next round.
  const facts = await lookIfThere(layout.fs, openBatchPaths(layout, batchId).receiptSoFar);
  const soFar = facts && { stamp: `${facts.identity} ${facts.sizeBytes} ${facts.mtimeNs}` };
  if (before === 'open' && soFar !== undefined) return soFar;
  const paths = await locate(layout, batchId);
  // The batch was noted, but then no file could be had, or all went back.
  if (paths === undefined) return 'none';
  const ofJob = before === undefined ? await jobOf(paths) : jobId;
  if (ofJob === 'not sealed yet') return 'nothing yet';
  if (ofJob !== jobId) {
    known.set(batchId, 'other');
    return 'none';
  }
  const isFinal = (await readReceipt(paths)) !== undefined;
  known.set(batchId, isFinal ? 'final' : 'open');
  return isFinal ? 'final' : (soFar ?? 'nothing yet');
}
