// The bytes of one segment on their way from disk to the storage, hashed as they pass.

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { systemClock } from '../../host/clock';
import type { Limit } from '../../host/concurrency';
import { codeOf } from '../../host/error-code';
import { isSourceFileError, SourceFileError } from '../errors';
import type { ByteSeals } from '../hashing/byte-seals';
import { FEW_BYTES, type Hashing } from '../hashing/hash-file';
import type { StreamHash } from '../hashing/stream-hash';
import type { FileSegment } from '../ports';
import { toFileErrorAt } from '../source-faults';
import { CHUNK_BYTES, type Chunk, type ChunkBuffers, type ChunkPair } from './chunk-buffers';

/** Opens a fresh stream of the same bytes for every attempt. */
export interface SegmentSource {
  readonly sizeBytes: number;
  open(): SegmentBody;
}

export interface SegmentBody {
  /**
   * Yields exactly `sizeBytes`; to be read once. A chunk is valid until the next one is asked for. The last
   * chunk is held back until the bytes are known to be those that were hashed, so that a changed file never
   * becomes a complete PUT. Throws SourceFileError or FileSystemError.
   */
  chunks(): AsyncGenerator<Uint8Array, void, undefined>;
  /** What `chunks` threw; it says more than what the HTTP client makes of it. */
  readonly failure: unknown;
  /** Since when the disk is being waited for, by the clock of the process; undefined while it is not. */
  readonly readingSinceMs: number | undefined;
  /** `flushed`: the response came after the last byte, so no socket holds the memory any more. */
  close(flushed: boolean): void;
}

export interface SegmentSourceInput {
  handle: FileHandle;
  path: string;
  segment: FileSegment;
  /** Which of the file's segments it is, and the seals of their bytes where there are some. */
  index: number;
  byteSeals: ByteSeals | undefined;
  buffers: ChunkBuffers;
  hashing: Hashing;
  disk: Limit;
}

/*
 * Why the bytes are looked at a second time while they are sent, although they were hashed when the file was
 * claimed: a writer that kept the file open can change it in between, with the same length, and neither
 * Content-Length nor a look at size and times shows that; a storage need not check what it takes. What is
 * proven is the very memory that the socket writes from, without a second read. By the seals that were
 * made with the hashes it costs 0.1 s of CPU a GiB; where there are none (a manifest of an earlier version,
 * a file that is no document) by SHA-256 on a thread, which costs 0.6 s. docs/decisions.md says why not by
 * times.
 */
export function segmentSource(input: SegmentSourceInput): SegmentSource {
  return { sizeBytes: input.segment.sizeBytes, open: () => new FileSegmentBody(input) };
}

class FileSegmentBody implements SegmentBody {
  failure: unknown;
  readingSinceMs: number | undefined;
  readonly #input: SegmentSourceInput;
  /** Taken when the bytes are asked for: many wait for a connection, and need no memory until then. */
  #pair: ChunkPair | undefined;
  readonly #hash: StreamHash;
  readonly #expected: string;
  #ended = false;

  constructor(input: SegmentSourceInput) {
    this.#input = input;
    const { byteSeals, index, segment } = input;
    const tag = byteSeals?.tag(index);
    if (byteSeals !== undefined && tag !== undefined) {
      this.#hash = byteSeals.openStream(index);
      this.#expected = tag;
    } else {
      this.#hash = segment.sizeBytes <= FEW_BYTES ? hashHere() : input.hashing.openStream();
      this.#expected = segment.sha256;
    }
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const { sizeBytes } = this.#input.segment;
    const pair = this.#input.buffers.take();
    this.#pair = pair;
    try {
      let reading = this.#read(0, pair);
      let hashedBefore: Promise<unknown> = Promise.resolve();
      for (let done = 0; done < sizeBytes; done += CHUNK_BYTES) {
        const chunk = await reading;
        const length = Math.min(CHUNK_BYTES, sizeBytes - done);
        if (done + length === sizeBytes) {
          this.#check(await this.#hash.finish(chunk.shared, length));
        } else {
          const hashed = this.#hash.update(chunk.shared, length);
          // The other block is free to be read into: it was sent before this chunk was
          // asked for, and is hashed by then.
          reading = hashedBefore.then(() => this.#read(done + CHUNK_BYTES, pair));
          hashedBefore = hashed;
          // When no further chunk is asked for, nobody awaits these two: they may fail unheard.
          for (const promise of [reading, hashed]) promise.catch(() => undefined);
        }
        yield chunk.bytes.subarray(0, length);
      }
      this.#ended = true;
    } catch (error: unknown) {
      this.failure = error;
      throw error;
    }
  }

  close(flushed: boolean): void {
    if (!this.#ended) this.#hash.abandon();
    if (this.#pair !== undefined && this.#ended && flushed) this.#input.buffers.giveBack(this.#pair);
  }

  async #read(done: number, pair: ChunkPair): Promise<Chunk> {
    const { disk, handle, path, segment } = this.#input;
    const chunk = pair[(done / CHUNK_BYTES) % 2 === 0 ? 0 : 1];
    const wanted = Math.min(CHUNK_BYTES, segment.sizeBytes - done);
    this.readingSinceMs = systemClock.monotonicMs();
    try {
      await disk(() => fill(chunk.bytes, wanted, { handle, path }, segment.offset + done));
      return chunk;
    } finally {
      this.readingSinceMs = undefined;
    }
  }

  #check(found: string): void {
    if (found !== this.#expected) {
      throw new SourceFileError(
        'file-changed',
        'the content is no longer what was hashed when the file was claimed',
      );
    }
  }
}

async function fill(
  bytes: Uint8Array,
  wanted: number,
  { handle, path }: { readonly handle: FileHandle; readonly path: string },
  offset: number,
): Promise<void> {
  try {
    // Network file systems may answer with less than was asked for.
    for (let filled = 0; filled < wanted; ) {
      const { bytesRead } = await handle.read(bytes, filled, wanted - filled, offset + filled);
      if (bytesRead === 0) throw new SourceFileError('file-changed', 'the file became shorter');
      filled += bytesRead;
    }
  } catch (error: unknown) {
    throw isSourceFileError(error) ? error : await toFileErrorAt(path, codeOf(error) ?? 'EIO', error);
  }
}

function hashHere(): StreamHash {
  const hash = createHash('sha256');
  return {
    async update(shared, length) {
      hash.update(new Uint8Array(shared, 0, length));
    },
    async finish(shared, length) {
      return hash.update(new Uint8Array(shared, 0, length)).digest('hex');
    },
    abandon() {},
  };
}
