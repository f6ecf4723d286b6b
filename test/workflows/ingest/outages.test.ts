// Waiting that costs next to nothing: an outage of one step of the service, however long, is one activity
// that is tried again, and no document is blamed for it. On a real Temporal server.
import { setTimeout as delay } from 'node:timers/promises';
import { resumeSignal } from '../../../workflows/contract';
import { answerUpdate } from '../../../workflows/ingest/answer-contract';
import { type BatchSummary, progressQuery } from '../../../workflows/ingest/ingest-contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld, POLICY } from '../fake-activities';
import { mostAtOnce, type RunningBatch, runBatch } from '../run-batch';

const temporal = useNamespace();

/**
 * The real probe leaves minutes between two of them: what matters is that they leave no trace, however many.
 */
const TRIES = 8;
const FEW_TRIES = 3;
jest.setTimeout(60_000);

async function untilCalled(world: FakeWorld, name: string, count: number): Promise<void> {
  while (world.count(name) < count) await delay(20);
}

async function untilHeld(handle: RunningBatch['handle'], count: number): Promise<void> {
  while ((await handle.query(progressQuery)).held.length < count) await delay(50);
}

async function events({ handle }: RunningBatch): Promise<number> {
  return (await handle.fetchHistory()).events?.length ?? 0;
}

/** Others of the project pass before each look at that, or each second or third one. */
function letOthersPass(world: FakeWorld, each = 1): void {
  world.onCall = name => {
    const looks = world.count('readPasses');
    if (name === 'readPasses' && looks % each === 0) world.passedElsewhere = `pass ${looks}`;
  };
}

async function run<Result>(world: FakeWorld, work: (running: RunningBatch) => Promise<Result>) {
  return await runBatch(temporal, world, work);
}

describe('Step 8 answers nothing', () => {
  test('an outage is a handful of events, one request a try, and everything is submitted afterwards', async () => {
    const world = new FakeWorld(100);
    world.probeDelayMs = 1;
    world.onSubmit = () => (world.count('probeSubmission') < TRIES ? { kind: 'unknown' } : undefined);
    const spent = await run(world, async running => {
      expect(await running.handle.result()).toMatchObject({ submitted: 100, setApart: 0 });
      return await events(running);
    });
    expect(new Set(world.revisions).size).toBe(100);
    expect(world.count('createUploads')).toBe(1);
    // Two by the group before, the tries, one for the other 99.
    expect(world.count('submitRevisions')).toBe(3);
    expect(world.count('probeSubmission')).toBe(TRIES);
    expect(world.count('readUploads')).toBeLessThan(8);
    expect(spent).toBeLessThan(200);
  });

  test('429 without an end, each time with a second to wait, is no history and no storm either', async () => {
    const world = new FakeWorld(100);
    world.probeDelayMs = 1;
    world.onSubmit = () =>
      world.count('probeSubmission') < FEW_TRIES
        ? { kind: 'not-sent', retryAtMs: Date.now() + 20 }
        : undefined;
    const spent = await run(world, async running => {
      expect(await running.handle.result()).toMatchObject({ submitted: 100, setApart: 0 });
      return await events(running);
    });
    expect(world.count('submitRevisions')).toBe(3);
    expect(world.count('probeSubmission')).toBe(FEW_TRIES);
    expect(world.count('readUploads')).toBeLessThan(8);
    expect(spent).toBeLessThan(200);
    expect(new Set(world.revisions).size).toBe(100);
  });

  test('what a probe has sent without an answer is no person’s deed when it is gone', async () => {
    const world = new FakeWorld(3);
    world.probeDelayMs = 1;
    // Nothing went out before the probe: the second document of it was heard, and nobody was told.
    world.onSubmit = () => {
      if (world.count('probeSubmission') === 0) return { kind: 'not-sent', retryAtMs: Date.now() + 20 };
      if (world.unheard.length === 0) {
        world.unheard = [1];
        for (const upload of world.uploads.values()) if (upload.index === 1) upload.consumed = true;
      }
      return undefined;
    };
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 3, setApart: 0 });
    });
    expect(world.final.outcomes.find(({ index }) => index === 1)).toMatchObject({
      kind: 'submitted',
      revisionId: null,
    });
  });

  test('strands that meet the same outage share one probe', async () => {
    const world = new FakeWorld(40);
    world.needsAnalysis = index => index % 2 === 0;
    world.onSubmit = () => (world.count('probeSubmission') < TRIES ? { kind: 'unknown' } : undefined);
    await run(world, async running => {
      expect(await running.handle.result()).toMatchObject({ submitted: 40 });
      expect(await mostAtOnce(running.handle, 'probeSubmission')).toBe(1);
    });
    // A group that was just being told nothing when the outage ended asks once more.
    expect(world.count('probeSubmission')).toBeLessThanOrEqual(TRIES + 1);
    expect(world.count('submitRevisions')).toBeLessThan(8);
  });

  test('one document that the service cannot digest is found while the others go through, and only it is blamed', async () => {
    const world = new FakeWorld(12);
    letOthersPass(world);
    world.onSubmit = ({ items }) =>
      items.some(({ index }) => index === 0) ? { kind: 'unknown' } : undefined;
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 11, setApart: 1 });
    });
    expect(world.final.outcomes.find(({ index }) => index === 0)).toMatchObject({
      reason: { code: 'perhaps-submitted' },
    });
    expect(world.revisions).toHaveLength(11);
  });

  test('an outage that begins when a part has passed is nobody’s fault', async () => {
    const world = new FakeWorld(6);
    world.needsAnalysis = index => index >= 3;
    world.onRead = index => ({ analysed: index < 3 || world.revisions.length === 3 });
    world.onSubmit = ({ items }) =>
      items.some(({ index }) => index >= 3) && world.count('probeSubmission') < 10
        ? { kind: 'unknown' }
        : undefined;
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 6, setApart: 0 });
    });
  });

  test('"resume" tries at once', async () => {
    const world = new FakeWorld(3);
    world.probeDelayMs = 3_600_000;
    let isOver = false;
    world.onSubmit = () => (isOver ? undefined : { kind: 'unknown' });
    await run(world, async ({ handle }) => {
      await untilCalled(world, 'probeSubmission', 1);
      isOver = true;
      await handle.signal(resumeSignal);
      expect((await handle.result()) as BatchSummary).toMatchObject({ submitted: 3 });
    });
  });
});

