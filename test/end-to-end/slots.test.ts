// Long transfers beside short work: what takes hours holds up nothing that takes seconds.
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SERVICE_TASK_QUEUE } from '../../workflows/contract';
import { Rig } from '../setup/rig';
import { closeWithoutRemark } from './agreement';

jest.setTimeout(180_000);

const MEBIBYTE = 1024 * 1024;

let rig: Rig;
afterEach(async () => {
  await closeWithoutRemark(rig);
});

/** Zeros that take no room on the disk, behind a number: no two are the same. */
function dropBigFiles(count: number): void {
  mkdirSync(rig.drop, { recursive: true });
  for (let number = 1; number <= count; number++) {
    const path = join(rig.drop, `model-${number}.ifc`);
    writeFileSync(path, `${number}`);
    truncateSync(path, 101 * MEBIBYTE);
  }
}

test('a small batch beside four long files has its receipt within seconds', async () => {
  rig = await Rig.start();
  await rig.startWorker();
  await rig.startWatcher();
  // Two segments each; the storage takes none of them for now.
  const slow = await rig.control.addFault({ route: 'storage.put', times: 8, action: { kind: 'hang' } });
  dropBigFiles(4);
  const hanging = async () => (await rig.control.faults()).find(({ id }) => id === slow)?.fired ?? 0;
  while ((await hanging()) < 8) await delay(50);

  const startedMs = performance.now();
  rig.dropFiles({ 'a.pdf': '%PDF a', 'b.pdf': '%PDF b' });
  while (rig.receipts().length === 0) await delay(50);
  const tookMs = performance.now() - startedMs;
  expect(rig.receipts()[0]?.files.map(({ path, outcome }) => [path, outcome])).toEqual([
    ['a.pdf', 'submitted'],
    ['b.pdf', 'submitted'],
  ]);
  expect(tookMs).toBeLessThan(15_000);
});

test('beside four long files, files are claimed on demand at once, and one that is late goes on by itself', async () => {
  rig = await Rig.start();
  await rig.startWorker();
  await rig.startWatcher();
  const long = await rig.control.addFault({ route: 'storage.put', times: 8, action: { kind: 'hang' } });
  dropBigFiles(4);
  const hanging = async (fault: string) =>
    (await rig.control.faults()).find(({ id }) => id === fault)?.fired ?? 0;
  while ((await hanging(long)) < 8) await delay(50);
  await rig.stopWatcher();

  // Of the next file the first PUT hangs: its load leaves it.
  const late = await rig.control.addFault({ route: 'storage.put', times: 1, action: { kind: 'hang' } });
  rig.dropFiles({ 'a.pdf': '%PDF a' });
  const startedMs = performance.now();
  const { client } = rig.temporal;
  const submit = await client.workflow.start('ingestFilesWorkflow', {
    workflowId: 'submit-beside-long-files',
    taskQueue: SERVICE_TASK_QUEUE,
    args: [{ share: 'tender', paths: ['a.pdf'] }],
  });
  while ((await hanging(late)) < 1) await delay(50);
  expect(performance.now() - startedMs).toBeLessThan(15_000);
  expect(await submit.result()).toMatchObject({ batches: [{ submitted: 1, setApart: 0 }] });
});

test('a file that the service never releases holds up nobody, and is not sent twice', async () => {
  rig = await Rig.start();
  await rig.startWorker();
  await rig.startWatcher();
  await rig.control.addFault({
    route: 'scan',
    match: { fileName: 'kept.pdf' },
    action: { kind: 'never-available' },
  });
  rig.dropFiles({ 'a.pdf': '%PDF a', 'b.pdf': '%PDF b', 'kept.pdf': '%PDF k' });
  while (rig.filesIn('done').length < 2) await delay(100);
  expect(rig.filesIn('attention')).toEqual([]);
  const { 'files.create': sessions } = await rig.control.requests();
  expect(sessions).toBe(3);
});

test('batches whose analysis is waited for hold no slot: what comes after them goes through', async () => {
  rig = await Rig.start({
    worker: { maxConcurrentActivities: 2 },
    share: {
      batch: { quiet: 200, maxFiles: 1, maxOpen: 20 },
      analysis: { firstLook: 500, every: 500, typical: 1_000, for: 120_000 },
    },
  });
  const names = Array.from({ length: 5 }, (_, at) => `slow-${at}.pdf`);
  for (const fileName of names)
    await rig.control.addFault({
      route: 'analysis',
      times: 0,
      match: { fileName },
      action: { kind: 'analysis-never' },
    });
  await rig.startWorker();
  await rig.startWatcher();
  rig.dropFiles(Object.fromEntries(names.map(name => [name, `%PDF ${name}`])));
  const linked = async () =>
    (await rig.control.operations()).filter(({ what }) => what === 'upload-completed').length;
  // Two at a time can look, and five have come so far.
  while ((await linked()) < names.length) await delay(50);
  rig.dropFiles({ 'quick.pdf': '%PDF quick' });
  while (rig.receipts().length === 0) await delay(50);
  expect(rig.receipts().flatMap(({ files }) => files.map(({ path, outcome }) => [path, outcome]))).toEqual([
    ['quick.pdf', 'submitted'],
  ]);
});

test('the time for looking is counted over all attempts: what is never analysed goes on without it', async () => {
  rig = await Rig.start({ share: { analysis: { firstLook: 300, every: 300, typical: 600, for: 1_200 } } });
  // Well within the service's three minutes, which are 1.8 seconds here: a busy machine is late.
  const never = { route: 'analysis', times: 0, action: { kind: 'analysis-never' } } as const;
  await rig.control.addFault({ ...never, match: { fileName: 'slow.pdf' } });
  await rig.startWorker();
  await rig.startWatcher();
  rig.dropFiles({ 'slow.pdf': '%PDF slow', 'quick.pdf': '%PDF quick' });
  const [receipt] = await rig.untilSettled(2);
  expect(receipt?.files.map(({ path, outcome }) => [path, outcome]).sort()).toEqual([
    ['quick.pdf', 'submitted'],
    ['slow.pdf', 'submitted'],
  ]);
  const { 'uploads.selected': looks = 0 } = await rig.control.requests();
  // One each 0.3 s or later for 1.2 seconds, and those that follow the writing of names and values.
  expect(looks).toBeGreaterThan(2);
  expect(looks).toBeLessThan(14);
});
