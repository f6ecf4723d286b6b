// A batch that was claimed while the configuration named another project: sealed anew as long as nothing of
// it was sent, and left in sight after that.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openBatch } from '../../../../activities/ingest/batches';
import type { Share } from '../../../../activities/share/share';
import { ingestWorkflowId, type UploadId } from '../../../../workflows/contract';
import { FakeStarter, RunningWatcher } from '../../../client/watch/watch-test-bed';
import { aHolder, by, claimAll, createTestBed, type TestBed } from '../share-test-bed';

const SCOPE = { signal: new AbortController().signal };
const RIGHT = { companyId: '1', projectId: '9' };

let bed: TestBed;
let share: Share;
let batchId: string;
let asks: Parameters<typeof openBatch>[1];

beforeEach(async () => {
  bed = await createTestBed();
  await bed.drop('a.pdf', 'content a');
  await bed.drop('Sub/b.pdf', 'content b');
  const wrong = await bed.open();
  ({ batchId } = await claimAll(wrong));
  asks = { share: 'tender', batchId };
  await openBatch(wrong, asks, by(ownRun()), SCOPE);
  share = await bed.open({ project: RIGHT });
});
afterEach(async () => {
  await bed.remove();
});

function ownRun() {
  return aHolder(ingestWorkflowId(bed.config.project, batchId));
}

const created = { kind: 'created' as const, uploads: [{ index: 0, uploadId: 'U1' as UploadId }] };

test('is left by its run, and taken up for the right project with the files it had', async () => {
  await expect(openBatch(share, asks, by(ownRun()), SCOPE)).resolves.toEqual({
    kind: 'moved',
    project: RIGHT,
  });
  const adopted = await share.adopt(batchId);
  expect(adopted?.manifest).toMatchObject({
    project: RIGHT,
    files: [{ path: 'Sub/b.pdf' }, { path: 'a.pdf' }],
  });
  // Nothing says any more that the batch had a run.
  expect(existsSync(join(bed.root, '.drawbridge/batches', batchId, 'hold.json'))).toBe(false);
  const next = aHolder(ingestWorkflowId(RIGHT, batchId));
  await expect(openBatch(share, asks, by(next), SCOPE)).resolves.toMatchObject({
    kind: 'open',
    project: RIGHT,
  });
  // The run of before cannot come back to it.
  await expect(openBatch(share, asks, by(ownRun()), SCOPE)).rejects.toMatchObject({ code: 'bad-request' });
});

test('is left by no other run than its own, and not while another Temporal has it', async () => {
  const stranger = aHolder('started-by-hand');
  await expect(openBatch(share, asks, by(stranger), SCOPE)).rejects.toMatchObject({ code: 'bad-request' });
  const elsewhere = aHolder(ingestWorkflowId(bed.config.project, batchId), 'two');
  await expect(openBatch(share, asks, by(elsewhere), SCOPE)).rejects.toMatchObject({ code: 'batch-held' });
  expect((await share.otherProject(batchId))?.isBegun).toBe(false);
});

test('stays, and says what to do, once anything of it was sent', async () => {
  await share.appendRecord(batchId, created);
  await expect(openBatch(share, asks, by(ownRun()), SCOPE)).rejects.toMatchObject({
    code: 'project-differs',
    message: expect.stringMatching(
      /was begun for project .*share's project is 9 now\. Set the share's project back/,
    ),
  });
  expect(await share.otherProject(batchId)).toMatchObject({ isBegun: true, project: bed.config.project });
});

describe('a watcher that meets it', () => {
  test('has its run leave it, and takes it up itself where none runs', async () => {
    const starter = new FakeStarter();
    starter.outcome = 'forgotten';
    const watcher = new RunningWatcher(share, starter, { timing: { recoverEveryMs: 50 } });
    try {
      await watcher.until(() => starter.started.length > 0);
    } finally {
      await watcher.stop();
    }
    expect(starter.woken).toEqual([batchId]);
    expect(starter.started).toEqual([batchId]);
    expect((await share.readSeal(batchId)).manifest.project).toEqual(RIGHT);
  });

  test('leaves one that was begun where it is, and says once what to do', async () => {
    await share.appendRecord(batchId, created);
    const starter = new FakeStarter();
    const watcher = new RunningWatcher(share, starter, { timing: { recoverEveryMs: 20 } });
    try {
      await watcher.until(() => watcher.of('batch-damaged').length > 0);
      await bed.drop('another.pdf', 'so that rounds go by');
      await watcher.until(() => starter.started.length > 0);
    } finally {
      await watcher.stop();
    }
    expect(watcher.of('batch-damaged')).toEqual([
      expect.objectContaining({ batchId, why: expect.stringContaining('was begun for project') }),
    ]);
    expect(starter.woken).toEqual([]);
    expect((await share.otherProject(batchId))?.isBegun).toBe(true);
  });
});
