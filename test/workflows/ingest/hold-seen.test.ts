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

/** Each asking of the share, and what went out to the service to be submitted. */
function watch(world: FakeWorld): string[] {
  const seen: string[] = [];
  const { onCall, onSubmit } = world;
  world.onCall = (name, call) => {
    if (name === 'requireHold') seen.push('asked');
    return onCall(name, call);
  };
  world.onSubmit = (input, call) => {
    seen.push('sent');
    return onSubmit(input, call);
  };
  return seen;
}

/** The run stands still for this, or has ended. */
async function untilBlocked({ handle }: RunningBatch, code: string): Promise<void> {
  const isBlocked = async () => (await handle.query(progressQuery)).blocked?.reason.code === code;
  const isOver = async () => (await handle.describe()).status.name !== 'RUNNING';
  while (!(await isBlocked()) && !(await isOver())) await delay(50);
}

/** Another Temporal has the batch, until somebody says `resume`. */
async function takeBack({ handle, world }: RunningBatch): Promise<void> {
  world.holdSeen = 'ours';
  await handle.signal(resumeSignal);
}

/** Taken over, and taken back by the time when the share is asked once more. */
function takeOver(world: FakeWorld): void {
  world.tellsHold = true;
  world.holdSeen = 'lost';
  world.onCall = (name, call) => {
    if (name === 'requireHold' && call === 1)
      throw ApplicationFailure.nonRetryable('Another Temporal has it', 'BATCH_HELD');
  };
}

