// Temporal's database is deleted in the middle of batches: the share still holds them, and
// what was submitted is recognised.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type EmbeddedTemporal, startEmbeddedTemporal } from '../../workers/temporal/embedded-temporal';
import { findFreePorts } from '../setup/free-port';
import { Rig } from '../setup/rig';
import { WorkerProcess } from '../setup/worker-process';
import { closeWithoutRemark, pdfs } from './agreement';

jest.setTimeout(180_000);

const FILES = 4;
const shared = process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS;
const folder = mkdtempSync(join(tmpdir(), 'drawbridge-lost-'));
const database = join(folder, 'temporal.db');
let server: EmbeddedTemporal;
let port = 0;

async function startServer(): Promise<void> {
  server = await startEmbeddedTemporal({
    cli: process.env.DRAWBRIDGE_TEST_TEMPORAL_CLI!,
    port,
    database,
    logFile: join(folder, 'temporal.log'),
    logLevel: 'warn',
  });
}

/** A namespace of the same name, and nothing in it: not even the search attributes. */
async function registerAgain({ temporal }: Rig): Promise<void> {
  for (;;) {
    try {
      await temporal.client.workflowService.registerNamespace({
        namespace: temporal.namespace,
        workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
      });
      return;
    } catch {
      await delay(100);
    }
  }
}

beforeAll(async () => {
  [port = 0] = await findFreePorts(1);
  await startServer();
  process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS = server.address;
});
afterAll(async () => {
  process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS = shared;
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('one batch is in its transfer and one has been submitted, in part without knowing it: both end as without the loss', async () => {
  const rig = await Rig.start({ share: { batch: { quiet: 100 } } });
  let worker = new WorkerProcess(rig);
  try {
    const files = pdfs(FILES);
    // One of the first batch is submitted after the others were told their ids. It is heard, and its answer
    // does not come before the end of everything.
    await rig.control.addFault({
      route: 'revisions.create',
      match: { fileName: Object.keys(files).at(-1)! },
      action: { kind: 'request-refusal', reasonCode: 'INVALID_INPUT', named: true },
    });
    await rig.control.addFault({
      route: 'revisions.create',
      match: { nth: 3 },
      action: { kind: 'hang', effect: true },
    });
    await rig.startWatcher();
    const hashes = rig.dropFiles(files);
    const ours = async () => (await rig.control.revisions()).filter(({ uploadId }) => uploadId !== null);
    while ((await ours()).length < FILES) await delay(20);
    const told = (await ours()).slice(0, FILES - 1);
    const before = (await rig.control.requests())['storage.put'] ?? 0;
    await rig.control.addFault({
      route: 'storage.put',
      times: 2 * FILES,
      action: { kind: 'delay', ms: 400 },
    });
    const more = rig.dropFiles({ 'late/one.pdf': '%PDF late one', 'late/two.pdf': '%PDF late two' });
    while (((await rig.control.requests())['storage.put'] ?? 0) === before) await delay(20);

    await worker.kill();
    await server.stop();
    for (const name of readdirSync(folder).filter(each => each.startsWith('temporal.db'))) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
    await startServer();
    await registerAgain(rig);
    worker = new WorkerProcess(rig);
    // The watcher has lived through it all; another start looks at once instead of within a minute.
    await rig.stopWatcher();
    await rig.startWatcher();

    const all = new Map([...hashes, ...more].map(([path, sha256]) => [path, sha256]));
    const receipts = await rig.untilSettled(all.size, 60_000);
    expect(receipts).toHaveLength(2);
    const rows = receipts.flatMap(({ files }) => files);
    expect(rows.map(({ outcome }) => outcome)).toEqual(Array(all.size).fill('submitted'));
    const revisions = await ours();
    expect(revisions).toHaveLength(all.size);
    // What was told before the loss is known after it.
    expect(told).toHaveLength(FILES - 1);
    for (const { id, uploadId } of told)
      expect(rows.find(row => row.uploadId === uploadId)?.revisionId).toBe(id);
    for (const { path, uploadId } of rows) {
      expect(revisions.find(each => each.uploadId === uploadId)?.sha256).toBe(all.get(path));
    }
  } finally {
    await worker.stop();
    await closeWithoutRemark(rig);
  }
});
