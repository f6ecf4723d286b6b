// Looks at things on a share that may not be there (any more), where absence is a result like any other and
// no error. Callers that must know for certain that something is missing use missing.ts.
import { isGone } from '../../host/file-trouble';
import { isNoFolder } from './real-folder';
import type { FileFacts, FsPath, FsPlace, OpenFolder, ShareFs } from './share-fs';

/** Undefined when there is nothing of this name. */
export async function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Of whatever kind; symbolic links are not followed. */
export async function lookIfThere(fs: ShareFs, path: FsPlace): Promise<FileFacts | undefined> {
  return await ifThere(fs.look(path));
}

export async function isThere(fs: ShareFs, path: FsPlace): Promise<boolean> {
  return (await lookIfThere(fs, path)) !== undefined;
}

export async function unlinkIfThere(fs: ShareFs, path: FsPlace): Promise<void> {
  await ifThere(fs.unlink(path));
}

/**
 * Undefined also when a link or a file stands in the place of the folder, or of one above it: nothing is
 * taken from where a link leads. The caller closes it.
 */
export async function openIfThere(
  fs: ShareFs,
  base: string,
  folder: FsPath,
): Promise<OpenFolder | undefined> {
  return await ifThere(fs.openFolder(base, folder)).catch(error => {
    if (isNoFolder(error)) return undefined;
    throw error;
  });
}
