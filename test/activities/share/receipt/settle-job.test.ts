// One receipt for a job, whatever number of batches it took, whoever ends it, and wherever they die.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobReceipt } from '../../../../activities/share/receipt/job-receipt';
import type { Share } from '../../../../activities/share/share';
import { createFaultyFs, DyingFs, fsError } from '../faulty-fs';
import { createTestBed, submitted, type TestBed } from '../share-test-bed';

// Some thousands of syncs: in memory where the system has a place for that.
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

// Deaths by the hundred: a thread for each of them takes minutes. What it writes is tested where it is made.
jest.mock('../../../../activities/registers/receipt/write-in-thread', () => ({
  writeInThread: async (task: unknown) => Buffer.from(JSON.stringify(task)),
}));

let bed: TestBed;
let share: Share;

beforeEach(async () => {
  bed = await createTestBed(PLACE);
  share = await bed.open();
});

afterEach(async () => {
  await bed.remove();
});

/** Claims and seals these files of the folder A as the next part of its job. */
async function carry(on: Share, ...names: readonly string[]): Promise<string> {
  const job = await on.openJob('A');
  const { batch } = await on.claim(
    names.map(name => `A/${name}`),
    { job },
  );
  const sealed = await on.writeManifest(batch!);
  if (sealed.batchId === undefined) throw new Error('nothing was sealed');
  return sealed.batchId;
}

async function close(on: Share): Promise<void> {
  for (const { record, isClosed } of await on.openJobs()) if (!isClosed) await on.closeJob(record);
}

const REASON = { code: 'x', text: 'It is wrong.', fix: 'Mend it.' };
const apart = (index: number) => ({ index, kind: 'set-apart' as const, reason: REASON });
const receiptOf = async (folder: string): Promise<JobReceipt> =>
  JSON.parse(await bed.read(`${folder}/receipt.json`)) as JobReceipt;

