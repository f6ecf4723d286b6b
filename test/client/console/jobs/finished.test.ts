import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createNodeShareFs } from '../../../../activities/share/files/share-fs';
import type { DocumentOutcome } from '../../../../workflows/ingest/ingest-contract';
import { beginJob } from '../../../activities/share/receipt/sheet-test-bed';
import { claimAll, submitted } from '../../../activities/share/share-test-bed';
import { ANYONE, createJobsBed, type JobsBed, listJobs, QUERY } from './jobs-bed';

// A sheet is written in a thread: tested where it is made.
jest.mock('../../../../activities/registers/receipt/write-in-thread', () => ({
  writeInThread: async (task: unknown) => Buffer.from(JSON.stringify(task)),
}));

const REASON = { code: 'missing', text: 'Status is missing.', fix: 'Give it a status.' };

let rig: JobsBed;
beforeEach(async () => {
  rig = await createJobsBed();
});
afterEach(async () => {
  await rig.remove();
});

const list = (query?: object) => listJobs(rig, query);
const find = async (q: string) =>
  (await rig.jobs.handlers['GET /api/find']({ params: undefined, query: { q }, body: undefined }, ANYONE))
    .found;

/** Of the folder, with one file that is through and one that was set apart. */
async function finish(folder: string): Promise<string> {
  for (const name of ['1.pdf', '2.pdf']) await rig.bed.drop(`${folder}/${name}`);
  const batchId = await rig.carry(folder, '1.pdf', '2.pdf');
  const outcomes: readonly DocumentOutcome[] = [
    submitted(0),
    { index: 1, kind: 'set-apart', reason: REASON },
  ];
  for (const { record } of await rig.share.openJobs()) await rig.share.closeJob(record);
  const required = { index: 0, when: 'Type is "Drawing"', asks: ['Type', 'Number'] };
  await rig.share.appendRecord(batchId, { kind: 'required', documents: [required] });
  await rig.share.appendRecord(batchId, { kind: 'outcome', outcomes });
  await rig.share.settleUp(batchId, outcomes, { final: true });
  return batchId;
}

/** While others go on. */
async function finishAlone(folder: string, { bed, share, carry } = rig): Promise<string> {
  await bed.drop(`${folder}/1.pdf`);
  const batchId = await carry(folder, '1.pdf');
  for (const { record } of await share.openJobs()) {
    if (record.folder === folder) await share.closeJob(record);
  }
  await share.settleUp(batchId, [submitted(0)], { final: true });
  return batchId;
}

/** Until the page knows all that has ended. */
async function known(): Promise<void> {
  await rig.jobs.look?.();
  await rig.jobs.settled();
}

test('a finished job needs a person for as long as something of it lies set apart, and nobody once that went on', async () => {
  await finish('Tender 7');
  await list();
  await known();
  const needs = async () => (await list()).finished.map(job => job.needs?.setApart);
  // A list waits for that for a moment only.
  const nobodyNeeded = async () => {
    while ((await needs())[0] !== undefined);
  };
  expect(await needs()).toEqual([1]);
  const { files } = await rig.share.setApart();
  expect(await rig.share.takeUpAgain(files[0]!)).toEqual({ kind: 'in-drop' });
  rig.apart.forget();
  await nobodyNeeded();
  // Its receipt stays as it is.
  expect((await list()).finished).toMatchObject([{ tally: { 'set-apart': 1 } }]);
  // While the share cannot be read, nobody knows.
  rig.isAway = true;
  rig.apart.forget();
  expect(await needs()).toEqual([1]);
});

test('the page of a finished job needs a person no longer than the list of jobs', async () => {
  await finish('Tender 7');
  await list();
  await known();
  const params = { share: 'tender', job: (await list()).finished[0]!.job };
  const needs = async () => {
    const asked = { params, query: undefined, body: undefined };
    return (await rig.jobs.handlers['GET /api/jobs/:share/:job'](asked, ANYONE)).needs?.setApart;
  };
  expect(await needs()).toBe(1);
  const { files } = await rig.share.setApart();
  await rig.share.takeUpAgain(files[0]!);
  rig.apart.forget();
  await rig.apart.list();
  expect(await needs()).toBeUndefined();
});

