// Makes jobs, finds them and closes them. Any number of watchers may do so at one time: a job is made by one
// exclusive write, and closed by another.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ProjectRef } from '../../../workflows/contract';
import type { JobOfBatch } from '../batch/manifest';
import { ifThere, isThere } from '../files/if-there';
import { isMissing } from '../files/missing';
import { NOT_OURS, type OnNotOurs, readMark, toMarkText } from '../files/own-marks';
import { describeTrouble, ShareError, toShareError } from '../files/share-error';
import { isBatchId, listBatchIds, type ShareLayout } from '../files/share-layout';
import { writeOnce } from '../files/write-whole';
import type { BegunWith } from '../register/begun-with';
import { NOTHING_LEFT, writeClosed } from './close-job';
import {
  CLOSED,
  type ClosedJob,
  finishedJobPaths,
  JOB,
  type JobPaths,
  type JobRecord,
  jobIdOf,
  openJobPaths,
  sheetOf,
} from './job-record';
import { formerEndings, namePlaces, withEnding } from './name-place';

export interface OpenJob {
  readonly record: JobRecord;
  /** Nothing more becomes part of it; its receipt is still to come. */
  readonly isClosed: boolean;
}

export interface JobRequest {
  /** The top folder of the drop. */
  readonly folder: string;
  readonly share: string;
  readonly project: ProjectRef;
  readonly now: Date;
  /** What its files come with. */
  readonly begunWith: BegunWith;
}

/**
 * Jobs that have no receipt yet, in no order. What is not ours, spoilt, or cannot be opened just now, goes to
 * `onNotOurs` alone: it keeps no other from being found.
 * @param onUnreadable told the id of each job that goes on and whose record cannot be opened just now.
 */
export async function listJobs(
  layout: ShareLayout,
  onNotOurs: OnNotOurs,
  onUnreadable?: (jobId: string) => void,
): Promise<OpenJob[]> {
  const jobs: OpenJob[] = [];
  try {
    for await (const entry of layout.fs.entries(layout.jobs)) {
      const name = entry.name.toString('utf8');
      // What a crash has left of a job that was discarded.
      if (name.startsWith('.')) continue;
      const paths = openJobPaths(layout, name);
      try {
        const record = await readRecord(layout, paths, onNotOurs);
        if (record === undefined || record === NOT_OURS) continue;
        jobs.push({ record, isClosed: await isThere(layout.fs, paths.closed) });
      } catch (error) {
        const why = describeTrouble(error);
        onNotOurs(paths.record, why);
        // Where the whole folder of the job cannot be opened, it counts as one that goes on.
        if (!(await isThere(layout.fs, paths.closed).catch(() => false))) onUnreadable?.(name);
      }
    }
  } catch (error) {
    throw toShareError(error) ?? error;
  }
  return jobs;
}

/**
 * The job of a top folder that goes on, found by a look at all.
 * @throws ShareError `unreadable-now` where none is found, and one that cannot be opened just now may be it:
 * a new job in its place would be a second one.
 */
export async function findJobOfFolder(
  layout: ShareLayout,
  folder: string,
  now: Date,
  onNotOurs: OnNotOurs,
): Promise<JobRecord | undefined> {
  const unreadable = new Set<string>();
  const jobs = await listJobs(layout, onNotOurs, jobId => unreadable.add(jobId));
  const open = jobs.find(({ record, isClosed }) => !isClosed && record.folder === folder)?.record;
  if (open === undefined) await refuseUnreadable(unreadable, [folder], now);
  return open;
}

/**
 * Those of these top folders that have a job which goes on.
 * @throws ShareError `unreadable-now` where one that cannot be opened just now may be the job of another.
 */
export async function findOpenFolders(
  layout: ShareLayout,
  folders: readonly string[],
  now: Date,
  onNotOurs: OnNotOurs,
): Promise<ReadonlySet<string>> {
  const unreadable = new Set<string>();
  const jobs = await listJobs(layout, onNotOurs, jobId => unreadable.add(jobId));
  const open = new Set(jobs.flatMap(({ record, isClosed }) => (isClosed ? [] : (record.folder ?? []))));
  const others = folders.filter(folder => !open.has(folder));
  await refuseUnreadable(unreadable, others, now);
  return open;
}

