// Brings the files of corrected rows back to the drop folder, together with a register of these rows: both
// come together in a folder of ours, which then goes to the drop folder by one rename. So whoever watches
// that finds all of it or nothing, whatever dies in between. It goes file by file, the register first, only
// where an emptied folder of the name is left there, or the drop folder is on another device. Every step can
// be repeated, by several at one time.
//
//   job's folder   corrections/<sha256>.json   the sealed record: which rows go. Written once, never changed
//   .drawbridge/   corrections/<id>            files and register come together; the record names it
//   corrections/   <id> taken                  what was taken from attention/ for a row, under a random name
//                  <id> moving                 <id>, once it goes file by file: nothing more is added to it
//
// 1. <id> is made, then the record is written: one without <id> and <id> moving has been carried ("over").
// 2. Where people's files lie in the drop folder under the name, it waits with all files where they lie: the
//    next round begins here. So it does after 3, if they came meanwhile.
// 3. A row's file goes from attention/ to <id> taken by one rename, which one process has, and on into <id>.
//    Of a replaced file the old one stays in <id> taken, and the given one goes into <id>.
// 4. If <id> is gone now, another process has carried it, and what 3 found missing means nothing.
// 5. The register is written into <id>. Nothing here makes <id> again: once gone, it must not come back.
// 6. <id> is renamed into the drop folder, or to <id> moving, which goes on from there, whoever finds it.
// 7. What is left in <id> taken goes back to attention/, old files to its folder replaced/.
import { join } from 'node:path';
import { isGone, troubleOf } from '../../../host/file-trouble';
import { writeInThread } from '../../../registers/receipt/write-in-thread';
import type { RegisterNames } from '../../../registers/register-name';
import { pickKinds } from '../../../registers/sheet/cell-kinds';
import type { CsvDialect } from '../../../registers/sheet/csv-dialect';
import { writeCsv } from '../../../registers/write/write-csv';
import type { FileHasher } from '../../../transfer/hashing/hash-file';
import { removeEmptyFolders } from '../../batch/put-back';
import { scanDrop } from '../../drop/scan-drop';
import { isThere } from '../../files/if-there';
import { isMissing } from '../../files/missing';
import { moveFile } from '../../files/move-file';
import { lastNameOf, parentOf, requireInPlace } from '../../files/open-folder';
import type { OnNotOurs } from '../../files/own-marks';
import { inRealFolder } from '../../files/real-folder';
import { comparePaths } from '../../files/relative-path';
import { Place } from '../../files/share-fs';
import { below, type ShareLayout } from '../../files/share-layout';
import { writeOver } from '../../files/write-whole';
import { readLeft } from '../../jobs/left-files';
import { NOTE } from '../held/put-sheet';
import { writeBeside } from '../receipt-files';
import { type Correction, MOVING } from './correction-record';
import { type FinishedJob, nameOfRegister } from './decide-correction';
import { fetchFile, makeInside } from './fetch-file';
import { fetchReplacement, REPLACED } from './fetch-replacement';
import { putTaken, TAKEN } from './take-file';
import { takeBackWaiting } from './waiting-note';

/** How far a correction has come. */
export type Carried =
  /**
   * Its files are in the drop folder now, or none of them could be taken. `went`: those that this process has
   * brought there, below the job's folder. `told`: for people, of each of the others.
   */
  | { readonly kind: 'carried'; readonly went: readonly string[]; readonly told: readonly string[] }
  /** Something else of the folder's name lies in the drop folder: it waits until that is claimed. */
  | { readonly kind: 'waits' }
  /** It was brought to its end before, or by somebody else. */
  | { readonly kind: 'over' };

type Row = Correction['rows'][number];

export interface CarryDeps {
  readonly hasher: FileHasher;
  /** Of the job's register; absent for a workbook. */
  readonly dialect: CsvDialect | undefined;
  readonly onNotOurs: OnNotOurs;
  readonly isNamed: RegisterNames;
}

