import crypto from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withResolvers } from '../../../../activities/host/with-resolvers';
import type { DropEntry } from '../../../../activities/share/drop/scan-drop';
import { createApart } from '../../../../client/console/apart/apart';
import type { ConsoleDeps } from '../../../../client/console/serve/module';
import { texts } from '../../../../client/console/texts/texts';
import type { UploadId } from '../../../../workflows/contract';
import { explainAnswered } from '../../../../workflows/ingest/decide/describe-answer';
import type { DocumentOutcome } from '../../../../workflows/ingest/ingest-contract';
import { createFaultyFs } from '../../../activities/share/faulty-fs';
import { claimAll, submitted } from '../../../activities/share/share-test-bed';
import { ANYONE, createJobsBed, type JobsBed, listJobs, QUERY } from './jobs-bed';

// What is written is told a thread: tested where it is made.
jest.mock('../../../../activities/registers/receipt/write-in-thread', () => ({
  writeInThread: async (task: unknown) => Buffer.from(JSON.stringify(task)),
}));

const REASON = { code: 'missing', text: 'Status is missing.', fix: 'Give it a status.' };
const REGISTER =
  'File,Number,Title,Revision,Description\nA-10.pdf,N-10,Ten,P01,Long\nA-2.pdf,N-2,Two,P02,Long\n';

let rig: JobsBed;
beforeEach(async () => {
  rig = await createJobsBed();
});
afterEach(async () => {
  await rig.remove();
});

const list = (query?: object) => listJobs(rig, query);
const rowsOf = async (job: string, columns = '') =>
  await rig.jobs.handlers['GET /api/jobs/:share/:job/rows'](
    { params: { share: 'tender', job }, query: { columns }, body: undefined },
    ANYONE,
  );
const headOf = async (job: string) =>
  await rig.jobs.handlers['GET /api/jobs/:share/:job'](
    { params: { share: 'tender', job }, query: undefined, body: undefined },
    ANYONE,
  );
const detailOf = async (job: string, key: string) =>
  await rig.jobs.handlers['GET /api/jobs/:share/:job/rows/:key'](
    { params: { share: 'tender', job, key }, query: undefined, body: undefined },
    ANYONE,
  );

test('a job of which a batch waits for an operator says so and why, in the list and in its head', async () => {
  await rig.bed.drop('A/1.pdf');
  const batchId = await rig.carry('A', '1.pdf');
  const looked = async () => (await list()).open.map(({ needs }) => needs);
  expect(await looked()).toEqual([null]);
  rig.stopped.set(batchId, 'Somebody terminated it: by mistake');
  const needs = {
    held: 0,
    setApart: 0,
    why: 'Stopped, and waits for an operator: Somebody terminated it: by mistake',
    until: null,
  };
  expect(await looked()).toEqual([needs]);
  const [job] = (await list()).open;
  const params = { share: 'tender', job: job!.job };
  const asked = { params, query: undefined, body: undefined };
  expect(await rig.jobs.handlers['GET /api/jobs/:share/:job'](asked, ANYONE)).toMatchObject({ needs });
  rig.stopped.clear();
  expect(await looked()).toEqual([null]);
});

test('who may see the same gets the very same list, until there is something to tell', async () => {
  await rig.bed.drop('A/1.pdf');
  const first = await list();
  expect(await list()).toBe(first);
  const asked = { params: undefined, query: QUERY, body: undefined };
  const nobody = { id: 'Tom', name: 'Tom', may: () => false };
  expect(await rig.jobs.handlers['GET /api/jobs'](asked, nobody)).toMatchObject({ open: [], shares: [] });
  expect(await list({ state: 'waits' })).toMatchObject({ open: [] });
  expect(await list()).toBe(first);
  await rig.bed.drop('B/1.pdf');
  await rig.jobs.look?.();
  expect((await list()).open.map(({ name }) => name).sort()).toEqual(['A', 'B']);
  rig.isAway = true;
  expect((await list()).shares).toMatchObject([{ seen: false }]);
});

