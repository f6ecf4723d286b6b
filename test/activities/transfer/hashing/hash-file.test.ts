import { execFileSync } from 'node:child_process';
import { symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FEW_BYTES, HashPool } from '../../../../activities/transfer/hashing/hash-file';
import { HashThread } from '../../../../activities/transfer/hashing/hash-thread-pool';
import { runCompiled } from '../compiled-engine';
import { SampleFolder, sampleBytes, sha256Of } from '../sample-files';

const MEBIBYTE = 1024 * 1024;

let folder: SampleFolder;
let pool: HashPool;

beforeEach(async () => {
  folder = await SampleFolder.create();
  pool = new HashPool({ threads: 2 });
});

afterEach(async () => {
  await pool.close();
  await folder.remove();
});

describe('hashFile', () => {
  test.each([1, MEBIBYTE - 1, MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE + 17])(
    'a file of %d bytes in one segment has one hash for both',
    async sizeBytes => {
      const file = await folder.file('one.bin', sizeBytes);
      const hashed = await pool.hashFile(file.path, { segments: [{ offset: 0, sizeBytes }] });
      expect(hashed).toMatchObject({ sizeBytes, sha256: file.sha256, segments: file.segments });
    },
  );

  test.each([1, 2])('whole and segments agree with node:crypto on %d threads', async threads => {
    const own = new HashPool({ threads });
    try {
      const file = await folder.file('many.bin', 5 * MEBIBYTE + 3, 2 * MEBIBYTE - 5);
      const hashed = await own.hashFile(file.path, { segments: file.segments });
      expect(hashed).toMatchObject({ sha256: file.sha256, segments: file.segments });
    } finally {
      await own.close();
    }
  });

  test('many files at once are hashed on few threads, each with its own hash', async () => {
    const files = await Promise.all(
      Array.from({ length: 20 }, (_, index) => folder.file(`f${index}.bin`, 50_000 + index, 20_000)),
    );
    const hashed = await Promise.all(
      files.map(file => pool.hashFile(file.path, { segments: file.segments })),
    );
    expect(hashed.map(each => each.sha256)).toEqual(files.map(file => file.sha256));
  });

  test('files of few bytes that wait go in few messages, each with its own hash, trouble or end', async () => {
    const asked = jest.spyOn(HashThread.prototype, 'ask');
    const [stop, all] = [new AbortController(), new AbortController()];
    const listens = jest.spyOn(all.signal, 'addEventListener');
    const files = await Promise.all(
      Array.from({ length: 100 }, (_, index) => folder.file(`f${index}.bin`, 1 + index)),
    );
    const hashing = files.map(({ path, segments }, index) =>
      pool.hashFile(index === 50 ? `${path}.gone` : path, {
        segments,
        signal: (index === 60 ? stop : all).signal,
      }),
    );
    stop.abort(new Error('enough'));
    const hashed = await Promise.allSettled(hashing);
    expect(hashed[50]).toMatchObject({ reason: { reason: 'file-missing' } });
    expect(hashed[60]).toMatchObject({ reason: { message: 'enough' } });
    for (const [index, { sha256 }] of files.entries()) {
      if (index !== 50 && index !== 60) expect(hashed[index]).toMatchObject({ value: { sha256 } });
    }
    expect(asked.mock.calls.length).toBeLessThanOrEqual(8);
    // More than ten at one time are taken for a leak.
    expect(listens.mock.calls.length).toBeLessThanOrEqual(8);
    asked.mockRestore();
  });

  test('a missing file is reported as missing, and its folder as the share', async () => {
    const segments = [{ offset: 0, sizeBytes: 1 }];
    const missing = pool.hashFile(join(folder.path, 'no'), { segments });
    await expect(missing).rejects.toMatchObject({ code: 'SOURCE_FILE', reason: 'file-missing' });
    const unmounted = pool.hashFile(join(folder.path, 'gone', 'no'), { segments });
    await expect(unmounted).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a symbolic link, a folder and a pipe are refused, and the pipe does not block', async () => {
    const file = await folder.file('target.bin', 10);
    await symlink(file.path, join(folder.path, 'link'));
    execFileSync('mkfifo', [join(folder.path, 'pipe')]);
    for (const path of [join(folder.path, 'link'), folder.path, join(folder.path, 'pipe')]) {
      await expect(pool.hashFile(path, { segments: file.segments })).rejects.toMatchObject({
        code: 'SOURCE_FILE',
        reason: 'file-unreadable',
      });
    }
  });

  test.each([9, 11])('a file of 10 bytes that was planned with %d has changed', async sizeBytes => {
    const file = await folder.file('size.bin', 10);
    const hashing = pool.hashFile(file.path, { segments: [{ offset: 0, sizeBytes }] });
    await expect(hashing).rejects.toMatchObject({ code: 'SOURCE_FILE', reason: 'file-changed' });
  });

  test('a file that shrinks while it is read has changed', async () => {
    const sizeBytes = 2 ** 34;
    const path = join(folder.path, 'sparse.bin');
    await writeFile(path, '');
    await truncate(path, sizeBytes);
    const hashing = pool.hashFile(path, { segments: [{ offset: 0, sizeBytes }] });
    const rejected = expect(hashing).rejects.toMatchObject({ code: 'SOURCE_FILE', reason: 'file-changed' });
    await truncate(path, 10);
    await rejected;
  });

  test('an abort releases the caller at once and the thread soon after', async () => {
    const single = new HashPool({ threads: 1 });
    try {
      const sizeBytes = 2 ** 36;
      const path = join(folder.path, 'endless.bin');
      await writeFile(path, '');
      await truncate(path, sizeBytes);
      const abort = new AbortController();
      const hashing = single.hashFile(path, { segments: [{ offset: 0, sizeBytes }], signal: abort.signal });
      const queued = single.hashFile(path, { segments: [{ offset: 0, sizeBytes }], signal: abort.signal });
      const reason = new Error('enough');
      setImmediate(() => abort.abort(reason));
      await expect(hashing).rejects.toBe(reason);
      await expect(queued).rejects.toBe(reason);
      const file = await folder.file('next.bin', 100);
      await expect(single.hashFile(file.path, { segments: file.segments })).resolves.toMatchObject({
        sha256: file.sha256,
      });
    } finally {
      await single.close();
    }
  });

  test('closing the pool ends what is under way and refuses what comes later', async () => {
    const file = await folder.file('late.bin', 10);
    const sizeBytes = 2 ** 36;
    const path = join(folder.path, 'endless.bin');
    await writeFile(path, '');
    await truncate(path, sizeBytes);
    const own = new HashPool({ threads: 1 });
    const hashing = own.hashFile(path, { segments: [{ offset: 0, sizeBytes }] });
    const rejected = expect(hashing).rejects.toMatchObject({ code: 'HASH_THREAD' });
    await own.close();
    await rejected;
    await expect(own.hashFile(file.path, { segments: file.segments })).rejects.toMatchObject({
      code: 'HASH_THREAD',
    });
  });
});

