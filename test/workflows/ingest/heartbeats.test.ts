// An activity that lasts longer than its heartbeat's time-out lives: it is told from a dead worker by its
// beats.
import { setTimeout as delay } from 'node:timers/promises';
import { withResolvers } from '../../../activities/host/with-resolvers';
import { inScope } from '../../../activities/scope/activity-scope';
import { alterBundle } from '../../setup/altered-bundle';
import { useNamespace } from '../../setup/temporal-namespace';
import { useTemporaryFolder } from '../../setup/temporary-folder';
import { FakeWorld } from '../fake-activities';
import { startBatch, withWorkers } from '../run-batch';

const TIMEOUT_MS = 2_000;
const folder = useTemporaryFolder();

const temporal = useNamespace();

test('work of the service and of the share that lasts for two time-outs is begun once', async () => {
  const impatient = alterBundle(temporal.bundlePath, folder(), 'impatient', {
    from: "heartbeatTimeout: '30 seconds',",
    to: `heartbeatTimeout: ${TIMEOUT_MS},`,
  });
  const world = new FakeWorld(1);
  const slow = new Set(['createUploads', 'transferFiles']);
  const { promise: isBegunTwice, resolve: tellOfTwice } = withResolvers<string>();
  world.onCall = async (name, call) => {
    if (!slow.has(name)) return;
    if (call > 1) tellOfTwice(`${name} is begun once more`);
    await inScope(new AbortController().signal, () => delay(2 * TIMEOUT_MS));
  };
  await withWorkers(temporal, world, impatient, async () => {
    const handle = await startBatch(temporal);
    try {
      expect(await Promise.race([handle.result(), isBegunTwice])).toMatchObject({ submitted: 1 });
    } finally {
      await handle.terminate().catch(() => undefined);
    }
  });
  for (const name of slow) expect([name, world.count(name)]).toEqual([name, 1]);
});