test('the list finds a finished job by what was set apart of it, and each of hundreds of these is found', async () => {
  const names = Array.from({ length: 250 }, (_, at) => `X-${String(at).padStart(3, '0')}.pdf`);
  for (const name of names) await rig.bed.drop(`Tender 7/${name}`);
  const batches: (readonly [string, number])[] = [];
  for (let from = 0; from < names.length; from += 100) {
    const some = names.slice(from, from + 100);
    batches.push([await rig.carry('Tender 7', ...some), some.length]);
  }
  for (const { record } of await rig.share.openJobs()) await rig.share.closeJob(record);
  for (const [batchId, count] of batches) {
    const outcomes = Array.from({ length: count }, (_, index) => ({
      index,
      kind: 'set-apart' as const,
      reason: REASON,
    }));
    await rig.share.settleUp(batchId, outcomes, { final: true });
  }
  await list();
  await known();
  expect((await list({ q: 'x-007' })).finished.map(({ name }) => name)).toEqual(['Tender 7']);
  expect((await list({ q: 'x-300' })).finished).toEqual([]);
  expect(await find('X-249.pdf')).toMatchObject([{ label: 'X-249.pdf', outcome: 'set-apart' }]);
});

test('what was gone from the share for a while is listed again when it is back', async () => {
  await rig.bed.drop('loose.pdf');
  const { batchId } = await claimAll(rig.share);
  await rig.share.settleUp(batchId, [submitted(0)], { final: true });
  await finish('A');
  const ids = async () => {
    rig.pass(61_000);
    await list();
    await known();
    return (await list()).finished.map(({ kind }) => kind).sort();
  };
  expect(await ids()).toEqual(['files', 'folder']);
  const month = join(rig.bed.root, '.drawbridge/finished', batchId.slice(0, 6));
  renameSync(month, `${month}-away`);
  expect(await ids()).not.toContain('files');
  renameSync(`${month}-away`, month);
  expect(await ids()).toEqual(['files', 'folder']);
});

test('what is called exactly so is found first, whatever number of others has it in its name', async () => {
  await rig.bed.drop('Old/A-1.pdf');
  const batchId = await rig.carry('Old', 'A-1.pdf');
  for (const { record } of await rig.share.openJobs()) await rig.share.closeJob(record);
  const outcomes: readonly DocumentOutcome[] = [{ index: 0, kind: 'set-apart', reason: REASON }];
  await rig.share.settleUp(batchId, outcomes, { final: true });
  for (let at = 100; at < 160; at += 1) await rig.bed.drop(`A-1 and more/A-${at}.pdf`);
  await rig.bed.drop('A-1/other.pdf');
  await list();
  await known();
  const found = await find('a-1');
  expect(found.slice(0, 2)).toMatchObject([
    { kind: 'document', label: 'A-1.pdf', outcome: 'set-apart' },
    { kind: 'job', label: 'A-1' },
  ]);
  expect(found[2]).toMatchObject({ kind: 'document', outcome: 'in-line' });
  expect(found).toHaveLength(50);
});

test('the head of a finished job is made of what was read of it, and its receipts are not read again', async () => {
  const fs = createNodeShareFs();
  const reads: string[] = [];
  const read: typeof fs.read = async (path, maxBytes) => {
    reads.push(String(path));
    return await fs.read(path, maxBytes);
  };
  const counted = await createJobsBed({}, { fs: { ...fs, read } });
  try {
    const batchId = await finishAlone('Tender 7', counted);
    await listJobs(counted);
    await counted.jobs.look?.();
    await counted.jobs.settled();
    const params = { share: 'tender', job: (await listJobs(counted)).finished[0]!.job };
    const asked = { params, query: undefined, body: undefined };
    const head = async () => await counted.jobs.handlers['GET /api/jobs/:share/:job'](asked, ANYONE);
    const before = reads.length;
    const ofReceipt = () => reads.slice(before).filter(path => path.endsWith(`${batchId}/receipt.json`));
    expect((await head()).receipts.map(({ path }) => path)).toEqual(['done/Tender 7/receipt.xlsx']);
    expect(ofReceipt()).toHaveLength(1);
    expect((await head()).receipts).toHaveLength(1);
    expect(ofReceipt()).toHaveLength(1);
  } finally {
    await counted.remove();
  }
});

