// The register of a job: read once, for all its batches, and kept by the job until its receipt.
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DropEntry } from '../../../../activities/share/drop/scan-drop';
import type { JobRecord } from '../../../../activities/share/jobs/job-record';
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

const LIST = 'File,Number\n1.pdf,N-1\n2.pdf,N-2\n3,N-3\nlate.pdf,N-4\ngone.pdf,N-5\n';
const REGISTER = 'A/register.csv';

async function dropAll(list = LIST): Promise<void> {
  await bed.drop(REGISTER, list);
  for (const name of ['1.pdf', '2.pdf', '3.pdf', 'extra.pdf']) await bed.drop(`A/${name}`);
}

async function entriesIn(on: Share, folder = 'A'): Promise<DropEntry[]> {
  const entries: DropEntry[] = [];
  for await (const name of on.scan()) {
    const entry = name.path.startsWith(`${folder}/`) ? await on.look(name) : undefined;
    if (entry !== undefined) entries.push(entry);
  }
  return entries.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** As the watcher does when something in the folder is whole. */
async function begin(on: Share, folder = 'A'): Promise<JobRecord> {
  const begunWith = await on.readRegister(folder, await entriesIn(on, folder));
  if (begunWith === undefined) throw new Error('the register cannot be read');
  return await on.openJob(folder, begunWith);
}

/** One batch of the job, of these files. */
async function carry(on: Share, job: JobRecord, ...paths: readonly string[]) {
  const { batch, notClaimed } = await on.claim(paths, { job });
  if (batch === undefined) return { batchId: undefined, files: [], notClaimed };
  const sealed = await on.writeManifest(batch);
  if (sealed.batchId === undefined) throw new Error('nothing was sealed');
  return { batchId: sealed.batchId, files: sealed.manifest.files, notClaimed };
}

async function settle(on: Share): Promise<void> {
  for (const { batchId, state } of await on.openBatches()) {
    if (state === 'claiming') continue;
    const { manifest } = await on.readBatch(batchId);
    const sent = manifest.files.filter(({ refused }) => refused === undefined);
    await on.settleUp(
      batchId,
      sent.map(({ index }) => submitted(index)),
      { final: true },
    );
  }
}

async function close(on: Share): Promise<void> {
  for (const { record, isClosed } of await on.openJobs()) {
    if (!isClosed) await on.closeJob(record);
    await on.settleJob(record.jobId);
  }
}

type Files = Awaited<ReturnType<typeof carry>>['files'];
const rowsOf = (files: Files) =>
  files.map(({ path, entry, refused }) => [path, entry?.row?.cells[1], refused?.code].filter(Boolean));
const receiptIn = async (folder: string) =>
  JSON.parse(await bed.read(`${folder}/receipt.json`)) as JobReceipt;

test('counts for every batch of its job, and is told of and given back once', async () => {
  await dropAll();
  const job = await begin(share);
  const one = await carry(share, job, REGISTER, 'A/1.pdf');
  expect(rowsOf(one.files)).toEqual([['A/1.pdf', 'N-1']]);
  expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/3.pdf', 'A/extra.pdf']);
  // By another process, that has read nothing yet.
  const two = await carry(await bed.open(), job, 'A/extra.pdf', 'A/3.pdf', 'A/2.pdf');
  expect(rowsOf(two.files)).toEqual([['A/2.pdf', 'N-2'], ['A/3.pdf', 'N-3'], ['A/extra.pdf']]);
  expect(two.files[2]?.entry).toEqual({ register: 0 });
  await settle(share);
  await close(share);
  expect(await bed.list('done')).toEqual(
    [
      '1.pdf',
      '2.pdf',
      '3.pdf',
      'extra.pdf',
      'receipt-register.csv',
      'receipt.csv',
      'receipt.json',
      'register.csv',
    ].map(name => `A/${name}`),
  );
  expect(await bed.read('done/A/register.csv')).toBe(LIST);
  expect(await bed.list('attention')).toEqual([]);
  expect((await receiptIn('done/A')).registers).toMatchObject([
    {
      path: REGISTER,
      notThere: [
        { row: 5, file: 'late.pdf' },
        { row: 6, file: 'gone.pdf' },
      ],
    },
  ]);
  const csv = await bed.read('done/A/receipt.csv');
  expect(csv.match(/listed, not there/g)).toHaveLength(2);
  expect(csv.match(/register\.csv,A,register,/g)).toHaveLength(1);
});

test('takes no place among the hundred files of a batch, unless another has been saved in its place', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `A/${index}.pdf`);
  for (const folder of ['A', 'B']) {
    await bed.drop(`${folder}/register.csv`, 'File,Number\n0.pdf,N-0\n1.pdf,N-1\n');
    for (const name of names) await bed.drop(name.replace('A', folder));
  }
  const taken = await carry(share, await begin(share), REGISTER, ...names);
  expect([taken.files.length, taken.notClaimed]).toEqual([100, [{ path: REGISTER, why: 'gone' }]]);

  const job = await begin(share, 'B');
  await bed.drop('B/register.csv', 'File,Number\n0.pdf,N-9\n');
  const ofB = names.map(name => name.replace('A', 'B'));
  const full = await carry(share, job, 'B/register.csv', ...ofB);
  expect([full.files.length, full.notClaimed]).toEqual([100, [{ path: 'B/register.csv', why: 'changed' }]]);
  const later = await carry(share, job, 'B/register.csv');
  expect(rowsOf(later.files)).toEqual([['B/register.csv', 'register-later']]);
});

