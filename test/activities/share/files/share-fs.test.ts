// What a mount that hangs leaves to all others: file operations, DNS and compressing share few threads.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Limit } from '../../../../activities/host/concurrency';
import { openFileTurns } from '../../../../activities/share/files/file-threads';
import { createNodeShareFs } from '../../../../activities/share/files/share-fs';
import type { Hashing } from '../../../../activities/transfer/hashing/hash-file';
import { ChunkBuffers } from '../../../../activities/transfer/source/chunk-buffers';
import { SourceFile } from '../../../../activities/transfer/source/source-file';

const THREADS = 32;

let inHand = 0;
/** What is asked for below `/hung` keeps a thread, and never comes back. */
jest.mock('node:fs/promises', () => {
  const actual = jest.requireActual<typeof import('node:fs/promises')>('node:fs/promises');
  const hangs =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      if (!String(given[0]).startsWith('/hung')) return await work(...given);
      inHand += 1;
      return await new Promise<never>(() => undefined);
    };
  return { ...actual, lstat: hangs(actual.lstat), open: hangs(actual.open) };
});

let folder: string;
const { UV_THREADPOOL_SIZE } = process.env;
beforeAll(async () => {
  process.env.UV_THREADPOOL_SIZE = String(THREADS);
  folder = await mkdtemp(join(tmpdir(), 'drawbridge-turns-'));
  await writeFile(join(folder, 'a.pdf'), 'some bytes');
});
afterAll(async () => {
  if (UV_THREADPOOL_SIZE === undefined) delete process.env.UV_THREADPOOL_SIZE;
  else process.env.UV_THREADPOOL_SIZE = UV_THREADPOOL_SIZE;
  await rm(folder, { recursive: true });
});

/** As a watcher does with all that lies in a share, and a transfer with its files. */
function askForMuch(place: string): void {
  const [fs, disk] = [createNodeShareFs(), openFileTurns()];
  for (let at = 0; at < 100; at++) void fs.look(`${place}/${at}.pdf`);
  for (let at = 0; at < 16; at++) void openSource(`${place}/${at}.pdf`, disk);
}

async function openSource(path: string, disk: Limit): Promise<SourceFile> {
  const segments = [{ offset: 0, sizeBytes: 10, sha256: '' }];
  const hashing: Hashing = { hashFile: () => Promise.reject(), openStream: () => expect.anything() };
  const tools = { buffers: new ChunkBuffers(), hashing, disk };
  const file = { path, fileName: 'a.pdf', contentType: '', sizeBytes: 10, sha256: '', segments };
  return await SourceFile.open(file, tools);
}

test('shares whose mounts hang leave threads to one that is well, and to all that is no file of a share', async () => {
  const alone = createNodeShareFs();
  for (let at = 0; at < 100; at++) void alone.look(`/hung/alone/${at}.pdf`);
  await new Promise(setImmediate);
  // As many as ever: there is nobody else.
  expect(inHand).toBe(7);
  for (const place of ['/hung/one', '/hung/other']) askForMuch(place);
  await new Promise(setImmediate);
  const well = createNodeShareFs();
  await expect(well.look(join(folder, 'a.pdf'))).resolves.toMatchObject({ sizeBytes: 10 });
  const source = await openSource(join(folder, 'a.pdf'), openFileTurns());
  await source.close();
  expect(inHand).toBeLessThanOrEqual(THREADS - 5);
});
