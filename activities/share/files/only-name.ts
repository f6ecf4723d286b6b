// Whoever may write to a folder can give a file of others a name there (a hard link), on systems that let
// him: Linux does not while `fs.protected_hardlinks` is on, but servers of NFS and SMB shares need not have
// that rule, and a Mac has none. Then what is read there is what only we may read.
import { ShareError } from './share-error';
import type { FileFacts, FsPlace, ShareFs } from './share-fs';

/**
 * Whether what was opened at a place has that name alone. The place is looked at again, for a name that was
 * taken away since the opening is not counted any more: then another file has the place, or none.
 */
export async function judgeNames(
  fs: Pick<ShareFs, 'look'>,
  place: FsPlace,
  opened: FileFacts,
): Promise<'only-name' | 'linked-twice' | 'exchanged'> {
  if (opened.links > 1) return 'linked-twice';
  const now = await fs.look(place);
  if (now.identity !== opened.identity) return 'exchanged';
  return now.links > 1 ? 'linked-twice' : 'only-name';
}

/** @throws ShareError `file-refused` or `file-changed`. */
export async function requireOnlyName(fs: ShareFs, place: FsPlace, opened: FileFacts): Promise<void> {
  switch (await judgeNames(fs, place, opened)) {
    case 'only-name':
      return;
    case 'linked-twice':
      throw new ShareError(
        'file-refused',
        'It has another name somewhere else (a hard link). Copy it instead.',
      );
    case 'exchanged':
      throw new ShareError('file-changed', 'It was exchanged while it was read.');
  }
}
