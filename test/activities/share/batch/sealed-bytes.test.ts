import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FEW_BYTES, HashPool } from '../../../../activities/transfer/hashing/hash-file';
import { claimAll, createTestBed, SHARE_KEY, type TestBed } from '../share-test-bed';

const SIZE = FEW_BYTES + 1;

let bed: TestBed;
let hasher: HashPool;

beforeEach(async () => {
  bed = await createTestBed();
  hasher = new HashPool({ threads: 1 });
});

afterEach(async () => {
  await hasher.close();
  await bed.remove();
});

async function claimed() {
  const share = await bed.open({}, { hasher });
  await bed.drop('a.pdf', Buffer.alloc(SIZE, 'a'));
  await bed.drop('b.pdf', Buffer.alloc(SIZE, 'a'));
  await bed.drop('few.pdf', Buffer.alloc(FEW_BYTES, 'a'));
  return { share, ...(await claimAll(share)) };
}

async function sealOf(sizeBytes: number, file: { byteSeals?: { openStream(index: number): unknown } }) {
  const stream = file.byteSeals?.openStream(0) as {
    finish(s: SharedArrayBuffer, n: number): Promise<string>;
  };
  const shared = new SharedArrayBuffer(sizeBytes);
  Buffer.from(shared).fill('a');
  return await stream.finish(shared, sizeBytes);
}

test('a claimed file is sent with the seals that were made when it was hashed, a few bytes without', async () => {
  const { share, batchId } = await claimed();
  const file = await share.fileToSend(batchId, 0);
  expect(file.byteSeals?.tag(0)).toBe(await sealOf(SIZE, file));
  expect((await share.fileToSend(batchId, 2)).byteSeals).toBeUndefined();
});

test('no two files are sealed with one key, be their bytes the same', async () => {
  const { manifest } = await claimed();
  const [one, other] = manifest.files.map(({ byteSeals }) => byteSeals);
  expect(one?.salt).not.toBe(other?.salt);
  expect(one?.tags).not.toEqual(other?.tags);
});

test('the key is in nothing that is written or shown', async () => {
  const { share, batchId } = await claimed();
  const file = await share.fileToSend(batchId, 0);
  expect(JSON.stringify(file.byteSeals)).toBe('{}');
  const manifest = await readFile(join(bed.root, '.drawbridge/batches', batchId, 'batch.json'), 'utf8');
  expect(manifest).not.toContain(SHARE_KEY.toString('hex'));
});