/** @throws what the share says of itself. */
export async function carryCorrection(
  layout: ShareLayout,
  job: FinishedJob,
  correction: Correction,
  deps: CarryDeps,
): Promise<Carried> {
  const carried = await carry(layout, job, correction, deps);
  if (carried.kind !== 'waits') await putRest(layout, job, correction);
  return carried;
}

/** Puts back what is left of the taken files: old ones that were replaced, and those taken too late to go. */
async function putRest(layout: ShareLayout, job: FinishedJob, { folder, rows }: Correction): Promise<void> {
  const own = folder && join(layout.corrections, folder);
  if (own === undefined || !(await isThere(layout.fs, `${own}${TAKEN}`))) return;
  for (const row of rows) {
    const path = row.upload === undefined ? row.path : `${REPLACED}/${row.path}`;
    await putTaken(layout, job.record.place, own, row, path);
  }
}

async function carry(
  layout: ShareLayout,
  job: FinishedJob,
  correction: Correction,
  deps: CarryDeps,
): Promise<Carried> {
  const { fs } = layout;
  const { folder } = job.record;
  const register = nameOfRegister(job.record, correction.rows, deps.isNamed);
  if (correction.folder === undefined || folder === null || register === undefined) return { kind: 'over' };
  const own = join(layout.corrections, correction.folder);
  const moving = `${own}${MOVING}`;
  const target = join(layout.drop, folder);
  try {
    if (await isThere(fs, moving)) return await moveIn(layout, moving, target, register);
    if (await isMissing(fs, own, layout.own)) return { kind: 'over' };
    // Before a file is fetched: until it can go, people have their files where they know them. Where none is
    // left to be fetched, nothing is to be waited for with saying so.
    const mayFetch = await isAnyLying(layout, job, correction.rows);
    if (mayFetch && (await isInUse(layout, folder, deps.onNotOurs))) return await toWaiting(layout, own);
    const told = [...correction.told];
    const rows: Row[] = [];
    for (const row of correction.rows) {
      const trouble = await (row.upload === undefined
        ? fetchFile(layout, job, own, row, deps.hasher)
        : fetchReplacement(layout, job, own, { ...row, upload: row.upload }, deps.hasher));
      if (trouble === undefined) rows.push(row);
      else told.push(trouble);
    }
    // If our folder is gone, another watcher has brought all on its way, and the looks above mean nothing.
    if (await isMissing(fs, own, layout.own)) return { kind: 'over' };
    if (rows.length === 0) {
      await takeBackWaiting(layout, job, correction);
      await tellBeside(layout, job, correction, told);
      await removeEmptyFolders(fs, own);
      return { kind: 'carried', went: [], told };
    }
    if (await isInUse(layout, folder, deps.onNotOurs)) return await toWaiting(layout, own);
    await takeBackWaiting(layout, job, correction);
    await writeRegister(layout, job, own, register, { correction, rows, deps });
    await tellBeside(layout, job, correction, told);
    if (!(await renameWhole(layout, correction.folder, folder))) {
      // Under this name nothing more is added to the folder: what is in it goes its way, file by file.
      await fs.rename(own, moving);
      await moveIn(layout, moving, target, register);
    }
    return { kind: 'carried', went: rows.map(({ path }) => path), told };
  } catch (error) {
    const isOver = isGone(error) && (await isMissing(fs, own, layout.own)) && !(await isThere(fs, moving));
    if (isOver) return { kind: 'over' };
    throw error;
  }
}

async function isAnyLying(
  { fs, attention }: ShareLayout,
  { record }: FinishedJob,
  rows: readonly Row[],
): Promise<boolean> {
  for (const { path } of rows) {
    if (await isThere(fs, below(join(attention, record.place), path))) return true;
  }
  return false;
}

/** The name is in use: perhaps by what somebody else has just brought there. */
async function toWaiting({ fs, own: ours }: ShareLayout, own: string): Promise<Carried> {
  return (await isMissing(fs, own, ours)) ? { kind: 'over' } : { kind: 'waits' };
}