test('a folder that lies in the drop folder is a job in line, under its name', async () => {
  for (const name of ['10.pdf', '2.pdf']) await rig.bed.drop(`A/${name}`);
  const { open, counts } = await list();
  expect(open).toMatchObject([
    {
      name: 'A',
      kind: 'folder',
      documents: 2,
      tally: { 'in-line': 2 },
      end: { kind: 'not-known' },
      by: null,
    },
  ]);
  expect(counts).toMatchObject({ open: 1, waits: 0, held: 0 });
  const { rows } = await rowsOf(open[0]!.job);
  expect(rows.map(({ file, outcome }) => [file, outcome])).toEqual([
    ['2.pdf', 'in-line'],
    ['10.pdf', 'in-line'],
  ]);
});

test('who looks at a folder while it lies in the drop folder goes on with it when it is taken over', async () => {
  await rig.bed.drop('A/1.pdf');
  const [waiting] = (await list()).open;
  await rig.carry('A', '1.pdf');
  await rig.jobs.look?.();
  rig.pass(2_000);
  const [carried] = (await list()).open;
  expect(carried?.job).not.toBe(waiting?.job);
  expect(await headOf(waiting!.job)).toMatchObject({ job: carried?.job, name: 'A' });
  expect((await rowsOf(waiting!.job)).rows.map(({ outcome }) => outcome)).toEqual(['on-the-way']);
});

test('the page ends in time while a share hangs with its mount', async () => {
  const gate = withResolvers<void>();
  let hangs = false;
  const fs = createFaultyFs(() => (hangs ? gate.promise : undefined));
  const stuck = await createJobsBed({}, { fs });
  try {
    await stuck.jobs.settled();
    stuck.pass(61_000);
    hangs = true;
    await listJobs(stuck);
    const late = delay(4_000, 'late', { ref: false });
    expect(await Promise.race([stuck.jobs.close?.(), late])).toBeUndefined();
  } finally {
    gate.resolve();
    await stuck.remove();
  }
});

test('what its register lists that is not there is waited for, and named', async () => {
  await rig.bed.drop('A/register.csv', REGISTER);
  await rig.bed.drop('A/A-2.pdf');
  await rig.bed.drop('B/register.csv', 'File,Description,Title\nB-1.pdf,Long,Short\n');
  await rig.bed.drop('B/B-1.pdf');
  const [job, whole] = (await list()).open.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  expect(whole).toMatchObject({ name: 'B', documents: 1, register: 'register.csv' });
  expect(job).toMatchObject({ documents: 1, register: 'register.csv', end: { kind: 'when-whole' } });
  expect((await headOf(job!.job)).notes).toEqual([{ kind: 'not-there', names: ['A-10.pdf'], count: 1 }]);
});

test('a file that stays in its folder is told so, also where it came after the job had begun', async () => {
  const own = await createJobsBed({ register: { leavesUnlisted: true } });
  try {
    await own.bed.drop('A/register.csv', 'File,Title,Description\n1.pdf,One,Long\n2.pdf,Two,Long\n');
    await own.bed.drop('A/1.pdf');
    const entriesOf = async () => {
      const entries: DropEntry[] = [];
      for await (const name of own.share.scan({ under: 'A' })) entries.push((await own.share.look(name))!);
      return entries;
    };
    const job = await own.share.openJob('A', await own.share.readRegister('A', await entriesOf()));
    const { batch } = await own.share.claim(['A/register.csv', 'A/1.pdf'], { job });
    await own.share.writeManifest(batch!);
    const look = async () => {
      const params = { share: 'tender', job: job.jobId };
      const asked = { params, query: undefined, body: undefined };
      const { tally, notes } = await own.jobs.handlers['GET /api/jobs/:share/:job'](asked, ANYONE);
      return { inLine: tally['in-line'], left: notes.find(({ kind }) => kind === 'left')?.names };
    };
    for (let second = 0; second < 5; second += 1) {
      await own.jobs.look?.();
      own.pass(1_000);
    }
    await own.bed.drop('A/extra.pdf');
    await own.jobs.look?.();
    expect(await look()).toEqual({ inLine: 1, left: undefined });
    // What the watcher notes once the file has settled.
    own.pass(10_000);
    await own.share.leaveUnlisted('A', await entriesOf());
    own.pass(6_000);
    await own.jobs.look?.();
    expect(await look()).toEqual({ inLine: 0, left: ['extra.pdf'] });
  } finally {
    await own.remove();
  }
});