describe('the receipt of a job', () => {
  test('has the rows of all its batches in their order, once the last of them has settled', async () => {
    for (const name of ['1.pdf', '2.pdf', 'sub/3.pdf', 'Thumbs.db']) await bed.drop(`A/${name}`);
    const one = await carry(share, '1.pdf', '2.pdf');
    const two = await carry(share, 'sub/3.pdf');
    await close(share);
    expect(await share.settleUp(two, [submitted(0)], { final: true })).toMatchObject({
      receipts: ['done/A/receipt-so-far.csv'],
    });
    const settled = await share.settleUp(one, [submitted(0), apart(1)], { final: true });
    expect(settled).toEqual({
      done: 1,
      attention: 1,
      receipts: ['attention/A/receipt.xlsx', 'done/A/receipt.xlsx'],
    });
    expect(await bed.list('done')).toEqual([
      'A/1.pdf',
      'A/receipt.csv',
      'A/receipt.json',
      'A/receipt.xlsx',
      'A/sub/3.pdf',
    ]);
    expect(await bed.list('attention')).toEqual([
      'A/2.pdf',
      'A/receipt.csv',
      'A/receipt.json',
      'A/receipt.xlsx',
    ]);
    const receipt = await receiptOf('done/A');
    expect(receipt).toMatchObject({ job: { name: 'A', place: 'A' }, final: true, ignored: ['Thumbs.db'] });
    expect(receipt.files.map(({ batchId, index, outcome }) => [batchId, index, outcome])).toEqual([
      [one, 0, 'submitted'],
      [one, 1, 'set-apart'],
      [two, 0, 'submitted'],
    ]);
    const rows = (await bed.read('done/A/receipt.csv')).trim().split('\r\n');
    expect(rows.slice(1).map(row => row.split(',').slice(0, 3))).toEqual([
      ['1.pdf', 'A', 'submitted'],
      ['2.pdf', 'A', 'set apart'],
      ['3.pdf', 'A/sub', 'submitted'],
      ['Thumbs.db', '', 'ignored'],
    ]);
    expect(await share.openJobs()).toEqual([]);
    // Asked again by whoever did not hear it.
    expect(await share.settleUp(one, [], { final: true })).toEqual(settled);
    expect(await share.settleJob(receipt.job.id)).toEqual([]);
    expect(await bed.list('done/A')).toHaveLength(5);
  });

  test('has the delimiter that the share had at the end of the job, whatever it is set to since then', async () => {
    for (const name of ['1.pdf', '2.pdf']) await bed.drop(`A/${name}`);
    const one = await carry(share, '1.pdf');
    const semicolons = await bed.open({ receiptDelimiter: ';' });
    const two = await carry(semicolons, '2.pdf');
    await share.settleUp(one, [submitted(0)], { final: true });
    expect(await bed.read('done/A/receipt-so-far.csv')).toMatch(/^\uFEFFfile,folder,/);
    await close(semicolons);
    const tabs = await bed.open({ receiptDelimiter: '\t' });
    await tabs.settleUp(two, [submitted(0)], { final: true });
    // The part that was settled with commas is known again, and gone.
    expect(await bed.list('done')).toEqual([
      'A/1.pdf',
      'A/2.pdf',
      'A/receipt.csv',
      'A/receipt.json',
      'A/receipt.xlsx',
    ]);
    const csv = await bed.read('done/A/receipt.csv');
    expect(csv).toMatch(/^\uFEFFfile;folder;outcome;/);
    const [jobId = ''] = await tabs.listFinishedJobs();
    expect((await tabs.makeReceiptNow(jobId, 'csv'))?.bytes.toString()).toBe(csv);
    expect(await tabs.readPapers('A')).toMatchObject({ receipt: { csv } });
  });

  test('comes with the end of the job when its batches were faster; without trouble there is no attention', async () => {
    await bed.drop('A/1.pdf');
    await bed.drop('A/2.pdf');
    await share.settleUp(await carry(share, '1.pdf', '2.pdf'), [submitted(0), submitted(1)], { final: true });
    const [job] = await share.openJobs();
    expect(await share.settleJob(job!.record.jobId)).toBeUndefined();
    await close(share);
    expect(await share.settleJob(job!.record.jobId)).toEqual(['done/A/receipt.xlsx']);
    expect(await bed.list('done/A')).toEqual([
      '1.pdf',
      '2.pdf',
      'receipt.csv',
      'receipt.json',
      'receipt.xlsx',
    ]);
    expect(existsSync(join(bed.root, 'attention/A'))).toBe(false);
  });

  test('is called otherwise where a file of the job is called like it', async () => {
    await bed.drop('A/receipt.csv', 'theirs');
    const batchId = await carry(share, 'receipt.csv');
    await close(share);
    await share.settleUp(batchId, [submitted(0)], { final: true });
    expect(await bed.list('done/A')).toEqual([
      `receipt-${batchId}.csv`,
      'receipt.csv',
      'receipt.json',
      'receipt.xlsx',
    ]);
    expect(await bed.read('done/A/receipt.csv')).toBe('theirs');
  });

  test('waits for a claim whose claimer is dead, and not for a name that somebody has put there', async () => {
    await bed.drop('A/1.pdf');
    await bed.drop('A/2.pdf');
    await bed.drop('loose.pdf');
    const one = await carry(share, '1.pdf');
    const { batch } = await share.claim(['A/2.pdf'], { job: await share.openJob('A') });
    const { batch: loose } = await share.claim(['loose.pdf']);
    await share.writeManifest(loose!);
    const [job] = await share.openJobs();
    const notes = join(bed.root, '.drawbridge/jobs', job!.record.jobId, 'batches');
    for (const planted of [loose!.batchId, '20260131-093000-k3f7a2']) await mkdir(join(notes, planted));
    await close(share);
    await share.settleUp(one, [submitted(0)], { final: true });
    expect(await share.openJobs()).toHaveLength(1);
    const sealed = await share.writeManifest(batch!);
    await share.settleUp(sealed.batchId!, [submitted(0)], { final: true });
    expect((await receiptOf('done/A')).files).toHaveLength(2);
  });

  test('is none where nothing was ever carried: then the name of the folder is free again', async () => {
    const { jobId } = await share.openJob('A');
    await close(share);
    expect(await share.settleJob(jobId)).toEqual([]);
    expect(await bed.list('done')).toEqual([]);
    expect((await share.openJob('A')).place).toBe('A');
  });
});

