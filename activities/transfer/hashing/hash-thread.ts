// The hashing thread: what it is asked, what it replies, and its code. Two kinds of work: whole files, read
// here in blocks, and chunks in shared memory that the sender has read. Hashing on the event loop would hold
// it up for tens of milliseconds at full speed.

import { Worker } from 'node:worker_threads';
import type { ByteRange } from '../ports';
import type { OwnCode } from '../source-faults';

/**
 * Each range; each range and all of them as a whole; or the same shared out between two threads. The whole,
 * where its first range ends, is that range: whoever hashes the whole has it for nothing.
 */
export type HashedPart = 'ranges' | 'ranges-and-whole' | 'first-and-whole' | 'all-but-first';

export type HashRequest =
  /**
   * Hashes what is asked for of the ranges, in order and in one pass; `sealKey` adds the seal of each range
   * that is hashed. The ranges must cover the file.
   */
  | {
      kind: 'hash-file';
      id: number;
      path: string;
      ranges: readonly ByteRange[];
      part: HashedPart;
      sealKey: Uint8Array | undefined;
    }
  /** Files of few bytes, each of one range and without a seal. */
  | { kind: 'hash-few'; id: number; files: readonly { path: string; ranges: readonly ByteRange[] }[] }
  | { kind: 'abort-file'; id: number }
  | {
      kind: 'hash-chunk';
      id: number;
      stream: number;
      shared: SharedArrayBuffer;
      length: number;
      last: boolean;
    }
  | { kind: 'abandon-stream'; stream: number };

export interface FileHashes {
  /** One for each range that was to be hashed. */
  rangeHashes: string[];
  /** The same (byte-seals.ts); none without a key. */
  rangeSeals: string[];
  wholeHash: string | undefined;
  sizeBytes: number;
  /** Decimal nanoseconds. */
  mtimeNs: string;
  /** `device:inode`. */
  identity: string;
}

/** `code`: one of our own (OwnCode) or what the file system said. */
export type FileReply = { kind: 'file-hashed'; hashes: FileHashes } | { kind: 'failed'; code: string };

export type HashReply =
  | (FileReply & { id: number })
  /** In the order they were asked for. */
  | { kind: 'few-hashed'; id: number; replies: readonly FileReply[] }
  | { kind: 'chunk-hashed'; id: number; sha256: string | undefined }
  | { kind: 'aborted'; id: number };

/**
 * Starts a thread. Its code is the text of `runHashThread`, so that it runs alike from
 * compiled files and from sources that a test runner compiles in memory; the function
 * therefore uses nothing from outside itself.
 */
export function startHashThread(): Worker {
  const worker = new Worker(`(${runHashThread.toString()})()`, {
    eval: true,
    // Neither loaders nor preloads of the process are of use here, and no secret of its environment is.
    execArgv: [],
    env: {},
    name: 'hash',
  });
  worker.unref();
  return worker;
}

type FileRequest = Omit<Extract<HashRequest, { kind: 'hash-file' }>, 'kind'>;