test('files that stay after their job has closed are told by that job, and are in line for nothing', async () => {
  const own = await createJobsBed({ register: { leavesUnlisted: true } });
  try {
    await own.bed.drop('A/register.csv', 'File,Title,Description\n1.pdf,One,Long\n');
    for (const name of ['1.pdf', 'extra.pdf']) await own.bed.drop(`A/${name}`);
    const entries: DropEntry[] = [];
    for await (const name of own.share.scan()) entries.push((await own.share.look(name))!);
    const job = await own.share.openJob('A', await own.share.readRegister('A', entries));
    await own.share.leaveUnlisted('A', entries);
    const { batch } = await own.share.claim(['A/register.csv', 'A/1.pdf'], { job });
    const sealed = (await own.share.writeManifest(batch!)) as { batchId: string };
    const openNow = async () => {
      own.pass(10_000);
      await own.jobs.look?.();
      return (await listJobs(own)).open.map(({ name, job: id, tally }) => [name, id, tally['in-line']]);
    };
    const notesOf = async (id: string) => {
      const asked = { params: { share: 'tender', job: id }, query: undefined, body: undefined };
      return (await own.jobs.handlers['GET /api/jobs/:share/:job'](asked, ANYONE)).notes;
    };
    const left = [{ kind: 'left', names: ['extra.pdf'], count: 1 }];
    await own.share.closeJob(job);
    expect(await openNow()).toEqual([['A', job.jobId, 0]]);
    expect(await notesOf(job.jobId)).toEqual(left);
    await own.share.settleUp(sealed.batchId, [submitted(0)], { final: true });
    expect(await openNow()).toEqual([]);
    expect(await notesOf(job.jobId)).toEqual(left);
    // What comes into the folder after that is in line, and what stays there is told beside it.
    await own.bed.drop('A/next.pdf');
    const [waiting] = (await openNow()) as [string, string, number][];
    expect(waiting).toEqual(['A', expect.any(String), 1]);
    expect(await notesOf(waiting![1])).toEqual(left);
  } finally {
    await own.remove();
  }
});

test('a job has the rows of all its batches, what is in line, what is held and why', async () => {
  for (const name of ['1.pdf', '2.pdf', '3.pdf', '4.pdf']) await rig.bed.drop(`A/${name}`);
  const one = await rig.carry('A', '1.pdf', '2.pdf');
  await rig.carry('A', '3.pdf');
  const before = (await list()).open;
  expect(before).toMatchObject([{ name: 'A', tally: { 'on-the-way': 3, 'in-line': 1 }, needs: null }]);

  await rig.share.appendRecord(one, {
    kind: 'created',
    uploads: [{ index: 0, uploadId: 'U0' as UploadId }],
  });
  const submittedAtMs = Date.now() + 60_000;
  const outcome = { ...submitted(0), submittedAtMs } as DocumentOutcome;
  await rig.share.appendRecord(one, { kind: 'outcome', outcomes: [outcome] });
  await rig.share.settleUp(one, [outcome], { final: false, held: [{ index: 1, reason: REASON }] });
  expect(await rig.jobs.look?.()).toEqual(['jobs', `job:tender/${before[0]!.job}`]);
  rig.pass(2_000);

  const page = await list();
  expect(page.counts).toMatchObject({ open: 1, waits: 1, held: 1, onTheWay: 1 });
  expect(page.until).toBeNull();
  // What is asked for changes the rows, not what is told of all.
  const finished = await list({ state: 'finished' });
  expect(finished).toMatchObject({ open: [], counts: page.counts });
  expect((await list({ state: 'on-the-way' })).open).toHaveLength(1);
  expect(page.open).toMatchObject([
    {
      tally: { through: 1, held: 1, 'on-the-way': 1, 'in-line': 1 },
      end: { kind: 'when-answered' },
      needs: { held: 1, setApart: 0, why: 'Status is missing.' },
    },
  ]);
  const { rows, version } = await rowsOf(before[0]!.job);
  expect(rows).toMatchObject([
    { file: '1.pdf', outcome: 'through', number: 'N-0', since: new Date(submittedAtMs).toISOString() },
    { file: '2.pdf', outcome: 'held', reason: 'Status is missing.', whatToDo: 'Give it a status.' },
    { file: '3.pdf', outcome: 'on-the-way' },
    { file: '4.pdf', outcome: 'in-line' },
  ]);
  const head = await headOf(before[0]!.job);
  expect(head).toMatchObject({ version, stages: { takenOver: 3, submitted: 1, hasReceipt: false } });
  expect(head.batches).toHaveLength(2);
  const detail = await detailOf(before[0]!.job, rows[0]!.key);
  expect(detail).toMatchObject({ uploadId: 'U0', revisionId: 'R0', batchId: one, index: 0, question: null });
  expect(detail.values).toEqual([{ label: 'Number', value: 'N-0', from: null }]);
  expect(detail.way.map(({ text, hasHappened }) => [text, hasHappened])).toEqual([
    ['Dropped', true],
    ['Taken over', true],
    ['The service expects its file', true],
    ['Submitted', true],
    ['The receipt of the job', false],
  ]);
});

