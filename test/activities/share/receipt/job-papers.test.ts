// What is signed of a job is what was verified, also when somebody puts other bytes there in between.
import { readFile, writeFile } from 'node:fs/promises';
import type { DropEntry } from '../../../../activities/share/drop/scan-drop';
import { createFaultyFs } from '../faulty-fs';
import { createTestBed, submitted, type TestBed } from '../share-test-bed';

let bed: TestBed;
beforeEach(async () => {
  bed = await createTestBed();
});
afterEach(async () => {
  await bed.remove();
});

/** The folder A, with one file, is a job that has its receipt. */
async function finish(): Promise<void> {
  await bed.drop('A/1.pdf');
  const share = await bed.open({ settleMs: 1 });
  const entries: DropEntry[] = [];
  for await (const name of share.scan()) {
    const entry = await share.look(name);
    if (entry !== undefined) entries.push(entry);
  }
  const job = await share.openJob('A', undefined);
  const { batch } = await share.claim(entries, { job });
  if (batch === undefined) throw new Error('nothing was claimed');
  const { batchId = '' } = await share.writeManifest(batch);
  await share.closeJob(job);
  await share.settleUp(batchId, [submitted(0)], { final: true });
  await share.settleJob(job.jobId);
}

test.each([
  ['batch.json', 3],
  ['receipt.json', 2],
])(
  '%s that is another one when it is read for the %ith time, the last one, is refused',
  async (name, last) => {
    await finish();
    const reads: string[] = [];
    const swaps = createFaultyFs(async (operation, path) => {
      const text = String((path as { path?: unknown }).path ?? path);
      if (operation !== 'read' || !text.includes('/finished/') || !text.endsWith(name)) return;
      reads.push(text);
      if (reads.length !== last) return;
      await writeFile(text, (await readFile(text, 'utf8')).replaceAll('1.pdf', '9.pdf'));
    });
    const share = await bed.open({ settleMs: 1 }, { fs: swaps });
    await expect(share.readPapers('A')).rejects.toMatchObject({ code: 'batch-damaged' });
    expect(reads).toHaveLength(last);
  },
);

test('what lies there as it was sealed is told character by character', async () => {
  await finish();
  const papers = await (await bed.open({ settleMs: 1 })).readPapers('A');
  expect(papers).toMatchObject({ files: [{ path: '1.pdf', isDone: true }] });
});
