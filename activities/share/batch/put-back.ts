// Undoes claims: files go back to the drop folder, and what is left of an emptied batch goes away.
import { join } from 'node:path';
import { isGone, isTaken, troubleOf } from '../../host/file-trouble';
import { ifThere, isThere } from '../files/if-there';
import { finishMove, moveFile } from '../files/move-file';
import { lastNameOf, parentOf } from '../files/open-folder';
import { foldersUpTo, openFirst, openRealFolder } from '../files/real-folder';
import { placeOf, type RelativePath } from '../files/relative-path';
import { type FsPath, Place, type ShareFs } from '../files/share-fs';
import type { BatchPaths, ShareLayout } from '../files/share-layout';
import { droppedByPath } from './dropped-by';

/** Returns a claimed file to the drop folder; beside a newer one of its name, never over it. */
export async function putBack(layout: ShareLayout, paths: BatchPaths, file: RelativePath): Promise<void> {
  await betweenClaimAndDrop(layout, paths, file, async (from, to) => {
    await moveFile(layout.fs, from, to, { isDrop: true });
  });
}

/** Finishes a give-back that a crash has cut while the file had both names; false when there is none. */
export async function finishPutBack(
  layout: ShareLayout,
  paths: BatchPaths,
  file: RelativePath,
): Promise<boolean> {
  const work = (from: Place, to: Place) => finishMove(layout.fs, from, to);
  return (await betweenClaimAndDrop(layout, paths, file, work)) ?? false;
}

async function betweenClaimAndDrop<T>(
  layout: ShareLayout,
  paths: BatchPaths,
  file: RelativePath,
  work: (from: Place, to: Place) => Promise<T>,
): Promise<T | undefined> {
  const claimed = placeOf(paths.files, file);
  const dropped = placeOf(layout.drop, file);
  // This folder is not made: a batch that is not there must not come into being here.
  const from = await ifThere(layout.fs.openFolder(layout.root, parentOf(claimed)));
  if (from === undefined) return undefined;
  try {
    // Where a link or a file stands in the place of its folder by now, to the nearest real one above.
    const to = await openFirst(foldersUpTo(layout.drop, parentOf(dropped)), folder =>
      openRealFolder(layout.fs, layout.root, folder),
    );
    try {
      return await work(new Place(from, lastNameOf(claimed)), new Place(to, lastNameOf(dropped)));
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** Removes what is left of a batch that has no files (any more). Whatever is not empty stays. */
export async function discardBatchFolder(paths: BatchPaths): Promise<void> {
  const { fs } = paths;
  await removeEmptyFolders(fs, paths.files);
  if (await isThere(fs, paths.files)) return;
  // The claim last: as long as there is one, it is clear whose folder this is.
  for await (const entry of fs.entries(paths.folder)) {
    const name = entry.name.toString('utf8');
    if (name.startsWith('.tmp-')) await fs.unlink(join(paths.folder, name)).catch(() => undefined);
    if (name.endsWith('.lock')) await fs.removeFolder(join(paths.folder, name)).catch(() => undefined);
  }
  await fs.unlink(droppedByPath(paths)).catch(() => undefined);
  await fs.unlink(paths.wanted).catch(() => undefined);
  await fs.unlink(paths.claim).catch(() => undefined);
  await fs.removeFolder(paths.folder).catch(() => undefined);
}

/** Removes a folder tree as far as it holds nothing but folders. */
export async function removeEmptyFolders(fs: ShareFs, folder: FsPath): Promise<void> {
  const inner: FsPath[] = [];
  try {
    for await (const entry of fs.entries(folder)) {
      if (entry.kind !== 'folder') continue;
      inner.push(Buffer.concat([Buffer.from(folder), Buffer.from('/'), entry.name]));
    }
  } catch (error) {
    if (isGone(error)) return;
    throw error;
  }
  for (const path of inner) await removeEmptyFolders(fs, path);
  await fs.removeFolder(folder).catch(error => {
    if (!isGone(error) && troubleOf(error) !== 'not-empty' && !isTaken(error)) throw error;
  });
}
