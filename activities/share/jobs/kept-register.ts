// The register of a job: its sheet as the job reads it, and the file itself, which the job keeps from when it
// is taken out of the drop folder until it goes back to people with the receipt.
import { hash } from 'node:crypto';
import { codeOf } from '../../host/error-code';
import { isBusy, isPassing } from '../../host/file-trouble';
import { keepFew } from '../../host/keep-few';
import { USUAL_FIELDS } from '../../registers/column-words';
import { findRegister, type Register } from '../../registers/find-register';
import type { SheetFile } from '../../registers/sheet/grid';
import { readSheet } from '../../registers/sheet/read-sheet';
import { SheetError } from '../../registers/sheet/sheet-error';
import { SHEET_LIMITS } from '../../registers/sheet/sheet-limits';
import type { DropEntry } from '../drop/scan-drop';
import { lookIfThere, openIfThere, unlinkIfThere } from '../files/if-there';
import { moveFile } from '../files/move-file';
import { lastNameOf, parentOf } from '../files/open-folder';
import { inRealFolder } from '../files/real-folder';
import { nameOf, placeOf, type RelativePath } from '../files/relative-path';
import { ShareError, toShareError, troubleOfOne } from '../files/share-error';
import { Place } from '../files/share-fs';
import { below, type ShareLayout } from '../files/share-layout';
import type { RegisterOfJob } from '../register/begun-with';
import type { RegisterWords } from '../register/find-job-register';
import { openSheetFile } from '../register/open-sheet';
import { type JobPaths, type JobRecord, openJobPaths, sheetOf } from './job-record';

/** What the copy of a register says. */
export interface KeptRegister {
  readonly bytes: Buffer;
  readonly file: SheetFile;
  readonly register: Register;
}

/** How many sheets are kept in memory: those of a few jobs whose batches come in turn. */
const MOST_READ = 4;

export class KeptRegisters {
  readonly #words: RegisterWords;
  readonly #read = new Map<string, KeptRegister>();

  constructor(words: RegisterWords) {
    this.#words = words;
  }

  /**
   * @throws ShareError `batch-damaged` when it is not the one that the job was begun with; `unreadable-now`
   * when it cannot be opened for the moment.
   */
  async read({ fs }: ShareLayout, paths: JobPaths, { path, sha256 }: RegisterOfJob): Promise<KeptRegister> {
    const key = `${paths.jobId} ${sha256}`;
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const bytes = await fs.read(sheetOf(paths, sha256), SHEET_LIMITS.packedBytes).catch(error => {
      throw (
        toShareError(error) ??
        (isPassing(error) || isBusy(error) ? notNow(path, error) : damaged(path, error))
      );
    });
    if (hash('sha256', bytes) !== sha256) throw damaged(path);
    const file = await readSheet(bytes, path).catch(error => {
      throw error instanceof SheetError ? damaged(path, error) : error;
    });
    const { isNamed, synonyms } = this.#words;
    const finding = findRegister(file, isNamed(path), { fields: USUAL_FIELDS, isComplete: false, synonyms });
    if (finding.kind !== 'register') throw damaged(path);
    const kept = { bytes, file, register: finding.register };
    keepFew(this.#read, key, kept, MOST_READ);
    return kept;
  }
}

function damaged(path: string, cause?: unknown): ShareError {
  const text = `What a job keeps of its register ${nameOf(path)} is not as it was read.`;
  return new ShareError('batch-damaged', text, cause);
}

function notNow(path: string, cause: unknown): ShareError {
  const text = `What a job keeps of its register ${nameOf(path)} cannot be read just now (${codeOf(cause)}).`;
  return new ShareError('unreadable-now', text, cause);
}

/** Whether this is the path of the job's register, below the drop folder. */
export function isPathOfRegister({ folder, register }: JobRecord, { path, bytes }: RelativePath): boolean {
  if (register === undefined || bytes !== undefined) return false;
  return path === (folder === null ? register.path : `${folder}/${register.path}`);
}

/**
 * Takes the register of a job out of the drop folder, to be kept by the job.
 * @returns `another` when it is not the one that the job was begun with, or that one was taken before.
 * Otherwise why it could not be had.
 */
export async function takeRegister(
  layout: ShareLayout,
  { jobId, register }: JobRecord,
  entry: DropEntry,
): Promise<'taken' | 'another' | 'gone' | 'busy' | 'changed' | 'impossible'> {
  if (register === undefined || entry.kind !== 'file') return 'another';
  const { fs, root } = layout;
  const path = placeOf(layout.drop, entry);
  const drop = await openIfThere(fs, root, parentOf(path));
  if (drop === undefined) return 'gone';
  try {
    const from = new Place(drop, lastNameOf(path));
    const bytes = await openSheetFile(
      layout,
      layout.drop,
      { path: entry.path, facts: entry },
      SHEET_LIMITS.packedBytes,
    );
    if (hash('sha256', bytes) !== register.sha256) return 'another';
    return await inRealFolder(fs, layout.own, openJobPaths(layout, jobId).register, async folder => {
      const to = new Place(folder, nameOf(register.path));
      const [kept, now] = [await lookIfThere(fs, to), await lookIfThere(fs, from)];
      // A crash in the middle of its move has left it under both names; on two devices as a copy.
      if (kept !== undefined && kept.identity !== now?.identity) {
        if (kept.sizeBytes !== now?.sizeBytes || kept.mtimeNs !== now.mtimeNs) return 'another';
        await unlinkIfThere(fs, from);
        return 'taken';
      }
      const moved = await moveFile(fs, from, to, { isOfPeople: true });
      if (moved === undefined) return 'gone';
      await fs.syncFolder(new Place(folder, '.'));
      const { sizeBytes, mtimeNs } = await fs.look(moved);
      if (sizeBytes === entry.sizeBytes && mtimeNs === entry.mtimeNs) return 'taken';
      // It was saved anew in the moment of its move: it goes back.
      await moveFile(fs, moved, from, { isDrop: true });
      return 'changed';
    });
  } catch (error) {
    if (error instanceof SheetError) return error.code === 'too-large' ? 'another' : 'changed';
    if (isBusy(error)) return 'busy';
    const trouble = troubleOfOne(error);
    // Its folder was exchanged meanwhile, or it may not be moved: the others go on without it.
    return trouble === undefined ? 'impossible' : 'changed';
  } finally {
    await drop.close();
  }
}

/** Moves the kept register to its path below `base`; whatever else lies there stays. Safe to repeat. */
export async function moveRegister(
  { fs, root }: ShareLayout,
  kept: string,
  { path }: RegisterOfJob,
  base: string,
  options: { readonly isDrop?: boolean } = {},
): Promise<void> {
  const from = await openIfThere(fs, root, kept);
  if (from === undefined) return;
  try {
    const source = new Place(from, nameOf(path));
    if ((await lookIfThere(fs, source)) === undefined) return;
    const to = below(base, path);
    await inRealFolder(fs, root, parentOf(to), async folder => {
      await moveFile(fs, source, new Place(folder, lastNameOf(to)), options);
      await fs.syncFolder(new Place(folder, '.'));
    });
  } finally {
    await from.close();
  }
}
