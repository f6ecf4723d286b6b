// Writes a file of ours so that readers see all of it or nothing, and so that of
// two writers exactly one succeeds.

import { join } from 'node:path';
import { isTaken, troubleOf } from '../../host/file-trouble';
import { withFolderLock } from './folder-lock';
import { isThere } from './if-there';
import { besides, folderAround, lastNameOf, requireInPlace } from './open-folder';
import { type FsPlace, Place, type ShareFs, temporaryName } from './share-fs';

/**
 * Creates the file, durable when it returns.
 * @param scratch where the unfinished file lies meanwhile, on the same device; a crash may leave it there.
 * @returns false when a file of this name is there already; that one is left as it is.
 */
export async function writeOnce(
  fs: ShareFs,
  path: FsPlace,
  text: string | Buffer,
  scratch?: string,
): Promise<boolean> {
  const temporary = scratch === undefined ? besides(path, temporaryName()) : join(scratch, temporaryName());
  try {
    await fs.writeNew(temporary, text);
    await requireInPlace(path);
    return await nameOnce(fs, temporary, path);
  } catch (error) {
    await fs.unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/**
 * Gives a finished file of ours another name, durable when it returns.
 * @returns false when something has that name already: that is left as it is, and ours is removed.
 */
export async function nameOnce(fs: ShareFs, from: FsPlace, path: FsPlace): Promise<boolean> {
  let isNamed = true;
  try {
    await fs.link(from, path);
    await requireInPlace(path).catch(async error => {
      await fs.unlink(path).catch(() => undefined);
      throw error;
    });
  } catch (error) {
    if (isTaken(error)) isNamed = false;
    else if (!isLinkUnsupported(error)) throw error;
    else if (await renameOnce(fs, from, path)) return true;
    else isNamed = false;
  }
  await fs.unlink(from).catch(() => undefined);
  if (isNamed) await fs.syncFolder(folderAround(path));
  return isNamed;
}

/** Replaces a file of ours, durable when it returns. */
export async function writeOver(
  fs: ShareFs,
  path: FsPlace,
  text: string | Buffer,
  scratch?: string,
): Promise<void> {
  const temporary = scratch === undefined ? besides(path, temporaryName()) : join(scratch, temporaryName());
  try {
    await fs.writeNew(temporary, text);
    await requireInPlace(path);
    await fs.rename(temporary, path);
  } catch (error) {
    await fs.unlink(temporary).catch(() => undefined);
    throw error;
  }
  await fs.syncFolder(folderAround(path));
}

/** The file system has no hard links, or not between these two places. */
export function isLinkUnsupported(error: unknown): boolean {
  const trouble = troubleOf(error);
  return trouble === 'unsupported' || trouble === 'denied' || trouble === 'other-device';
}

async function renameOnce(fs: ShareFs, temporary: FsPlace, path: FsPlace): Promise<boolean> {
  return await withFolderLock(fs, lockOf(path), async lastLook => {
    if (await lastLook(isThere(fs, path))) return false;
    await fs.rename(temporary, path);
    await fs.syncFolder(folderAround(path));
    return true;
  });
}

function lockOf(path: FsPlace): FsPlace {
  const name = path instanceof Place ? path.name : lastNameOf(path);
  return besides(
    path,
    typeof name === 'string' ? `${name}.lock` : Buffer.concat([name, Buffer.from('.lock')]),
  );
}