test('what was answered waits for nobody: by its run at once, and then by the share', async () => {
  for (const name of ['1.pdf', '2.pdf']) await rig.bed.drop(`A/${name}`);
  const batchId = await rig.carry('A', '1.pdf', '2.pdf');
  const held = [{ index: 1, reason: REASON }];
  await rig.share.settleUp(batchId, [submitted(0)], { final: false, held });
  const { job } = (await list()).open[0]!;
  const answer = {
    by: 'Maria',
    atMs: Date.UTC(2026, 0, 31, 9, 30),
    sinceMs: 1,
    question: 'x',
    said: 'try again',
  };
  const reason = explainAnswered(answer);
  const isOnTheWay = async () => {
    const { rows } = await rowsOf(job);
    expect(rows[1]).toMatchObject({ outcome: 'on-the-way', reason: reason.text, whatToDo: null });
    const { question, way } = await detailOf(job, rows[1]!.key);
    expect(question).toBeNull();
    expect(way.slice(-3)).toMatchObject([
      { text: reason.text, hasHappened: true },
      { text: 'Submitted', hasHappened: false },
      { text: 'The receipt of the job', hasHappened: false },
    ]);
    expect(await headOf(job)).toMatchObject({ tally: { held: 0, 'on-the-way': 1 }, needs: null });
  };
  rig.progress = { batchId, held: [], answered: [{ index: 1, path: 'A/2.pdf', answer }] };
  await isOnTheWay();
  expect((await list()).counts).toMatchObject({ held: 1 });
  await rig.share.settleUp(batchId, [submitted(0)], {
    final: false,
    held: [],
    goingOn: [{ index: 1, reason }],
  });
  rig.progress = undefined;
  rig.pass(10_000);
  expect(await rig.jobs.look?.()).toContain('jobs');
  await isOnTheWay();
  expect((await list()).counts).toMatchObject({ held: 0, onTheWay: 1 });
});

test('what was answered and is in line now is told as in line, as long as the share has the answer', async () => {
  await rig.bed.drop('A/1.pdf');
  const batchId = await rig.carry('A', '1.pdf');
  const answer = { by: 'Maria', atMs: 2, sinceMs: 1, question: 'x', said: 'try again' };
  const answered = [{ index: 0, reason: explainAnswered(answer) }];
  await rig.share.settleUp(batchId, [], { final: false, held: [], goingOn: answered });
  const reason = { code: 'IN_LINE', text: 'Revision A goes first.', fix: '' };
  rig.progress = { batchId, held: [], inLine: [{ index: 0, path: 'A/1.pdf', reason, sinceMs: 3 }] };
  const { job } = (await list()).open[0]!;
  const [row] = (await rowsOf(job)).rows;
  expect(row).toMatchObject({ outcome: 'in-line', reason: reason.text });
  expect((await detailOf(job, row!.key)).way.slice(-3)).toMatchObject([
    { text: texts.jobs.way.inLine, detail: reason.text, outcome: 'in-line', hasHappened: true },
    { text: 'Submitted', hasHappened: false },
    { text: 'The receipt of the job', hasHappened: false },
  ]);
});

