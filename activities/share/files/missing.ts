// Whether something on a share is missing for certain. "Not there" is also what a share says that is away for
// a moment, and a journal taken for empty would have everything done a second time.

import { isThere } from './if-there';
import { ShareError, toShareError } from './share-error';
import type { FsPlace, ShareFs } from './share-fs';

/**
 * @param alwaysThere what is there whenever the share is: looked at after each look at `path`.
 * @returns false when `path` turns up after all.
 * @throws ShareError `share-away` when that cannot be seen.
 */
export async function isMissing(fs: ShareFs, path: FsPlace, alwaysThere: FsPlace): Promise<boolean> {
  try {
    if (await isThere(fs, path)) return false;
    await fs.look(alwaysThere);
    // Away at the first look and back at the second would pass for missing.
    if (await isThere(fs, path)) return false;
    await fs.look(alwaysThere);
    return true;
  } catch (error) {
    throw new ShareError('share-away', 'The share does not answer.', toShareError(error) ?? error);
  }
}

/**
 * @throws ShareError `share-away`, or `unreadable-now` when `path` is there after
 * all: whoever asks tries again.
 */
export async function requireMissing(fs: ShareFs, path: FsPlace, alwaysThere: FsPlace): Promise<void> {
  if (await isMissing(fs, path, alwaysThere)) return;
  throw new ShareError('unreadable-now', 'The share was away while it was read.');
}