test('goes with the documents where all of them were skipped: nothing of the job is wrong', async () => {
  await dropAll();
  const all = ['1', '2', '3', 'extra'].map(name => `A/${name}.pdf`);
  const { batchId, files } = await carry(share, await begin(share), REGISTER, ...all);
  const reason = { code: 'already-there', text: 'It was sent before.', fix: 'Nothing.' };
  const skipped = files.map(({ index }) => ({ index, kind: 'skipped' as const, reason }));
  await share.settleUp(batchId!, skipped, { final: true });
  await close(share);
  expect(await bed.list('done')).toContain('A/register.csv');
  expect(await bed.list('attention')).toEqual([]);
});

test('a file that comes late has the row that waited for it, and no row that another one has', async () => {
  await dropAll('File,Number\n1.pdf,N-1\nlate,N-4\n');
  const job = await begin(share);
  await carry(share, job, REGISTER, 'A/1.pdf', 'A/2.pdf', 'A/3.pdf', 'A/extra.pdf');
  await bed.drop('A/late.pdf');
  expect((await begin(share)).jobId).toBe(job.jobId);
  expect(rowsOf((await carry(share, job, 'A/late.pdf')).files)).toEqual([['A/late.pdf', 'N-4']]);
  await bed.drop('A/late.dwg');
  expect(rowsOf((await carry(share, job, 'A/late.dwg')).files)).toEqual([['A/late.dwg']]);
  await settle(share);
  await close(share);
  expect((await receiptIn('done/A')).registers?.[0]?.notThere).toEqual([]);
});

test('a row that could mean several files means none of them, in whichever batch they are', async () => {
  await dropAll('File,Number\n1,N-1\n2.pdf,N-2\n');
  await bed.drop('A/1.dwg');
  const job = await begin(share);
  await carry(share, job, REGISTER, 'A/2.pdf');
  for (const path of ['A/1.dwg', 'A/1.pdf']) {
    const { files } = await carry(share, job, path);
    expect(files[0]?.entry?.faults?.[0]).toContain('Row 2 could mean "1.dwg" and "1.pdf".');
  }
});

test('one that cannot be used holds up the files of all batches', async () => {
  await dropAll('Number\nN-1\n');
  const job = await begin(share);
  const one = await carry(share, job, 'A/1.pdf');
  const two = await carry(share, job, REGISTER, 'A/2.pdf');
  expect([...rowsOf(one.files), ...rowsOf(two.files)].map(([, code]) => code)).toEqual(
    Array(3).fill('register-unusable'),
  );
  // Also after a restart, when the sheet itself is not there any more.
  expect((await begin(await bed.open())).jobId).toBe(job.jobId);
});

