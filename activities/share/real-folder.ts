// Makes folders where people can write too, without ever being led elsewhere by a link that somebody put there.
import { codeOf, ShareError } from './share-error';
import type { FsPath, ShareFs } from './share-fs';

/**
 * Makes `folder` and everything between it and `base`, which must exist. Each part must be a real folder.
 * @throws ShareError `file-refused` when one is something else.
 */
export async function makeRealFolder(fs: ShareFs, base: string, folder: FsPath): Promise<void> {
  const from = Buffer.from(base);
  const to = Buffer.from(folder);
  if (!to.subarray(0, from.length).equals(from))
    throw new ShareError('bad-request', 'Not a folder below its base.');
  for (let end = from.length; end < to.length; ) {
    const next = to.indexOf(0x2f, end + 1);
    end = next < 0 ? to.length : next;
    const part = to.subarray(0, end);
    await fs.makeFolder(part, { parents: false }).catch(error => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    if ((await fs.look(part)).kind !== 'folder') {
      throw new ShareError(
        'file-refused',
        'Where a folder for finished files should be, there is a link or a file. Remove it from the share.',
      );
    }
  }
}