/** For folders of which no job was found among those that could be read. */
async function refuseUnreadable(
  unreadable: ReadonlySet<string>,
  folders: readonly string[],
  now: Date,
): Promise<void> {
  if (unreadable.size === 0) return;
  // The same ending for all folders before the next one: most jobs that go on are of the last days, so one of
  // these folders is found without all of the former days of those before it.
  for (const ending of formerEndings(now)) {
    for (const folder of folders) {
      if (unreadable.has(jobIdOf(withEnding(folder, ending))))
        throw new ShareError(
          'unreadable-now',
          `The record of the job of "${folder}" cannot be opened just now.`,
        );
    }
    // It is thousands of hashes for each folder: whatever else this process does goes on meanwhile.
    await setImmediate();
  }
}

/**
 * The job of a top folder: the one that is on its way, or a new one with a place of its own. Files that come
 * with another register than that job's are a new job, and it is closed: a job keeps what it was begun with.
 * @throws ShareError of the whole share.
 */
export async function openJob(
  layout: ShareLayout,
  request: JobRequest,
  onNotOurs: OnNotOurs,
): Promise<JobRecord> {
  const { folder } = request;
  // Most jobs have the folder's own name as their place: by that one is found without a look at all others.
  const open =
    (await findOpen(layout, folder, folder, onNotOurs).catch(throwOfShare)) ??
    (await findJobOfFolder(layout, folder, request.now, onNotOurs));
  if (open !== undefined && !hasAnother(open, request.begunWith)) return open;
  try {
    if (open !== undefined) await writeClosed(layout, open, NOTHING_LEFT, request.now);
    for (const place of namePlaces(request.folder, request.now)) {
      const record = (await isTaken(layout, place))
        ? await findOpenFor(layout, place, request, onNotOurs)
        : await makeJob(layout, place, request, onNotOurs);
      if (record !== undefined) return record;
    }
  } catch (error) {
    throw toShareError(error) ?? error;
  }
  throw new ShareError('bad-request', 'There is no name left for this job.');
}

function throwOfShare(error: unknown): never {
  throw toShareError(error) ?? error;
}

/** Whether files come with a register, or with what is meant as one, that is not the job's. */
function hasAnother(record: JobRecord, { register, unusable, sheet }: BegunWith): boolean {
  const sha256 = sheet && hash('sha256', sheet);
  const isSame = (path: string) => record.register?.path === path && record.register.sha256 === sha256;
  if (register !== undefined) return !isSame(register.path);
  if (unusable === undefined) return false;
  // A register that lies alone by now is the job's all the same: its files have gone ahead of it.
  if (isSame(unusable.path)) return false;
  return record.unusable?.path !== unusable.path || record.unusable.reason.text !== unusable.reason.text;
}

/** Undefined when another job was faster to take the place. */
async function makeJob(
  layout: ShareLayout,
  place: string,
  { folder, share, project, now, begunWith }: JobRequest,
  onNotOurs: OnNotOurs,
): Promise<JobRecord | undefined> {
  const { fs, seals } = layout;
  const jobId = jobIdOf(place);
  const paths = openJobPaths(layout, jobId);
  const { sheet, ...besides } = begunWith;
  const record = {
    version: 1 as const,
    jobId,
    name: folder,
    folder,
    place,
    share,
    project,
    createdAt: now.toISOString(),
    ...besides,
  };
  await fs.makeFolders(layout.own, paths.batches);
  // Before the record: whoever finds that finds what it speaks of.
  if (sheet !== undefined && record.register !== undefined) {
    await writeOnce(fs, sheetOf(paths, record.register.sha256), sheet);
  }
  await writeOnce(fs, paths.record, toMarkText(seals, JOB, jobId, record));
  await fs.syncFolder(layout.jobs);
  // Another watcher may have made it, for the same folder.
  return await findOpen(layout, place, folder, onNotOurs);
}

/** The job that has the place, where it is this folder's and goes on. */
async function findOpen(
  layout: ShareLayout,
  place: string,
  folder: string,
  onNotOurs: OnNotOurs,
): Promise<JobRecord | undefined> {
  const paths = openJobPaths(layout, jobIdOf(place));
  const found = await readRecord(layout, paths, onNotOurs);
  if (found === undefined || found === NOT_OURS || found.folder !== folder) return undefined;
  return (await isThere(layout.fs, paths.closed)) ? undefined : found;
}

