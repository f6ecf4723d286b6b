// Dies before every single operation on the share, tears the file that is being written, and starts again:
// whatever the moment, the end is that of a run without a fault.
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { comparePaths } from '../../../activities/share/files/relative-path';
import { openShare } from '../../../activities/share/open-share';
import { DyingFs } from './faulty-fs';
import { claimAll, createTestBed, SHARE_KEY, simpleHasher, submitted, type TestBed } from './share-test-bed';

const FILES = { 'a.pdf': 'first', 'folder/b.pdf': 'second', 'folder/c.pdf': '' };

// Some thousands of syncs: in memory where the system has a place for that.
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed(PLACE);
  await bed.open();
});

afterEach(async () => {
  await bed.remove();
});

async function runWith(dying: DyingFs): Promise<void> {
  const share = await openShare(bed.config, {
    hasher: simpleHasher,
    logger: bed.logger,
    fs: dying.fs,
    key: SHARE_KEY,
  });
  const { batchId } = await claimAll(share);
  await share.appendRecord(batchId, { kind: 'intent', uploads: [{ index: 0, uploadId: 'U0' as never }] });
  await share.settleUp(batchId, [submitted(0)], {
    final: false,
    held: [{ index: 1, reason: { code: 'x', text: 'x', fix: 'x' } }],
  });
  await share.settleUp(batchId, [submitted(0), submitted(1)], { final: true });
}

/** What a new process does until nothing is left to do. */
async function recover(): Promise<void> {
  const share = await bed.open({ abandonedMs: 0 });
  for (let round = 0; round < 4; round += 1) {
    for (const batch of await share.openBatches()) {
      if (batch.state === 'claiming' && batch.claim === 'abandoned') await share.adopt(batch.batchId);
    }
    for (const batch of await share.openBatches()) {
      if (batch.state === 'settling') await share.settleUp(batch.batchId, [], { final: true });
      if (batch.state !== 'ready' && batch.state !== 'waiting') continue;
      const { manifest } = await share.readBatch(batch.batchId);
      const travelling = manifest.files.filter(file => file.refused === undefined);
      await share.settleUp(
        batch.batchId,
        travelling.map(file => submitted(file.index)),
        { final: true },
      );
    }
    for await (const name of share.scan()) {
      const { batch } = await share.claim([name.path]);
      if (batch !== undefined) await share.writeManifest(batch);
    }
  }
  expect(await share.openBatches()).toEqual([]);
}

const withoutBatch = (paths: string[]) => paths.map(path => path.split('/').slice(1).join('/'));
const withoutReceipts = (paths: string[]) =>
  paths.filter(path => !/receipt( \(\d\))?\.(csv|json)$/.test(path));

async function expectTheEnd(): Promise<void> {
  expect(await bed.list('drop')).toEqual([]);
  const done = await bed.list('done');
  const apart = await bed.list('attention');
  expect(withoutReceipts(withoutBatch(done)).toSorted(comparePaths)).toEqual(['a.pdf', 'folder/b.pdf']);
  expect(withoutReceipts(withoutBatch(apart))).toEqual(['folder/c.pdf']);
  for (const path of withoutReceipts(done)) {
    const content = await bed.read(`done/${path}`);
    expect(content).toBe(path.endsWith('a.pdf') ? 'first' : 'second');
    // Whatever the number of batches it took: each file lies beside a receipt that names it.
    const receipt = await bed.read(`done/${path.split('/')[0]}/receipt.csv`);
    expect(receipt).toContain(path.split('/').at(-1));
  }
}

/** What an error says, with what it was caused by. */
async function toldBy(work: Promise<void>): Promise<string> {
  let error: unknown = await work.then(
    () => new Error('It lived.'),
    reason => reason,
  );
  const told: string[] = [];
  // Errors of the file system are of another realm here.
  for (; typeof error === 'object' && error !== null; error = Reflect.get(error, 'cause')) {
    told.push(String(Reflect.get(error, 'message')));
  }
  return told.join(' < ');
}

async function dropFiles(): Promise<void> {
  for (const [path, content] of Object.entries(FILES)) await bed.drop(path, content);
}

test('ends the same whichever operation was the last one', async () => {
  await dropFiles();
  const whole = new DyingFs(Number.POSITIVE_INFINITY);
  await runWith(whole);
  await expectTheEnd();
  expect(whole.count).toBeGreaterThan(100);

  for (let dieAt = 1; dieAt <= whole.count; dieAt += 1) {
    await bed.remove();
    bed = await createTestBed(PLACE);
    await bed.open();
    await dropFiles();
    const dying = new DyingFs(dieAt);
    // Its death and nothing else has ended it, however the share's code tells it.
    expect([dieAt, await toldBy(runWith(dying))]).toEqual([dieAt, expect.stringMatching(/\bDEAD\b/)]);
    expect(dying.isDead).toBe(true);
    await recover();
    await expectTheEnd();
  }
}, 600_000);
