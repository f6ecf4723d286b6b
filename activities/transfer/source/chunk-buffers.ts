// The memory that file bytes pass through: pairs of 1 MiB blocks, used again and again,
// shared with the hashing threads.

export const CHUNK_BYTES = 1024 * 1024;
// As many as there can be connections; more would only be a leak.
const MAX_KEPT_PAIRS = 16;

export interface Chunk {
  shared: SharedArrayBuffer;
  /** A view of all of `shared`. */
  bytes: Buffer;
}

export type ChunkPair = readonly [Chunk, Chunk];

/**
 * Who takes a pair owns it, and gives it back only when no socket, read or hash can still touch it;
 * else drops it and takes another.
 */
export class ChunkBuffers {
  readonly #free: ChunkPair[] = [];

  take(): ChunkPair {
    return this.#free.pop() ?? [newChunk(), newChunk()];
  }

  giveBack(pair: ChunkPair): void {
    if (this.#free.length < MAX_KEPT_PAIRS) this.#free.push(pair);
  }
}

function newChunk(): Chunk {
  const shared = new SharedArrayBuffer(CHUNK_BYTES);
  return { shared, bytes: Buffer.from(shared) };
}
