// A job: one folder that was dropped, its place, its batches and its end, whoever works on it at one time.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobRecord } from '../../../../activities/share/jobs/job-record';
import type { Share } from '../../../../activities/share/share';
import { startCpuTimer } from '../../../setup/cpu-time';
import { createFaultyFs, fsError } from '../faulty-fs';
import { changeClaim, createTestBed, DEAD, submitted, type TestBed } from '../share-test-bed';

let bed: TestBed;
let share: Share;

beforeEach(async () => {
  bed = await createTestBed();
  share = await bed.open();
});

afterEach(async () => {
  await bed.remove();
});

const closed = async (job: JobRecord) => expect(await share.closeJob(job)).toBeDefined();

/** Claims and seals these files of a folder for its job. */
async function carry(folder: string, ...names: readonly string[]) {
  const job = await share.openJob(folder);
  const { batch } = await share.claim(
    names.map(name => `${folder}/${name}`),
    { job },
  );
  const sealed = await share.writeManifest(batch!);
  if (sealed.batchId === undefined) throw new Error('nothing was sealed');
  return { job, ...sealed };
}

describe('the job of a folder', () => {
  test('is one, whoever asks, at whatever time, until it is closed', async () => {
    const other = await bed.open();
    const [one, two] = await Promise.all([share.openJob('Package A'), other.openJob('Package A')]);
    expect(one).toEqual(two);
    expect(one).toMatchObject({ name: 'Package A', folder: 'Package A', place: 'Package A' });
    expect(await (await bed.open()).openJob('Package A')).toEqual(one);
    await closed(one);
    const next = await other.openJob('Package A');
    expect(next.place).toMatch(/^Package A \(\d{4}-\d\d-\d\d\)$/);
    await closed(next);
    expect((await share.openJob('Package A')).place).toMatch(/^Package A \(\d{4}-\d\d-\d\d, 2\)$/);
  });

  test('is found by its own name, without a look at all others', async () => {
    const jobs = [];
    for (const folder of ['A', 'B', 'C']) jobs.push(await share.openJob(folder));
    const read: string[] = [];
    const fs = createFaultyFs(async (operation, path) => {
      if (operation === 'read' && String(path).endsWith('job.json')) read.push(String(path));
    });
    expect(await (await bed.open({}, { fs })).openJob('B')).toEqual(jobs[1]);
    expect(read).toHaveLength(1);
  });

  test('is one also where another watcher makes it between the look for it and the look for its place', async () => {
    let made: JobRecord | undefined;
    const fs = createFaultyFs(async (operation, path) => {
      if (operation === 'look' && made === undefined && String(path).endsWith('job.json'))
        made = await share.openJob('Package A');
    });
    expect(await (await bed.open({}, { fs })).openJob('Package A')).toEqual(made);
    expect(made?.place).toBe('Package A');
  });

  test.each([
    ['another job had it, in other letters', 'package a'],
    ['people have a folder of that name in done', 'Theirs'],
    ['people have a folder of that name in attention', 'Also theirs'],
    ['a batch could be called so', '20260131-093000-k3f7a2'],
  ])('gets a place of its own where %s', async (_why, folder) => {
    await share.openJob('Package A');
    for (const path of ['done/Theirs', 'attention/Also theirs']) mkdirSync(join(bed.root, path));
    expect((await share.openJob(folder)).place).toContain(`${folder} (`);
  });

  test('is made though whoever was about to make it died before its record', async () => {
    const { jobId } = await share.openJob('Package A');
    const record = join(bed.root, '.drawbridge/jobs', jobId, 'job.json');
    await rename(record, join(bed.root, 'elsewhere'));
    expect(await share.openJobs()).toEqual([]);
    expect(await share.openJob('Package A')).toMatchObject({ jobId, place: 'Package A' });
  });

  test('is nobody’s where its record was not made by us: that is told, and another place is taken', async () => {
    const { jobId } = await share.openJob('Package A');
    const record = join(bed.root, '.drawbridge/jobs', jobId, 'job.json');
    writeFileSync(record, readFileSync(record, 'utf8').replace('"place":"Package A"', '"place":"../x"'));
    expect((await share.openJob('Package A')).place).toMatch(/^Package A \(/);
    expect(await share.openJobs()).toHaveLength(1);
    expect(bed.logger.lines.filter(({ event }) => event === 'mark-not-ours')).toHaveLength(1);
  });
});

describe('where the record of a job cannot be opened just now', () => {
  /** A share that may not open the records of these jobs. */
  async function openWithout(...jobs: readonly JobRecord[]): Promise<Share> {
    const fs = createFaultyFs((operation, path) => {
      const isTheirs = jobs.some(({ jobId }) => String(path).endsWith(join(jobId, 'job.json')));
      if (operation === 'read' && isTheirs) throw fsError('EACCES');
    });
    return await bed.open({}, { fs });
  }

  test('the others are found and new ones begun; that is told once', async () => {
    const [one, other] = [await share.openJob('One'), await share.openJob('Other')];
    const refused = await openWithout(one);
    expect(await refused.openJobs()).toEqual([{ record: other, isClosed: false }]);
    expect(await refused.openJob('New')).toMatchObject({ place: 'New' });
    const told = bed.logger.lines.filter(({ event }) => event === 'mark-not-ours');
    expect(told).toMatchObject([{ why: expect.stringContaining('EACCES') }]);
  });

  test('its own folder waits, and does not become a second job, whatever its place and day', async () => {
    const first = await share.openJob('Package A');
    const fourDaysAgo = new Date(Date.now() - 4 * 86_400_000);
    await closed(first);
    const early = await bed.open(
      {},
      { clock: { wallMs: () => fourDaysAgo.getTime(), monotonicMs: () => performance.now() } },
    );
    const open = await early.openJob('Package A');
    expect(open.place).toBe(`Package A (${fourDaysAgo.toISOString().slice(0, 10)})`);
    const refused = await openWithout(open);
    await expect(refused.openJob('Package A')).rejects.toMatchObject({ code: 'unreadable-now' });
    await closed(open);
    expect((await refused.openJob('Package A')).place).toMatch(/^Package A \(/);
  });

  test('it is found among many folders by its day, without all days of the folders before it', async () => {
    await closed(await share.openJob('Last'));
    const refused = await openWithout(await share.openJob('Last'));
    const folders = Array.from({ length: 500 }, (_, at) => `Package ${at}`);
    const spentMs = startCpuTimer();
    await expect(refused.findOpenFolders([...folders, 'Last'])).rejects.toMatchObject({
      code: 'unreadable-now',
      message: 'The record of the job of "Last" cannot be opened just now.',
    });
    expect(spentMs()).toBeLessThan(2_000);
  });

  test('folders of which it is none go on, and so does all other work while their places are looked for', async () => {
    const [one] = [await share.openJob('One'), await share.openJob('Other')];
    const refused = await openWithout(one);
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    expect(await refused.findOpenFolders(['Other', 'New', 'Newer'])).toEqual(new Set(['Other']));
    isOver = true;
    // One for each name that a place may have.
    expect(turns).toBeGreaterThan(8_000);
  });
});

describe('a batch of a job', () => {
  test('says in its manifest which part of which job it is, in the order it was asked for', async () => {
    for (const name of ['10.pdf', '2.pdf', 'sub/1.pdf']) await bed.drop(`Package A/${name}`);
    const one = await carry('Package A', '2.pdf', '10.pdf');
    const two = await carry('Package A', 'sub/1.pdf');
    const { jobId: id } = one.job;
    expect(one.manifest.job).toEqual({ id, name: 'Package A', place: 'Package A', part: 1 });
    expect(two.manifest.job).toMatchObject({ id, part: 2 });
    expect(one.manifest.files.map(({ path }) => path)).toEqual(['Package A/2.pdf', 'Package A/10.pdf']);
    expect((await share.readSeal(two.batchId)).manifest.job).toEqual(two.manifest.job);
  });

  test('settles into the folder of the job, and what was set apart goes back to where it was dropped', async () => {
    for (const name of ['a.pdf', 'sub/b.pdf', 'c.pdf']) await bed.drop(`Package A/${name}`);
    const { batchId } = await carry('Package A', 'a.pdf', 'sub/b.pdf');
    const second = await carry('Package A', 'c.pdf');
    const reason = { code: 'x', text: 'x', fix: 'x' };
    const apart = { index: 1, kind: 'set-apart' as const, reason };
    await share.settleUp(batchId, [submitted(0), apart], { final: true });
    await share.settleUp(second.batchId, [submitted(0)], { final: true });
    const files = async (folder: string) =>
      (await bed.list(folder)).filter(path => !path.includes('receipt'));
    expect(await files('done')).toEqual(['Package A/a.pdf', 'Package A/c.pdf']);
    expect(await files('attention')).toEqual(['Package A/sub/b.pdf']);
    const { files: listed } = await share.setApart();
    expect(listed).toMatchObject([{ batchId, index: 1, path: 'Package A/sub/b.pdf' }]);
    expect(await share.takeUpAgain(listed[0]!)).toEqual({ kind: 'in-drop' });
    expect(await bed.list('drop')).toEqual(['Package A/sub/b.pdf']);
  });

  test('keeps its job when its claimer dies before the manifest', async () => {
    await bed.drop('Package A/a.pdf');
    const job = await share.openJob('Package A');
    const { batch } = await share.claim(['Package A/a.pdf'], { job });
    changeClaim(batch!, DEAD);
    const adopted = await (await bed.open()).adopt(batch!.batchId);
    expect(adopted?.manifest.job).toMatchObject({ id: job.jobId, part: 1 });
  });

  test('takes nothing for a job that was closed meanwhile', async () => {
    await bed.drop('Package A/a.pdf');
    const job = await share.openJob('Package A');
    await rename(join(bed.root, 'drop/Package A'), join(bed.root, 'drop/Package B'));
    await closed(job);
    await rename(join(bed.root, 'drop/Package B'), join(bed.root, 'drop/Package A'));
    expect(await share.claim(['Package A/a.pdf'], { job })).toEqual({
      batch: undefined,
      notClaimed: [],
      isJobClosed: true,
    });
    expect(await bed.list('drop')).toEqual(['Package A/a.pdf']);
    expect(await share.openBatches()).toEqual([]);
  });
});

describe('closing a job', () => {
  test('waits while its folder holds something to claim, deep inside, too', async () => {
    await bed.drop('Package A/b/c/d.pdf');
    const job = await share.openJob('Package A');
    expect(await share.closeJob(job)).toBeUndefined();
    await carry('Package A', 'b/c/d.pdf');
    expect((await share.closeJob(job))?.folders.toSorted()).toEqual([
      'Package A',
      'Package A/b',
      'Package A/b/c',
    ]);
    expect(await share.openJobs()).toMatchObject([{ isClosed: true }]);
  });

  test('names what was ignored, and takes the marker away', async () => {
    for (const name of ['Thumbs.db', 'sub/~$x.docx', '.ready']) await bed.drop(`Package A/${name}`);
    const job = await share.openJob('Package A');
    await closed(job);
    expect(existsSync(join(bed.root, 'drop/Package A/.ready'))).toBe(false);
    const text = await bed.read(`.drawbridge/jobs/${job.jobId}/closed.json`);
    expect(JSON.parse(text)).toMatchObject({ ignored: ['Thumbs.db', 'sub/~$x.docx'], ignoredInAll: 2 });
  });

  test('names the first of very many, and counts them all', async () => {
    for (let name = 0; name < 250; name += 1) await bed.drop(`Package A/~$${name}`);
    const job = await share.openJob('Package A');
    await closed(job);
    const text = await bed.read(`.drawbridge/jobs/${job.jobId}/closed.json`);
    expect(JSON.parse(text)).toMatchObject({ ignoredInAll: 250 });
    expect(JSON.parse(text).ignored).toHaveLength(100);
  });

  test('leaves a folder that is called like the marker, and names it', async () => {
    await bed.drop('Package A/.ready/a.pdf');
    const job = await share.openJob('Package A');
    await closed(job);
    const text = await bed.read(`.drawbridge/jobs/${job.jobId}/closed.json`);
    expect(JSON.parse(text)).toMatchObject({ ignored: ['.ready'], ignoredInAll: 1 });
    expect(await share.openJobs()).toMatchObject([{ isClosed: true }]);
    expect(await bed.list('drop')).toEqual(['Package A/.ready/a.pdf']);
  });

  test('leaves a marker that cannot be removed, but hides no bug behind it', async () => {
    await bed.drop('Package A/.ready');
    const job = await share.openJob('Package A');
    let thrown: Error = new TypeError('folder is undefined');
    const fs = createFaultyFs((operation, path) => {
      if (operation === 'unlink' && String(path).endsWith('.ready')) throw thrown;
    });
    const failing = await bed.open({}, { fs });
    await expect(failing.closeJob(job)).rejects.toThrow('folder is undefined');
    expect(await share.openJobs()).toMatchObject([{ isClosed: false }]);
    thrown = fsError('EACCES');
    expect(await failing.closeJob(job)).toBeDefined();
    expect(await bed.list('drop')).toEqual(['Package A/.ready']);
  });

  test('is not done by a share that takes no changes', async () => {
    await bed.drop('Package A/.ready');
    const job = await share.openJob('Package A');
    let isReadOnly = false;
    const fs = createFaultyFs(operation => {
      if (isReadOnly && operation === 'unlink') throw fsError('EROFS');
    });
    const refusing = await bed.open({}, { fs });
    isReadOnly = true;
    await expect(refusing.closeJob(job)).rejects.toMatchObject({ code: 'share-read-only' });
    expect(await share.openJobs()).toMatchObject([{ isClosed: false }]);
  });

  test('is done where the folder was renamed or removed', async () => {
    await bed.drop('Package A/a.pdf');
    const job = await share.openJob('Package A');
    await rename(join(bed.root, 'drop/Package A'), join(bed.root, 'drop/Package B'));
    await closed(job);
    expect(await share.openJob('Package B')).toMatchObject({ place: 'Package B' });
  });
});
