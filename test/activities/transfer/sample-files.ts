// Real files with reproducible content, cut and hashed as the claim would have done it, with
// segments small enough for tests.

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ByteSeals } from '../../../activities/transfer/hashing/byte-seals';
import type { FileHasher } from '../../../activities/transfer/hashing/hash-file';
import type { FileToSend } from '../../../activities/transfer/ports';

/** What bytes of tests are sealed with. */
export const SAMPLE_KEY = Buffer.alloc(32, 9);

export class SampleFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<SampleFolder> {
    return new SampleFolder(await mkdtemp(join(tmpdir(), 'transfer-')));
  }

  async file(fileName: string, sizeBytes: number, segmentBytes = sizeBytes): Promise<FileToSend> {
    const bytes = sampleBytes(sizeBytes, fileName);
    const path = join(this.path, fileName);
    await writeFile(path, bytes);
    const segments = [];
    for (let offset = 0; offset < sizeBytes; offset += segmentBytes) {
      const part = bytes.subarray(offset, offset + segmentBytes);
      segments.push({ offset, sizeBytes: part.length, sha256: sha256Of(part) });
    }
    const contentType = 'application/octet-stream';
    return { path, fileName, contentType, sizeBytes, sha256: sha256Of(bytes), segments };
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

/** As the claim hashes it, with the seals of its bytes when there is a key. */
export async function hashSample(
  hasher: FileHasher,
  file: FileToSend,
  sealKey?: Buffer,
): Promise<FileToSend> {
  const { segments } = file;
  const input = { segments, ...(sealKey === undefined ? {} : { sealKey }) };
  const { byteSeals, ...hashed } = await hasher.hashFile(file.path, input);
  const sealed =
    sealKey === undefined || byteSeals === undefined ? undefined : ([sealKey, byteSeals] as const);
  return { ...file, ...hashed, ...(sealed === undefined ? {} : { byteSeals: new ByteSeals(...sealed) }) };
}

export function sampleBytes(sizeBytes: number, seed: string): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  const block = createHash('sha512').update(seed).digest();
  for (let at = 0; at < sizeBytes; at += 4096) {
    block.copy(bytes, at);
    if (at + 8 <= sizeBytes) bytes.writeUInt32LE(at / 4096, at);
  }
  return bytes;
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Paths below a folder that this process holds open; Linux only. */
export async function openFilesUnder(path: string): Promise<string[]> {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map(fd => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return links.filter(link => link.startsWith(path));
}