test('what is in line needs nobody, by its run and by the share', async () => {
  for (const name of ['1.pdf', '2.pdf']) await rig.bed.drop(`A/${name}`);
  const batchId = await rig.carry('A', '1.pdf', '2.pdf');
  const reason = { code: 'earlier-revision', text: 'Waits for revision A.', fix: 'It goes on by itself.' };
  const goingOn = [{ index: 1, reason }];
  await rig.share.settleUp(batchId, [submitted(0)], { final: false, held: [], goingOn });
  const { job } = (await list()).open[0]!;
  const outcomeOf = async () => {
    expect(await headOf(job)).toMatchObject({ tally: { held: 0 }, needs: null });
    const [, row] = (await rowsOf(job)).rows;
    expect(row).toMatchObject({ reason: reason.text, whatToDo: reason.fix });
    return row!.outcome;
  };
  expect(await outcomeOf()).toBe('on-the-way');
  rig.pass(60_000);
  rig.progress = { batchId, held: [], inLine: [{ index: 1, path: 'A/2.pdf', reason, sinceMs: 3 }] };
  expect(await outcomeOf()).toBe('in-line');
});

test('rows are made anew for an answer only until the share tells of it', async () => {
  for (const name of ['1.pdf', '2.pdf']) await rig.bed.drop(`A/${name}`);
  const batchId = await rig.carry('A', '1.pdf', '2.pdf');
  await rig.share.settleUp(batchId, [], { final: false, held: [{ index: 1, reason: REASON }] });
  const { job } = (await list()).open[0]!;
  const answer = { by: 'Maria', atMs: 2, sinceMs: 1, question: 'x', said: 'try again' };
  rig.progress = { batchId, held: [], answered: [{ index: 1, path: 'A/2.pdf', answer }] };
  // Each row has a key, which is made with it: of a hash, as the version of all of them is.
  const hashed = jest.spyOn(crypto, 'hash');
  const countHashed = async () => {
    hashed.mockClear();
    expect((await rowsOf(job)).rows[1]).toMatchObject({ outcome: 'on-the-way' });
    return hashed.mock.calls.length;
  };
  await countHashed();
  expect(await countHashed()).toBe(3);
  const answered = [{ index: 1, reason: explainAnswered(answer) }];
  await rig.share.settleUp(batchId, [], { final: false, held: [], goingOn: answered });
  rig.pass(2_000);
  expect(await rig.jobs.look?.()).toContain('jobs');
  await countHashed();
  expect(await countHashed()).toBe(0);
});

test('rows keep their keys from the drop folder on', async () => {
  await rig.bed.drop('A/1.pdf');
  await rig.bed.drop('A/2.pdf');
  await rig.carry('A', '1.pdf');
  const [job] = (await list()).open;
  const before = (await rowsOf(job!.job)).rows;
  await rig.carry('A', '2.pdf');
  rig.pass(2_000);
  // Before anybody asks: an answer waits for no share that takes its time.
  await rig.jobs.look?.();
  const after = (await rowsOf(job!.job)).rows;
  expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key));
  expect(after[1]).toMatchObject({ outcome: 'on-the-way' });
});