test('what has ended is told as it was, with its rows, its receipts and its way', async () => {
  const batchId = await finish('Tender 7');
  await rig.bed.drop('loose.pdf');
  const loose = await claimAll(rig.share);
  await rig.share.settleUp(loose.batchId, [submitted(0)], { final: true });
  await list();
  await known();
  const page = await list();
  expect(page.open).toEqual([]);
  expect(page.finished).toMatchObject([
    { job: loose.batchId, kind: 'files', tally: { through: 1 }, needs: null },
    {
      name: 'Tender 7',
      kind: 'folder',
      documents: 2,
      tally: { through: 1, 'set-apart': 1 },
      end: { kind: 'over' },
      needs: { held: 0, setApart: 1, why: 'Status is missing.' },
    },
  ]);
  expect(page.counts).toMatchObject({ open: 0, finished: 2, fit: 2 });
  const params = { share: 'tender', job: page.finished[1]!.job };
  const asked = { params, query: undefined, body: undefined };
  const head = await rig.jobs.handlers['GET /api/jobs/:share/:job'](asked, ANYONE);
  expect(head).toMatchObject({
    folders: ['done/Tender 7', 'attention/Tender 7'],
    stages: { takenOver: 2, submitted: 1, hasReceipt: true },
  });
  expect(head.receipts.map(({ path }) => path)).toEqual([
    'attention/Tender 7/receipt.xlsx',
    'done/Tender 7/receipt.xlsx',
  ]);
  const { rows } = await rig.jobs.handlers['GET /api/jobs/:share/:job/rows'](
    { ...asked, query: { columns: '' } },
    ANYONE,
  );
  expect(rows.map(({ file, outcome }) => [file, outcome])).toEqual([
    ['1.pdf', 'through'],
    ['2.pdf', 'set-apart'],
  ]);
  const detail = await rig.jobs.handlers['GET /api/jobs/:share/:job/rows/:key'](
    { ...asked, params: { ...params, key: rows[1]!.key } },
    ANYONE,
  );
  expect(detail).toMatchObject({ path: 'attention/Tender 7/2.pdf', batchId });
  expect(detail.way.map(({ text }) => text)).toEqual([
    'Dropped',
    'Taken over',
    'Status is missing.',
    'In the receipt of its batch',
  ]);
  expect(detail.way.find(({ outcome }) => outcome === 'set-apart')?.at).not.toBeNull();
  const through = await rig.jobs.handlers['GET /api/jobs/:share/:job/rows/:key'](
    { ...asked, params: { ...params, key: rows[0]!.key } },
    ANYONE,
  );
  expect(through.way.map(({ text, detail }) => [text, detail])).toContainEqual([
    'Has what the project requires',
    'Type is "Drawing": asks for Type, Number',
  ]);
});

/** The key that the page goes on with. */
async function rowKeyOf({ share, job, key }: { share: string; job: string; key: string }): Promise<string> {
  const params = { share, job, key };
  const asked = { params, query: undefined, body: undefined };
  return (await rig.jobs.handlers['GET /api/jobs/:share/:job/rows/:key'](asked, ANYONE)).key;
}

test('of two documents of one path in a job, a search leads to each', async () => {
  const batches: string[] = [];
  for (const content of ['one', 'two']) {
    await rig.bed.drop('Tender 7/1.pdf', content);
    batches.push(await rig.carry('Tender 7', '1.pdf'));
  }
  for (const { record } of await rig.share.openJobs()) await rig.share.closeJob(record);
  for (const batchId of batches) await rig.share.settleUp(batchId, [submitted(0)], { final: true });
  await list();
  await known();
  const keys: string[] = [];
  for (const one of await find('N-0')) if (one.kind === 'document') keys.push(await rowKeyOf(one));
  expect(new Set(keys).size).toBe(2);
});

