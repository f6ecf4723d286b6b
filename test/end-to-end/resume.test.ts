// Batches whose runs were ended from outside, in the middle of anything: `resume` continues
// them, and nothing is done twice.
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { ingestWorkflowId, SERVICE_TASK_QUEUE } from '../../workflows/contract';
import type { Violation } from '../sandbox/operation-log';
import { runResume } from '../setup/resume-command';
import { Rig } from '../setup/rig';
import { closeWithoutRemark, expectAgreement, pdfs } from './agreement';

jest.setTimeout(120_000);

const FILES = 4;
let rig: Rig;
let output = '';
/** What a person does in a test and no careful client would. */
let excused: readonly Violation[] = [];

beforeEach(() => {
  output = '';
  excused = [];
});
afterEach(async () => {
  await closeWithoutRemark(rig, excused);
});

/** On this machine. Answers its exit code; `output` has what it said since it was last emptied. */
async function resume(...args: string[]): Promise<number> {
  const said = await runResume(rig, join(rig.folder, 'drawbridge.json'), args);
  output += said.output;
  return said.code;
}

async function startAll(options: Parameters<typeof Rig.start>[0] = {}): Promise<void> {
  rig = await Rig.start(options);
  await rig.startWorker();
  await rig.startWatcher();
}

function openBatchId(): string {
  const [batchId] = readdirSync(join(rig.folder, 'share', '.drawbridge', 'batches'));
  if (batchId === undefined) throw new Error('No batch is open');
  return batchId;
}

function handleOf(batchId: string): WorkflowHandle {
  return rig.temporal.client.workflow.getHandle(ingestWorkflowId(rig.config.shares[0]!.project, batchId));
}

async function untilRequests(route: string, count: number): Promise<void> {
  while (((await rig.control.requests())[route] ?? 0) < count) await delay(20);
}

/** Until the stand-in has made the revisions, whoever has been told so. */
async function untilRevisions(count: number): Promise<void> {
  const made = async () => (await rig.control.revisions()).filter(({ uploadId }) => uploadId !== null);
  while ((await made()).length < count) await delay(20);
}

/** Until the watcher has started the run of the batch. */
async function untilStarted(): Promise<WorkflowHandle> {
  for (;;) {
    const [batchId] = readdirSync(join(rig.folder, 'share', '.drawbridge', 'batches'));
    const handle = handleOf(batchId ?? 'none');
    const isThere = await handle.describe().then(
      () => true,
      () => false,
    );
    if (isThere) return handle;
    await delay(50);
  }
}

async function untilEnded(handle: WorkflowHandle): Promise<void> {
  await handle.result().catch(() => undefined);
}

async function expectAllSubmitted(hashes: ReadonlyMap<string, string>): Promise<void> {
  await rig.untilSettled(hashes.size);
  const ends = await expectAgreement(rig, hashes);
  expect([...ends.values()]).toEqual(Array(hashes.size).fill('submitted'));
}

async function submissions(): Promise<number> {
  return (await rig.control.requests())['revisions.create'] ?? 0;
}

test('terminated while the answer to a submission was on its way: recognised after the reset, not submitted twice', async () => {
  await startAll();
  await rig.control.addFault({
    route: 'revisions.create',
    action: { kind: 'delay', ms: 3_000, when: 'after' },
  });
  const hashes = rig.dropFiles(pdfs(FILES));
  await untilRevisions(FILES);
  const batchId = openBatchId();
  const handle = handleOf(batchId);
  await handle.terminate('by mistake');

  // By its name, with a filter that leaves it out.
  const telling = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const code = await resume(batchId, '--since', '2100-01-01');
  const told = String(telling.mock.calls);
  telling.mockRestore();
  expect([code, told]).toEqual([1, expect.stringContaining('does not fit --since')]);
  expect(await resume('--dry-run')).toBe(0);
  expect(output).toMatch(/terminated +.* reset to \d+ +Somebody terminated it: by mistake/);
  expect((await handle.describe()).status.name).toBe('TERMINATED');
  expect(await resume()).toBe(0);
  expect(output).toMatch(/1 batch continued/);

  await expectAllSubmitted(hashes);
  expect((await rig.control.revisions()).filter(({ uploadId }) => uploadId !== null)).toHaveLength(FILES);
  output = '';
  expect(await resume()).toBe(0);
  expect(output).toBe('Nothing stopped short.\n');
});