/** Whether people's files lie in the drop folder under this name: they would be taken for part of it. */
async function isInUse(layout: ShareLayout, folder: string, onNotOurs: OnNotOurs): Promise<boolean> {
  // Files that no row was about do not count: they may stay there for good.
  const left = await readLeft(layout, folder, onNotOurs);
  for await (const { path } of scanDrop(layout.fs, layout.drop, { under: folder })) {
    if (!left.has(path.slice(folder.length + 1))) return true;
  }
  return false;
}

/**
 * Between two folders that are held: a link that somebody puts in the place of the drop folder leads nowhere.
 * @returns false where the name is taken, by a folder with a forgotten `Thumbs.db`, say; or on another
 * device.
 */
async function renameWhole(layout: ShareLayout, own: string, target: string): Promise<boolean> {
  const { fs, root, drop, corrections } = layout;
  return await inRealFolder(fs, layout.own, corrections, async ours => {
    return await inRealFolder(fs, root, drop, async theirs => {
      const [from, to] = [new Place(ours, own), new Place(theirs, target)];
      if (await isThere(fs, to)) return false;
      await requireInPlace(from, to);
      try {
        await fs.rename(from, to);
      } catch (error) {
        const trouble = troubleOf(error);
        if (trouble === 'taken' || trouble === 'not-empty' || trouble === 'other-device') return false;
        throw error;
      }
      await requireInPlace(from, to).catch(async error => {
        // Where folders cannot be held: the name led there, and leads back from there.
        await fs.rename(to, from).catch(() => undefined);
        throw error;
      });
      await fs.syncFolder(new Place(theirs, '.'));
      return true;
    });
  });
}

/** The register first: it waits for the files that it lists, but they would go without it. */
async function moveIn(
  layout: ShareLayout,
  moving: string,
  target: string,
  register: string,
): Promise<Carried> {
  const { fs, root } = layout;
  const paths: string[] = [];
  for await (const { path } of scanDrop(fs, moving)) paths.push(path);
  const others = paths.filter(path => path !== register).sort(comparePaths);
  for (const path of [...(paths.includes(register) ? [register] : []), ...others]) {
    await inRealFolder(fs, root, parentOf(below(target, path)), async folder => {
      const place = new Place(folder, lastNameOf(path));
      await moveFile(fs, below(moving, path), place, { isDrop: true });
      await fs.syncFolder(new Place(folder, '.'));
    });
  }
  await removeEmptyFolders(fs, moving);
  return { kind: 'carried', went: others, told: [] };
}

async function writeRegister(
  layout: ShareLayout,
  { record }: FinishedJob,
  own: string,
  path: string,
  made: { readonly correction: Correction; readonly rows: readonly Row[]; readonly deps: CarryDeps },
): Promise<void> {
  const { headers } = made.correction;
  const cells = made.rows.map(row => row.cells);
  const kinds = made.rows.map(pickKinds);
  const { dialect } = made.deps;
  const title = `Corrected rows of ${record.name}`;
  const bytes =
    dialect === undefined
      ? await writeInThread({
          kind: 'corrected-workbook',
          corrected: { title, headers, rows: cells, kinds },
        })
      : writeCsv([headers, ...cells], dialect).bytes;
  await makeInside(layout, own, path);
  await writeOver(layout.fs, below(own, path), bytes, layout.corrections);
}

/** Writes what was not taken up, and why, beside the sheet, where people look for it. */
export async function tellBeside(
  layout: ShareLayout,
  { record, paths }: FinishedJob,
  { sheet, rows }: Correction,
  told: readonly string[],
): Promise<void> {
  if (told.length === 0) return;
  const { fs, root } = layout;
  const text = [
    `${sheet} was read.`,
    ...(rows.length === 0 ? ['Nothing of it was taken up.'] : ['What is not named here was taken up.']),
    '',
    ...told,
    '',
  ].join('\r\n');
  await inRealFolder(fs, root, join(layout.attention, record.place), async open => {
    await writeBeside({ fs, folder: paths.folder }, new Place(open, NOTE), text);
  });
}
