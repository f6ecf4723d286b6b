import { open } from 'node:fs/promises';
import type { Limit } from '../../../../activities/host/concurrency';
import { ByteSeals } from '../../../../activities/transfer/hashing/byte-seals';
import { type Hashing, HashPool } from '../../../../activities/transfer/hashing/hash-file';
import { ChunkBuffers, type ChunkPair } from '../../../../activities/transfer/source/chunk-buffers';
import { type SegmentBody, segmentSource } from '../../../../activities/transfer/source/segment-source';
import { hashSample, SAMPLE_KEY, SampleFolder, sha256Of } from '../sample-files';

const MEBIBYTE = 1024 * 1024;

class CountedBuffers extends ChunkBuffers {
  readonly given: ChunkPair[] = [];
  taken = 0;

  override take(): ChunkPair {
    this.taken += 1;
    return super.take();
  }

  override giveBack(pair: ChunkPair): void {
    this.given.push(pair);
    super.giveBack(pair);
  }
}

let folder: SampleFolder;
let hashing: HashPool;
let buffers: CountedBuffers;

beforeEach(async () => {
  folder = await SampleFolder.create();
  hashing = new HashPool({ threads: 1 });
  buffers = new CountedBuffers();
});

afterEach(async () => {
  await hashing.close();
  await folder.remove();
});

async function withBody(use: (body: SegmentBody, sha256: string) => Promise<void>): Promise<void> {
  const file = await folder.file('source.bin', 5 * MEBIBYTE + 7);
  const handle = await open(file.path);
  try {
    const [segment] = file.segments;
    await use(
      segmentSource({
        handle,
        path: file.path,
        segment: segment!,
        index: 0,
        byteSeals: undefined,
        buffers,
        hashing,
        disk: work => work(),
      }).open(),
      file.sha256,
    );
  } finally {
    await handle.close();
  }
}

test('the chunks are the segment, and the memory comes back after the answer', async () => {
  await withBody(async (body, sha256) => {
    const parts: Buffer[] = [];
    for await (const chunk of body.chunks()) parts.push(Buffer.from(chunk));
    expect(sha256Of(Buffer.concat(parts))).toBe(sha256);
    body.close(true);
    expect(buffers.given).toHaveLength(1);
  });
});

test('memory is taken when the bytes are asked for, not while a connection is waited for', async () => {
  await withBody(async body => {
    expect(buffers.taken).toBe(0);
    for await (const chunk of body.chunks()) expect(chunk.length).toBeGreaterThan(0);
    expect(buffers.taken).toBe(1);
    body.close(true);
  });
});

test('memory that a socket may still hold is never used again', async () => {
  await withBody(async body => {
    for await (const chunk of body.chunks()) expect(chunk.length).toBeGreaterThan(0);
    body.close(false);
  });
  await withBody(async body => {
    for await (const chunk of body.chunks()) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    body.close(true);
  });
  expect(buffers.given).toEqual([]);
});

test('with a seal, that is what its bytes are known by: no thread hashes them again', async () => {
  const sizeBytes = 3 * MEBIBYTE + 7;
  const file = await hashSample(hashing, await folder.file('sealed.bin', sizeBytes), SAMPLE_KEY);
  const handle = await open(file.path);
  const never: Hashing = {
    hashFile: () => Promise.reject(new Error('hashed again')),
    openStream: () => {
      throw new Error('hashed again');
    },
  };
  const segment = { offset: 0, sizeBytes, sha256: '' };
  const { path, byteSeals } = file;
  try {
    const disk: Limit = work => work();
    const input = { handle, path, segment, index: 0, byteSeals, buffers, hashing: never, disk };
    let sent = 0;
    for await (const chunk of segmentSource(input).open().chunks()) sent += chunk.length;
    expect(sent).toBe(sizeBytes);
    // Of another segment it is none.
    const wrong = new ByteSeals(SAMPLE_KEY, ['', byteSeals?.tag(0) ?? '']);
    const body = segmentSource({ ...input, index: 1, byteSeals: wrong }).open();
    const read = async () => {
      for await (const chunk of body.chunks()) sent += chunk.length;
    };
    await expect(read()).rejects.toMatchObject({ reason: 'file-changed' });
    // The last chunk was kept back.
    expect(sent).toBe(2 * sizeBytes - 7);
  } finally {
    await handle.close();
  }
});