test('one that is still being saved is waited for, and is unusable when it never is whole', async () => {
  await bed.drop('A/register.xlsx', 'PK\u0003\u0004 and no more');
  await bed.drop('A/1.pdf');
  const entries = await entriesIn(share);
  expect(await share.readRegister('A', entries)).toBeUndefined();
  expect(await share.readRegister('A', entries)).toBeUndefined();
  expect((await share.readRegister('A', entries))?.unusable).toMatchObject({ path: 'register.xlsx' });
});

test('one without a register’s name that is saved again before it is read is waited for, and a document when that never ends', async () => {
  await bed.drop('A/TR-0142.csv', 'File,Number\n1.pdf,N-1\n');
  await bed.drop('A/1.pdf');
  const entries = await entriesIn(share);
  await bed.drop('A/TR-0142.csv', 'File,Number\n1.pdf,N-1 of later\n');
  expect(await share.readRegister('A', entries)).toBeUndefined();
  expect(await share.readRegister('A', await entriesIn(share))).toMatchObject({
    register: { path: 'TR-0142.csv', pairs: [{ path: '1.pdf', row: 2 }] },
  });
  const read = async () => await share.readRegister('A', entries);
  expect([await read(), await read(), await read()]).toEqual([undefined, undefined, {}]);
});

test.each(['EBUSY', 'EACCES', 'EMFILE'])(
  'what the job keeps of it and says %s is waited for, and not taken for spoilt',
  async code => {
    await dropAll();
    const job = await begin(share);
    let isOpenElsewhere = true;
    const fs = createFaultyFs((operation, path) => {
      if (operation === 'read' && String(path).includes('/sheet-') && isOpenElsewhere) throw fsError(code);
    });
    // Another process: the one that began the job has the sheet in mind.
    const other = await bed.open({}, { fs });
    const { batch } = await other.claim(['A/1.pdf', 'A/2.pdf'], { job });
    await expect(other.writeManifest(batch!)).rejects.toMatchObject({ code: 'unreadable-now' });
    const seen = { record: job, isFinished: false };
    await expect(other.findMissing(seen, ['1.pdf'])).rejects.toMatchObject({ code: 'unreadable-now' });
    await other.writeStatus({ inLine: () => ['A/3.pdf'] });
    expect(await bed.list('status')).not.toEqual([]);
    isOpenElsewhere = false;
    const sealed = await other.writeManifest(batch!);
    expect(sealed.batchId === undefined ? [] : rowsOf(sealed.manifest.files)).toEqual([
      ['A/1.pdf', 'N-1'],
      ['A/2.pdf', 'N-2'],
    ]);
  },
);

test('one that was saved anew while its files are claimed is told of and not read', async () => {
  await dropAll();
  const job = await begin(share);
  await carry(share, job, REGISTER, 'A/1.pdf');
  await bed.drop(REGISTER, 'File,Number\n2.pdf,WRONG\n');
  const { files } = await carry(share, job, REGISTER, 'A/2.pdf');
  expect(rowsOf(files)).toEqual([
    ['A/2.pdf', 'N-2'],
    [REGISTER, 'register-later'],
  ]);
  expect(files[1]?.refused?.text).toContain('was not read');
  await carry(share, job, 'A/3.pdf', 'A/extra.pdf');
  await settle(share);
  await close(share);
  expect(await bed.read('done/A/register.csv')).toBe(LIST);
  expect(await bed.read('attention/A/register.csv')).toContain('WRONG');
});

test('files that come later with a register of their own are a job of their own', async () => {
  await dropAll();
  const job = await begin(share);
  await carry(share, job, REGISTER, 'A/1.pdf', 'A/2.pdf', 'A/3.pdf', 'A/extra.pdf');
  await bed.drop('A/register 2.csv', 'File,Number\n7.pdf,N-7\n');
  await bed.drop('A/7.pdf');
  const next = await begin(share);
  expect(next.jobId).not.toBe(job.jobId);
  expect(rowsOf((await carry(share, next, 'A/register 2.csv', 'A/7.pdf')).files)).toEqual([
    ['A/7.pdf', 'N-7'],
  ]);
  expect(await share.claim(['A/late.pdf'], { job })).toMatchObject({ batch: undefined });
  await settle(share);
  await close(share);
  expect(await bed.list(`done/${next.place}`)).toContain('register 2.csv');
});

