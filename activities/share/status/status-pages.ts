// The status files of jobs, `status/<place>.html` at the root of the share: there from when a job is begun
// until it has its receipt. People and other programs may write in that folder: a page of ours is known by
// the seal in its last line, and nothing else is ever written over or removed.
import { join, relative } from 'node:path';
import { hasCode } from '../../host/error-code';
import { isGone } from '../../host/file-trouble';
import type { StatusFacts } from '../../registers/status/status-facts';
import { writeStatusFile } from '../../registers/status/status-file';
import { ifThere, isThere, openIfThere } from '../files/if-there';
import { inRealFolder } from '../files/real-folder';
import { isBug, type ShareErrorCode, throwIfOfShare, toShareError } from '../files/share-error';
import { Place } from '../files/share-fs';
import type { ShareLayout } from '../files/share-layout';
import { writeOnce, writeOver } from '../files/write-whole';
import { type JobRecord, openJobPaths } from '../jobs/job-record';

const FOLDER = 'status';
const ENDING = '.html';
/** A page names a hundred files under a reason; with many reasons it is larger. */
const MOST_BYTES = 8 * 1024 ** 2;
/** Of a file name, with our ending. */
const LONGEST_NAME = 255;

/** The folder of the pages; undefined where drop, done or attention is called so, or lies in it. */
function folderOf({ root, drop, done, attention }: ShareLayout): string | undefined {
  const folder = join(root, FOLDER);
  const isApart = (other: string) =>
    relative(folder, other).startsWith('..') && relative(other, folder).startsWith('..');
  return [drop, done, attention].every(isApart) ? folder : undefined;
}

function nameOf({ place, jobId }: PageOwner): string {
  const name = `${place}${ENDING}`;
  return Buffer.byteLength(name) <= LONGEST_NAME ? name : `${jobId}${ENDING}`;
}

/** Whose page it is. */
export type PageOwner = Pick<JobRecord, 'place' | 'jobId'>;

/**
 * @param scratch where it lies unfinished: people are not shown the leavings of a crash.
 * @returns false where something that is not ours has its name: that stays, and there is no page.
 */
export async function putStatusPage(
  layout: ShareLayout,
  record: PageOwner,
  facts: StatusFacts,
  scratch: string,
): Promise<boolean> {
  const { fs, root } = layout;
  const folder = folderOf(layout);
  if (folder === undefined) return false;
  const text = seal(layout, record.jobId, writeStatusFile(facts));
  try {
    return await inRealFolder(fs, root, folder, async open => {
      const place = new Place(open, nameOf(record));
      if (await writeOnce(fs, place, text, scratch)) return true;
      if ((await readOwner(layout, place)) !== record.jobId) return false;
      await writeOver(fs, place, text, scratch);
      return true;
    });
  } catch (error) {
    if (hasCode<ShareErrorCode>(error, 'file-refused')) return false;
    // The job has come to its end meanwhile.
    if (isGone(error)) return true;
    throw toShareError(error) ?? error;
  }
}

/** Removes the page of a job that has its receipt. Trouble with it keeps nothing from its end. */
export async function removeStatusPage(layout: ShareLayout, record: JobRecord): Promise<void> {
  await inFolder(layout, async open => {
    await removeIf(layout, new Place(open, nameOf(record)), jobId => jobId === record.jobId);
  }).catch(() => undefined);
}

/**
 * Removes pages of jobs that are not open any more, which a crash has left, and of folders that wait no more.
 * @param waiting owners that are no jobs yet.
 */
export async function sweepStatusPages(layout: ShareLayout, waiting: ReadonlySet<string>): Promise<void> {
  const { fs } = layout;
  await inFolder(layout, async open => {
    for await (const { name } of fs.entries(new Place(open, '.'))) {
      if (!name.toString('latin1').endsWith(ENDING)) continue;
      await removeIf(
        layout,
        new Place(open, name),
        async jobId => !waiting.has(jobId) && !(await isThere(fs, openJobPaths(layout, jobId).record)),
      );
    }
  });
}

/** Works in the folder of the pages where that is a real folder; if it is empty afterwards, it goes. */
async function inFolder(layout: ShareLayout, work: (open: Place['folder']) => Promise<void>): Promise<void> {
  const { fs, root } = layout;
  const folder = folderOf(layout);
  const open = folder === undefined ? undefined : await openIfThere(fs, root, folder);
  if (open === undefined) return;
  try {
    await work(open);
  } finally {
    await open.close();
  }
  const around = await openIfThere(fs, root, root);
  if (around === undefined) return;
  try {
    // It stays when anything lies in it.
    await fs.removeFolder(new Place(around, FOLDER)).catch(() => undefined);
  } finally {
    await around.close();
  }
}

async function removeIf(
  layout: ShareLayout,
  place: Place,
  mayGo: (jobId: string) => boolean | Promise<boolean>,
): Promise<void> {
  const jobId = await readOwner(layout, place);
  if (jobId !== undefined && (await mayGo(jobId))) await ifThere(layout.fs.unlink(place));
}

const SEAL = /\n<!-- drawbridge ([0-9a-f]{20}) ([0-9a-f]+) ([0-9a-f]+) -->\n$/;

function seal({ seals }: ShareLayout, jobId: string, page: string): string {
  const body = page.trimEnd();
  return `${body}\n<!-- drawbridge ${jobId} ${seals.keyId} ${seals.of('status', `${jobId}\n${body}`)} -->\n`;
}

/** The job that a page of ours, as we wrote it, is about; undefined for whatever else lies there. */
async function readOwner({ fs, seals }: ShareLayout, place: Place): Promise<string | undefined> {
  try {
    const text = (await fs.read(place, MOST_BYTES)).toString('utf8');
    const found = SEAL.exec(text);
    const [, jobId, sealedBy, sealed] = found ?? [];
    if (found === null || jobId === undefined || sealedBy === undefined || sealed === undefined)
      return undefined;
    const body = text.slice(0, found.index);
    seals.check('status', 'A status file', { text: `${jobId}\n${body}`, seal: sealed, sealedBy });
    return jobId;
  } catch (error) {
    throwIfOfShare(error);
    if (isBug(error)) throw error;
    return undefined;
  }
}