describe('Step 6 answers 500', () => {
  test('an outage is a handful of events, sends no more than one file again, and blames nobody', async () => {
    const world = new FakeWorld(100);
    world.probeDelayMs = 1;
    world.onLink = () => (world.count('probeLinking') < TRIES ? { kind: 'failed' } : undefined);
    const spent = await run(world, async running => {
      expect(await running.handle.result()).toMatchObject({ submitted: 100, setApart: 0 });
      return await events(running);
    });
    expect(world.count('createUploads')).toBe(1);
    expect(world.count('linkUploads')).toBeLessThan(6);
    // Ten parts, and the smallest file twice.
    expect(world.count('transferFiles')).toBe(12);
    expect(spent).toBeLessThan(400);
  });

  test('a file that the storage has lost is sent again though its document is alone', async () => {
    const world = new FakeWorld(1);
    world.onLink = () => (world.count('transferFiles') < 2 ? { kind: 'failed' } : undefined);
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
    });
    expect(world.count('createUploads')).toBe(1);
  });

  test('one that fails while the others are linked is sent again, then set apart', async () => {
    const world = new FakeWorld(6);
    letOthersPass(world, 2);
    world.onLink = ({ items }) => (items.some(({ index }) => index === 2) ? { kind: 'failed' } : undefined);
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 5, setApart: 1 });
    });
    expect(world.final.outcomes.find(({ index }) => index === 2)).toMatchObject({
      reason: { code: 'link-failed' },
    });
  });
});

