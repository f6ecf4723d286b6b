// A claimed file, open for sending: checked when it is opened, and again before its session may be completed.

import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { Limit } from '../../host/concurrency';
import { codeOf } from '../../host/error-code';
import { isSourceFileError, SourceFileError } from '../errors';
import type { Hashing } from '../hashing/hash-file';
import type { FileToSend } from '../ports';
import { type OwnCode, toFileError, toFileErrorAt } from '../source-faults';
import type { ChunkBuffers } from './chunk-buffers';
import { type SegmentSource, segmentSource } from './segment-source';

// A hung mount does not even let go of a file; the descriptor then closes by itself when the mount answers.
const CLOSE_WAIT_MS = 2_000;

interface Stamp {
  dev: bigint;
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
}

export interface SourceTools {
  readonly buffers: ChunkBuffers;
  readonly hashing: Hashing;
  /** For all that is asked of the share's file system: a mount that hangs keeps what asks it. */
  readonly disk: Limit;
}

export class SourceFile {
  readonly #file: FileToSend;
  readonly #handle: FileHandle;
  readonly #stamp: Stamp;
  readonly #buffers: ChunkBuffers;
  readonly #hashing: Hashing;
  readonly #disk: Limit;

  private constructor(file: FileToSend, handle: FileHandle, stamp: Stamp, tools: SourceTools) {
    this.#file = file;
    this.#handle = handle;
    this.#stamp = stamp;
    this.#buffers = tools.buffers;
    this.#hashing = tools.hashing;
    this.#disk = tools.disk;
  }

  /**
   * Rejects with SourceFileError for this file's faults, with FileSystemError for the
   * share's; nothing stays open then.
   */
  static async open(file: FileToSend, tools: SourceTools): Promise<SourceFile> {
    return await tools.disk(() => SourceFile.#open(file, tools));
  }

  static async #open(file: FileToSend, tools: SourceTools): Promise<SourceFile> {
    let handle: FileHandle | undefined;
    try {
      // A link is never followed, and a pipe must not block.
      handle = await open(
        file.path,
        constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
      );
      const stamp = await handle.stat({ bigint: true });
      if (!stamp.isFile()) throw toFileError('NOT_REGULAR' satisfies OwnCode);
      if (stamp.size !== BigInt(file.sizeBytes)) {
        throw new SourceFileError('file-changed', 'the file has another size than when it was claimed');
      }
      return new SourceFile(file, handle, stamp, tools);
    } catch (error: unknown) {
      await handle?.close().catch(() => undefined);
      throw isSourceFileError(error) ? error : await toFileErrorAt(file.path, codeOf(error) ?? 'EIO', error);
    }
  }

  segment(index: number): SegmentSource {
    const segment = this.#file.segments[index];
    if (segment === undefined) throw new RangeError(`no segment ${index}`);
    return segmentSource({
      handle: this.#handle,
      path: this.#file.path,
      segment,
      index,
      byteSeals: this.#file.byteSeals,
      buffers: this.#buffers,
      hashing: this.#hashing,
      disk: this.#disk,
    });
  }

  /**
   * Rejects with SourceFileError unless the path still leads to the bytes that were claimed. Inode numbers
   * and times are no proof on network shares, so where they differ the content decides.
   */
  async verifyUnchanged(signal: AbortSignal): Promise<void> {
    const { path, segments, sha256 } = this.#file;
    const now = await this.#disk(() => look(path));
    const { dev, ino, size, mtimeNs } = this.#stamp;
    if (now.size !== size)
      throw new SourceFileError('file-changed', 'the file has another size than when it was claimed');
    if (now.dev === dev && now.ino === ino && now.mtimeNs === mtimeNs) return;
    const hashed = await this.#hashing.hashFile(path, { segments, signal });
    if (hashed.sha256 !== sha256) {
      throw new SourceFileError('file-changed', 'the file was replaced or rewritten while it was sent');
    }
  }

  async close(): Promise<void> {
    const closing = this.#disk(() => this.#handle.close()).catch(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>(resolve => {
      timer = setTimeout(resolve, CLOSE_WAIT_MS);
    });
    await Promise.race([closing, enough]);
    clearTimeout(timer);
  }
}

async function look(path: string): Promise<Stamp> {
  try {
    return await stat(path, { bigint: true });
  } catch (error: unknown) {
    throw await toFileErrorAt(path, codeOf(error) ?? 'EIO', error);
  }
}
