// What is ours on a share is sealed with a key that whoever writes to the share does not know.
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Seals } from '../../../../activities/share/files/seals';
import type { Share } from '../../../../activities/share/share';
import type { UploadId } from '../../../../workflows/contract';
import { claimAll, createTestBed, submitted, type TestBed } from '../share-test-bed';

const OTHER_KEY = Buffer.alloc(32, 8);

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

async function claimed() {
  const share = await bed.open();
  await bed.drop('a.pdf', 'a');
  const { batchId } = await claimAll(share);
  return { share, batchId, folder: join(bed.root, '.drawbridge/batches', batchId) };
}

/** Writes a file of ours as somebody would who knows everything but the key. */
function forge(path: string, change: (content: Record<string, unknown>) => Record<string, unknown>): void {
  const { seal: _seal, sealedBy, ...content } = JSON.parse(readFileSync(path, 'utf8'));
  const changed = change(content);
  const seal = createHash('sha256').update(JSON.stringify(changed)).digest('hex');
  writeFileSync(path, JSON.stringify({ ...changed, seal, sealedBy }));
}

const waysToReadIt = (share: Share, batchId: string): readonly (() => Promise<unknown>)[] => [
  () => share.readSeal(batchId),
  () => share.readBatch(batchId),
  () => share.fileToSend(batchId, 0),
];

test('does not follow a manifest that was written without the key', async () => {
  const { share, batchId, folder } = await claimed();
  forge(join(folder, 'batch.json'), content => ({
    ...content,
    project: { companyId: '1', projectId: '9' },
  }));
  for (const ask of waysToReadIt(share, batchId)) {
    await expect(ask()).rejects.toMatchObject({ code: 'batch-damaged' });
  }
});

test('does not follow a manifest without a seal', async () => {
  const { share, batchId, folder } = await claimed();
  const {
    seal: _seal,
    sealedBy: _by,
    ...content
  } = JSON.parse(readFileSync(join(folder, 'batch.json'), 'utf8'));
  writeFileSync(join(folder, 'batch.json'), JSON.stringify(content));
  await expect(share.readBatch(batchId)).rejects.toMatchObject({ code: 'batch-damaged' });
});

test('believes no receipt and no record that was written without the key', async () => {
  const { share, batchId, folder } = await claimed();
  await share.appendRecord(batchId, { kind: 'created', uploads: [{ index: 0, uploadId: 'U' as never }] });
  const [record = ''] = readdirSync(join(folder, 'journal'));
  const planted = join(folder, 'journal', record.replace('created', 'outcome'));
  const outcome = JSON.stringify({ kind: 'outcome', outcomes: [submitted(0)] });
  const envelope = JSON.parse(readFileSync(join(folder, 'journal', record), 'utf8'));
  const seal = createHash('sha256').update(outcome).digest('hex');
  writeFileSync(planted, JSON.stringify({ ...envelope, record: outcome, seal }));
  expect((await share.readBatch(batchId)).known).toEqual([{ index: 0, uploadId: 'U' }]);

  await share.settleUp(batchId, [submitted(0)], { final: true });
  const finished = join(bed.root, '.drawbridge/finished', batchId.slice(0, 6), batchId);
  forge(join(finished, 'receipt.json'), content => ({ ...content, writtenAt: '2026-01-31T09:30:00.000Z' }));
  await expect(share.readBatch(batchId)).rejects.toMatchObject({ code: 'batch-damaged' });
});

test('does not take the receipt of one batch for that of another, though it is sealed', async () => {
  const { share, batchId, folder } = await claimed();
  await share.settleUp(batchId, [submitted(0)], { final: false, held: [] });
  await bed.drop('b.pdf', 'b');
  const other = await claimAll(share);
  const theirs = join(bed.root, '.drawbridge/batches', other.batchId);
  cpSync(join(folder, 'receipt-so-far.json'), join(theirs, 'receipt-so-far.json'));
  await expect(share.settleUp(other.batchId, [], { final: false, held: [] })).rejects.toMatchObject({
    code: 'batch-damaged',
    message: expect.stringContaining('another batch'),
  });
  expect(await bed.list('done')).not.toContain(`${other.batchId}/b.pdf`);
});

test('does not take a record of one batch for one of another', async () => {
  const { share, batchId, folder } = await claimed();
  await share.appendRecord(batchId, { kind: 'intent', uploads: [{ index: 0, uploadId: 'U' as never }] });
  await bed.drop('b.pdf', 'b');
  const other = await claimAll(share);
  const target = join(bed.root, '.drawbridge/batches', other.batchId, 'journal');
  cpSync(join(folder, 'journal'), target, { recursive: true });
  for (const name of readdirSync(target)) {
    const path = join(target, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(batchId, other.batchId));
  }
  expect((await share.readBatch(other.batchId)).known).toEqual([]);
});

