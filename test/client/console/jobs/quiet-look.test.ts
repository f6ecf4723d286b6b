// What a look at a share costs on which nothing happens: it is looked at each second, for years.
import { createNodeShareFs, type ShareFs } from '../../../../activities/share/files/share-fs';
import { submitted } from '../../../activities/share/share-test-bed';
import { createJobsBed, type JobsBed, listJobs } from './jobs-bed';

// A sheet is written in a thread: tested where it is made.
jest.mock('../../../../activities/registers/receipt/write-in-thread', () => ({
  writeInThread: async (task: unknown) => Buffer.from(JSON.stringify(task)),
}));

/** Marks that were seen for longer than a clock's step are believed. */
const SURELY_MS = 5_000;
let operations = 0;
let rig: JobsBed;

beforeEach(async () => {
  rig = await createJobsBed({}, { fs: counted(createNodeShareFs()) });
});
afterEach(() => rig.remove());

function counted(fs: ShareFs): ShareFs {
  return new Proxy(fs, {
    get: (all, name: keyof ShareFs) => {
      operations += 1;
      return all[name];
    },
  });
}

async function finish(folder: string): Promise<void> {
  await rig.bed.drop(`${folder}/1.pdf`);
  const batchId = await rig.carry(folder, '1.pdf');
  for (const { record } of await rig.share.openJobs()) {
    if (record.folder === folder) await rig.share.closeJob(record);
  }
  await rig.share.settleUp(batchId, [submitted(0)], { final: true });
  await rig.share.removeEmptyFolder(folder);
}

/** Once all is known: how much is asked of the share. */
async function quietLook(): Promise<number> {
  for (let turn = 0; turn < 3; turn += 1) {
    await listJobs(rig);
    await rig.jobs.look?.();
    await rig.jobs.settled();
    rig.pass(SURELY_MS);
  }
  const before = operations;
  await rig.jobs.look?.();
  return operations - before;
}

test('it asks the same however many jobs have ended, and little of those on their way', async () => {
  for (const name of ['1.pdf', '2.pdf']) await rig.bed.drop(`A/${name}`);
  await rig.carry('A', '1.pdf');
  await finish('B');
  const withOne = await quietLook();
  for (const name of ['C', 'D', 'E', 'F']) await finish(name);
  expect((await listJobs(rig)).counts).toMatchObject({ open: 1 });
  expect(await quietLook()).toBe(withOne);
  expect(withOne).toBeLessThan(20);
});
