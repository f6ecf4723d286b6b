// A finished job as the share keeps it: its record, and the receipts of its batches. Nothing of it changes
// any more.
import { mapLimited } from '../../../activities/host/concurrency';
import { hasCode } from '../../../activities/host/error-code';
import type { ShareErrorCode } from '../../../activities/share/files/share-error';
import type { BatchDocuments } from '../../../activities/share/receipt/documents-so-far';
import type { Share, ShownJob } from '../../../activities/share/share';
import { belowJob, nameFiles, type SeenJob, tellBy } from './seen-job';

export interface JobMakers {
  readonly share: Pick<Share, 'name' | 'lookAtJob' | 'readBatch' | 'readDocuments' | 'findMissing'>;
  readonly zone: string;
}

/** Batches that are read together. */
const PARALLEL = 4;

/** By the id of a job, or of a batch of loose files. Undefined when there is none, or it has not ended. */
export async function readFinishedJob(id: string, makers: JobMakers): Promise<SeenJob | undefined> {
  const { share } = makers;
  const job = await share.lookAtJob(id);
  if (job !== undefined) return job.isFinished ? await readJob(job, makers) : undefined;
  const part = await share.readDocuments(id);
  const isLoose = part?.isFinished === true && part.sealed?.manifest.job === undefined;
  return isLoose ? toFilesJob(part, makers) : undefined;
}

/** The job that a finished batch is part of; for loose files, the batch as a job of its own. */
export async function readJobOf(part: BatchDocuments, makers: JobMakers): Promise<SeenJob | 'goes-on'> {
  const ofJob = part.sealed?.manifest.job;
  if (ofJob === undefined) return toFilesJob(part, makers);
  const job = await makers.share.lookAtJob(ofJob.id);
  return job?.isFinished === true ? await readJob(job, makers, part) : 'goes-on';
}

/** @param known one of its batches, if it was read already. */
async function readJob(job: ShownJob, makers: JobMakers, known?: BatchDocuments): Promise<SeenJob> {
  const { share } = makers;
  const parts: BatchDocuments[] = [];
  let unreadable = 0;
  const read = await mapLimited(job.batchIds, PARALLEL, async batchId =>
    batchId === known?.batchId ? known : await readPart(share, batchId),
  );
  for (const part of read) {
    if (part === 'never-was') continue;
    if (part === 'unreadable' || part.sealed === undefined) unreadable += 1;
    else if (part.sealed.manifest.job?.id === job.record.jobId) parts.push(part);
  }
  const seen = { ...toFolderJob(share.name, job, parts, []), unreadable };
  // Nobody can tell which of the files that the register lists came with a batch that cannot be read.
  if (job.record.register === undefined || unreadable > 0) return seen;
  const come = parts.flatMap(({ rows }) => rows.map(({ path }) => belowJob(seen, path)));
  return { ...seen, missing: await share.findMissing(job, come) };
}

/**
 * A batch that was noted for a job. It is noted before its files are claimed: where none could be had, there
 * never was one. `unreadable` also where it cannot be opened just now.
 */
export async function readPart(
  share: Pick<Share, 'readBatch' | 'readDocuments'>,
  batchId: string,
): Promise<BatchDocuments | 'never-was' | 'unreadable'> {
  try {
    const part = await share.readDocuments(batchId);
    if (part !== undefined) return part;
    await share.readBatch(batchId);
  } catch (error) {
    if (hasCode<ShareErrorCode>(error, 'batch-unknown')) return 'never-was';
    if (!hasCode<ShareErrorCode>(error, 'batch-damaged', 'key-differs', 'unreadable-now')) throw error;
  }
  return 'unreadable';
}

export function toFolderJob(
  share: string,
  job: ShownJob,
  parts: readonly BatchDocuments[],
  inLine: readonly string[],
): SeenJob {
  const { record } = job;
  return {
    share,
    id: record.jobId,
    kind: 'folder',
    job,
    parts,
    inLine,
    missing: [],
    unreadable: 0,
    droppedAt: record.createdAt,
    name: record.place,
    by: tellBy(parts),
  };
}

export function toFilesJob(part: BatchDocuments, { share, zone }: JobMakers): SeenJob {
  const droppedAt = part.sealed?.manifest.createdAt ?? momentOf(part.batchId);
  return {
    share: share.name,
    id: part.batchId,
    kind: 'files',
    job: undefined,
    parts: [part],
    inLine: [],
    missing: [],
    unreadable: 0,
    droppedAt,
    name: nameFiles(droppedAt, zone),
    by: tellBy([part]),
  };
}

/** By its id, which has the time of its claim: `20260131-093000-k3f9a2`. */
function momentOf(batchId: string): string {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})/.exec(batchId) ?? [];
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
}
