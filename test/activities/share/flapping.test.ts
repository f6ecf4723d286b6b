// A share that is away for an instant answers "not there" in the middle of a reading. What was recorded must
// never be taken for unrecorded: an intent that is overlooked is a second revision.
import type { UploadId } from '../../../workflows/contract';
import { createFaultyFs, fsError } from './faulty-fs';
import { claimAll, createTestBed, submitted, type TestBed } from './share-test-bed';

let bed: TestBed;
beforeEach(async () => {
  bed = await createTestBed();
});
afterEach(async () => {
  await bed.remove();
});

/** A share on which the operations from `first` to `last`, counted once `isOn`, find nothing. */
function createFlapping() {
  const state = { isOn: false, count: 0, first: 0, last: 0 };
  const fs = createFaultyFs(operation => {
    if (!state.isOn || operation === 'realpath') return;
    state.count += 1;
    if (state.count >= state.first && state.count <= state.last) throw fsError('ENOENT');
  });
  return { state, fs };
}

test.each([1, 2])(
  'away for %s looks at any moment: a batch is read whole, or asked for again',
  async length => {
    await bed.drop('a.pdf');
    const honest = await bed.open();
    const { batchId } = await claimAll(honest);
    const uploads = [{ index: 0, uploadId: 'U0' as UploadId }];
    await honest.appendRecord(batchId, { kind: 'created', uploads });
    await honest.appendRecord(batchId, { kind: 'intent', uploads });
    const { state, fs } = createFlapping();
    const share = await bed.open({}, { fs });
    state.isOn = true;
    const ends = new Set<string>();
    for (state.first = 1; ; state.first++) {
      state.count = 0;
      state.last = state.first + length - 1;
      try {
        const { known } = await share.readBatch(batchId);
        expect(known).toMatchObject([{ index: 0, uploadId: 'U0', intended: true }]);
        ends.add('whole');
        if (state.count < state.first) break;
      } catch (error) {
        const { code } = error as { code?: string };
        ends.add(String(code));
      }
    }
    expect([...ends].filter(end => !['whole', 'share-away', 'unreadable-now'].includes(end))).toEqual([]);
    expect(ends.size).toBeGreaterThan(1);
  },
);

test.each([1, 2, 3])(
  'away for %s looks while a file is looked up to be sent: it is not blamed',
  async length => {
    await bed.drop('a.pdf');
    const { batchId } = await claimAll(await bed.open());
    const { state, fs } = createFlapping();
    const share = await bed.open({}, { fs });
    state.isOn = true;
    const ends = new Set<string>();
    for (state.first = 1; state.first < 30; state.first++) {
      state.count = 0;
      state.last = state.first + length - 1;
      await share.fileToSend(batchId, 0).catch(error => ends.add(String((error as { code?: string }).code)));
    }
    expect([...ends].filter(end => !['share-away', 'unreadable-now'].includes(end))).toEqual([]);
  },
);

test.each([1, 2, 3])(
  'away for %s looks while a batch is settled: its file is moved once, never dropped again',
  async length => {
    const { state, fs } = createFlapping();
    for (state.first = 1; state.first < 80; state.first++) {
      const path = `a-${state.first}.pdf`;
      await bed.drop(path);
      const honest = await bed.open();
      const { batchId } = await claimAll(honest);
      const share = await bed.open({}, { fs });
      Object.assign(state, { isOn: true, count: 0, last: state.first + length - 1 });
      await share.settleUp(batchId, [submitted(0)], { final: true, held: [] }).catch(() => undefined);
      state.isOn = false;
      await honest.settleUp(batchId, [submitted(0)], { final: true, held: [] });
      expect(await bed.list('drop')).toEqual([]);
      expect(await bed.list(`done/${batchId}`)).toEqual([path, 'receipt.csv', 'receipt.json']);
    }
  },
);

test('a batch that is really not there is unknown', async () => {
  const share = await bed.open();
  await expect(share.readBatch('20260131-093000-k3f9a2')).rejects.toMatchObject({ code: 'batch-unknown' });
});
