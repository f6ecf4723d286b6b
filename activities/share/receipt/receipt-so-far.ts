// What people see of a receipt that is not final: a CSV in `done` and in `attention`, replaced whenever
// there is more to say and gone at the end. It is known by its hash, so that nothing that a person wrote
// into it is lost. A crash, or a reader that locks it, leaves an earlier one behind: the hashes of those are
// kept until they lie there no more.
import { basename, dirname } from 'node:path';
import type { Receipt } from '../batch/kept-receipt';
import { openIfThere } from '../files/if-there';
import { toShareError } from '../files/share-error';
import { type OpenFolder, Place, type ShareFs } from '../files/share-fs';
import type { BatchPaths, ShareLayout } from '../files/share-layout';
import { hash, replaceOwn } from './receipt-files';

const ENDING = '.csv';
const MAX_CSV_BYTES = 64 * 1024 ** 2;

/** Hashes of every CSV that this receipt, or one before it, may have left for people. */
export function writtenBy(receipt: Receipt | undefined): readonly string[] {
  if (receipt?.csvSha256 === undefined) return [];
  return [receipt.csvSha256, ...(receipt.earlierCsvSha256 ?? [])];
}

/** Those of the hashes `known` whose files still lie in one of these folders. */
export async function findLying(
  layout: ShareLayout,
  folders: readonly string[],
  name: string,
  known: readonly string[],
): Promise<readonly string[]> {
  const lying = new Set<string>();
  for (const folder of folders) {
    await inFolderThatIs(layout, folder, async open => {
      for (const { sha256 } of await listOurs(layout.fs, open, name, known)) lying.add(sha256);
    });
  }
  return [...lying];
}

/**
 * Puts the CSV in the place of those before it. @returns where it lies: beside one
 * that cannot be replaced just now.
 */
export async function replaceSoFar(
  paths: BatchPaths,
  place: Place,
  csv: string,
  known: readonly string[],
): Promise<Place> {
  const written = await replaceOwn(paths, place, csv, known);
  const earlier = known.filter(sha256 => sha256 !== hash(csv));
  await removeOurs(paths.fs, place.folder, place.name.toString(), earlier);
  return written;
}

/**
 * Removes the files of these hashes; a folder that is empty then goes as well, so that nobody looks there for
 * something.
 */
export async function removeSoFar(
  layout: ShareLayout,
  folder: string,
  name: string,
  known: readonly string[],
): Promise<void> {
  if (known.length === 0) return;
  const isThere = await inFolderThatIs(layout, folder, open => removeOurs(layout.fs, open, name, known));
  if (!isThere) return;
  await inFolderThatIs(layout, dirname(folder), async parent => {
    // It stays when anything lies in it.
    await layout.fs.removeFolder(new Place(parent, basename(folder))).catch(() => undefined);
  });
}

async function removeOurs(
  fs: ShareFs,
  folder: OpenFolder,
  name: string,
  known: readonly string[],
): Promise<void> {
  for (const { place } of await listOurs(fs, folder, name, known)) {
    // One that is still locked by its reader stays; the others go.
    await fs.unlink(place).catch(error => {
      if (toShareError(error) !== undefined) throw toShareError(error);
    });
  }
}

/**
 * Files that are called `name`, or like one that was put beside a file that could not be replaced, and that
 * have bytes which we wrote.
 */
async function listOurs(
  fs: ShareFs,
  folder: OpenFolder,
  name: string,
  known: readonly string[],
): Promise<{ readonly place: Place; readonly sha256: string }[]> {
  const found: { place: Place; sha256: string }[] = [];
  const stem = name.slice(0, -ENDING.length);
  for await (const entry of fs.entries(new Place(folder, '.'))) {
    const text = entry.name.toString('latin1');
    if (!text.startsWith(stem) || !text.endsWith(ENDING)) continue;
    const place = new Place(folder, entry.name);
    const sha256 = await hashOf(fs, place);
    if (sha256 !== undefined && known.includes(sha256)) found.push({ place, sha256 });
  }
  return found;
}

/** Undefined for what is no file of ours. @throws ShareError while the share does not answer. */
async function hashOf(fs: ShareFs, place: Place): Promise<string | undefined> {
  try {
    return hash(await fs.read(place, MAX_CSV_BYTES));
  } catch (error) {
    const away = toShareError(error);
    if (away !== undefined) throw away;
    return undefined;
  }
}

/** @returns whether the folder is there, and a real one. */
async function inFolderThatIs(
  layout: ShareLayout,
  folder: string,
  work: (open: OpenFolder) => Promise<void>,
): Promise<boolean> {
  const open = await openIfThere(layout.fs, layout.root, folder).catch(error => {
    throw toShareError(error) ?? error;
  });
  if (open === undefined) return false;
  try {
    await work(open);
    return true;
  } finally {
    await open.close();
  }
}
