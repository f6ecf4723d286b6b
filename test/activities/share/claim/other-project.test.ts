// A batch that was claimed while the configuration named another project: sealed anew as long as nothing of
// it was sent, and left in sight after that.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBatch } from '../../../../activities/ingest/batches';
import type { Coordinators } from '../../../../activities/revision-order/turns';
import type { Share } from '../../../../activities/share/share';
import { ingestWorkflowId, type UploadId } from '../../../../workflows/contract';
import { FakeStarter, RunningWatcher } from '../../../client/watch/watch-test-bed';
import { createFaultyFs, fsError } from '../faulty-fs';
import { aHolder, by, claimAll, createTestBed, submitted, type TestBed } from '../share-test-bed';

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
  await expect(openBatch(share, asks, by(ownRun()), SCOPE)).resolves.toEqual({
    kind: 'moved',
    project: RIGHT,
  });
});

describe('left by a worker that died before it could say so', () => {
  let told: unknown[][];
  const coordinators: Coordinators = {
    ...by(aHolder('x')).coordinators,
    ended: async (...of) => told.push(of) > 0,
  };
  const nextRun = () => aHolder(ingestWorkflowId(RIGHT, batchId));
  const askAgain = async () => await openBatch(share, asks, by(ownRun(), coordinators), SCOPE);

  beforeEach(async () => {
    told = [];
    asks = { ...asks, manifestSha256: (await (await bed.open()).readSeal(batchId)).manifestSha256 };
    const manifest = join(bed.root, '.drawbridge/batches', batchId, 'batch.json');
    const fs = createFaultyFs(operation => {
      if (operation === 'syncFolder' && !existsSync(manifest)) throw fsError('DEAD');
    });
    const dying = await bed.open({ project: RIGHT }, { fs });
    await expect(openBatch(dying, asks, by(ownRun(), coordinators), SCOPE)).rejects.toThrow('DEAD');
    expect(told).toEqual([]);
  });

  test('its run ends as it would have then, and the coordinator of its project is told', async () => {
    await expect(askAgain()).resolves.toEqual({ kind: 'moved', project: RIGHT });
    expect(told).toEqual([[bed.config.project, batchId]]);
  });

  test('its run ends so, too, once the batch goes on for the right project, and when that one has ended', async () => {
    await share.adopt(batchId);
    await expect(askAgain()).resolves.toEqual({ kind: 'moved', project: RIGHT });
    await openBatch(share, { share: 'tender', batchId }, by(nextRun()), SCOPE);
    await share.settleUp(batchId, [submitted(0), submitted(1)], { final: true });
    await expect(askAgain()).resolves.toEqual({ kind: 'moved', project: RIGHT });
  });

  test('no run of the right project ends so', async () => {
    const early = openBatch(share, asks, by(nextRun(), coordinators), SCOPE);
    await expect(early).rejects.toMatchObject({ code: 'batch-unknown' });
    await share.adopt(batchId);
    const planted = openBatch(share, { ...asks, manifestSha256: 'a'.repeat(64) }, by(nextRun()), SCOPE);
    await expect(planted).rejects.toMatchObject({ code: 'manifest-differs' });
    expect(told).toEqual([]);
  });

  test('one whose manifest was lost after something of it was sent stays in sight', async () => {
    await share.appendRecord(batchId, created);
    await expect(askAgain()).rejects.toMatchObject({ code: 'batch-unknown' });
  });

  test('nor does a run of a folder that is no claim of ours', async () => {
    writeFileSync(join(bed.root, '.drawbridge/batches', batchId, 'wanted.json'), '{}');
    await expect(askAgain()).rejects.toMatchObject({ code: 'batch-unknown' });
  });
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
