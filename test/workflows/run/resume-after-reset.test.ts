// A resume after a reset counts a moment later than any other. That it is not lost where the run comes to
// stand still in the moment of the signal, test/workflows/ingest/ended-runs.test.ts shows with real resets.
import { ApplicationFailure } from '@temporalio/common';
import { resumeSignal } from '../../../workflows/contract';
import { progressQuery } from '../../../workflows/ingest/ingest-contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld } from '../fake-activities';
import { runBatch } from '../run-batch';

const temporal = useNamespace();

test('a resume after a reset counts in the next moment, and once', async () => {
  const world = new FakeWorld(1);
  world.onCall = (name, call) => {
    if (name === 'createUploads' && call === 1)
      throw ApplicationFailure.nonRetryable('taken away', 'ACCESS_DENIED');
  };
  await runBatch(temporal, world, async ({ handle }) => {
    while ((await handle.query(progressQuery)).blocked === undefined) await temporal.nextEvent(handle);
    for (let time = 0; time < 2; time++)
      await handle.signal(resumeSignal, { requestId: 'one', afterReset: true });
    expect(await handle.result()).toMatchObject({ submitted: 1 });
    const events = (await handle.fetchHistory()).events ?? [];
    const fired = events.filter(event => event.timerFiredEventAttributes != null);
    expect(fired).toHaveLength(1);
  });
  expect(world.count('createUploads')).toBe(2);
});
