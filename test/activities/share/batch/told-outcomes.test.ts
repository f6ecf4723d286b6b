// What the journal tells a run that was reset to before its uploads were made, and what asking it costs.
import { createNodeShareFs, type ShareFs } from '../../../../activities/share/files/share-fs';
import type { UploadId } from '../../../../workflows/contract';
import { claimAll, createTestBed, submitted, type TestBed } from '../share-test-bed';

let bed: TestBed;
beforeEach(async () => {
  bed = await createTestBed();
  await bed.drop('a.pdf');
  await bed.drop('b.pdf');
});
afterEach(async () => {
  await bed.remove();
});

const upload = (index: number, id: string) => ({ index, uploadId: id as UploadId });

test('an intent of another upload of the same document is found, with the revision that is known', async () => {
  const share = await bed.open();
  const { batchId } = await claimAll(share);
  await share.appendRecord(batchId, { kind: 'created', uploads: [upload(0, 'made'), upload(1, 'made')] });
  const asked = [upload(0, 'new'), upload(1, 'new')];
  expect(await share.findFormerIntents(batchId, asked)).toEqual([]);
  await share.appendRecord(batchId, { kind: 'intent', uploads: [upload(0, 'old')] });
  expect(await share.findFormerIntents(batchId, asked)).toEqual([{ ...upload(0, 'new'), before: 'old' }]);
  expect(await share.findFormerIntents(batchId, [upload(0, 'old')])).toEqual([]);
  await share.appendRecord(batchId, { kind: 'outcome', outcomes: [submitted(0)] });
  // Another process knows as much.
  for (const one of [share, await bed.open()]) {
    expect(await one.findFormerIntents(batchId, asked)).toEqual([
      { ...upload(0, 'new'), before: 'old', submitted: submitted(0) },
    ]);
  }
});

test('each intent is read once, however often is asked', async () => {
  const counts = { look: 0, entries: 0, others: 0 };
  const count = (operation: string): void => {
    counts[operation === 'look' || operation === 'entries' ? operation : 'others']++;
  };
  const counted = Object.entries(createNodeShareFs()).map(([operation, run]) => [
    operation,
    (...input: unknown[]) => {
      count(operation);
      return (run as (...input: unknown[]) => unknown)(...input);
    },
  ]);
  const share = await bed.open({}, { fs: Object.fromEntries(counted) as ShareFs });
  const { batchId } = await claimAll(share);
  const ask = async () => {
    Object.assign(counts, { look: 0, entries: 0, others: 0 });
    await share.findFormerIntents(batchId, [upload(0, 'U0'), upload(1, 'U1')]);
    return { ...counts };
  };
  await share.appendRecord(batchId, { kind: 'intent', uploads: [upload(0, 'U0')] });
  const { others } = await ask();
  expect(others).toBeGreaterThan(0);
  expect(await ask()).toEqual({ look: 1, entries: 1, others: 0 });
  await share.appendRecord(batchId, { kind: 'intent', uploads: [upload(1, 'U1')] });
  expect(await ask()).toEqual({ look: 1, entries: 1, others });
  expect(await ask()).toEqual({ look: 1, entries: 1, others: 0 });
});