test('one that came alone is set apart, and one whose files have all gone is given back', async () => {
  await bed.drop(REGISTER, LIST);
  const alone = await carry(share, await begin(share), REGISTER);
  expect(rowsOf(alone.files)).toEqual([[REGISTER, 'register-alone']]);
  await settle(share);
  await close(share);

  await dropAll();
  const job = await begin(share);
  for (const name of ['1.pdf', '2.pdf', '3.pdf', 'extra.pdf']) await rm(join(bed.root, 'drop/A', name));
  expect(await carry(share, job, REGISTER)).toMatchObject({ notClaimed: [{ path: REGISTER, why: 'gone' }] });
  expect(await bed.list('drop')).toEqual([]);
  await close(share);
  expect(await bed.list('drop')).toEqual([REGISTER]);
  expect(await share.openJobs()).toEqual([]);
});

test('is one and the same for two watchers, also where it was saved between their looks', async () => {
  await dropAll();
  const other = await bed.open();
  const [one, two] = await Promise.all([begin(share), begin(other)]);
  expect(one).toEqual(two);
  await carry(share, one, REGISTER, 'A/1.pdf');
  // What it saw is gone by now: it asks no sheet, and goes by the job that is there.
  const { notClaimed, batchId } = await carry(other, two, REGISTER, 'A/1.pdf');
  expect([batchId, notClaimed.map(({ why }) => why)]).toEqual([undefined, ['gone', 'gone']]);
  await writeFile(join(bed.root, 'drop', REGISTER), 'File,Number\n2.pdf,X-2\n');
  const next = await begin(other);
  expect(next.jobId).not.toBe(one.jobId);
  // Its claimer learns of it, and asks anew.
  expect(await share.claim(['A/2.pdf'], { job: one })).toMatchObject({ isJobClosed: true });
});

/** Two batches and a register, by a process that may die. */
async function runWith(dying: DyingFs): Promise<void> {
  const mortal = await bed.open({}, { fs: dying.fs });
  const job = await begin(mortal);
  await carry(mortal, job, REGISTER, 'A/1.pdf', 'A/2.pdf');
  await carry(mortal, job, 'A/3.pdf', 'A/extra.pdf');
  await settle(mortal);
  await close(mortal);
}

/** What other processes do until nothing is left to do. */
async function recover(): Promise<void> {
  const next = await bed.open({ abandonedMs: 0 });
  for (let round = 0; round < 3; round += 1) {
    for (const { batchId, state, claim } of await next.openBatches()) {
      if (state === 'claiming' && claim === 'abandoned') await next.adopt(batchId);
    }
    const left = (await entriesIn(next)).map(({ path }) => path);
    if (left.length > 0) await carry(next, await begin(next), ...left);
    await settle(next);
    await close(next);
  }
}

test('whichever operation on the share was the last one, each file has its row and the register goes back once', async () => {
  await dropAll();
  const whole = new DyingFs(Number.POSITIVE_INFINITY);
  await runWith(whole);
  expect(await bed.list('done')).toContain(REGISTER);
  for (let dieAt = 1; dieAt <= whole.count; dieAt += 4) {
    await bed.remove();
    bed = await createTestBed(PLACE);
    await bed.open();
    await dropAll();
    const dying = new DyingFs(dieAt);
    await runWith(dying).catch(() => undefined);
    expect(dying.isDead).toBe(true);
    await recover();
    expect([dieAt, await bed.list('drop'), await bed.list('attention')]).toEqual([dieAt, [], []]);
    const { files, registers } = await receiptIn('done/A');
    const rows = files.map(({ path, row }) => `${path} ${row ?? ''}`).toSorted();
    expect([dieAt, ...rows]).toEqual([dieAt, 'A/1.pdf 2', 'A/2.pdf 3', 'A/3.pdf 4', 'A/extra.pdf ']);
    expect([dieAt, registers?.map(({ notThere }) => notThere.map(({ row }) => row))]).toEqual([
      dieAt,
      [[5, 6]],
    ]);
    expect([dieAt, (await bed.list('done')).filter(name => name.endsWith('/register.csv'))]).toEqual([
      dieAt,
      [REGISTER],
    ]);
  }
}, 600_000);
