// Undoes claims: files go back to the drop folder, and what is left of an emptied batch goes away.
import { join } from 'node:path';
import { moveFile } from './move-file';
import { makeRealFolder } from './real-folder';
import { placeOf } from './scan-drop';
import { codeOf, isGone } from './share-error';
import type { FsPath, ShareFs } from './share-fs';
import { type BatchPaths, parentOf, type ShareLayout } from './share-layout';
import { isThere } from './write-whole';

/** Returns a claimed file to the drop folder; beside a newer one of its name, never over it. */
export async function putBack(
  fs: ShareFs,
  layout: ShareLayout,
  paths: BatchPaths,
  file: { readonly path: string; readonly bytes?: Buffer | undefined },
): Promise<FsPath | undefined> {
  const place = placeOf(layout.drop, file);
  await makeRealFolder(fs, layout.drop, parentOf(place));
  return await moveFile(fs, placeOf(paths.files, file), place);
}

/** Removes what is left of a batch that has no files (any more). Whatever is not empty stays. */
export async function discardBatchFolder(fs: ShareFs, paths: BatchPaths): Promise<void> {
  await removeEmptyFolders(fs, paths.files);
  if (await isThere(fs, paths.files)) return;
  // The claim last: as long as there is one, it is clear whose folder this is.
  for await (const entry of fs.entries(paths.folder)) {
    const name = entry.name.toString('utf8');
    if (name.startsWith('.tmp-')) await fs.unlink(join(paths.folder, name)).catch(() => undefined);
  }
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
    if (!isGone(error) && codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
  });
}
