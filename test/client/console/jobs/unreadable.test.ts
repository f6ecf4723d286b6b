// What cannot be opened just now, such as by a backup or a scanner, hides nothing else, and is read later.
import type { DocumentOutcome } from '../../../../workflows/ingest/ingest-contract';
import { createFaultyFs, fsError } from '../../../activities/share/faulty-fs';
import { submitted } from '../../../activities/share/share-test-bed';
import { ANYONE, createJobsBed, type JobsBed, listJobs } from './jobs-bed';

// A sheet is written in a thread: tested where it is made.
jest.mock('../../../../activities/registers/receipt/write-in-thread', () => ({
  writeInThread: async (task: unknown) => Buffer.from(JSON.stringify(task)),
}));

const REASON = { code: 'missing', text: 'Status is missing.', fix: 'Give it a status.' };

/** A part of the paths that cannot be opened, or several. */
let held: string | RegExp | undefined;
/** As a right that is missing, or one bad block: the rest of the share can be read. */
let code = 'EACCES';
let rig: JobsBed;
const warn = jest.fn();
beforeEach(async () => {
  warn.mockClear();
  held = undefined;
  code = 'EACCES';
  const fs = createFaultyFs((operation, path) => {
    if (held !== undefined && operation === 'read' && String(path).search(held) >= 0) throw fsError(code);
  });
  rig = await createJobsBed({}, { fs }, { info: () => undefined, warn, debug: () => undefined } as never);
});
afterEach(() => rig.remove());

const openNames = async () => (await listJobs(rig)).open.map(({ name }) => name).sort();
const finishedNames = async () => (await listJobs(rig)).finished.map(({ name }) => name).sort();
const headOf = async (job: string) =>
  await rig.jobs.handlers['GET /api/jobs/:share/:job'](
    { params: { share: 'tender', job }, query: undefined, body: undefined },
    ANYONE,
  );

async function carry(folder: string): Promise<string> {
  for (const name of ['1.pdf', '2.pdf']) await rig.bed.drop(`${folder}/${name}`);
  return await rig.carry(folder, '1.pdf', '2.pdf');
}

async function finish(folder: string): Promise<string> {
  const batchId = await carry(folder);
  for (const { record } of await rig.share.openJobs()) await rig.share.closeJob(record);
  await rig.share.settleUp(batchId, [submitted(0), submitted(1)], { final: true });
  return batchId;
}

async function lookFor(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await rig.jobs.look?.();
    rig.pass(1_000);
  }
}

test.each(['EACCES', 'EIO'])(
  'a batch that cannot be opened when the page begins hides no other (%s)',
  async why => {
    code = why;
    held = await carry('A');
    await carry('B');
    expect(await openNames()).toEqual(['A', 'B']);
    const [job] = (await listJobs(rig)).open.filter(({ name }) => name === 'A');
    expect(await headOf(job!.job)).toMatchObject({ documents: 0, unreadable: 1 });
    held = undefined;
    await lookFor(2);
    expect(await headOf(job!.job)).toMatchObject({ documents: 2, unreadable: 0 });
  },
);

test('a record of a job that cannot be opened hides no other job', async () => {
  await carry('A');
  await carry('B');
  const [first] = await rig.share.openJobs();
  held = `/jobs/${first!.record.jobId}/`;
  expect(await openNames()).toHaveLength(1);
  held = undefined;
  await lookFor(2);
  expect(await openNames()).toEqual(['A', 'B']);
});

test('what could not be read when it changed is read later, though it does not change again', async () => {
  const batchId = await carry('A');
  const [job] = (await listJobs(rig)).open;
  await lookFor(4);
  const outcomes: readonly DocumentOutcome[] = [{ index: 0, kind: 'set-apart', reason: REASON }];
  await rig.share.appendRecord(batchId, { kind: 'outcome', outcomes });
  held = `${batchId}/journal`;
  await lookFor(6);
  expect((await headOf(job!.job)).tally).toMatchObject({ 'on-the-way': 2 });
  held = undefined;
  await lookFor(2);
  expect((await headOf(job!.job)).tally).toMatchObject({ 'on-the-way': 1, 'set-apart': 1 });
});

