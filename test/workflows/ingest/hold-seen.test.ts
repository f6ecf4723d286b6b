// Whether a batch is still carried from here is asked again before each asking for a submission, once the
// share has not said so for a while.
import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { resumeSignal } from '../../../workflows/contract';
import { progressQuery } from '../../../workflows/ingest/ingest-contract';
import { alterBundle } from '../../setup/altered-bundle';
import { useNamespace } from '../../setup/temporal-namespace';
import { useTemporaryFolder } from '../../setup/temporary-folder';
import { FakeWorld, POLICY } from '../fake-activities';
import { type RunningBatch, runBatch } from '../run-batch';

const temporal = useNamespace();
const folder = useTemporaryFolder();

/** What the share has said is believed for less time here; WHILE_MS is somewhat longer than that. */
const BELIEVED = { from: 'const HOLD_IS_SEEN_MS = 10000;', to: 'const HOLD_IS_SEEN_MS = 3000;' };
const WHILE_MS = 3_500;

async function run(world: FakeWorld, work: (running: RunningBatch) => Promise<void>): Promise<void> {
  const bundlePath = alterBundle(temporal.bundlePath, folder(), 'doubtful', BELIEVED);
  await runBatch({ ...temporal, bundlePath }, world, work);
}

const order = (world: FakeWorld) =>
  world.calls.flatMap(({ name }) =>
    ['submitRevisions', 'waitOutConflicts', 'requireHold'].includes(name) ? [name] : [],
  );

/** Without the attempts that only wait for their time. */
const effects = (world: FakeWorld) => order(world).filter(name => name !== 'waitOutConflicts');

async function untilCalled(world: FakeWorld, name: string, count: number): Promise<void> {
  while (world.count(name) < count) await delay(20);
}

test('a submission that did not go out in time is made only once the batch is seen to be ours', async () => {
  const world = new FakeWorld(2);
  world.tellsHold = true;
  world.onSubmit = (_, call) => (call === 1 ? { kind: 'not-sent', retryInMs: WHILE_MS } : undefined);
  world.onCall = (name, call) => {
    if (name === 'requireHold' && call === 1)
      throw ApplicationFailure.nonRetryable('Another Temporal has it', 'BATCH_HELD');
  };
  await run(world, async ({ handle }) => {
    await untilCalled(world, 'requireHold', 1);
    while ((await handle.query(progressQuery)).blocked === undefined) await temporal.nextEvent(handle);
    expect(order(world)).toEqual(['submitRevisions', 'requireHold']);
    await handle.signal(resumeSignal);
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
  expect(order(world)).toEqual(['submitRevisions', 'requireHold', 'requireHold', 'submitRevisions']);
});

test('so is each new asking while workflows stand against a document', async () => {
  const world = new FakeWorld(1);
  world.tellsHold = true;
  world.policy = { ...POLICY, conflict: { kind: 'wait' }, conflictRetryMs: 3_600_000 };
  world.conflicts.add(0);
  await run(world, async ({ handle }) => {
    await untilCalled(world, 'waitOutConflicts', 1);
    // Its intent was noted a moment before.
    expect(order(world)).toEqual(['submitRevisions', 'waitOutConflicts']);
    // Nothing happens in this time: it has to pass.
    await delay(WHILE_MS);
    world.conflicts.clear();
    await handle.signal(resumeSignal);
    expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
  });
  expect(order(world).slice(0, 4)).toEqual([
    'submitRevisions',
    'waitOutConflicts',
    'requireHold',
    'waitOutConflicts',
  ]);
});

test('while one asking waits, it submits nothing that the share has not said to be ours', async () => {
  const world = new FakeWorld(1);
  world.tellsHold = true;
  world.holdSeen = 'lost';
  world.policy = { ...POLICY, conflict: { kind: 'wait' }, conflictRetryMs: 1_000 };
  world.conflicts.add(0);
  world.onCall = (name, call) => {
    if (name === 'requireHold' && call === 1)
      throw ApplicationFailure.nonRetryable('Another Temporal has it', 'BATCH_HELD');
  };
  await run(world, async ({ handle }) => {
    await untilCalled(world, 'requireHold', 1);
    while ((await handle.query(progressQuery)).blocked === undefined) await temporal.nextEvent(handle);
    expect(effects(world)).toEqual(['submitRevisions', 'requireHold']);
    world.holdSeen = 'ours';
    world.conflicts.clear();
    await handle.signal(resumeSignal);
    expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
  });
  expect(effects(world)).toEqual(['submitRevisions', 'requireHold', 'requireHold', 'submitRevisions']);
});

test('where the share is not served by whoever asks the service, each look is preceded by one at the hold', async () => {
  const world = new FakeWorld(1);
  world.tellsHold = true;
  world.holdSeen = 'unseen';
  world.policy = { ...POLICY, conflict: { kind: 'wait' }, conflictRetryMs: 1_000 };
  world.conflicts.add(0);
  world.onSubmit = (_, call) => {
    if (call === 3) world.conflicts.clear();
    return undefined;
  };
  await run(world, async ({ handle }) => {
    expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
  });
  const round = ['requireHold', 'submitRevisions'];
  expect(effects(world)).toEqual(['submitRevisions', ...round, ...round]);
});
