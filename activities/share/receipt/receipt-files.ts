// Our receipts among people's files: written without overwriting anything, known again by what we wrote.
import { createHash } from 'node:crypto';
import type { Receipt, ReceiptRow } from '../batch/kept-receipt';
import { type Manifest, pathInPlace } from '../batch/manifest';
import { withSuffix } from '../files/move-file';
import { toShareError } from '../files/share-error';
import { Place, type ShareFs } from '../files/share-fs';
import type { BatchPaths } from '../files/share-layout';
import { writeOnce, writeOver } from '../files/write-whole';

/** What the names of receipts depend on: of a batch, its id and what its files are called. */
export interface NamedBatch extends Pick<Receipt, 'batchId' | 'job'> {
  readonly files: readonly Pick<ReceiptRow, 'path'>[];
}

/**
 * Our name for the receipt of a job; another one when a file of it is called like it.
 * @param receipts in the order of the job.
 */
export function nameBeside(receipts: readonly NamedBatch[], name: string): string {
  const isTaken = receipts.some(({ job, files }) =>
    files.some(file => pathInPlace({ job }, file).path.normalize('NFC').toLowerCase() === name),
  );
  return isTaken ? name.replace(/^receipt/, `receipt-${receipts[0]?.batchId}`) : name;
}

/** Our name for a receipt; another one when a dropped file is called like it. */
export function ownName(manifest: Manifest, name: string): string {
  const isTaken = manifest.files.some(
    file => pathInPlace(manifest, file).path.normalize('NFC').toLowerCase() === name,
  );
  return isTaken ? name.replace(/^receipt/, `receipt-${manifest.batchId}`) : name;
}

/**
 * Writes a file of ours beside people's files: under the next free name when this one holds something else.
 */
export async function writeBeside(
  paths: Pick<BatchPaths, 'fs' | 'folder'>,
  path: Place,
  text: string | Buffer,
): Promise<Place> {
  for (let turn = 1; ; turn += 1) {
    const place = new Place(path.folder, withSuffix(path.name, turn));
    // Unfinished, it lies in the batch's own folder: people are not shown the leavings of a crash.
    if (await writeOnce(paths.fs, place, text, paths.folder)) return place;
    if ((await readQuietly(paths.fs, place)) === hash(text)) return place;
  }
}

/** Replaces an earlier receipt so far, if nobody has changed it; else a new one is put beside it. */
export async function replaceOwn(
  paths: BatchPaths,
  path: Place,
  text: string,
  earlier: readonly string[],
): Promise<Place> {
  const lying = earlier.length === 0 ? undefined : await readQuietly(paths.fs, path);
  if (lying !== undefined && earlier.includes(lying)) {
    try {
      await writeOver(paths.fs, path, text, paths.folder);
      return path;
    } catch (error) {
      // Open in a spreadsheet program, on a share that locks: the new one goes beside it.
      if (toShareError(error) !== undefined) throw error;
    }
  }
  return await writeBeside(paths, path, text);
}

async function readQuietly(fs: ShareFs, path: Place): Promise<string | undefined> {
  try {
    return hash(await fs.read(path, 64 * 1024 ** 2));
  } catch {
    return undefined;
  }
}

export function hash(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