/** The same, where another has made it for these files since the jobs were listed. */
async function findOpenFor(
  layout: ShareLayout,
  place: string,
  { folder, begunWith }: JobRequest,
  onNotOurs: OnNotOurs,
): Promise<JobRecord | undefined> {
  const found = await findOpen(layout, place, folder, onNotOurs);
  return found === undefined || hasAnother(found, begunWith) ? undefined : found;
}

/** A job had it, or people have a folder of that name where its files would go. */
async function isTaken(layout: ShareLayout, place: string): Promise<boolean> {
  const { fs, done, attention } = layout;
  // Batches without a job have their folders there under such names.
  if (isBatchId(place)) return true;
  const jobId = jobIdOf(place);
  const known = [
    openJobPaths(layout, jobId).record,
    finishedJobPaths(layout, jobId).folder,
    join(done, place),
    join(attention, place),
  ];
  for (const path of known) if (await isThere(fs, path)) return true;
  return false;
}

async function readRecord(
  { fs, seals }: ShareLayout,
  { record, jobId }: JobPaths,
  onNotOurs: OnNotOurs,
): Promise<JobRecord | typeof NOT_OURS | undefined> {
  return await readMark(fs, seals, JOB, record, jobId, onNotOurs);
}

/** A job, open or finished; undefined when there is none, or none that is ours. */
export async function findJob(
  layout: ShareLayout,
  jobId: string,
  onNotOurs: OnNotOurs,
): Promise<{ readonly record: JobRecord; readonly paths: JobPaths } | undefined> {
  // In this order, for a job moves from the first to the second while we look, never back.
  for (const paths of [openJobPaths(layout, jobId), finishedJobPaths(layout, jobId)]) {
    const record = await readRecord(layout, paths, onNotOurs);
    if (record !== undefined && record !== NOT_OURS) return { record, paths };
  }
  return undefined;
}

/**
 * Notes a batch that is about to claim for a job, before it takes anything. Whoever wants to know all batches
 * of a closed job reads the notes after it was closed, and this looks whether it is closed after the note is
 * there: so one of the two sees the other.
 * @returns which part of the job it is; undefined when nothing more becomes part of that.
 */
export async function noteBatch(
  layout: ShareLayout,
  { jobId, name, place }: JobRecord,
  batchId: string,
): Promise<JobOfBatch | undefined> {
  const { fs } = layout;
  const paths = openJobPaths(layout, jobId);
  if (await isMissing(fs, paths.batches, layout.jobs)) return undefined;
  const before = await listBatchIds(fs, paths.batches);
  await fs.writeNew(join(paths.batches, batchId), '');
  await fs.syncFolder(paths.batches);
  if (await isThere(fs, paths.closed)) return undefined;
  return { id: jobId, name, place, part: before.length + 1 };
}

/** All batches that were ever noted for the job, whatever became of them. */
export async function listNotedBatches(layout: ShareLayout, paths: JobPaths): Promise<string[]> {
  return (await ifThere(listBatchIds(layout.fs, paths.batches))) ?? [];
}

/** How the job was closed; undefined while more may become part of it. */
export async function readClosed(
  { fs, seals }: ShareLayout,
  { closed, jobId }: JobPaths,
  onNotOurs: OnNotOurs,
): Promise<ClosedJob | typeof NOT_OURS | undefined> {
  return await readMark(fs, seals, CLOSED, closed, jobId, onNotOurs);
}

/** A job with what is noted of it; undefined when there is no such job, or none that is ours. */
export async function lookAtJob(layout: ShareLayout, jobId: string, onNotOurs: OnNotOurs) {
  if (!/^[0-9a-f]{20}$/.test(jobId)) return undefined;
  try {
    const job = await findJob(layout, jobId, onNotOurs);
    if (job === undefined) return undefined;
    const closed = await readClosed(layout, job.paths, onNotOurs);
    return {
      record: job.record,
      closed: closed === NOT_OURS ? undefined : closed,
      isFinished: job.paths.folder !== openJobPaths(layout, jobId).folder,
      batchIds: await listNotedBatches(layout, job.paths),
    };
  } catch (error) {
    throw toShareError(error) ?? error;
  }
}
