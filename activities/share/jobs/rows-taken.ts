// The rows of a job's register that files of its batches have.
import { hasCode } from '../../host/error-code';
import { readManifest } from '../batch/manifest';
import { locateBatch } from '../batch/read-batch';
import type { ShareErrorCode } from '../files/share-error';
import type { ShareLayout } from '../files/share-layout';
import { listNotedBatches } from './job-book';
import type { JobPaths } from './job-record';

/** By the manifests of all batches of the job but one. */
export async function listRowsTaken(
  layout: ShareLayout,
  paths: JobPaths,
  exceptBatchId: string,
): Promise<ReadonlySet<number>> {
  const taken = new Set<number>();
  for (const batchId of await listNotedBatches(layout, paths)) {
    if (batchId === exceptBatchId) continue;
    for (const number of await rowsOf(layout, batchId, paths.jobId)) taken.add(number);
  }
  return taken;
}

async function rowsOf(layout: ShareLayout, batchId: string, jobId: string): Promise<readonly number[]> {
  try {
    const located = await locateBatch(layout, batchId);
    const { manifest } = await readManifest({ ...located, project: undefined });
    if (manifest.job?.id !== jobId) return [];
    return manifest.files.flatMap(({ entry }) => entry?.row?.number ?? []);
  } catch (error) {
    // Not sealed yet, or never.
    if (hasCode<ShareErrorCode>(error, 'batch-unknown')) return [];
    throw error;
  }
}
