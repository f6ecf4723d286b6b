/**
 * Receives the bytes of segments and knows the SHA-256 of whole files. Bytes are hashed as they stream and,
 * where nothing needs them, dropped. Files of several segments are spooled to disk, because segments arrive
 * in any order while a whole file can only be hashed from its beginning.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { FileUpload } from '../entities';

export interface Received {
  sizeBytes: number;
  sha256: string;
  md5: string | null;
}

/** Chunks from the network are gathered to about this size: one trip to the disk instead of sixteen. */
const WRITE_BYTES = 1024 * 1024;

/** How far the hash of a whole file has come. */
interface WholeHash {
  hash: Hash;
  next: number;
  running: boolean;
}

export class ByteStore {
  private readonly root: string;
  private readonly keep: boolean;
  private readonly ephemeral: boolean;
  private readonly wholes = new Map<string, WholeHash>();
  private parts = 0;

  /** `ephemeral`: nothing outlives this process, so spooled bytes go as soon as they are hashed. */
  constructor(root: string, options: { keep: boolean; ephemeral: boolean }) {
    this.root = root;
    this.keep = options.keep;
    this.ephemeral = options.ephemeral;
  }

  /**
   * Takes one segment from the request; `accept` says, from what has arrived, whether it becomes the segment.
   * `corrupt` changes a byte on the way. Rejects when the connection ends early; then nothing is kept.
   */
  async receive(
    file: FileUpload,
    index: number,
    request: IncomingMessage,
    options: { corrupt: boolean; accept: (received: Received) => boolean },
  ): Promise<Received> {
    const taker = new SegmentTaker(file.segments[index]?.md5 !== undefined, options.corrupt);
    if (!this.spools(file)) {
      const received = await taker.takeInMemory(request);
      options.accept(received);
      return received;
    }
    const path = this.pathOf(file.id, index);
    this.parts += 1;
    const part = `${path}.${process.pid}-${this.parts}.part`;
    await mkdir(join(this.root, file.id), { recursive: true });
    try {
      const received = await taker.takeToFile(request, part);
      // The bytes are in place before the record says so: a kill in between costs the segment, not the truth.
      if (matchesSegment(file, index, received) || options.corrupt) await rename(part, path);
      options.accept(received);
      return received;
    } finally {
      await rm(part, { force: true });
    }
  }

  /** Hashes on as far as segments have arrived; `done` is called once, with the SHA-256 of the whole. */
  async hashWhole(file: FileUpload, done: (sha256: string) => void): Promise<void> {
    const whole = this.wholes.get(file.id) ?? { hash: createHash('sha256'), next: 0, running: false };
    this.wholes.set(file.id, whole);
    if (whole.running) return;
    whole.running = true;
    try {
      while (file.segments[whole.next]?.etag !== undefined) {
        const path = this.pathOf(file.id, whole.next);
        const stream = createReadStream(path, { highWaterMark: 1024 * 1024 });
        for await (const chunk of stream as AsyncIterable<Buffer>) whole.hash.update(chunk);
        whole.next += 1;
        if (this.ephemeral && !this.keep) await rm(path, { force: true });
      }
    } finally {
      whole.running = false;
    }
    if (whole.next < file.segments.length) return;
    this.wholes.delete(file.id);
    done(whole.hash.digest('hex'));
    if (!this.keep) await rm(join(this.root, file.id), { recursive: true, force: true });
  }

  /** Removes what an ephemeral store has left. */
  dispose(): void {
    if (this.ephemeral) rmSync(this.root, { recursive: true, force: true });
  }

  /** Whether this file's bytes go to disk. */
  spools(file: FileUpload): boolean {
    return this.keep || file.segments.length > 1;
  }

  private pathOf(fileId: string, index: number): string {
    return join(this.root, fileId, String(index));
  }
}

/** Whether these are the bytes that were declared. */
export function matchesSegment(file: FileUpload, index: number, received: Received): boolean {
  const segment = file.segments[index];
  return (
    segment !== undefined &&
    segment.size === received.sizeBytes &&
    segment.sha256 === received.sha256 &&
    (segment.md5 === undefined || segment.md5 === received.md5)
  );
}

class SegmentTaker {
  private readonly sha256 = createHash('sha256');
  private readonly md5: Hash | null;
  private corrupt: boolean;
  private sizeBytes = 0;

  constructor(withMd5: boolean, corrupt: boolean) {
    this.md5 = withMd5 ? createHash('md5') : null;
    this.corrupt = corrupt;
  }

  takeInMemory(request: IncomingMessage): Promise<Received> {
    return new Promise((resolve, reject) => {
      request.on('data', (chunk: Buffer) => this.take(chunk));
      request.on('end', () => resolve(this.finish()));
      request.on('error', reject);
      request.on('close', () => {
        if (!request.complete) reject(new Error('the connection ended early'));
      });
    });
  }

  async takeToFile(request: IncomingMessage, path: string): Promise<Received> {
    let handle: FileHandle | null = null;
    try {
      handle = await open(path, 'w', 0o600);
      let gathered: Buffer[] = [];
      let gatheredBytes = 0;
      for await (const chunk of request as AsyncIterable<Buffer>) {
        this.take(chunk);
        gathered.push(chunk);
        gatheredBytes += chunk.length;
        if (gatheredBytes < WRITE_BYTES) continue;
        await writeAll(handle, gathered);
        gathered = [];
        gatheredBytes = 0;
      }
      await writeAll(handle, gathered);
    } finally {
      await handle?.close();
    }
    if (!request.complete) throw new Error('the connection ended early');
    return this.finish();
  }

  private take(chunk: Buffer): void {
    if (this.corrupt && chunk.length > 0) {
      chunk[0] = (chunk[0] ?? 0) ^ 1;
      this.corrupt = false;
    }
    this.sha256.update(chunk);
    this.md5?.update(chunk);
    this.sizeBytes += chunk.length;
  }

  private finish(): Received {
    return {
      sizeBytes: this.sizeBytes,
      sha256: this.sha256.digest('hex'),
      md5: this.md5?.digest('hex') ?? null,
    };
  }
}

async function writeAll(handle: FileHandle, chunks: readonly Buffer[]): Promise<void> {
  const wanted = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (wanted === 0) return;
  const { bytesWritten } = await handle.writev([...chunks]);
  if (bytesWritten === wanted) return;
  // Rare: a short write. Go on from where it ended.
  const rest = Buffer.concat(chunks).subarray(bytesWritten);
  await writeAll(handle, [rest]);
}
