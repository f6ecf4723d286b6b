// A claim of files of a job, among which its register may be.
import { MAX_BATCH_DOCUMENTS } from '../../../workflows/contract';
import type { DropEntry } from '../drop/scan-drop';
import type { ShareLayout } from '../files/share-layout';
import type { JobRecord } from '../jobs/job-record';
import { isPathOfRegister, takeRegister } from '../jobs/kept-register';
import type { NotClaimed } from './not-claimed';

/** How many of the wanted files would be files of the batch. */
export function countFiles(job: JobRecord | undefined, wanted: readonly (string | DropEntry)[]): number {
  if (job === undefined) return wanted.length;
  return wanted.filter(one => !isPathOfRegister(job, typeof one === 'string' ? { path: one } : one)).length;
}

/**
 * The register of the job is kept by the job, and is no file of a batch. It is taken only after a batch of
 * the job is noted, so that the job is not put away before.
 */
export async function withoutRegister(
  layout: ShareLayout,
  job: JobRecord | undefined,
  entries: readonly DropEntry[],
  notClaimed: NotClaimed[],
): Promise<readonly DropEntry[]> {
  const register = job && entries.find(entry => isPathOfRegister(job, entry));
  if (job === undefined || register === undefined) return entries;
  const result = await takeRegister(layout, job, register);
  // Another sheet that was saved in its place becomes a file of this batch, or of the next if this is full.
  if (result === 'another' && entries.length <= MAX_BATCH_DOCUMENTS) return entries;
  const why = result === 'taken' ? 'gone' : result === 'another' ? 'changed' : result;
  notClaimed.push({ path: register.path, why });
  return entries.filter(entry => entry !== register);
}
