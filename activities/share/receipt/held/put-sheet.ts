// The sheet in which held rows are corrected, and what is told of it, among people's files: never over what a
// person has put there, or changed and not been answered for, and gone when nothing is held any more.
import { basename, dirname, extname, join } from 'node:path';
import type { Receipt } from '../../batch/kept-receipt';
import { openIfThere } from '../../files/if-there';
import { moveFile, withSuffix } from '../../files/move-file';
import type { OnNotOurs } from '../../files/own-marks';
import { inRealFolder } from '../../files/real-folder';
import { toShareError } from '../../files/share-error';
import { type OpenFolder, Place, type ShareFs } from '../../files/share-fs';
import type { ShareLayout } from '../../files/share-layout';
import { writeOnce, writeOver } from '../../files/write-whole';
import type { JobPaths, JobRecord } from '../../jobs/job-record';
import { isDropped } from '../dropped-name';
import { nameToCorrect } from '../job-sheets';
import { hash } from '../receipt-files';
import { isOpenElsewhere, listNames } from '../sheet-sightings';
import { type HeldMarks, notePut, readHeldMarks } from './held-marks';

/** The file that tells what was not taken up. */
export const NOTE = 'corrections.txt';
const MOST_BYTES = 64 * 1024 ** 2;

export interface JobOfSheet {
  readonly record: JobRecord;
  readonly paths: JobPaths;
}

/**
 * `spent`: ours, or one of a person of which all that was changed was taken up. `in-part`: what was not taken
 * up of it was told, and what was refused of it stands in the sheet that is made next. `not-taken`: nothing
 * of it was an answer, and that was told: it is the sheet to go on with.
 */
type Stand = 'spent' | 'in-part' | 'not-taken' | 'not-ours';

function standOf(sha256: string, { put, saved, answered }: HeldMarks): Stand {
  const read = saved.find(each => each.sha256 === sha256);
  const isRefused = (answered.get(sha256)?.refused.length ?? 0) > 0;
  if (put.has(sha256) || (read?.told.length === 0 && !isRefused)) return 'spent';
  // Without headers it was no sheet of this job, or could not be read.
  if (read === undefined || read.headers.length === 0 || !answered.has(sha256)) return 'not-ours';
  return read.rows.length > 0 || read.isOutdated === true ? 'in-part' : 'not-taken';
}

/**
 * A note is always put, beside what cannot be replaced: what it tells is told once.
 * @returns false when a sheet lies there that is to be read first, or is open in a program.
 */
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
      const stand = lying === undefined ? 'not-ours' : standOf(lying, marks);
      if (stand === 'not-taken') return true;
      const mayGoHere = !names.includes(each) || stand !== 'not-ours';
      const isOpen = isOpenElsewhere(each, names);
      if (mayGoHere && isOpen && name !== NOTE) return false;
      if (mayGoHere && !isOpen) {
        await notePut(layout, paths, sha256);
        if (stand === 'spent') await writeOver(fs, place, content, paths.folder);
        else if (lying !== undefined && !(await setAside(layout, paths, place, lying))) return false;
        else if (!(await writeOnce(fs, place, content, paths.folder))) {
          if (name === NOTE) continue;
          return false;
        }
        const others = names.filter(other => other !== each && isSheetOf(other, name));
        await clear(layout, paths, folder, { names: others, marks, all: names });
        return true;
      }
      const isRead = name === NOTE || marks.saved.some(each => each.sha256 === lying);
      if (!isRead) return false;
    }
  });
}

/** Called when nothing is held any more. A sheet that was not read yet, or is of another job, stays. */
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
    const sheets = names.filter(each => wanted.some(one => isSheetOf(each, one)));
    await clear(layout, paths, folder, { names: sheets, marks });
  } finally {
    await folder.close();
  }
  const parent = await openIfThere(fs, root, dirname(path));
  if (parent === undefined) return;
  // It stays when anything lies in it.
  await fs.removeFolder(new Place(parent, basename(path))).catch(() => undefined);
  await parent.close();
}

/** Takes our note away, under whichever name it lies, as long as it is as we wrote it. */
export async function takeAwayNote(layout: ShareLayout, place: string, text: string): Promise<void> {
  const { fs, root } = layout;
  const folder = await openIfThere(fs, root, join(layout.attention, place));
  if (folder === undefined) return;
  try {
    const sha256 = hash(text);
    for (const name of await listNames(fs, folder)) {
      const note = new Place(folder, name);
      if (isCalled(name, NOTE) && (await hashOf(fs, note)) === sha256) await fs.unlink(note);
    }
  } finally {
    await folder.close();
  }
}

/**
 * Takes away what is done with, so that nobody has to choose. `all`: the names of all that lies there; given
 * while rows are held, for then a sheet that somebody works on stays.
 */
async function clear(
  layout: ShareLayout,
  paths: JobPaths,
  folder: OpenFolder,
  what: { readonly names: readonly string[]; readonly marks: HeldMarks; readonly all?: readonly string[] },
): Promise<void> {
  const { fs } = layout;
  for (const name of what.names) {
    const place = new Place(folder, name);
    const lying = await hashOf(fs, place);
    const stand = lying === undefined ? 'not-ours' : standOf(lying, what.marks);
    if (lying === undefined || stand === 'not-ours') continue;
    // Somebody works on it.
    if (what.all !== undefined && (stand === 'not-taken' || isOpenElsewhere(name, what.all))) continue;
    if (stand !== 'spent') {
      await setAside(layout, paths, place, lying);
      continue;
    }
    await fs.unlink(place).catch(error => {
      if (toShareError(error) !== undefined) throw error;
    });
  }
}

/**
 * What a person typed and nobody took up is kept with the job.
 * @returns false where it was saved anew meanwhile, and lies there still.
 */
async function setAside(
  { fs, own }: ShareLayout,
  paths: JobPaths,
  place: Place,
  sha256: string,
): Promise<boolean> {
  const kept = await fs.openFolder(own, join(paths.folder, 'held'));
  try {
    const to = new Place(kept, `${sha256}${extname(place.name.toString())}`);
    const moved = await moveFile(fs, place, to, { isOfPeople: true });
    if (moved === undefined || (await hashOf(fs, moved)) === sha256) return true;
    await moveFile(fs, moved, place);
    return false;
  } finally {
    await kept.close();
  }
}

function isSheetOf(name: string, wanted: string): boolean {
  return isCalled(name, wanted) || (wanted !== NOTE && isDropped(name));
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