describe('taken over in an outage of submitting', () => {
  test('nothing more is tried before the share was asked, and what was unheard stays in doubt', async () => {
    const world = new FakeWorld(1);
    takeOver(world);
    world.holdSeen = 'ours';
    world.onSubmit = ({ items: [item] }, call) => {
      if (call <= 2) return { kind: 'not-sent', retryInMs: 1 };
      if (call > 3 || item === undefined) return undefined;
      // Heard, and its response lost.
      world.submit(item.index, item.uploadId);
      world.unheard = [0];
      world.holdSeen = 'lost';
      return { kind: 'unknown' };
    };
    const seen = watch(world);
    await run(world, async running => {
      await untilBlocked(running, 'BATCH_HELD');
      const before = [...seen];
      await takeBack(running);
      world.unheard = [];
      expect(before).toEqual(['sent', 'sent', 'sent', 'asked']);
      expect(await running.handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
    });
    expect(seen).toEqual(['sent', 'sent', 'sent', 'asked', 'asked', 'sent']);
    expect(world.revisions).toHaveLength(1);
  });

  test('where the hold is not seen, the tries are counted on, and given up as ever', async () => {
    const world = new FakeWorld(1);
    world.tellsHold = true;
    world.holdSeen = 'unseen';
    // It gives up after three.
    world.patience = 3 / 60;
    world.onSubmit = () => (world.count('probeSubmission') < 6 ? { kind: 'unknown' } : undefined);
    const seen = watch(world);
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
    });
    const before = world.calls.flatMap(({ name, input }) =>
      name === 'probeSubmission' ? [(input as { attemptsBefore?: number }).attemptsBefore ?? 0] : [],
    );
    expect(before).toEqual([0, 0, 1, 1, 2, 0]);
    expect(seen.slice(0, 7)).toEqual(['sent', 'sent', 'sent', 'asked', 'sent', 'asked', 'sent']);
  });

  test('and then lie ten minutes apart, for each is events of its own; resume asks at once', async () => {
    const world = new FakeWorld(1);
    world.tellsHold = true;
    world.holdSeen = 'unseen';
    let isAway = true;
    world.onSubmit = () => (isAway ? { kind: 'unknown' } : undefined);
    const isPausing = async ({ handle }: RunningBatch) =>
      ((await handle.fetchHistory()).events ?? []).some(
        event => Number(event.timerStartedEventAttributes?.startToFireTimeout?.seconds ?? 0) === 600,
      );
    await run(world, async running => {
      while (!(await isPausing(running))) await temporal.nextEvent(running.handle);
      isAway = false;
      await running.handle.signal(resumeSignal);
      expect(await running.handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
    });
    const before = world.calls.flatMap(({ name, input }) =>
      name === 'probeSubmission' ? [(input as { attemptsBefore?: number }).attemptsBefore ?? 0] : [],
    );
    expect([...new Set(before)]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('but not where the share was away for a moment, however long the outage was before', async () => {
    const world = new FakeWorld(1);
    world.tellsHold = true;
    world.holdSeen = 'ours';
    world.onSubmit = (_, call) => {
      if (call === 12) world.holdSeen = 'unseen';
      return call <= 12 ? { kind: 'unknown' } : undefined;
    };
    world.onCall = name => {
      if (name === 'requireHold') world.holdSeen = 'ours';
    };
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
    });
    expect(world.count('probeSubmission')).toBeGreaterThan(8);
    expect(world.count('requireHold')).toBeGreaterThan(0);
  });

  test('nor is it after resume, for whoever does not see the hold', async () => {
    const world = new FakeWorld(1);
    world.tellsHold = true;
    world.probeDelayMs = 3_600_000;
    world.onSubmit = () => (world.count('probeSubmission') < 2 ? { kind: 'unknown' } : undefined);
    const seen = watch(world);
    await run(world, async ({ handle }) => {
      await untilCalled(world, 'probeSubmission', 1);
      world.holdSeen = 'unseen';
      // Nothing happens in this time: it has to pass.
      await delay(WHILE_MS);
      await handle.signal(resumeSignal);
      expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
    });
    expect(seen.slice(0, 5)).toEqual(['sent', 'sent', 'sent', 'asked', 'sent']);
  });
});

describe('taken over while an upload is looked for that was perhaps submitted', () => {
  const lost = (): FakeWorld => {
    const world = new FakeWorld(2);
    world.isHidden = (index, read) => index === 0 && read > 1;
    world.onLookAgain = () => 'hidden';
    world.onSubmit = (_, call) => (call === 1 ? { kind: 'unknown' } : undefined);
    return world;
  };

  test('it is not submitted once more before the share was asked', async () => {
    const world = lost();
    takeOver(world);
    await run(world, async running => {
      await untilBlocked(running, 'BATCH_HELD');
      const revisions = world.revisions.filter(id => id.startsWith('R-0-'));
      await takeBack(running);
      expect(revisions).toEqual([]);
      expect(await running.handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
    });
    expect(world.count('requireHold')).toBe(2);
    expect(world.final.outcomes[0]).toMatchObject({ revisionId: expect.stringMatching(/^R-0-/) });
  });

  test('where it is seen to be ours, that is no event', async () => {
    const world = lost();
    world.tellsHold = true;
    world.onCall = async name => {
      // Longer than what the share has said is believed.
      if (name === 'findAbsent') await delay(WHILE_MS);
    };
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
    });
    expect(world.count('submitAgain')).toBe(1);
    expect(world.count('requireHold')).toBe(0);
  });

  test('where nobody sees it there, the share is asked once', async () => {
    const world = lost();
    world.tellsHold = true;
    world.holdSeen = 'unseen';
    world.onCall = async name => {
      if (name === 'findAbsent') await delay(WHILE_MS);
    };
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
    });
    expect(world.count('requireHold')).toBe(1);
  });
});

test('taken over while a submission stands still for a login, it is not made again', async () => {
  const world = new FakeWorld(1);
  takeOver(world);
  const { onCall } = world;
  world.onCall = (name, call) => {
    if (name === 'submitRevisions' && call === 1)
      throw ApplicationFailure.nonRetryable('No login', 'LOGIN_REQUIRED');
    return onCall(name, call);
  };
  await run(world, async running => {
    const { handle } = running;
    await untilBlocked(running, 'LOGIN_REQUIRED');
    // Nothing happens in this time: it has to pass.
    await delay(WHILE_MS);
    await handle.signal(resumeSignal);
    await untilBlocked(running, 'BATCH_HELD');
    expect(order(world)).toEqual(['submitRevisions', 'requireHold']);
    await takeBack(running);
    expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
  });
  expect(order(world)).toEqual(['submitRevisions', 'requireHold', 'requireHold', 'submitRevisions']);
});