describe('a document alone in its batch', () => {
  /** Between its first failure and the second, another batch of the project has passed, and none since. */
  function letAnotherPass(world: FakeWorld): void {
    world.onCall = name => {
      if (name === 'readPasses' && world.count(name) === 2) world.passedElsewhere = 'another';
    };
  }

  function alone(): FakeWorld {
    const world = new FakeWorld(1);
    world.probeDelayMs = 1;
    world.patience = 0.01;
    return world;
  }

  test('that gets no answer waits as long as no other batch of the project passes, and is carried then', async () => {
    const world = alone();
    world.onSubmit = () => (world.count('probeSubmission') < TRIES ? { kind: 'unknown' } : undefined);
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
    });
  });

  test('that gets no answer, and before which one batch has passed, waits for the end of the outage', async () => {
    const world = alone();
    letAnotherPass(world);
    world.onSubmit = () => (world.count('probeSubmission') < TRIES ? { kind: 'unknown' } : undefined);
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
    });
  });

  test('that gets no answer is not blamed for what had passed before the outage and is noted in it', async () => {
    const world = alone();
    letOthersPass(world);
    world.passedElsewhereAtMs = Date.now();
    world.onSubmit = () => (world.count('probeSubmission') < TRIES ? { kind: 'unknown' } : undefined);
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
    });
  });

  test('that gets no answer while others of the project pass again and again is set apart', async () => {
    const world = alone();
    letOthersPass(world);
    world.onSubmit = () => ({ kind: 'unknown' });
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 0, setApart: 1 });
    });
    expect(world.final.outcomes[0]).toMatchObject({ reason: { code: 'perhaps-submitted' } });
    // As often as when one passing had been enough.
    expect(world.count('submitRevisions') + world.count('probeSubmission')).toBeLessThanOrEqual(8);
  });

  test('that is not linked waits as long as no other batch of the project passes, and is carried then', async () => {
    const world = alone();
    world.onLink = () => (world.count('probeLinking') < TRIES ? { kind: 'failed' } : undefined);
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
    });
    // Twice for a storage that may have lost it; however long it waits, no more.
    expect(world.count('transferFiles')).toBeLessThanOrEqual(3);
  });

  test('that is not linked, and before which one batch has passed, waits for the end of the outage', async () => {
    const world = alone();
    letAnotherPass(world);
    world.onLink = () => (world.count('probeLinking') < TRIES ? { kind: 'failed' } : undefined);
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
    });
  });

  test('that is not linked while others of the project pass again and again is set apart', async () => {
    const world = alone();
    letOthersPass(world, 2);
    world.onLink = () => ({ kind: 'failed' });
    await run(world, async ({ handle }) => {
      expect(await handle.result()).toMatchObject({ submitted: 0, setApart: 1 });
    });
    expect(world.final.outcomes[0]).toMatchObject({ reason: { code: 'link-failed' } });
    expect(world.count('linkUploads') + world.count('probeLinking')).toBeLessThanOrEqual(8);
  });
});

describe('a hundred documents that wait', () => {
  test('for workflows to end: one look is one request to read and one to submit, for all of them', async () => {
    const world = new FakeWorld(100);
    world.policy = { ...POLICY, conflict: { kind: 'wait' }, conflictRetryMs: 100 };
    for (let index = 0; index < 100; index++) world.conflicts.add(index);
    await run(world, async running => {
      await untilCalled(world, 'submitRevisions', 3);
      const before = { spent: await events(running), submits: world.count('submitRevisions') };
      await untilCalled(world, 'submitRevisions', before.submits + 5);
      const looks = world.count('submitRevisions') - before.submits;
      // A day has some 27 looks, once they have waited for a while.
      expect((await events(running)) - before.spent).toBeLessThan(looks * 40);
      expect(world.count('readUploads')).toBeLessThan(world.count('submitRevisions') + 3);
      world.conflicts.clear();
      await running.handle.signal(resumeSignal);
      expect(await running.handle.result()).toMatchObject({ submitted: 100, setApart: 0 });
    });
  });

  test('for people who answer one by one: answers that come together are carried together', async () => {
    const world = new FakeWorld(100);
    for (let index = 0; index < 100; index++) world.conflicts.add(index);
    await run(world, async running => {
      await untilHeld(running.handle, 100);
      const before = await events(running);
      world.conflicts.clear();
      for (let document = 0; document < 100; document++) {
        await running.handle.executeUpdate(answerUpdate, { args: [{ document, decision: 'retry' }] });
      }
      expect(await running.handle.result()).toMatchObject({ submitted: 100, setApart: 0 });
      expect((await events(running)) - before).toBeLessThan(1_500);
    });
    expect(new Set(world.revisions).size).toBe(100);
  });

  test('until their time is over: one timer for all, and each of them is set apart', async () => {
    const world = new FakeWorld(100);
    world.policy = { ...POLICY, holdMs: 1_500 };
    for (let index = 0; index < 100; index++) world.conflicts.add(index);
    await run(world, async running => {
      expect(await running.handle.result()).toMatchObject({ submitted: 0, setApart: 100 });
      const history = await running.handle.fetchHistory();
      expect(history.events?.filter(event => event.timerStartedEventAttributes != null).length).toBeLessThan(
        5,
      );
    });
  });
});
