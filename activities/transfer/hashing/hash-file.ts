// SHA-256 of files and of chunks about to be sent, on threads.

import { availableParallelism } from 'node:os';
import { SourceFileError } from '../errors';
import type { ByteRange, FileSegment } from '../ports';
import { toFileErrorAt } from '../source-faults';
import type { FileHashes, FileReply, HashedPart, HashRequest } from './hash-thread';
import { type HashThread, HashThreadError, HashThreadPool } from './hash-thread-pool';
import type { StreamHash } from './stream-hash';

const MAX_THREADS = 4;
/**
 * Up to here a SHA-256 on the event loop takes less than the way to a thread and back,
 * and a seal saves nothing.
 */
export const FEW_BYTES = 128 * 1024;
/** Files of few bytes that a thread is asked for at once: else messages cost more than the hashing. */
const FEW_AT_ONCE = 32;

export interface HashedFile {
  sizeBytes: number;
  sha256: string;
  segments: FileSegment[];
  /** One a segment, where a key for them was given and the file is worth it. */
  byteSeals?: readonly string[];
}

export interface FileHasher {
  /** One pass over a regular file. Fails when it cannot be read or changed meanwhile. */
  hashFile(path: string, input: HashFileInput): Promise<HashedFile>;
}

/** What sending needs of hashing. */
export interface Hashing extends FileHasher {
  openStream(): StreamHash;
}

export interface HashFileInput {
  /** Contiguous, covering the whole file, as `planSegments` gives them. */
  segments: readonly ByteRange[];
  /** For the seals of its bytes: 32 bytes that were never used for another content. */
  sealKey?: Uint8Array;
  signal?: AbortSignal;
}

interface Job {
  path: string;
  ranges: readonly ByteRange[];
  part: HashedPart;
  sealKey: Uint8Array | undefined;
  signal: AbortSignal | undefined;
  resolve(hashes: FileHashes): void;
  reject(error: unknown): void;
}

/**
 * Threads are started when first needed, hold the process only while they work, and are at most `threads` for
 * whole files and as many for streams, so that a long file does not hold up sending.
 */
export class HashPool implements Hashing {
  readonly #files: HashThreadPool;
  readonly #streams: HashThreadPool;
  readonly #queue: Job[] = [];
  #nextStream = 1;
  #closed = false;

  constructor(options: { threads?: number } = {}) {
    const threads = options.threads ?? Math.min(availableParallelism(), MAX_THREADS);
    if (!Number.isInteger(threads) || threads < 1)
      throw new RangeError(`threads must be at least 1: ${threads}`);
    this.#files = new HashThreadPool(threads);
    this.#streams = new HashThreadPool(threads);
  }

  /**
   * Hashes a regular file and its segments. Rejects with SourceFileError when it is missing, unreadable, a
   * link, no regular file, of another size than the segments, or changed while it was read; with the signal's
   * reason when that is aborted; with the system's own error when the file system is at fault.
   */
  async hashFile(path: string, input: HashFileInput): Promise<HashedFile> {
    const { segments, signal } = input;
    const sizeBytes = sizeOf(segments);
    const sealKey = sizeBytes > FEW_BYTES ? input.sealKey : undefined;
    if (segments.length === 1) {
      const hashes = await this.#run(path, { ranges: segments, part: 'ranges', sealKey }, signal);
      return toHashedFile(segments, hashes, hashes.rangeHashes[0]);
    }
    // Two threads at once are 1.4 times as fast; when others want the threads too, one
    // pass reads the file once for both.
    if (this.#queue.length > 0 || this.#files.idleCount() < 2) {
      const hashes = await this.#run(path, { ranges: segments, part: 'ranges-and-whole', sealKey }, signal);
      return toHashedFile(segments, hashes, hashes.wholeHash);
    }
    return await this.#hashOnTwoThreads(path, { segments, sealKey }, signal);
  }

