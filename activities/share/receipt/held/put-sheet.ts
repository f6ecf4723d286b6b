// The sheet in which held rows are corrected, and what is told of it, among people's files: never over what a
// person has put there, or changed and not been answered for, and gone when nothing is held any more.
import { basename, dirname, extname, join } from 'node:path';
import type { Receipt } from '../../batch/kept-receipt';
import { openIfThere } from '../../files/if-there';
import { withSuffix } from '../../files/move-file';
import type { OnNotOurs } from '../../files/own-marks';
import { inRealFolder } from '../../files/real-folder';
import { toShareError } from '../../files/share-error';
import { Place, type ShareFs } from '../../files/share-fs';
import type { ShareLayout } from '../../files/share-layout';
import { writeOnce, writeOver } from '../../files/write-whole';
import type { JobPaths, JobRecord } from '../../jobs/job-record';
import { isDropped } from '../dropped-name';
import { nameToCorrect } from '../job-sheets';
import { hash } from '../receipt-files';
import { isOpenElsewhere, listNames } from '../sheet-sightings';
import { type HeldMarks, notePut, readHeldMarks } from './held-marks';

/** What was not taken up is told in it. */
export const NOTE = 'corrections.txt';
const MOST_BYTES = 64 * 1024 ** 2;

export interface JobOfSheet {
  readonly record: JobRecord;
  readonly paths: JobPaths;
}

/** Ours, or one of a person of which all that was changed was answered. */
function isReplaceable(sha256: string, { put, saved }: Pick<HeldMarks, 'put' | 'saved'>): boolean {
  if (put.has(sha256)) return true;
  return saved.some(each => each.sha256 === sha256 && each.told.length === 0);
}

/** @returns false when something lies there that is to be read first, or is open in a program. */
export async function putOurs(
  layout: ShareLayout,
  { record, paths }: JobOfSheet,
  name: string,
  content: string | Buffer,
  marks: HeldMarks,
): Promise<boolean> {
  const { fs, root } = layout;
  const sha256 = hash(content);
  return await inRealFolder(fs, root, join(layout.attention, record.place), async folder => {
    const names = await listNames(fs, folder);
    for (let turn = 1; ; turn += 1) {
      const each = withSuffix(name, turn).toString();
      const place = new Place(folder, each);
      const lying = names.includes(each) ? await hashOf(fs, place) : undefined;
      if (lying === sha256) return true;
      const isFree = !names.includes(each);
      if (isFree || (lying !== undefined && isReplaceable(lying, marks))) {
        if (isOpenElsewhere(each, names)) return false;
        await notePut(layout, paths, sha256);
        if (isFree) return await writeOnce(fs, place, content, paths.folder);
        await writeOver(fs, place, content, paths.folder);
        return true;
      }
      const isRead = name === NOTE || marks.saved.some(each => each.sha256 === lying);
      if (!isRead) return false;
    }
  });
}

/** Nothing is held any more. What a person changed, and was not answered for, stays. */
export async function removeHeldSheets(
  layout: ShareLayout,
  { record, paths }: JobOfSheet,
  receipts: readonly Receipt[],
  onNotOurs: OnNotOurs,
): Promise<void> {
  const { fs, root } = layout;
  const marks = await readHeldMarks(layout, paths, onNotOurs);
  if (marks.put.size === 0) return;
  const path = join(layout.attention, record.place);
  const folder = await openIfThere(fs, root, path);
  if (folder === undefined) return;
  try {
    const names = await listNames(fs, folder);
    const wanted = [nameToCorrect(record.register?.path, receipts), NOTE];
    for (const name of names.filter(each => isDropped(each) || wanted.some(one => isCalled(each, one)))) {
      const place = new Place(folder, name);
      const lying = await hashOf(fs, place);
      if (lying === undefined || !isReplaceable(lying, marks)) continue;
      await fs.unlink(place).catch(error => {
        if (toShareError(error) !== undefined) throw error;
      });
    }
  } finally {
    await folder.close();
  }
  const parent = await openIfThere(fs, root, dirname(path));
  if (parent === undefined) return;
  // It stays when anything lies in it.
  await fs.removeFolder(new Place(parent, basename(path))).catch(() => undefined);
  await parent.close();
}

/** By this name, or as it is called beside one that stays: `name (2).xlsx`. */
export function isCalled(name: string, wanted: string): boolean {
  const ending = extname(wanted);
  const stem = wanted.slice(0, wanted.length - ending.length);
  if (!name.startsWith(stem) || !name.endsWith(ending)) return false;
  return /^(?: \(\d+\))?$/.test(name.slice(stem.length, name.length - ending.length));
}

async function hashOf(fs: ShareFs, place: Place): Promise<string | undefined> {
  try {
    return hash(await fs.read(place, MOST_BYTES));
  } catch (error) {
    const away = toShareError(error);
    if (away !== undefined) throw away;
    return undefined;
  }
}
