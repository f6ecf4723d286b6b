// Closes a job: nothing more becomes part of it. Written once, by whoever finds that its folder holds nothing
// more of it.

import { scanDrop } from '../drop/scan-drop';
import { openIfThere, unlinkIfThere } from '../files/if-there';
import { isMissing } from '../files/missing';
import { toMarkText } from '../files/own-marks';
import { placeOf } from '../files/relative-path';
import { isBug, throwIfOfShare, toShareError } from '../files/share-error';
import { Place } from '../files/share-fs';
import type { ShareLayout } from '../files/share-layout';
import { writeOnce } from '../files/write-whole';
import { CLOSED, type ClosedJob, type JobRecord, openJobPaths } from './job-record';
import { noteLeft } from './left-files';

/** How many names of files that were ignored, or left where they are, the mark keeps. */
const MOST_NAMED = 100;
/** How many empty folders are cleared away; more are left where they are. Somebody may make any number. */
const MOST_FOLDERS = 10_000;

interface EndOfJob {
  readonly marker: string;
  /** Files of its folder that are to stay there, by their paths below it. */
  readonly staying: ReadonlySet<string>;
  readonly now: Date;
}

/**
 * Closes a job when its folder holds nothing more of it.
 * @returns the folders that are left there, to be cleared away; undefined while there is something to claim.
 */
export async function closeJob(
  layout: ShareLayout,
  record: JobRecord,
  { marker, staying, now }: EndOfJob,
): Promise<{ readonly folders: readonly string[] } | undefined> {
  const { folder } = record;
  const left = folder === null ? NOTHING_LEFT : await lookInto(layout, folder, { marker, staying });
  if (left.files > 0) return undefined;
  try {
    // What comes into the folder next is another job, which the marker says nothing of.
    if (folder !== null) {
      await removeMarker(layout, folder, marker);
      await noteLeft(layout, folder, staying, new Set(left.stayed));
    }
    await writeClosed(layout, record, left, now);
  } catch (error) {
    throw toShareError(error) ?? error;
  }
  return left;
}

/** Writes the mark that the job is closed. Where another watcher has closed it, its mark counts. */
export async function writeClosed(
  layout: ShareLayout,
  { jobId }: JobRecord,
  { ignored, ignoredInAll, stayed }: Pick<LeftInFolder, 'ignored' | 'ignoredInAll' | 'stayed'>,
  now: Date,
): Promise<void> {
  const { fs, seals, delimiter } = layout;
  const paths = openJobPaths(layout, jobId);
  const content: ClosedJob = {
    version: 1,
    closedAt: now.toISOString(),
    ignored: [...ignored],
    ignoredInAll,
    ...(delimiter === undefined || delimiter === ',' ? {} : { delimiter }),
    ...(stayed.length === 0 ? {} : { left: stayed.slice(0, MOST_NAMED), leftInAll: stayed.length }),
  };
  try {
    await writeOnce(fs, paths.closed, toMarkText(seals, CLOSED, jobId, content));
  } catch (error) {
    // Closed by another watcher, and put away already.
    if (!(await isMissing(fs, paths.folder, layout.jobs))) throw error;
  }
}

interface LeftInFolder {
  readonly files: number;
  /** The first of them. */
  readonly folders: readonly string[];
  /** The first of them, by their paths below the folder. */
  readonly ignored: readonly string[];
  readonly ignoredInAll: number;
  readonly stayed: readonly string[];
}

export const NOTHING_LEFT: LeftInFolder = { files: 0, folders: [], ignored: [], ignoredInAll: 0, stayed: [] };

async function lookInto(
  layout: ShareLayout,
  folder: string,
  { marker, staying }: Pick<EndOfJob, 'marker' | 'staying'>,
): Promise<LeftInFolder> {
  const folders: string[] = [];
  const ignored: string[] = [];
  const stayed: string[] = [];
  let ignoredInAll = 0;
  let files = 0;
  const isMarker = (path: string) => path === `${folder}/${marker}`;
  const onIgnored = (path: string, isFolder: boolean) => {
    if (!isFolder && isMarker(path)) return;
    ignoredInAll += 1;
    if (ignored.length < MOST_NAMED) ignored.push(path.slice(folder.length + 1).slice(0, 8_192));
  };
  const onFolder = (path: string) => {
    if (folders.length < MOST_FOLDERS) folders.push(path);
  };
  const names = scanDrop(layout.fs, layout.drop, { under: folder, onIgnored, onFolder });
  for await (const { path, bytes } of names) {
    if (isMarker(path)) continue;
    const inside = path.slice(folder.length + 1);
    if (bytes === undefined && staying.has(inside)) {
      stayed.push(inside);
      continue;
    }
    files += 1;
    break;
  }
  return { files, folders, ignored, ignoredInAll, stayed };
}

/**
 * A marker that cannot be removed stays: the next job only goes sooner for it. A folder of that name is none.
 * @throws ShareError of the whole share, or a bug.
 */
async function removeMarker(layout: ShareLayout, folder: string, marker: string): Promise<void> {
  try {
    const open = await openIfThere(layout.fs, layout.root, placeOf(layout.drop, { path: folder }));
    if (open === undefined) return;
    try {
      await unlinkIfThere(layout.fs, new Place(open, marker));
    } finally {
      await open.close();
    }
  } catch (error) {
    throwIfOfShare(error);
    if (isBug(error)) throw error;
  }
}