test('found by name, number, revision, and with that its job', async () => {
  await finish('Tender 7');
  await finish('Tender 8');
  await list();
  await known();
  expect((await list({ q: 'tender 8' })).finished.map(({ name }) => name)).toEqual(['Tender 8']);
  expect((await list({ q: 'N-0' })).finished).toHaveLength(2);
  expect(await find('R0')).toMatchObject([
    { kind: 'document', jobName: expect.stringMatching(/^Tender [78]$/), label: 'N-0', outcome: 'through' },
    { kind: 'document' },
  ]);
  const [document] = await find('N-0');
  if (document?.kind !== 'document') throw new Error('nothing was found');
  const { rows } = await rig.jobs.handlers['GET /api/jobs/:share/:job/rows'](
    { params: { share: document.share, job: document.job }, query: { columns: '' }, body: undefined },
    ANYONE,
  );
  expect(rows[0]).toMatchObject({ key: await rowKeyOf(document), file: '1.pdf' });
  expect(await find('tender 7')).toMatchObject([{ kind: 'job', label: 'Tender 7' }]);
  // What did not go through is in no ledger.
  expect(await find('2.pdf')).toMatchObject([
    { kind: 'document', label: '2.pdf', outcome: 'set-apart' },
    { kind: 'document', label: '2.pdf', outcome: 'set-apart' },
  ]);
  expect(await find('nothing of the kind')).toEqual([]);
});

test('a page of a hundred goes on where it ended; its cache may be torn', async () => {
  await finish('A');
  await list();
  await known();
  await rig.jobs.close?.();
  const folder = join(rig.bed.root, 'state/console');
  const [name = ''] = readdirSync(folder);
  const kept = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  expect(kept.jobs).toMatchObject([{ name: 'A', documents: 2 }]);
  writeFileSync(join(folder, name), '{"version":1,"jo');
  const again = await rig.again();
  const ask = async (cursor?: string) =>
    await again.handlers['GET /api/jobs'](
      {
        params: undefined,
        query: { ...QUERY, ...(cursor === undefined ? {} : { cursor }) },
        body: undefined,
      },
      ANYONE,
    );
  await ask();
  await again.look?.();
  await again.settled();
  const { finished, next } = await ask();
  expect(finished).toMatchObject([{ name: 'A' }]);
  expect(next).toBeNull();
  const { endedAt, job } = finished[0]!;
  expect((await ask(`${endedAt} ${job} tender`)).finished).toEqual([]);
  await again.close?.();
});

test('a batch of a job that goes on is read once, however often others end', async () => {
  for (const name of ['1.pdf', '2.pdf']) await rig.bed.drop(`A/${name}`);
  const batchId = await rig.carry('A', '1.pdf');
  await rig.share.settleUp(batchId, [submitted(0)], { final: true });
  await list();
  await known();
  const read = jest.spyOn(rig.share, 'readDocuments');
  for (const name of ['B', 'C']) {
    await finishAlone(name);
    // It began and ended between two looks.
    rig.pass(61_000);
    await known();
  }
  expect(read.mock.calls.filter(([id]) => id === batchId)).toEqual([]);
  expect((await list()).finished.map(({ name }) => name).sort()).toEqual(['B', 'C']);
});

test('the newest are read first', async () => {
  let wallMs = Date.UTC(2026, 0, 31);
  // Batches are called by the second of their claim.
  const clock = { monotonicMs: () => performance.now(), wallMs: () => (wallMs += 1_000) };
  const own = await createJobsBed({}, { clock });
  try {
    const batchIds: string[] = [];
    for (const name of ['A', 'B', 'C', 'D']) batchIds.push(await finishAlone(name, own));
    const read = jest.spyOn(own.share, 'readDocuments');
    await listJobs(own);
    await own.jobs.settled();
    expect(read.mock.calls.map(([id]) => id)).toEqual(batchIds.toReversed());
    expect((await listJobs(own)).finished.map(({ name }) => name)).toEqual(['D', 'C', 'B', 'A']);
  } finally {
    await own.remove();
  }
});

