// Recorded histories replay with the workflows of this build: a deploy does not break batches that are on their way.
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { readHistories } from '../setup/recorded-histories';
import { testTemporal } from '../setup/temporal';

const recorded = readHistories();

beforeAll(() => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
});

test('there are histories of every kind of batch', () => {
  expect(recorded.length).toBeGreaterThanOrEqual(20);
});

test.each(recorded)('$name', async ({ name, history }) => {
  const { bundlePath } = testTemporal();
  await expect(
    Worker.runReplayHistory({ workflowBundle: { codePath: bundlePath } }, history, name),
  ).resolves.toBeUndefined();
});