describe('seals of bytes', () => {
  const key = Buffer.alloc(32, 1);
  const SIZE = 3 * MEBIBYTE;

  async function sealsOf(fileName: string, sealKey: Buffer, threads = 2, segmentBytes = MEBIBYTE) {
    const own = new HashPool({ threads });
    try {
      const { path, segments } = await folder.file(fileName, SIZE, segmentBytes);
      return (await own.hashFile(path, { segments, sealKey })).byteSeals;
    } finally {
      await own.close();
    }
  }

  test('are one a segment, alike on one thread and on two, and others with another key', async () => {
    const seals = await sealsOf('a.bin', key);
    expect(seals).toHaveLength(3);
    expect(await sealsOf('a.bin', key, 1)).toEqual(seals);
    expect(await sealsOf('a.bin', key, 2, SIZE)).toHaveLength(1);
    const other = await sealsOf('a.bin', Buffer.alloc(32, 2));
    expect(new Set([...(seals ?? []), ...(other ?? [])]).size).toBe(6);
  });

  test('differ for the same bytes in another segment: none can stand in for another', async () => {
    const path = join(folder.path, 'same.bin');
    await writeFile(path, Buffer.alloc(2 * MEBIBYTE));
    const segments = [0, MEBIBYTE].map(offset => ({ offset, sizeBytes: MEBIBYTE }));
    const { byteSeals = [] } = await pool.hashFile(path, { segments, sealKey: key });
    expect(new Set(byteSeals).size).toBe(2);
  });

  test('are not made for a few bytes, nor without a key', async () => {
    const few = await folder.file('few.bin', FEW_BYTES);
    const many = await folder.file('many.bin', FEW_BYTES + 1);
    const { byteSeals } = await pool.hashFile(few.path, { segments: few.segments, sealKey: key });
    expect(byteSeals).toBeUndefined();
    expect((await pool.hashFile(many.path, { segments: many.segments })).byteSeals).toBeUndefined();
  });
});

describe('a stream of chunks', () => {
  test('is hashed in order, several at a time', async () => {
    const bytes = sampleBytes(300_000, 'stream');
    const shared = new SharedArrayBuffer(100_000);
    const view = Buffer.from(shared);
    const other = pool.openStream();
    const stream = pool.openStream();
    for (const from of [0, 100_000]) {
      bytes.copy(view, 0, from, from + 100_000);
      await Promise.all([stream.update(shared, 100_000), other.update(shared, 10)]);
    }
    bytes.copy(view, 0, 200_000);
    expect(await stream.finish(shared, 100_000)).toBe(sha256Of(bytes));
    other.abandon();
  });
});

test('a pool that is idle does not keep its process alive', async () => {
  const file = await folder.file('exit.bin', 1000);
  const output = await runCompiled(
    `const { HashPool } = require('./activities/transfer/hashing/hash-file');
     const pool = new HashPool();
     pool.hashFile(${JSON.stringify(file.path)}, { segments: [{ offset: 0, sizeBytes: 1000 }] })
       .then(hashed => console.log(hashed.sha256));`,
  );
  expect(output.trim()).toBe(file.sha256);
});