test('what was set apart leads to its own page, also where an earlier file of its path has gone through', async () => {
  await rig.bed.drop('A/1.pdf', 'one');
  const first = await rig.carry('A', '1.pdf');
  await rig.share.settleUp(first, [submitted(0)], { final: true });
  await rig.bed.drop('A/1.pdf', 'two');
  const second = await rig.carry('A', '1.pdf');
  await rig.share.settleUp(second, [{ index: 0, kind: 'set-apart', reason: REASON }], { final: true });
  const { handlers } = createApart({ now: () => new Date() } as ConsoleDeps, rig.apart);
  const { rows } = await handlers['GET /api/apart'](
    { params: undefined, query: undefined, body: undefined },
    ANYONE,
  );
  const [apart] = rows;
  const shown = await detailOf(apart!.job, apart!.key);
  expect(shown).toMatchObject({ outcome: 'set-apart', reason: REASON.text });
  // The page goes on with the key that the row has in its table.
  expect(await detailOf(apart!.job, shown.key)).toEqual(shown);
});

test('what the service has stored under a usual word counts where nothing stands under the name itself', async () => {
  for (const name of ['1.pdf', '2.pdf']) await rig.bed.drop(name);
  const { batchId } = await claimAll(rig.share);
  const stored = [
    { label: 'Rev', value: 'usual' },
    { label: 'Revision', value: 'P01' },
  ];
  const outcomes = [stored, stored.slice(0, 1)].map((stored, at) => ({ ...submitted(at), stored }));
  await rig.share.settleUp(batchId, outcomes, { final: false });
  expect((await rowsOf(batchId)).rows.map(({ revision }) => revision)).toEqual(['P01', 'usual']);
});

test('loose files are a job of their batch; what they come with says what they are', async () => {
  await rig.bed.drop('register.csv', REGISTER);
  await rig.bed.drop('A-2.pdf');
  await rig.bed.drop('A-10.pdf');
  const { batchId } = await claimAll(rig.share);
  const [job] = (await list()).open;
  expect(job).toMatchObject({ job: batchId, kind: 'files', register: 'register.csv', documents: 2 });
  expect(job!.name).toMatch(/^Files of \d+ \w{3} \d{4}, \d\d:\d\d$/);
  const { rows } = await rowsOf(batchId);
  expect(rows).toMatchObject([
    { row: 2, file: 'A-10.pdf', number: 'N-10', title: 'Ten', revision: 'P01' },
    { row: 3, file: 'A-2.pdf', number: 'N-2', title: 'Two', revision: 'P02' },
  ]);
  const { values } = await detailOf(batchId, rows[1]!.key);
  expect(values).toContainEqual({ label: 'Title', value: 'Two', from: 'register row 3, column C' });
});

test("a register's own columns are named, and told where they are wanted", async () => {
  await rig.bed.drop('register.csv', 'File,Number,Zone,Checked\n1.pdf,N-1,North,\n2.pdf,N-2,South,Kim\n');
  for (const name of ['1.pdf', '2.pdf']) await rig.bed.drop(name);
  await claimAll(rig.share);
  const [job] = (await list()).open;
  const plain = await rowsOf(job!.job);
  expect(plain).toMatchObject({ columns: ['File', 'Number', 'Zone', 'Checked'], wanted: [] });
  expect(plain.rows[0]).not.toHaveProperty('cells');
  const { rows, wanted } = await rowsOf(job!.job, 'Checked\nZone\nElsewhere');
  expect(wanted).toEqual(['Checked', 'Zone', 'Elsewhere']);
  expect(rows.map(({ file, cells }) => [file, cells])).toEqual([
    ['1.pdf', [null, 'North', null]],
    ['2.pdf', ['Kim', 'South', null]],
  ]);
});

test('an operator is led to the run in the page of Temporal', async () => {
  await rig.bed.drop('A/1.pdf');
  await rig.bed.drop('A/2.pdf');
  const batchId = await rig.carry('A', '1.pdf');
  await rig.carry('A', '2.pdf');
  const temporal = { id: 'one', namespace: 'site', address: '127.0.0.1:7233', host: 'office', former: [] };
  await rig.share.temporals.hold(batchId, { temporal, workflowId: 'ingest/2/b', runId: 'r1' });
  const [job] = (await list()).open;
  const { batches } = await headOf(job!.job);
  expect(batches.find(one => one.batchId === batchId)?.href).toBe(
    'http://127.0.0.1:8233/namespaces/site/workflows/ingest%2F2%2Fb/r1',
  );
  // Nothing has begun it yet.
  expect(batches.find(one => one.batchId !== batchId)).toMatchObject({ workflowId: null, href: null });
});

