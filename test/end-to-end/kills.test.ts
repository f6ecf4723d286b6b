// kill -9 of the worker during transfer and during polling, and of the Temporal
// server: the same end as without.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type EmbeddedTemporal, startEmbeddedTemporal } from '../../workers/temporal/embedded-temporal';
import { findFreePorts } from '../setup/free-port';
import { Rig } from '../setup/rig';
import { WorkerProcess } from '../setup/worker-process';
import { closeWithoutRemark, expectAgreement, pdfs } from './agreement';

jest.setTimeout(300_000);

const FILES = 30;

async function untilRequests(rig: Rig, route: string, count: number): Promise<void> {
  while (((await rig.control.requests())[route] ?? 0) < count) await delay(20);
}

test('the worker is killed during transfer, and again during polling', async () => {
  // The analysis takes 6 to 12 s, so that there is a polling to be killed in.
  const rig = await Rig.start({
    sandbox: { timeScale: 5, analysisMs: [30_000, 60_000] },
    share: { analysis: { firstLook: 1_000, every: 1_000, typical: 6_000, for: 60_000 } },
  });
  let worker = new WorkerProcess(rig);
  try {
    await rig.control.addFault({ route: 'storage.put', times: FILES, action: { kind: 'delay', ms: 200 } });
    await rig.startWatcher();
    const hashes = rig.dropFiles(pdfs(FILES, 200_000));
    await untilRequests(rig, 'storage.put', 8);
    await worker.kill();
    worker = new WorkerProcess(rig);
    await untilRequests(rig, 'uploads.selected', 2);
    await worker.kill();
    worker = new WorkerProcess(rig);
    await rig.untilSettled(FILES, 200_000);
    const ends = await expectAgreement(rig, hashes);
    expect([...ends.values()]).toEqual(Array(FILES).fill('submitted'));
  } finally {
    await worker.stop();
    await closeWithoutRemark(rig);
  }
});

describe('with a Temporal server of its own', () => {
  const shared = process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS;
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-kills-'));
  const database = join(folder, 'temporal.db');
  let server: EmbeddedTemporal;

  const startServer = async (port: number) =>
    await startEmbeddedTemporal({
      cli: process.env.DRAWBRIDGE_TEST_TEMPORAL_CLI!,
      port,
      database,
      logFile: join(folder, 'temporal.log'),
      logLevel: 'warn',
    });

  afterAll(async () => {
    process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS = shared;
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the server is killed in the middle of a batch and started again', async () => {
    const [port = 0] = await findFreePorts(1);
    server = await startServer(port);
    process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS = server.address;
    const rig = await Rig.start();
    const worker = new WorkerProcess(rig);
    try {
      await rig.control.addFault({ route: 'storage.put', times: FILES, action: { kind: 'delay', ms: 100 } });
      await rig.startWatcher();
      const hashes = rig.dropFiles(pdfs(FILES));
      await untilRequests(rig, 'storage.put', 8);
      process.kill((JSON.parse(readFileSync(`${database}.pid`, 'utf8')) as { pid: number }).pid, 'SIGKILL');
      await server.exited;
      server = await startServer(port);
      await rig.untilSettled(FILES, 200_000);
      const ends = await expectAgreement(rig, hashes);
      expect([...ends.values()]).toEqual(Array(FILES).fill('submitted'));
    } finally {
      await worker.stop();
      await closeWithoutRemark(rig);
    }
  });
});