test('sends no batch of another project, however it came there', async () => {
  const { batchId } = await claimed();
  const share = await bed.open({ project: { companyId: '1', projectId: '9' } });
  for (const ask of waysToReadIt(share, batchId)) {
    await expect(ask()).rejects.toMatchObject({
      code: 'project-differs',
      message: expect.stringContaining("the share's is 9"),
    });
  }
});

test('still tells of finished batches after the share was given another project', async () => {
  const { share, batchId } = await claimed();
  const reason = { code: 'x', text: 'x', fix: 'x' };
  await share.settleUp(batchId, [{ index: 0, kind: 'set-apart', reason }], { final: true });
  const later = await bed.open({ project: { companyId: '1', projectId: '9' } });
  expect((await later.setApart()).files).toMatchObject([{ batchId, path: 'a.pdf' }]);
});

test('names the key when a batch was sealed with another one', async () => {
  const { batchId } = await claimed();
  // As after an operator has let the share take another key.
  await rm(join(bed.root, '.drawbridge/key-id'));
  const share = await bed.open({}, { key: OTHER_KEY });
  await expect(share.readBatch(batchId)).rejects.toMatchObject({
    code: 'key-differs',
    message: expect.stringContaining(new Seals(OTHER_KEY).keyId),
  });
  // The share goes on with what it has the key for.
  await bed.drop('b.pdf', 'b');
  const { batchId: next } = await claimAll(share);
  await expect(share.readBatch(next)).resolves.toBeDefined();
});

test('notes nothing in a batch that was sealed with another key, so that it goes on once it has that one again', async () => {
  const { share: before, batchId } = await claimed();
  const intent = { kind: 'intent' as const, uploads: [{ index: 0, uploadId: 'U1' as UploadId }] };
  await before.appendRecord(batchId, intent);
  await rm(join(bed.root, '.drawbridge/key-id'));
  const share = await bed.open({}, { key: OTHER_KEY });
  const outcome = { kind: 'outcome' as const, outcomes: [submitted(0)] };
  await expect(share.appendRecord(batchId, outcome)).rejects.toMatchObject({ code: 'key-differs' });
  await rm(join(bed.root, '.drawbridge/key-id'));
  const again = await bed.open();
  await again.appendRecord(batchId, outcome);
  expect((await again.readBatch(batchId)).known).toMatchObject([
    { intended: true, outcome: { kind: 'submitted' } },
  ]);
});

test('a record that names another key is told of once and left out, and its batch goes on', async () => {
  const { share, batchId, folder } = await claimed();
  await share.appendRecord(batchId, { kind: 'created', uploads: [{ index: 0, uploadId: 'U1' as UploadId }] });
  const atMs = Date.now();
  const record = JSON.stringify({ kind: 'intent', uploads: [{ index: 0, uploadId: 'PLANTED' }] });
  const other = new Seals(OTHER_KEY);
  const seal = other.of('record', `${batchId} ${atMs}\n${record}`);
  const planted = { version: 1, batchId, atMs, seal, sealedBy: other.keyId, record };
  const name = '99991231T235959999Z-intent-0123456789ab.json';
  writeFileSync(join(folder, 'journal', name), JSON.stringify(planted));
  for (let look = 0; look < 3; look++) {
    expect((await share.readBatch(batchId)).known).toEqual([{ index: 0, uploadId: 'U1' }]);
  }
  const told = bed.logger.lines.filter(({ event }) => event === 'record-unreadable');
  expect(told).toMatchObject([{ record: name, why: expect.stringContaining('sealed with another key') }]);
  await share.settleUp(batchId, [submitted(0)], { final: true });
  expect(await bed.list('done')).toEqual(expect.arrayContaining([expect.stringMatching(/a\.pdf$/)]));
});

test('tells nothing of its key, and keeps kinds apart', () => {
  const key = Buffer.alloc(32, 7);
  const seals = new Seals(key);
  expect(JSON.stringify(seals)).not.toContain(key.toString('hex').slice(0, 8));
  expect(seals.of('manifest', 'x')).not.toBe(seals.of('receipt', 'x'));
  expect(seals.of('manifest', 'x')).not.toBe(new Seals(OTHER_KEY).of('manifest', 'x'));
  expect(() => new Seals(Buffer.alloc(16))).toThrow(RangeError);
});
