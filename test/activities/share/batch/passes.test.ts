// What a batch can see on the share of others of its project: that one of them
// has passed a step of the service.
import type { UploadId } from '../../../../workflows/contract';
import type { DocumentOutcome, JournalRecord } from '../../../../workflows/ingest/ingest-contract';
import { createFaultyFs, fsError } from '../faulty-fs';
import { claimAll, createTestBed, submitted, type TestBed } from '../share-test-bed';

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

const uploads = [{ index: 0, uploadId: 'U0' as UploadId }];
const apart: DocumentOutcome = {
  kind: 'set-apart',
  index: 0,
  reason: { code: 'link-failed', text: 'Not linked.', fix: 'Look.' },
};
/** By a look, which tells that it was submitted, and not when. */
const found: DocumentOutcome = {
  kind: 'submitted',
  index: 0,
  revisionId: null,
  paired: 'unknown',
  submittedAtMs: 1,
};
const NOTHING = { linking: '', submitting: '', passedAtMs: {} };

async function claimed(options: Parameters<TestBed['open']>[1] = {}) {
  const share = await bed.open({}, options);
  await bed.drop('a.pdf');
  return { share, batchId: (await claimAll(share)).batchId };
}

test('shows another mark after each passing, also to a process that starts later', async () => {
  const { share, batchId } = await claimed();
  expect(await share.readPasses()).toEqual(NOTHING);
  await share.appendRecord(batchId, { kind: 'completed', uploads });
  const linked = await share.readPasses();
  expect(linked).toEqual({ ...NOTHING, linking: expect.stringMatching(/./) });
  await share.appendRecord(batchId, { kind: 'outcome', outcomes: [submitted(0)] });
  const later = await bed.open();
  const both = await later.readPasses();
  expect(both).toEqual({ ...linked, submitting: expect.stringMatching(/./) });
  await later.appendRecord(batchId, { kind: 'completed', uploads });
  expect((await share.readPasses()).linking).not.toBe(linked.linking);
});

test('says when that was, as the run says it, however much later it is noted', async () => {
  const { share, batchId } = await claimed();
  await share.appendRecord(batchId, { kind: 'completed', uploads }, 1_000);
  await share.appendRecord(batchId, { kind: 'outcome', outcomes: [submitted(0)] }, 2_000);
  expect(await share.readPasses()).toMatchObject({ passedAtMs: { linking: 1_000, submitting: 2_000 } });
});

test.each<JournalRecord>([
  { kind: 'created', uploads },
  { kind: 'intent', uploads },
  { kind: 'outcome', outcomes: [apart] },
  { kind: 'outcome', outcomes: [found] },
])('shows nothing after a record that is no passing: $kind', async record => {
  const { share, batchId } = await claimed();
  await share.appendRecord(batchId, record);
  expect(await share.readPasses()).toEqual(NOTHING);
});

test('shows nothing of another project', async () => {
  const { share, batchId } = await claimed();
  await share.appendRecord(batchId, { kind: 'completed', uploads });
  const { companyId } = share.config.project;
  const other = await bed.open({ project: { companyId, projectId: '987654' } });
  expect(await other.readPasses()).toEqual(NOTHING);
});

test('a mark that cannot be written is missing, and the record stands', async () => {
  let isFull = false;
  const { share: faulty, batchId } = await claimed({
    fs: createFaultyFs((operation, path) => {
      const isOfBatch = String(path).includes('/batches/');
      if (isFull && operation === 'writeNew' && !isOfBatch) throw fsError('ENOSPC');
    }),
  });
  isFull = true;
  await faulty.appendRecord(batchId, { kind: 'completed', uploads });
  expect(await faulty.readPasses()).toEqual(NOTHING);
  expect((await faulty.readBatch(batchId)).known).toMatchObject([{ index: 0, completed: true }]);
});
