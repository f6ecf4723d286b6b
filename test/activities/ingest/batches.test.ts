// Opening a batch: only the batch's own run may carry it.
import { openBatch } from '../../../activities/ingest/batches';
import { ingestWorkflowId } from '../../../workflows/contract';
import { aHolder, by, claimAll, createTestBed, submitted, type TestBed } from '../share/share-test-bed';

const SCOPE = { signal: new AbortController().signal };
let bed: TestBed;
beforeEach(async () => {
  bed = await createTestBed();
  await bed.drop('a.pdf');
});
afterEach(async () => {
  await bed.remove();
});

test('the batch’s own run gets its documents; a run by another id is refused in words', async () => {
  const share = await bed.open();
  const { batchId } = await claimAll(share);
  const ownId = ingestWorkflowId(bed.config.project, batchId);
  await expect(
    openBatch(share, { share: 'tender', batchId }, by(aHolder(ownId)), SCOPE),
  ).resolves.toMatchObject({
    kind: 'open',
    documents: [{ path: 'a.pdf' }],
  });
  await expect(
    openBatch(share, { share: 'tender', batchId }, by(aHolder('started-by-hand')), SCOPE),
  ).rejects.toMatchObject({
    code: 'bad-request',
    message: expect.stringContaining(ownId),
  });
});

test('values are read by the patterns as they are now, whatever they were when the batch was sealed', async () => {
  const before = await bed.open({ fileNamePattern: '^(?<Nmber>.+)\\.' });
  const { batchId } = await claimAll(before);
  const share = await bed.open({ fileNamePattern: '^(?<Number>.+)\\.' });
  const ownId = ingestWorkflowId(bed.config.project, batchId);
  await expect(
    openBatch(share, { share: 'tender', batchId }, by(aHolder(ownId)), SCOPE),
  ).resolves.toMatchObject({
    documents: [{ path: 'a.pdf', values: { Number: 'a' } }],
  });
});

test('of a finished batch everybody is told the end', async () => {
  const share = await bed.open();
  const { batchId } = await claimAll(share);
  await share.settleUp(batchId, [submitted(0)], { final: true, held: [] });
  await expect(
    openBatch(share, { share: 'tender', batchId }, by(aHolder('started-by-hand')), SCOPE),
  ).resolves.toMatchObject({
    kind: 'settled',
    summary: { submitted: 1, setApart: 0 },
  });
});