const dropAll = async () => {
  for (const [name, content] of [
    ['1.pdf', 'first'],
    ['2.pdf', 'second'],
    ['3.pdf', ''],
  ] as const)
    await bed.drop(`A/${name}`, content);
};

async function runWith(dying: DyingFs): Promise<void> {
  const mortal = await bed.open({}, { fs: dying.fs });
  const one = await carry(mortal, '1.pdf');
  const two = await carry(mortal, '2.pdf', '3.pdf');
  await mortal.settleUp(one, [submitted(0)], { final: true });
  await close(mortal);
  await mortal.settleUp(two, [submitted(0)], { final: true });
}

/** What other processes do until nothing is left to do. */
async function recover(): Promise<void> {
  const next = await bed.open({ abandonedMs: 0 });
  for (let round = 0; round < 3; round += 1) {
    for (const { batchId, state, claim } of await next.openBatches()) {
      if (state === 'claiming' && claim === 'abandoned') await next.adopt(batchId);
    }
    for (const { batchId, state } of await next.openBatches()) {
      if (state === 'claiming') continue;
      const { manifest } = await next.readBatch(batchId);
      const travelling = manifest.files.filter(({ refused }) => refused === undefined);
      await next.settleUp(
        batchId,
        travelling.map(({ index }) => submitted(index)),
        { final: true },
      );
    }
    const left: string[] = [];
    for await (const { path } of next.scan()) left.push(path.slice('A/'.length));
    if (left.length > 0) await carry(next, ...left);
    await close(next);
    for (const { record } of await next.openJobs()) await next.settleJob(record.jobId);
  }
}

test('a bug that keeps a job from its end keeps no batch of it from its own, and is in the log', async () => {
  await bed.drop('A/1.pdf');
  const batchId = await carry(share, '1.pdf');
  await close(share);
  let thrown: Error = new TypeError('closed is undefined');
  const fs = createFaultyFs((operation, path) => {
    if (operation === 'writeNew' && String(path).includes('/jobs/')) throw thrown;
  });
  const failing = await bed.open({}, { fs });
  const settle = async () => await failing.settleUp(batchId, [submitted(0)], { final: true });
  expect(await settle()).toMatchObject({ done: 1, attention: 0 });
  const why = expect.stringContaining('TypeError: closed is undefined at ');
  const told = { level: 'warn', event: 'job-damaged', job: 'A', why, error: thrown };
  expect(bed.logger.lines).toMatchObject([told]);
  await settle();
  thrown = fsError('EACCES');
  await settle();
  expect(bed.logger.lines).toHaveLength(1);
});

test('is one and the same whichever operation on the share was the last one', async () => {
  await dropAll();
  const whole = new DyingFs(Number.POSITIVE_INFINITY);
  await runWith(whole);
  expect(await bed.list('done')).toContain('A/receipt.csv');
  // Each third: together with the kill points of a batch alone they are all of a kind.
  for (let dieAt = 1; dieAt <= whole.count; dieAt += 3) {
    await bed.remove();
    bed = await createTestBed(PLACE);
    await bed.open();
    await dropAll();
    const dying = new DyingFs(dieAt);
    // Whoever dies in the receipt of the job has settled its own batch, and says nothing of it.
    await runWith(dying).catch(() => undefined);
    expect(dying.isDead).toBe(true);
    await recover();
    const found = [dieAt, await bed.list('drop'), await bed.list('done'), await bed.list('attention')];
    expect(found).toEqual([
      dieAt,
      [],
      ['A/1.pdf', 'A/2.pdf', 'A/receipt.csv', 'A/receipt.json', 'A/receipt.xlsx'],
      ['A/3.pdf', 'A/receipt.csv', 'A/receipt.json', 'A/receipt.xlsx'],
    ]);
    const { files } = await receiptOf('done/A');
    expect([dieAt, ...files.map(({ path }) => path).toSorted()]).toEqual([
      dieAt,
      'A/1.pdf',
      'A/2.pdf',
      'A/3.pdf',
    ]);
  }
}, 600_000);
