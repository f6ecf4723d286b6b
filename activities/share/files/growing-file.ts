// A file of ours that grows piece by piece while its bytes arrive: that of an upload over the page.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Limit } from '../../host/concurrency';
import type { FsPath } from './open-folder';

export interface GrowingFile {
  readonly sizeBytes: number;
  /** Writes all of `bytes`, from the offset `at` on. */
  write(bytes: Uint8Array, at: number): Promise<void>;
  /** Takes away whatever lies beyond this size. */
  cut(sizeBytes: number): Promise<void>;
  /** On disk when it returns. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Makes the file when it is not there. A symbolic link is not followed, and EINVAL is thrown for a file that
 * has a second name (a hard link): it may be somebody else's.
 */
export async function openGrowing(path: FsPath, limit: Limit): Promise<GrowingFile> {
  const { O_RDWR, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = await limit(() => open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o666));
  try {
    const stats = await limit(() => file.stat());
    if (!stats.isFile() || stats.nlink !== 1) {
      throw Object.assign(new Error('This is no ordinary file of ours.'), { code: 'EINVAL' });
    }
    return growing(file, stats.size, limit);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function growing(file: FileHandle, sizeBytes: number, limit: Limit): GrowingFile {
  return {
    sizeBytes,
    write: (bytes, at) =>
      limit(async () => {
        // One call of the system may take less than all.
        for (let done = 0; done < bytes.length; ) {
          const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
          done += bytesWritten;
        }
      }),
    cut: size => limit(() => file.truncate(size)),
    sync: () => limit(() => file.sync()),
    close: () => limit(() => file.close()),
  };
}
