import { readFileSync } from 'node:fs';
import { appendFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { HashPool } from '../../../activities/transfer/hashing/hash-file';
import type { UploadId } from '../../../workflows/contract';
import { claimAll, createTestBed, submitted, type TestBed } from './share-test-bed';

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

test('a port of a share has four methods at most', () => {
  const text = readFileSync(join(__dirname, '../../../activities/share/share.ts'), 'utf8');
  const ports = [...text.matchAll(/^export interface (\w+) \{\n(.*?)^\}/gms)].map(([, name, body = '']) => ({
    name,
    methods: body.match(/^ {2}\w+\(/gm)?.length ?? 0,
  }));
  expect(ports).toContainEqual({ name: 'DropFolder', methods: 4 });
  expect(ports.filter(({ methods }) => methods > 4)).toEqual([]);
});

describe('a batch from the drop folder to its receipt', () => {
  test('claims, seals, sends, records and settles', async () => {
    const share = await bed.open();
    await bed.drop('plans/A 101.pdf', 'one');
    await bed.drop('b.txt', 'two');
    const { batchId, manifest, manifestSha256 } = await claimAll(share);

    expect(manifest.files.map(file => file.path)).toEqual(['b.txt', 'plans/A 101.pdf']);
    expect(await bed.list('drop')).toEqual([]);
    const file = await share.fileToSend(batchId, 1);
    expect(file).toMatchObject({ fileName: 'A 101.pdf', contentType: 'application/pdf', sizeBytes: 3 });

    await share.appendRecord(batchId, {
      kind: 'created',
      uploads: [{ index: 0, uploadId: 'U0' as UploadId }],
    });
    const read = await share.readBatch(batchId, manifestSha256);
    expect(read.known).toEqual([{ index: 0, uploadId: 'U0' }]);
    expect(read.receipt).toBeUndefined();

    const settled = await share.settleUp(batchId, [submitted(0), submitted(1)], { final: true });
    expect(settled).toEqual({ done: 2, attention: 0, receipts: [`done/${batchId}/receipt.csv`] });
    expect(await bed.list(`done/${batchId}`)).toEqual([
      'b.txt',
      'plans/A 101.pdf',
      'receipt.csv',
      'receipt.json',
    ]);
    expect(await share.openBatches()).toEqual([]);
    expect((await share.readBatch(batchId)).receipt?.final).toBe(true);
    expect(await share.settleUp(batchId, [], { final: true })).toEqual(settled);
  });
});

describe('with the upload engine’s hash pool', () => {
  const pool = new HashPool();

  afterAll(async () => {
    await pool.close();
  });

  test('notes the segments of a large file, and their hashes', async () => {
    const share = await bed.open({}, { hasher: pool });
    await bed.drop('large.bin', 'x');
    await truncate(join(bed.root, 'drop/large.bin'), 101 * 1024 ** 2);
    await bed.drop('small.bin', 'x');
    const { batchId, manifest } = await claimAll(share);
    const [large, small] = manifest.files;
    expect(large?.segments?.map(segment => segment.sizeBytes)).toEqual([51 * 1024 ** 2, 50 * 1024 ** 2]);
    expect(small?.segments).toBeUndefined();
    expect((await share.fileToSend(batchId, 1)).segments).toEqual([
      { offset: 0, sizeBytes: 1, sha256: small?.sha256 },
    ]);
  });

  test('returns a file that changes while it is hashed', async () => {
    const share = await bed.open({}, { hasher: pool });
    await bed.drop('growing.bin', 'x');
    const { batch } = await share.claim(['growing.bin']);
    await appendFile(join(batch!.paths.files, 'growing.bin'), 'y');
    expect(await share.writeManifest(batch!)).toEqual({
      batchId: undefined,
      returned: [{ path: 'growing.bin', why: 'changed' }],
    });
  });
});