  openStream(): StreamHash {
    const stream = this.#nextStream++;
    const thread = this.#streams.leastBusy();
    const hashChunk = async (shared: SharedArrayBuffer, length: number, last: boolean) => {
      const reply = await thread.ask(id => ({ kind: 'hash-chunk', id, stream, shared, length, last })).reply;
      if (reply.kind !== 'chunk-hashed') throw new HashThreadError(`unexpected answer ${reply.kind}`);
      return reply.sha256;
    };
    return {
      async update(shared, length) {
        await hashChunk(shared, length, false);
      },
      async finish(shared, length) {
        return (await hashChunk(shared, length, true)) ?? '';
      },
      abandon() {
        thread.tell({ kind: 'abandon-stream', stream });
      },
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue.splice(0)) job.reject(new HashThreadError('the hash pool was closed'));
    await Promise.all([this.#files.close(), this.#streams.close()]);
  }

  async #hashOnTwoThreads(
    path: string,
    { segments, sealKey }: { segments: readonly ByteRange[]; sealKey: Uint8Array | undefined },
    signal: AbortSignal | undefined,
  ): Promise<HashedFile> {
    const stop = new AbortController();
    const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    const jobs = [
      this.#run(path, { ranges: segments, part: 'first-and-whole', sealKey }, either),
      this.#run(path, { ranges: segments, part: 'all-but-first', sealKey }, either),
    ] as const;
    try {
      const [whole, rest] = await Promise.all(jobs);
      if (whole.mtimeNs !== rest.mtimeNs || whole.identity !== rest.identity) {
        throw new SourceFileError('file-changed', 'the file was replaced while it was hashed');
      }
      const rangeHashes = [...whole.rangeHashes, ...rest.rangeHashes];
      const rangeSeals = [...whole.rangeSeals, ...rest.rangeSeals];
      return toHashedFile(segments, { ...whole, rangeHashes, rangeSeals }, whole.wholeHash);
    } catch (error: unknown) {
      stop.abort(error);
      throw error;
    }
  }

  #run(
    path: string,
    what: Pick<Job, 'ranges' | 'part' | 'sealKey'>,
    signal: AbortSignal | undefined,
  ): Promise<FileHashes> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new HashThreadError('the hash pool was closed');
      signal?.throwIfAborted();
      this.#queue.push({ path, ...what, signal, resolve, reject });
      this.#assign();
    });
  }

  #assign(): void {
    while (this.#queue.length > 0) {
      const thread = this.#files.idle();
      if (thread === undefined) return;
      const jobs = this.#take();
      const [job] = jobs;
      if (job === undefined) continue;
      const work = jobs.length > 1 ? this.#workOnFew(thread, jobs) : this.#work(thread, job);
      void work.finally(() => this.#assign());
    }
  }

  /** The next job that is still wanted; if it is of few bytes, also those of few bytes right behind it. */
  #take(): Job[] {
    const jobs: Job[] = [];
    while (jobs.length < FEW_AT_ONCE) {
      const [job] = this.#queue;
      if (job === undefined || (jobs.length > 0 && !isOfFewBytes(job))) break;
      this.#queue.shift();
      if (job.signal?.aborted) job.reject(job.signal.reason);
      else jobs.push(job);
      if (!isOfFewBytes(job)) break;
    }
    return jobs;
  }

  async #workOnFew(thread: HashThread, jobs: readonly Job[]): Promise<void> {
    const files = jobs.map(({ path, ranges }) => ({ path, ranges }));
    // Those that are aborted are released at once; the thread reads the few bytes all the same.
    const onAbort = () => {
      for (const { signal, reject } of jobs) if (signal?.aborted) reject(signal.reason);
    };
    // Files of one batch have one signal: a listener for each of them would be taken for a leak.
    const signals = new Set(jobs.map(({ signal }) => signal));
    for (const signal of signals) signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const reply = await thread.ask(id => ({ kind: 'hash-few', id, files })).reply;
      const replies = reply.kind === 'few-hashed' ? reply.replies : [];
      await Promise.all(
        jobs.map(({ path, resolve, reject }, at) =>
          toHashes(replies[at] ?? reply, path).then(resolve, reject),
        ),
      );
    } catch (error: unknown) {
      for (const { reject } of jobs) reject(error);
    } finally {
      for (const signal of signals) signal?.removeEventListener('abort', onAbort);
    }
  }

  async #work(thread: HashThread, job: Job): Promise<void> {
    const { path, ranges, part, sealKey, signal } = job;
    const request = (id: number): HashRequest => ({
      kind: 'hash-file',
      id,
      path,
      ranges,
      part,
      sealKey,
    });
    const { id, reply } = thread.ask(request);
    // The caller is released at once; the thread is free again when it has noticed, a few blocks later.
    const onAbort = () => {
      thread.tell({ kind: 'abort-file', id });
      job.reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      job.resolve(await toHashes(await reply, path));
    } catch (error: unknown) {
      job.reject(error);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }
}

async function toHashes(
  reply: FileReply | { kind: 'aborted' | 'chunk-hashed' | 'few-hashed' },
  path: string,
): Promise<FileHashes> {
  if (reply.kind === 'file-hashed') return reply.hashes;
  if (reply.kind === 'failed') throw await toFileErrorAt(path, reply.code);
  throw new HashThreadError(`unexpected answer ${reply.kind}`);
}

function isOfFewBytes({ ranges, part, sealKey }: Job): boolean {
  return part === 'ranges' && sealKey === undefined && ranges.length === 1 && sizeOf(ranges) <= FEW_BYTES;
}

function toHashedFile(
  segments: readonly ByteRange[],
  hashes: FileHashes,
  sha256: string | undefined,
): HashedFile {
  if (sha256 === undefined) throw new HashThreadError('no hash came back');
  return {
    sizeBytes: hashes.sizeBytes,
    sha256,
    segments: segments.map(({ offset, sizeBytes }, index) => ({
      offset,
      sizeBytes,
      sha256: hashes.rangeHashes[index] ?? '',
    })),
    ...(hashes.rangeSeals.length === 0 ? {} : { byteSeals: hashes.rangeSeals }),
  };
}

function sizeOf(segments: readonly ByteRange[]): number {
  return segments.reduce((sum, segment) => sum + segment.sizeBytes, 0);
}