test('terminated with two groups under way: what the run before had asked for is looked at, not sent again', async () => {
  await startAll();
  const [still = '', moving = ''] = ['note.txt', 'sheet.pdf'];
  await rig.control.addFault({
    route: 'revisions.create',
    match: { fileName: still },
    action: { kind: 'delay', ms: 6_000, when: 'after' },
  });
  const hashes = rig.dropFiles({ [still]: 'a note', [moving]: '%PDF of a sheet' });
  // The sheet is analysed first: its submission comes after a workflow task that left the note's one pending.
  await untilRevisions(hashes.size);
  const handle = handleOf(openBatchId());
  await handle.terminate('by mistake');
  expect(await resume()).toBe(0);
  expect(output).toMatch(/terminated .*reset to/);
  await expectAllSubmitted(hashes);
  expect((await rig.control.revisions()).filter(({ uploadId }) => uploadId !== null)).toHaveLength(2);
});

test('terminated while the answer to a link was on its way: what a person has submitted since is not made anew', async () => {
  await startAll();
  await rig.control.addFault({ route: 'uploads.patch', action: { kind: 'delay', ms: 3_000, when: 'after' } });
  rig.dropFiles(pdfs(FILES));
  const fileName = 'sheet-001.pdf';
  await rig.untilEffect('upload-completed', fileName);
  const handle = handleOf(openBatchId());
  await handle.terminate('by mistake');
  await rig.control.edit(rig.config.shares[0]!.project.projectId, { kind: 'submit-upload', fileName });
  expect(await resume()).toBe(0);
  expect(output).toMatch(/terminated .*reset to/);
  const rows = (await rig.untilSettled(FILES)).flatMap(({ files }) => files);
  const apart = rows.filter(({ outcome }) => outcome !== 'submitted');
  expect(apart).toMatchObject([{ path: fileName, reason: { code: 'perhaps-taken' } }]);
  const names = (await rig.control.revisions()).map(({ name }) => name);
  expect(names.filter(name => name === fileName)).toHaveLength(1);
});

test('terminated while a row is held: the sheet that is saved then is told, and goes once the run goes on', async () => {
  await startAll({ share: { register: { synonyms: { Weight: 'Sheet Count' } } } });
  rig.dropFiles({
    'Package/register.csv': 'File,Weight\n1.pdf,1\n2.pdf,heavy',
    'Package/1.pdf': '%PDF of 1',
    'Package/2.pdf': '%PDF of 2',
  });
  const sheet = join(rig.folder, 'share/attention/Package/to-correct-register.csv');
  const read = () => (existsSync(sheet) ? readFileSync(sheet, 'utf8') : '');
  const save = (text: string) => {
    writeFileSync(`${sheet}.tmp`, text);
    renameSync(`${sheet}.tmp`, sheet);
  };
  while (!read().includes('Held,')) await delay(50);
  const handle = handleOf(openBatchId());
  await handle.terminate('by mistake');
  save(read().replace('2.pdf,heavy', '2.pdf,2'));
  while (!read().includes('The correction was not taken: The run of its batch has ended')) await delay(50);
  expect(await resume()).toBe(0);
  const withSend = (line: string) =>
    line === ''
      ? line
      : `${line},${line.startsWith('Outcome') ? 'Action' : line.startsWith('Held') ? 'send' : ''}`;
  save(read().split(/\r?\n/).map(withSend).join('\n'));
  const [receipt] = await rig.untilSettled(2);
  expect(receipt?.files.map(({ outcome }) => outcome)).toEqual(['submitted', 'submitted']);
});

test('cancelled during the transfer: the files sent are not sent again by the run that goes on', async () => {
  await startAll();
  await rig.control.addFault({
    route: 'uploads.create',
    action: { kind: 'delay', ms: 2_000, when: 'before' },
  });
  const hashes = rig.dropFiles(pdfs(FILES));
  await untilRequests('files.patch', FILES);
  const handle = handleOf(openBatchId());
  await handle.cancel();
  await untilEnded(handle);
  expect(await resume('--reason', 'cancelled')).toBe(0);
  expect(output).toMatch(/cancelled .*reset to/);
  await expectAllSubmitted(hashes);
});