test('who dropped it is kept from when it was taken over, where all its files are of one person', async () => {
  const { root, drop } = rig.bed;
  const share = await rig.bed.open({}, { personOf: async () => 'T. Harker' });
  await drop('loose.pdf');
  const { batchId } = await claimAll(share);
  await share.settleUp(batchId, [submitted(0)], { final: true });
  await list();
  await known();
  const { finished, people } = await list({ by: 'T. Harker' });
  expect(finished).toMatchObject([{ job: batchId, by: 'T. Harker' }]);
  expect(people).toEqual(['T. Harker']);
  expect((await list({ by: 'Somebody' })).finished).toEqual([]);
  expect(await find('harker')).toMatchObject([{ kind: 'person', label: 'T. Harker', jobs: 1 }]);
  const [month = ''] = readdirSync(join(root, '.drawbridge/finished'));
  expect(readdirSync(join(root, '.drawbridge/finished', month, batchId))).toContain('dropped-by.json');
});

test('of a batch that cannot be read any more no file is said not to have come', async () => {
  const { bed, share } = rig;
  await bed.drop(
    'A/register.csv',
    'File,Description,Title\n1.pdf,One,One\n2.pdf,Two,Two\n3.pdf,Three,Three\n',
  );
  const batchIds: string[] = [];
  for (const names of [['register.csv', '1.pdf'], ['2.pdf']]) {
    for (const name of names.filter(each => each !== 'register.csv')) await bed.drop(`A/${name}`);
    const { batchId, job } = await beginJob(share);
    if (batchIds.push(batchId) === 2) await share.closeJob(job);
    await share.settleUp(batchId, [submitted(0)], { final: true });
  }
  const look = async () => {
    await list();
    await known();
    const [job] = (await list()).finished;
    const asked = { params: { share: 'tender', job: job!.job }, query: { columns: '' }, body: undefined };
    const { rows } = await rig.jobs.handlers['GET /api/jobs/:share/:job/rows'](asked, ANYONE);
    const head = await rig.jobs.handlers['GET /api/jobs/:share/:job']({ ...asked, query: undefined }, ANYONE);
    return { rows: rows.map(({ file, outcome }) => [file, outcome]), unreadable: head.unreadable };
  };
  expect(await look()).toEqual({
    rows: [
      ['1.pdf', 'through'],
      ['2.pdf', 'through'],
      ['3.pdf', 'set-apart'],
    ],
    unreadable: 0,
  });
  const spoilt = batchIds[1]!;
  writeFileSync(join(bed.root, '.drawbridge/finished', spoilt.slice(0, 6), spoilt, 'batch.json'), '{');
  await rig.jobs.close?.();
  rmSync(join(bed.root, 'state/console'), { recursive: true });
  rig = { ...rig, jobs: await rig.again() };
  expect(await look()).toEqual({ rows: [['1.pdf', 'through']], unreadable: 1 });
});

test('of more files that were ignored than are named it says how many there were', async () => {
  for (let at = 0; at < 103; at += 1) await rig.bed.drop(`A/~$${at}.docx`);
  await finish('A');
  await list();
  await known();
  const params = { share: 'tender', job: (await list()).finished[0]!.job };
  const asked = { params, query: undefined, body: undefined };
  const { notes } = await rig.jobs.handlers['GET /api/jobs/:share/:job'](asked, ANYONE);
  expect(notes.map(({ kind, names, count }) => [kind, names.length, count])).toEqual([['ignored', 100, 103]]);
  expect(await rig.bed.read('done/A/receipt.csv')).toContain('"and 3 more, which are not named here"');
});
