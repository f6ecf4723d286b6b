// Marks by which a page that shows a share sees that something has changed there: names and times of folders.
// A journal gets a record, a batch its receipt, a job another batch: each changes a folder's time.
import { join } from 'node:path';
import { mapLimited } from '../../host/concurrency';
import { lookIfThere } from '../files/if-there';
import { toShareError } from '../files/share-error';
import { listBatchIds, openBatchPaths, type ShareLayout } from '../files/share-layout';
import { openJobPaths } from '../jobs/job-record';

/** By id. A mark is only ever compared: another one means that something has changed. */
export interface WorkMarks {
  /** Jobs that have no receipt yet. */
  readonly jobs: ReadonlyMap<string, string>;
  /** Batches that are not put away. */
  readonly batches: ReadonlyMap<string, string>;
}

/** How many jobs or batches are looked at together. */
const PARALLEL = 8;

/** @throws ShareError while the share is away. */
export async function lookAtWork(layout: ShareLayout): Promise<WorkMarks> {
  try {
    const jobIds: string[] = [];
    for await (const entry of layout.fs.entries(layout.jobs)) {
      const name = entry.name.toString('utf8');
      if (/^[0-9a-f]{20}$/.test(name)) jobIds.push(name);
    }
    const batchIds = await listBatchIds(layout.fs, layout.batches);
    return {
      jobs: await markAll(layout, jobIds, jobId => {
        const { folder, batches } = openJobPaths(layout, jobId);
        return [folder, batches];
      }),
      batches: await markAll(layout, batchIds, batchId => {
        const { folder, journal, files } = openBatchPaths(layout, batchId);
        return [folder, journal, files];
      }),
    };
  } catch (error) {
    throw toShareError(error) ?? error;
  }
}

/** Without those that have gone meanwhile. */
async function markAll(
  { fs }: ShareLayout,
  ids: readonly string[],
  foldersOf: (id: string) => readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const looked = await mapLimited(ids, PARALLEL, async id => {
    const facts = await Promise.all(foldersOf(id).map(folder => lookIfThere(fs, folder)));
    return { id, facts };
  });
  const marks = new Map<string, string>();
  for (const { id, facts } of looked)
    if (facts[0]?.kind === 'folder') marks.set(id, facts.map(one => one?.mtimeNs ?? '').join(' '));
  return marks;
}

/** Ids of finished jobs, in no order. */
export async function listFinishedJobs({ fs, finishedJobs }: ShareLayout): Promise<readonly string[]> {
  const ids: string[] = [];
  try {
    for await (const shelf of fs.entries(finishedJobs)) {
      const name = shelf.name.toString('utf8');
      if (!/^[0-9a-f]{2}$/.test(name)) continue;
      for await (const entry of fs.entries(join(finishedJobs, name))) {
        const id = entry.name.toString('utf8');
        if (/^[0-9a-f]{20}$/.test(id)) ids.push(id);
      }
    }
  } catch (error) {
    throw toShareError(error) ?? error;
  }
  return ids;
}