test('a run that failed goes on before the activity that failed it; an unreadable manifest is named and mended', async () => {
  rig = await Rig.start();
  await rig.startWatcher();
  const hashes = rig.dropFiles(pdfs(FILES));
  const handle = await untilStarted();
  const batchId = openBatchId();
  const manifest = join(rig.folder, 'share', '.drawbridge', 'batches', batchId, 'batch.json');
  const whole = readFileSync(manifest);
  truncateSync(manifest, 100);
  // A batch that never was open fails; one that was waits for its share.
  await rig.startWorker();
  await untilEnded(handle);

  expect(await resume()).toBe(4);
  expect(output).toMatch(/damaged .*needs a person .*is not JSON/);
  writeFileSync(manifest, whole);
  output = '';
  expect(await resume('--dry-run')).toBe(0);
  expect(output).toMatch(/failed .*reset to \d+ .*manifest.*is not JSON/);
  expect(await resume('--reason', 'BATCH_UNUSABLE')).toBe(0);
  await expectAllSubmitted(hashes);
  expect(await submissions()).toBe(1);
});

test('a run that fails again after it was continued can be continued again', async () => {
  rig = await Rig.start();
  await rig.startWatcher();
  const hashes = rig.dropFiles(pdfs(FILES));
  const handle = await untilStarted();
  const manifest = join(rig.folder, 'share', '.drawbridge', 'batches', openBatchId(), 'batch.json');
  const whole = readFileSync(manifest);
  for (let turn = 0; turn < 2; turn++) {
    truncateSync(manifest, 100);
    await rig.startWorker();
    await untilEnded(handle);
    await rig.stopWorker();
    writeFileSync(manifest, whole);
    output = '';
    // Nobody is there to take it up before the manifest is spoiled again.
    expect(await resume()).toBe(0);
    expect(output).toMatch(/failed .*1 batch continued/s);
  }
  await rig.startWorker();
  await expectAllSubmitted(hashes);
  expect(await submissions()).toBe(1);
});

/** Ends the watcher's run and starts another by hand, which may not last longer than this. */
async function startByHand(workflowExecutionTimeout: '4 seconds' | '30 seconds'): Promise<WorkflowHandle> {
  const handle = await untilStarted();
  await handle.terminate('to be started by hand');
  return await rig.temporal.client.workflow.start('ingestBatchWorkflow', {
    workflowId: handle.workflowId,
    taskQueue: SERVICE_TASK_QUEUE,
    args: [{ share: 'tender', batchId: openBatchId() }],
    workflowExecutionTimeout,
  });
}

/** Continues what stopped for `reason`, which then takes longer than it had before. */
async function expectToGoOnWithoutTimeout(
  reason: string,
  hashes: ReadonlyMap<string, string>,
): Promise<void> {
  await rig.control.addFault({
    route: 'uploads.patch',
    action: { kind: 'delay', ms: 5_000, when: 'before' },
  });
  expect(await resume('--reason', reason)).toBe(0);
  await expectAllSubmitted(hashes);
  expect(await submissions()).toBe(1);
}

test('a run that was started with a time-out goes on without it', async () => {
  rig = await Rig.start();
  await rig.startWatcher();
  // It stands still in the workflow itself, so nothing but its time-out can end it.
  await rig.control.edit('7001', { kind: 'permissions', upload: false });
  const hashes = rig.dropFiles(pdfs(FILES));
  const byHand = await startByHand('4 seconds');
  await rig.startWorker();
  await untilEnded(byHand);
  await rig.control.edit('7001', { kind: 'permissions', upload: true });

  expect(await resume('--dry-run')).toBe(0);
  expect(output).toMatch(/timed out /);
  await expectToGoOnWithoutTimeout('timed-out', hashes);
});

test('a run that failed because a repetition did not fit before its time-out goes on without it', async () => {
  rig = await Rig.start();
  await rig.startWatcher();
  const hashes = rig.dropFiles(pdfs(FILES));
  const byHand = await startByHand('30 seconds');
  // Temporal gives an activity up at once whose next attempt would come after the end of the run.
  // 35 seconds, at this speed: long enough for a worker that starts slowly.
  await rig.control.addFault({
    route: 'uploads.create',
    times: 0,
    action: { kind: 'unavailable', retryAfter: 3_500 },
  });
  await rig.startWorker();
  await untilEnded(byHand);
  await rig.control.clearFaults();

  expect(await resume('--dry-run')).toBe(0);
  expect(output).toMatch(/failed .* new run /);
  await expectToGoOnWithoutTimeout('failed', hashes);
});

