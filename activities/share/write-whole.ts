// Writes a file of ours so that readers see all of it or nothing, and so that of two writers exactly one succeeds.
import { dirname, join } from 'node:path';
import { codeOf, isGone } from './share-error';
import { type ShareFs, temporaryName } from './share-fs';

/** How long a lock without progress may stand before it is a crash's leftover; only where `link` is not supported. */
const LOCK_PATIENCE_MS = 5_000;

/**
 * Creates the file, durable when it returns.
 * @param scratch where the unfinished file lies meanwhile, on the same device; a crash may leave it there.
 * @returns false when a file of this name is there already; that one is left as it is.
 */
export async function writeOnce(
  fs: ShareFs,
  path: string,
  text: string,
  scratch = dirname(path),
): Promise<boolean> {
  const folder = dirname(path);
  const temporary = join(scratch, temporaryName());
  await fs.writeNew(temporary, text);
  try {
    await fs.link(temporary, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!isLinkUnsupported(error)) throw error;
    return await renameOnce(fs, temporary, path);
  } finally {
    await fs.unlink(temporary).catch(() => undefined);
  }
  await fs.syncFolder(folder);
  return true;
}

/** Replaces a file of ours, durable when it returns. */
export async function writeOver(
  fs: ShareFs,
  path: string,
  text: string,
  scratch = dirname(path),
): Promise<void> {
  const folder = dirname(path);
  const temporary = join(scratch, temporaryName());
  await fs.writeNew(temporary, text);
  try {
    await fs.rename(temporary, path);
  } catch (error) {
    await fs.unlink(temporary).catch(() => undefined);
    throw error;
  }
  await fs.syncFolder(folder);
}

/** The file system has no hard links, or not between these two places. */
export function isLinkUnsupported(error: unknown): boolean {
  const code = codeOf(error);
  return (
    code === 'EPERM' ||
    code === 'ENOTSUP' ||
    code === 'EOPNOTSUPP' ||
    code === 'ENOSYS' ||
    code === 'EMLINK' ||
    code === 'EACCES' ||
    code === 'EINVAL' ||
    code === 'EXDEV'
  );
}

/** Whether something is there, of whatever kind; symbolic links are not followed. */
export async function isThere(fs: ShareFs, path: string | Buffer): Promise<boolean> {
  try {
    await fs.look(path);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Making a folder is exclusive everywhere: it guards the look and the rename, which together are not. */
async function renameOnce(fs: ShareFs, temporary: string, path: string): Promise<boolean> {
  const lock = `${path}.lock`;
  const giveUpAt = performance.now() + LOCK_PATIENCE_MS;
  for (;;) {
    try {
      await fs.makeFolder(lock, { parents: false });
      break;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      if (await isThere(fs, path)) return false;
      if (performance.now() > giveUpAt) await fs.removeFolder(lock).catch(() => undefined);
      else await new Promise(resolve => setTimeout(resolve, 50));
    }
  }
  try {
    if (await isThere(fs, path)) return false;
    await fs.rename(temporary, path);
    await fs.syncFolder(dirname(path));
    return true;
  } finally {
    await fs.removeFolder(lock).catch(() => undefined);
  }
}