test.each(['EACCES', 'EIO'])(
  'one of a job that goes on, and that was put away, is told as such (%s)',
  async why => {
    code = why;
    await rig.bed.drop('A/3.pdf');
    const batchId = await carry('A');
    await rig.share.settleUp(batchId, [submitted(0), submitted(1)], { final: true });
    held = batchId;
    const [job] = (await listJobs(rig)).open;
    expect(await headOf(job!.job)).toMatchObject({ documents: 1, unreadable: 1 });
    held = undefined;
    await lookFor(2);
    expect(await headOf(job!.job)).toMatchObject({ documents: 3, unreadable: 0 });
  },
);

test('a finished batch with a bad block hides none that ended before it, and is told in the log', async () => {
  code = 'EIO';
  await finish('A');
  held = await finish('B');
  await finish('C');
  await rig.jobs.look?.();
  await rig.jobs.settled();
  expect(await finishedNames()).toEqual(['A', 'C']);
  expect(warn).toHaveBeenCalledTimes(2);
  // The batch, and its job.
  expect(warn.mock.calls[0]?.[0]).toMatchObject({ event: 'console-finished-unread', share: 'tender' });
  rig.pass(61_000);
  await listJobs(rig);
  await rig.jobs.settled();
  expect(warn).toHaveBeenCalledTimes(2);
  held = undefined;
  rig.pass(61_000);
  await listJobs(rig);
  await rig.jobs.settled();
  expect(await finishedNames()).toEqual(['A', 'B', 'C']);
});

test('a finished batch that cannot be opened hides none that ended before it', async () => {
  await finish('A');
  const batchId = await finish('B');
  await finish('C');
  held = batchId;
  await rig.jobs.look?.();
  await rig.jobs.settled();
  expect(await finishedNames()).toEqual(['A', 'B', 'C']);
  const job = (await listJobs(rig)).finished.find(({ name }) => name === 'B')!.job;
  expect(await headOf(job)).toMatchObject({ documents: 0, unreadable: 1 });
  held = undefined;
  rig.pass(61_000);
  expect(await headOf(job)).toMatchObject({ documents: 2, unreadable: 0 });
  await listJobs(rig);
  await rig.jobs.settled();
  expect(await finishedNames()).toEqual(['A', 'B', 'C']);
  expect((await listJobs(rig)).finished.map(({ documents }) => documents)).toEqual([2, 2, 2]);
});

test('one that was seen before its job ended, and cannot be opened then, is counted once it can', async () => {
  await rig.bed.drop('A/3.pdf');
  const batchId = await carry('A');
  await rig.share.settleUp(batchId, [submitted(0), submitted(1)], { final: true });
  await rig.jobs.look?.();
  await rig.jobs.settled();
  const rest = await rig.carry('A', '3.pdf');
  for (const { record } of await rig.share.openJobs()) await rig.share.closeJob(record);
  await rig.share.settleUp(rest, [submitted(0)], { final: true });
  held = batchId;
  rig.pass(61_000);
  await listJobs(rig);
  await rig.jobs.settled();
  expect((await listJobs(rig)).finished).toMatchObject([{ name: 'A', documents: 1 }]);
  const page = await rig.again();
  held = undefined;
  for (const jobs of [rig.jobs, page]) {
    rig.pass(61_000);
    await listJobs({ ...rig, jobs });
    await jobs.settled();
    expect((await listJobs({ ...rig, jobs })).finished).toMatchObject([{ name: 'A', documents: 3 }]);
  }
});

test('where several in a row have a bad block, what was read before them is listed, and kept', async () => {
  const folders = new Map<string, string>();
  for (const folder of ['A', 'B', 'C', 'D']) folders.set(await finish(folder), folder);
  code = 'EIO';
  // Which of one second is the newest, and read first, chance says.
  const ids = [...folders.keys()].sort();
  const newest = folders.get(ids.at(-1) ?? '');
  held = new RegExp(ids.slice(0, 3).join('|'));
  const told: unknown[] = [];
  await rig.jobs.look?.();
  await rig.jobs.settled();
  told.push(await finishedNames());
  // A page that is begun then knows it from the one before.
  held = new RegExp(ids.join('|'));
  const page = { jobs: await rig.again() };
  await page.jobs.look?.();
  await page.jobs.settled();
  told.push((await listJobs(page)).finished.map(({ name }) => name));
  held = undefined;
  rig.pass(61_000);
  await finishedNames();
  await rig.jobs.settled();
  told.push(await finishedNames());
  expect(told).toEqual([[newest], [newest], ['A', 'B', 'C', 'D']]);
});
