// Lists all files in a folder of ours, also those whose names a scan of the drop folder ignores: such a file
// may have been claimed by its path, and left out here it would stay behind in the folder of its batch.

import { ifThere } from './if-there';
import { inFolder, placeOf, type RelativePath } from './relative-path';
import { type FsPath, Place, type ShareFs } from './share-fs';

/** Relative to `base`; none when it is not there. Folders are entered, links are not. */
export async function* listOwnFiles(fs: ShareFs, root: string, base: string): AsyncGenerator<RelativePath> {
  const waiting: RelativePath[] = [{ path: '' }];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const { name, isFolder } of await listOne(fs, root, placeOf(base, folder))) {
      const found = inFolder(folder, name);
      if (isFolder) waiting.push(found);
      else yield found;
    }
  }
}

async function listOne(
  fs: ShareFs,
  root: string,
  folder: FsPath,
): Promise<{ readonly name: Buffer; readonly isFolder: boolean }[]> {
  const found: { name: Buffer; isFolder: boolean }[] = [];
  const open = await ifThere(fs.openFolder(root, folder));
  if (open === undefined) return found;
  try {
    for await (const { name, kind } of fs.entries(new Place(open, '.'))) {
      const is = kind === 'unknown' ? (await fs.look(new Place(open, name))).kind : kind;
      found.push({ name, isFolder: is === 'folder' });
    }
    return found;
  } finally {
    await open.close();
  }
}
