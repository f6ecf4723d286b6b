// Files of ours on a share that were edited, exchanged, or cannot be read at the moment.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Receipt } from '../../../../activities/share/batch/kept-receipt';
import { openShare } from '../../../../activities/share/open-share';
import { createFaultyFs, fsError } from '../faulty-fs';
import { claimAll, createTestBed, SHARE_KEY, simpleHasher, submitted, type TestBed } from '../share-test-bed';

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

const held = [{ index: 1, reason: { code: 'x', text: 'waits', fix: 'answer' } }];

/** A batch of two files, the first submitted, the second held; its folder. */
async function settledSoFar(): Promise<{ batchId: string; folder: string }> {
  await bed.drop('a.pdf');
  await bed.drop('b.pdf');
  const share = await bed.open();
  const { batchId } = await claimAll(share);
  await share.settleUp(batchId, [submitted(0)], { final: false, held });
  return { batchId, folder: join(bed.root, '.drawbridge', 'batches', batchId) };
}

function edit(path: string, change: (receipt: Receipt) => unknown): void {
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')) as Receipt)));
}

test.each<[string, (receipt: Receipt) => unknown]>([
  [
    'an outcome',
    receipt => ({ ...receipt, files: receipt.files.map(file => ({ ...file, outcome: 'submitted' })) }),
  ],
  ['a row less', receipt => ({ ...receipt, files: receipt.files.slice(1) })],
  ['another batch', receipt => ({ ...receipt, batchId: '20260131-093000-aaaaaa' })],
])('a receipt that was edited is not believed: %s', async (_, change) => {
  const { batchId, folder } = await settledSoFar();
  edit(join(folder, 'receipt-so-far.json'), change);
  const share = await bed.open();
  await expect(share.settleUp(batchId, [submitted(1)], { final: true })).rejects.toMatchObject({
    code: 'batch-damaged',
    message: expect.stringMatching(/receipt so far of batch/),
  });
  expect(await bed.list('done')).not.toContain(`${batchId}/b.pdf`);
});

test('a receipt with other line breaks and order of keys is as it was written', async () => {
  const { batchId, folder } = await settledSoFar();
  edit(join(folder, 'receipt-so-far.json'), receipt => Object.fromEntries(Object.entries(receipt).reverse()));
  const share = await bed.open();
  expect(await share.settleUp(batchId, [submitted(1)], { final: true })).toMatchObject({ done: 2 });
});

test.each(['EACCES', 'EBUSY', 'EMFILE'])(
  'an intent that cannot be read just now (%s) is waited for, not left out',
  async code => {
    const { batchId } = await settledSoFar();
    await (await bed.open()).appendRecord(batchId, {
      kind: 'intent',
      uploads: [{ index: 1, uploadId: 'U1' as never }],
    });
    let isLocked = true;
    const fs = createFaultyFs((operation, path) => {
      if (isLocked && operation === 'read' && String(path).includes('-intent-')) throw fsError(code);
    });
    const share = await openShare(bed.config, {
      hasher: simpleHasher,
      logger: bed.logger,
      fs,
      key: SHARE_KEY,
    });
    await expect(share.readBatch(batchId)).rejects.toMatchObject({ code: 'unreadable-now' });
    isLocked = false;
    expect((await share.readBatch(batchId)).known).toContainEqual({
      index: 1,
      uploadId: 'U1',
      completed: true,
      intended: true,
    });
  },
);

test('a pipe in place of a file of ours is damage, and nothing waits for it', async () => {
  const { batchId, folder } = await settledSoFar();
  await rm(join(folder, 'receipt-so-far.json'));
  execFileSync('mkfifo', [join(folder, 'receipt-so-far.json')]);
  const share = await bed.open();
  await expect(share.settleUp(batchId, [submitted(1)], { final: true })).rejects.toMatchObject({
    code: 'batch-damaged',
  });
});

test('a reason of any length is noted, and shortened', async () => {
  const { batchId, folder } = await settledSoFar();
  const share = await bed.open();
  const reason = { code: '', text: 'x'.repeat(100_000), fix: 'y'.repeat(100_000) };
  await share.appendRecord(batchId, { kind: 'outcome', outcomes: [{ index: 1, kind: 'set-apart', reason }] });
  expect(readdirSync(join(folder, 'journal'))).toHaveLength(1);
  await share.settleUp(batchId, [{ index: 1, kind: 'set-apart', reason }], { final: true });
  expect((await share.readBatch(batchId)).receipt?.files[1]?.reason).toEqual({
    code: 'unknown',
    text: 'x'.repeat(4_000),
    fix: 'y'.repeat(4_000),
  });
});