function runHashThread(): void {
  const { parentPort } = process.getBuiltinModule('node:worker_threads');
  const { createCipheriv, createHash } = process.getBuiltinModule('node:crypto');
  const fs = process.getBuiltinModule('node:fs');
  const BLOCK_BYTES = 1024 * 1024;
  // A job on a whole file pauses after so many blocks, to hear whether it was aborted.
  const BLOCKS_BETWEEN_MESSAGES = 8;
  const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  const streams = new Map<number, ReturnType<typeof createHash>>();
  const aborted = new Set<number>();

  parentPort?.on('message', (request: HashRequest) => {
    if (request.kind === 'hash-chunk') hashChunk(request);
    else if (request.kind === 'abandon-stream') streams.delete(request.stream);
    else if (request.kind === 'abort-file') aborted.add(request.id);
    else if (request.kind === 'hash-few') void hashFew(request);
    else void hashFile(request);
  });

  function reply(message: HashReply): void {
    parentPort?.postMessage(message);
  }

  function hashChunk(request: Extract<HashRequest, { kind: 'hash-chunk' }>): void {
    const hash = streams.get(request.stream) ?? createHash('sha256');
    hash.update(new Uint8Array(request.shared, 0, request.length));
    if (request.last) streams.delete(request.stream);
    else streams.set(request.stream, hash);
    reply({ kind: 'chunk-hashed', id: request.id, sha256: request.last ? hash.digest('hex') : undefined });
  }

  async function hashFile(request: Extract<HashRequest, { kind: 'hash-file' }>): Promise<void> {
    const { id } = request;
    const hashed = await replyFor(request);
    aborted.delete(id);
    reply(hashed === undefined ? { kind: 'aborted', id } : { ...hashed, id });
  }

  async function hashFew({ id, files }: Extract<HashRequest, { kind: 'hash-few' }>): Promise<void> {
    const replies: FileReply[] = [];
    for (const file of files) {
      const hashed = await replyFor({ ...file, id, part: 'ranges', sealKey: undefined });
      if (hashed !== undefined) replies.push(hashed);
    }
    reply({ kind: 'few-hashed', id, replies });
  }

  /** Undefined when it was aborted. */
  async function replyFor(request: FileRequest): Promise<FileReply | undefined> {
    try {
      const hashes = await openAndHash(request);
      return hashes === undefined ? undefined : { kind: 'file-hashed', hashes };
    } catch (error: unknown) {
      const code = error instanceof Object && 'code' in error ? String(error.code) : 'BUG';
      return { kind: 'failed', code };
    }
  }

  async function openAndHash(request: FileRequest): Promise<FileHashes | undefined> {
    // A link is never followed, and a pipe must not block the open.
    const flags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
    const fd = fs.openSync(request.path, flags);
    try {
      return await hashRanges(fd, request);
    } finally {
      fs.closeSync(fd);
    }
  }

  async function hashRanges(fd: number, request: FileRequest): Promise<FileHashes | undefined> {
    const before = fs.fstatSync(fd, { bigint: true });
    if (!before.isFile()) throw fault('NOT_REGULAR', 'not a regular file');
    const changed = fault('CHANGED', 'changed');
    let expectedBytes = 0;
    for (const range of request.ranges) expectedBytes += range.sizeBytes;
    if (before.size !== BigInt(expectedBytes)) throw changed;

    const { part } = request;
    const hasWhole = part === 'ranges-and-whole' || part === 'first-and-whole';
    const whole = hasWhole ? createHash('sha256') : undefined;
    const rangeHashes: string[] = [];
    const rangeSeals: string[] = [];
    let blocks = 0;
    for (const [index, range] of request.ranges.entries()) {
      const isFirst = index === 0;
      if (isFirst && part === 'all-but-first') continue;
      const isHashed = isFirst || part !== 'first-and-whole';
      const hash = isHashed ? (isFirst && whole) || createHash('sha256') : undefined;
      const mac =
        isHashed && request.sealKey && createCipheriv('aes-256-gcm', request.sealKey, nonceOf(index));
      for (let done = 0; done < range.sizeBytes; ) {
        const wanted = Math.min(BLOCK_BYTES, range.sizeBytes - done);
        const read = fs.readSync(fd, block, 0, wanted, range.offset + done);
        if (read === 0) throw changed;
        const bytes = block.subarray(0, read);
        hash?.update(bytes);
        if (whole !== hash) whole?.update(bytes);
        if (mac) mac.setAAD(bytes);
        done += read;
        if (++blocks % BLOCKS_BETWEEN_MESSAGES === 0) {
          await new Promise<void>(resume => setImmediate(resume));
          if (aborted.has(request.id)) return undefined;
        }
      }
      if (hash !== undefined) rangeHashes.push((hash === whole ? hash.copy() : hash).digest('hex'));
      if (!mac) continue;
      mac.final();
      rangeSeals.push(mac.getAuthTag().toString('hex'));
    }

    const after = fs.fstatSync(fd, { bigint: true });
    if (after.size !== before.size || after.mtimeNs !== before.mtimeNs) throw changed;
    return {
      rangeHashes,
      rangeSeals,
      wholeHash: whole?.digest('hex'),
      sizeBytes: Number(after.size),
      mtimeNs: String(after.mtimeNs),
      identity: `${after.dev}:${after.ino}`,
    };
  }

  function fault(code: OwnCode, message: string): Error {
    return Object.assign(new Error(message), { code });
  }

  function nonceOf(segment: number): Buffer {
    const nonce = Buffer.alloc(12);
    nonce.writeUInt32BE(segment, 8);
    return nonce;
  }
}