test('a share brought back from a backup of before the end: what was submitted is recognised', async () => {
  await startAll();
  await rig.control.addFault({
    route: 'revisions.create',
    action: { kind: 'delay', ms: 2_000, when: 'after' },
  });
  const hashes = rig.dropFiles(pdfs(FILES));
  await untilRevisions(FILES);
  const batchId = openBatchId();
  const batch = join(rig.folder, 'share', '.drawbridge', 'batches', batchId);
  const backup = join(rig.folder, 'backup');
  cpSync(batch, backup, { recursive: true });
  await rig.untilSettled(FILES);
  await rig.stopWatcher();
  for (const folder of ['done', join('.drawbridge', 'finished')])
    rmSync(join(rig.folder, 'share', folder), { recursive: true });
  cpSync(backup, batch, { recursive: true });

  expect(await resume('--dry-run')).toBe(0);
  expect(output).toMatch(/no receipt /);
  expect(await resume()).toBe(0);
  await expectAllSubmitted(hashes);
  // Submitted once; then the submission is asked to confirm it, for all together and,
  // since it names none, for each.
  expect(await submissions()).toBe(1 + 1 + FILES);
});

test('a run that Temporal has forgotten is started anew from the share, and what was submitted is recognised', async () => {
  await startAll();
  await rig.control.addFault({
    route: 'revisions.create',
    action: { kind: 'delay', ms: 3_000, when: 'after' },
  });
  const hashes = rig.dropFiles(pdfs(FILES));
  await untilRevisions(FILES);
  await rig.stopWatcher();
  const handle = handleOf(openBatchId());
  const { client } = rig.temporal;
  await client.workflowService.deleteWorkflowExecution({
    namespace: rig.temporal.namespace,
    workflowExecution: { workflowId: handle.workflowId },
  });
  while (
    await handle.describe().then(
      () => true,
      () => false,
    )
  )
    await delay(50);

  expect(await resume('--dry-run')).toBe(0);
  expect(output).toMatch(
    /no run .* start +Its run ended without finishing it, and Temporal has forgotten that run/,
  );
  expect(await resume()).toBe(0);
  await expectAllSubmitted(hashes);
});

test('two people resume at once, and again while it runs: one run goes on', async () => {
  await startAll();
  await rig.control.addFault({
    route: 'revisions.create',
    times: 2,
    action: { kind: 'delay', ms: 2_000, when: 'before' },
  });
  const hashes = rig.dropFiles(pdfs(FILES));
  await untilRequests('uploads.patch', 1);
  const handle = handleOf(openBatchId());
  await handle.terminate();
  expect(await Promise.all([resume(), resume()])).toEqual([0, 0]);
  const { runId } = await handle.describe();
  output = '';
  expect(await resume()).toBe(0);
  expect(output).toBe('Nothing stopped short.\n');
  expect((await handle.describe()).runId).toBe(runId);
  await expectAllSubmitted(hashes);
  const runs = [];
  for await (const run of rig.temporal.client.workflow.list({ query: `WorkflowId = '${handle.workflowId}'` }))
    runs.push(run.runId);
  expect(runs.length).toBeLessThanOrEqual(2);
});

test('a batch that waits for a permission is told to go on once it is given', async () => {
  await startAll();
  await rig.control.edit('7001', { kind: 'permissions', submit: false });
  const hashes = rig.dropFiles(pdfs(FILES));
  for (;;) {
    output = '';
    await resume('--dry-run');
    if (output.includes('ACCESS_DENIED') || /blocked/.test(output)) break;
    await delay(100);
  }
  expect(output).toMatch(/blocked .* resume +POST …/);
  await rig.control.edit('7001', { kind: 'permissions', submit: true });
  expect(await resume('--reason', 'ACCESS_DENIED', '--share', 'tender')).toBe(0);
  await expectAllSubmitted(hashes);
});