test('a batch that is spoilt is told as such: nobody says that there is nothing in it', async () => {
  await rig.bed.drop('A/1.pdf');
  const batchId = await rig.carry('A', '1.pdf');
  const [job] = (await list()).open;
  await writeFile(join(rig.bed.root, '.drawbridge/batches', batchId, 'batch.json'), 'torn');
  const again = await rig.again();
  const head = await again.handlers['GET /api/jobs/:share/:job'](
    { params: { share: 'tender', job: job!.job }, query: undefined, body: undefined },
    ANYONE,
  );
  expect(head).toMatchObject({ documents: 0, unreadable: 1 });
  await again.close?.();
});

test('of a share that goes away, what was known last stays, and nothing is read where it was', async () => {
  await rig.bed.drop('A/1.pdf');
  const batchId = await rig.carry('A', '1.pdf');
  const [job] = (await list()).open;
  await rig.jobs.look?.();
  rig.isAway = true;
  rig.pass(10_000);
  await rename(join(rig.bed.root, '.drawbridge/batches', batchId), join(rig.bed.root, 'elsewhere'));
  expect(await list()).toMatchObject({ open: [{ name: 'A' }], shares: [{ seen: false }] });
  expect(await rig.jobs.look?.()).toEqual([]);
  expect((await rowsOf(job!.job)).rows).toHaveLength(1);
  await expect(rowsOf('another')).rejects.toMatchObject({ status: 503 });
});

test('each look reads what has changed, and says whose it is', async () => {
  await rig.bed.drop('A/1.pdf');
  await rig.bed.drop('B/1.pdf');
  await rig.carry('A', '1.pdf');
  const one = await rig.carry('B', '1.pdf');
  await rig.jobs.look?.();
  rig.pass(3_000);
  await rig.jobs.look?.();
  const read = jest.spyOn(rig.share, 'readDocuments');
  expect(await rig.jobs.look?.()).toEqual([]);
  expect(read).not.toHaveBeenCalled();
  const outcomes: readonly DocumentOutcome[] = [{ index: 0, kind: 'set-apart', reason: REASON }];
  await rig.share.appendRecord(one, { kind: 'outcome', outcomes });
  rig.pass(2_000);
  // Seen by an answer first: those who watch are told all the same.
  const [, ofB] = (await list()).open;
  expect(await rig.jobs.look?.()).toEqual(['jobs', `job:tender/${ofB!.job}`]);
  expect(new Set(read.mock.calls.map(([batchId]) => batchId))).toEqual(new Set([one]));
});

test('found by name, by file, by day; a share that may not be seen is not there', async () => {
  await rig.bed.drop('Tender 7/plan.pdf');
  await rig.carry('Tender 7', 'plan.pdf');
  expect((await list({ q: 'tender' })).open).toHaveLength(1);
  expect((await list({ q: 'PLAN' })).open).toHaveLength(1);
  expect((await list({ q: 'other' })).open).toEqual([]);
  expect((await list({ day: '1999-01-01' })).open).toEqual([]);
  expect((await list({ state: 'waits' })).open).toEqual([]);
  const nobody = { id: 'x', name: 'x', may: () => false };
  const query = { ...QUERY };
  const seen = await rig.jobs.handlers['GET /api/jobs'](
    { params: undefined, query, body: undefined },
    nobody,
  );
  expect(seen).toMatchObject({ open: [], shares: [], counts: { open: 0 } });
  const params = { share: 'tender', job: (await list()).open[0]!.job };
  const head = rig.jobs.handlers['GET /api/jobs/:share/:job'](
    { params, query: undefined, body: undefined },
    nobody,
  );
  await expect(head).rejects.toMatchObject({ status: 404 });
});
