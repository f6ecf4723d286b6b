// A claim of files of a job, among which its register may be.
import type { DropEntry } from '../drop/scan-drop';
import type { ShareLayout } from '../files/share-layout';
import type { JobRecord } from '../jobs/job-record';
import { isPathOfRegister, takeRegister } from '../jobs/kept-register';
import type { NotClaimed } from './not-claimed';

/**
 * The register of the job is kept by the job, and is no file of a batch. Taken once a batch of the job is
 * noted, so that the job is there until it has come to its end.
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
  // What was saved in its place is told of as a file of the batch.
  if (result === 'another') return entries;
  notClaimed.push({ path: register.path, why: result === 'taken' ? 'gone' : result });
  return entries.filter(entry => entry !== register);
}