test('documents set apart are listed with what to do, and taken up again as a new batch when asked for', async () => {
  // Another file of the name, and what was set apart once more: its first upload is still there.
  excused = ['second-live-upload'];
  await startAll();
  await rig.control.addFault({
    route: 'revisions.create',
    action: { kind: 'item-failure', reasonCode: 'DUPLICATE_REVISION' },
  });
  rig.dropFiles({ 'one.pdf': '%PDF 1', 'two.pdf': '%PDF 2' });
  await rig.untilSettled(2);
  const [first] = rig.receipts();
  const [apart = ''] = rig.filesIn('attention');
  expect(await resume()).toBe(4);
  expect(output).toContain('DUPLICATE_REVISION');
  expect(output).toContain('resume --set-apart');
  expect(rig.filesIn('attention')).toEqual([apart]);

  // It may be a revision already: only by name, after a look.
  for (const args of [[], ['--reason', 'already has this revision'], ['--share', 'tender']]) {
    output = '';
    expect(await resume('--set-apart', ...args)).toBe(4);
    expect(output).toMatch(/look first/);
    expect(output).toContain('resume --set-apart --reason DUPLICATE_REVISION');
    expect(rig.filesIn('attention')).toEqual([apart]);
  }

  output = '';
  expect(await resume('--set-apart', '--reason', 'NAME_MISMATCH')).toBe(0);
  expect(rig.filesIn('attention')).toEqual([apart]);
  // Somebody else has dropped a file of this name meanwhile: nothing is overwritten.
  await rig.stopWatcher();
  const path = apart.slice(apart.indexOf('/') + 1);
  rig.dropFiles({ [path]: 'another' });
  output = '';
  expect(await resume('--set-apart', '--reason', 'DUPLICATE_REVISION')).toBe(4);
  expect(output).toMatch(/name taken in drop/);
  expect(readFileSync(join(rig.drop, path), 'utf8')).toBe('another');
  await rig.startWatcher();
  await rig.untilSettled(3);
  output = '';
  expect(await resume(first!.batchId, '--set-apart')).toBe(0);
  expect(output).toMatch(/back in drop/);
  const receipts = await rig.untilSettled(4);
  expect(receipts.find(({ batchId }) => batchId === first!.batchId)).toEqual(first);
});

test('what came with a register goes back together with its row, and becomes the revision that this says', async () => {
  excused = ['second-live-upload'];
  await startAll();
  await rig.control.addFault({
    route: 'revisions.create',
    action: { kind: 'item-failure', reasonCode: 'DUPLICATE_REVISION' },
  });
  const rows: Readonly<Record<string, string>> = { 'one.pdf': 'P03', 'two.pdf': 'P04' };
  const lines = Object.entries(rows).map(([name, revision]) => `${name},${revision}`);
  rig.dropFiles({
    'Package A/register.csv': `File,Revision\n${lines.join('\n')}\n`,
    'Package A/one.pdf': '%PDF 1',
    'Package A/two.pdf': '%PDF 2',
  });
  await rig.untilSettled(2);
  while (!existsSync(join(rig.folder, 'share/attention/Package A/receipt-register.csv'))) await delay(50);
  const [apart = ''] = rig.filesIn('attention');
  const name = apart.slice(apart.indexOf('/') + 1);
  await rig.stopWatcher();
  expect(await resume('--set-apart', '--reason', 'DUPLICATE_REVISION')).toBe(0);
  expect(output).toMatch(/back in drop/);
  expect(rig.filesIn('drop').toSorted()).toEqual([`Package A/${name}`, 'Package A/register.csv'].toSorted());
  expect(readFileSync(join(rig.drop, 'Package A/register.csv'), 'utf8')).toBe(
    `File,Revision\n${name},${rows[name]}\n`,
  );
  await rig.startWatcher();
  const receipts = await rig.untilSettled(3);
  const again = receipts.find(({ files }) => files.length === 1);
  expect(again?.files[0]).toMatchObject({ path: `Package A/${name}`, outcome: 'submitted' });
  expect(again?.files[0]?.stored).toContainEqual(
    expect.objectContaining({ label: 'Revision', value: rows[name] }),
  );
});

test('a receipt that somebody has spoiled is one line, and everything else is still listed', async () => {
  await startAll({ share: { defaults: { Type: 'Document', Status: 'No such status', Revision: 'A' } } });
  rig.dropFiles({ 'one.pdf': '' });
  await rig.untilSettled(1);
  const { batchId } = rig.receipts()[0]!;
  const month = join(rig.folder, 'share', '.drawbridge', 'finished', batchId.slice(0, 6), batchId);
  appendFileSync(join(month, 'receipt.json'), '}');
  expect(await resume()).toBe(4);
  expect(output).toMatch(
    new RegExp(
      `attention/${batchId} on share tender: .*not JSON.* drop again by hand only what is not there`,
    ),
  );
  expect(output).toMatch(/1 receipt unreadable/);
});
