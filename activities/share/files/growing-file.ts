// A file of ours that grows piece by piece, for as long as it takes to come: an upload.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Limit } from '../../host/concurrency';
import type { FsPath } from './open-folder';

export interface GrowingFile {
  readonly sizeBytes: number;
  /** All of it, there. */
  write(bytes: Uint8Array, at: number): Promise<void>;
  /** Takes away what is behind. */
  cut(sizeBytes: number): Promise<void>;
  /** On disk when it returns. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Made when it is not there. A link is not followed; a file that has another name as well is not ours. */
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
