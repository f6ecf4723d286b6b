// The worker of a process that serves more shares than Node believes that one signal has listeners.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { startWorker } from '../../workers/worker';
import { useNodeWarnings } from '../setup/node-warnings';
import { Rig } from '../setup/rig';

const SHARES = 12;
const moreShares = Array.from({ length: SHARES - 1 }, (_, index) => `share-${index}`);
const warnings = useNodeWarnings();
let rig: Rig;

beforeEach(async () => {
  // Each of them is looked for until it is mounted, or the worker ends.
  rig = await Rig.start({ moreShares, share: { createFolder: false } });
});
afterEach(async () => {
  await rig.close();
});

async function untilAllAreLookedFor(): Promise<void> {
  while (readFileSync(rig.logFile, 'utf8').split('"share-unusable"').length <= SHARES) await delay(20);
}

test('a dozen shares that wait for its end are no reason for a warning', async () => {
  const { config, logger, temporal } = rig;
  const worker = await startWorker({
    config,
    service: config.service!,
    connection: temporal.native,
    namespace: temporal.namespace,
    address: temporal.address,
    logger,
    bundlePath: temporal.bundlePath,
    roles: { service: false, shares: true },
  });
  await untilAllAreLookedFor();
  await worker.shutdown();
  expect(warnings()).toEqual([]);
});
