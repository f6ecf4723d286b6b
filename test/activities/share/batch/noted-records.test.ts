// The journal holds what is new: a wait that notes the same again and again adds nothing to it.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { NotedRecords } from '../../../../activities/share/batch/noted-records';
import { createNodeShareFs, type FsPlace } from '../../../../activities/share/files/share-fs';
import type { UploadId } from '../../../../workflows/contract';
import type { JournalRecord } from '../../../../workflows/ingest/ingest-contract';
import { createFaultyFs, fsError } from '../faulty-fs';
import { claimAll, createTestBed, submitted, type TestBed } from '../share-test-bed';

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

const uploadsOf = (...ids: string[]) => ids.map((id, index) => ({ index, uploadId: id as UploadId }));
const intent = (...ids: string[]): JournalRecord => ({ kind: 'intent', uploads: uploadsOf(...ids) });
const created = (...ids: string[]): JournalRecord => ({ kind: 'created', uploads: uploadsOf(...ids) });

async function claimed(fs = createNodeShareFs()) {
  const share = await bed.open({}, { fs });
  await bed.drop('a.pdf');
  await bed.drop('b.pdf');
  const { batchId } = await claimAll(share);
  const journal = join(bed.root, '.drawbridge/batches', batchId, 'journal');
  return { share, batchId, records: () => readdirSync(journal).length };
}

test('notes the same once, and of a longer record only what is new', async () => {
  const { share, batchId, records } = await claimed();
  for (let turn = 0; turn < 20; turn += 1) await share.appendRecord(batchId, intent('U0'));
  expect(records()).toBe(1);
  await share.appendRecord(batchId, intent('U0', 'U1'));
  await share.appendRecord(batchId, { kind: 'outcome', outcomes: [submitted(0)] });
  await share.appendRecord(batchId, { kind: 'outcome', outcomes: [submitted(0)] });
  expect(records()).toBe(3);
  expect((await share.readBatch(batchId)).known).toMatchObject([
    { index: 0, uploadId: 'U0', intended: true, outcome: { revisionId: 'R0' } },
    { index: 1, uploadId: 'U1', intended: true },
  ]);
});

test('notes by which requirement a document goes once, and again where another applies', async () => {
  const { share, batchId, records } = await claimed();
  const required = (...whens: string[]): JournalRecord => ({
    kind: 'required',
    documents: whens.map((when, index) => ({ index, when, asks: ['Type'] })),
  });
  for (const record of [required('a', 'b'), required('a', 'b'), required('b', 'b')])
    await share.appendRecord(batchId, record);
  expect(records()).toBe(2);
  expect((await share.readRecords(batchId, 'required')).map(({ record }) => record)).toEqual([
    required('a', 'b'),
    required('b'),
  ]);
  expect((await share.readBatch(batchId)).known).toEqual([]);
});

test('notes an upload again that was noted before another one', async () => {
  const { share, batchId } = await claimed();
  for (const id of ['U', 'V', 'U']) await share.appendRecord(batchId, created(id));
  expect((await share.readBatch(batchId)).known).toMatchObject([{ index: 0, uploadId: 'U' }]);
});

test('notes again what could not be written', async () => {
  let isFull = true;
  const { share, batchId, records } = await claimed(
    createFaultyFs((operation, path) => {
      if (isFull && operation === 'writeNew' && String(path).includes('/journal/')) throw fsError('ENOSPC');
    }),
  );
  await expect(share.appendRecord(batchId, intent('U0'))).rejects.toMatchObject({ code: 'share-full' });
  isFull = false;
  await share.appendRecord(batchId, intent('U0'));
  expect(records()).toBe(1);
});

test('remembers a bounded number of batches', () => {
  const noted = new NotedRecords();
  for (let batch = 0; batch < 100; batch += 1) noted.add(`batch ${batch}`, intent('U'));
  expect(noted.fresh('batch 0', intent('U'))).toEqual(intent('U'));
  expect(noted.fresh('batch 99', intent('U'))).toBeUndefined();
});

test('a journal too long to be read is a fault, never read in part', async () => {
  const fs = createNodeShareFs();
  const { share, batchId } = await claimed({
    ...fs,
    entries: (path: FsPlace) =>
      (async function* () {
        yield* fs.entries(path);
        if (!String(path).endsWith('/journal')) return;
        for (let turn = 0; turn < 20_000; turn += 1) {
          yield { name: Buffer.from(`20260131-${turn}.json`), kind: 'file' as const };
        }
      })(),
  });
  await share.appendRecord(batchId, intent('U0'));
  await expect(share.readBatch(batchId)).rejects.toMatchObject({
    code: 'batch-damaged',
    message: expect.stringContaining('over 20000 records'),
  });
});

test.each(['goes on', 'is started again', 'is started again and reads nothing'])(
  'the upload that was noted last counts, though the clock was set back: the worker %s',
  async how => {
    let nowMs = Date.UTC(2026, 0, 31, 11, 30);
    const clock = { wallMs: () => nowMs, monotonicMs: () => 0 };
    const before = await bed.open({}, { clock });
    await bed.drop('a.pdf');
    const { batchId } = await claimAll(before);
    await before.appendRecord(batchId, intent('U0'));
    nowMs = Date.UTC(2026, 0, 31, 10, 45);
    const share = how === 'goes on' ? before : await bed.open({}, { clock });
    if (!how.endsWith('reads nothing')) await share.readBatch(batchId);
    await share.appendRecord(batchId, created('U1'));
    await share.appendRecord(batchId, intent('U1'));
    expect((await share.readBatch(batchId)).known).toMatchObject([{ index: 0, uploadId: 'U1' }]);
  },
);
