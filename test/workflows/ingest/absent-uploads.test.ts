import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { resumeSignal } from '../../../workflows/contract';
import { answerUpdate } from '../../../workflows/ingest/answer-contract';
import { progressQuery } from '../../../workflows/ingest/ingest-contract';
import { resetByHand } from '../../setup/reset-by-hand';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld } from '../fake-activities';
import { finishBatch, runBatch } from '../run-batch';

const temporal = useNamespace();

const finish = (world: FakeWorld) => finishBatch(temporal, world);

function outcomeOf(world: FakeWorld, index: number) {
  return world.final.outcomes.find(outcome => outcome.index === index);
}

/** The service says of this document that it failed, and made its revision all the same (or not). */
function failsUnknown(
  world: FakeWorld,
  index: number,
  tookEffect: boolean,
  reasonCode = 'UNKNOWN_FAILURE',
): void {
  world.onSubmit = ({ items }, call) => {
    if (call > 1) return undefined;
    const struck = items.find(item => item.index === index);
    if (struck === undefined) return undefined;
    if (tookEffect) world.submit(struck.index, struck.uploadId);
    return {
      kind: 'answered',
      atMs: 1,
      revisionIds: items.filter(item => item !== struck).map(item => world.submit(item.index, item.uploadId)),
      failures: [{ reasonCode, message: '', uploadId: struck.uploadId }],
    };
  };
}

test('an unknown failure of one document that took effect all the same is told as submitted', async () => {
  const world = new FakeWorld(3);
  failsUnknown(world, 1, true);
  expect(await finish(world)).toMatchObject({ submitted: 3, setApart: 0 });
  expect(outcomeOf(world, 1)).toMatchObject({ kind: 'submitted', revisionId: null, paired: 'unknown' });
  expect(world.revisions).toHaveLength(3);
});

test('so is one that failed for a reason which no contract names', async () => {
  const world = new FakeWorld(3);
  failsUnknown(world, 1, true, 'STORE_SPLIT');
  expect(await finish(world)).toMatchObject({ submitted: 3, setApart: 0 });
  expect(outcomeOf(world, 1)).toMatchObject({ kind: 'submitted', revisionId: null, paired: 'unknown' });
  expect(world.revisions).toHaveLength(3);
});

test('set apart after a submission that may have been heard, nobody is told to send it again', async () => {
  const world = new FakeWorld(2);
  failsUnknown(world, 0, false);
  const first = world.onSubmit;
  world.onSubmit = (input, call) =>
    call === 1
      ? first(input, call)
      : {
          kind: 'refused',
          refusals: [{ reasonCode: 'INVALID_PROPERTY', message: '', uploadId: input.items[0]!.uploadId }],
        };
  expect(await finish(world)).toMatchObject({ submitted: 1, setApart: 1 });
  const outcome = outcomeOf(world, 0);
  expect(outcome).toMatchObject({ kind: 'set-apart', reason: { code: 'perhaps-submitted' } });
  expect(JSON.stringify(outcome)).not.toMatch(/drop the file/i);
});

test('one reading after the link that does not show an upload sets nothing apart', async () => {
  const world = new FakeWorld(4);
  world.isHidden = (index, read) => index === 2 && read === 1;
  expect(await finish(world)).toMatchObject({ submitted: 4, setApart: 0 });
  expect(outcomeOf(world, 2)).toMatchObject({ kind: 'submitted', paired: 'certain' });
  expect(world.count('linkUploads')).toBe(1);
  // Beside the others: they were submitted without it.
  expect(world.calls.find(({ name }) => name === 'submitRevisions')?.input).toMatchObject({
    items: [{ index: 0 }, { index: 1 }, { index: 3 }],
  });
});

test('an upload that nobody can read is set apart as that, and nobody is said to have taken it', async () => {
  const world = new FakeWorld(3);
  world.isHidden = index => index === 2;
  world.onLookAgain = () => 'unreadable';
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 1 });
  expect(outcomeOf(world, 2)).toMatchObject({ kind: 'set-apart', reason: { code: 'event-id-missing' } });
});

test.each([
  ['in one response alone is looked for, and goes on', 1, 3],
  ['in every response is set apart as that', Number.POSITIVE_INFINITY, 2],
])('an upload without an event id %s', async (_, times, submitted) => {
  const world = new FakeWorld(3);
  let reads = 0;
  world.onRead = index => (index === 2 && reads++ < times ? { eventId: '' as never } : {});
  world.onLookAgain = () => 'shown';
  expect(await finish(world)).toMatchObject({ submitted, setApart: 3 - submitted });
  if (submitted < 3)
    expect(outcomeOf(world, 2)).toMatchObject({ kind: 'set-apart', reason: { code: 'event-id-missing' } });
});

test('an upload that no read shows after an unheard submission becomes its revision when it is asked for once more', async () => {
  const world = new FakeWorld(2);
  world.onSubmit = (_, call) => (call === 1 ? { kind: 'unknown' } : undefined);
  world.isHidden = (index, read) => index === 0 && read > 1;
  world.onLookAgain = () => 'hidden';
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 0 });
  expect(outcomeOf(world, 0)).toMatchObject({
    kind: 'submitted',
    revisionId: expect.stringMatching(/^R-0-/),
  });
  expect(new Set(world.revisions).size).toBe(2);
});

/** Both documents, with the event id that the share knows. */
function expectBothAskedAgain(world: FakeWorld): void {
  expect(world.calls.find(({ name }) => name === 'submitAgain')?.input).toMatchObject({
    items: [
      { index: 0, eventId: 'E1' },
      { index: 1, eventId: 'E1' },
    ],
  });
}

test('taken up from the share alone, and shown by no read, an upload is asked for by its submission', async () => {
  const before = new FakeWorld(2);
  before.onSubmit = (_, call) => (call === 1 ? { kind: 'unknown' } : undefined);
  before.isHidden = (_, read) => read > 1;
  before.onLookAgain = () => 'hidden';
  before.onCall = name => {
    if (name === 'submitAgain') throw new Error('away');
  };
  const world = new FakeWorld(2);
  await runBatch(temporal, before, async ({ handle }) => {
    while (before.count('submitAgain') === 0) await temporal.nextEvent(handle);
    await handle.terminate();
  });
  // Another database: nothing is known but what is on the share, and the service shows none of them.
  for (const [id, upload] of before.uploads) world.uploads.set(id, upload);
  world.records.push(...before.records);
  world.isHidden = () => true;
  world.onLookAgain = () => 'hidden';
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 0 });
  for (const index of [0, 1]) {
    expect(outcomeOf(world, index)).toMatchObject({ revisionId: expect.stringMatching(/^R-/) });
  }
  expectBothAskedAgain(world);
});

test('an upload that somebody deleted after an unanswered submission was not submitted', async () => {
  const world = new FakeWorld(2);
  world.onSubmit = ({ items }, call) => {
    if (call > 1) return undefined;
    world.uploads.get(items[0]!.uploadId)!.deleted = true;
    return { kind: 'unknown' };
  };
  expect(await finish(world)).toMatchObject({ submitted: 1, setApart: 1 });
  expect(outcomeOf(world, 0)).toMatchObject({ kind: 'set-apart', reason: { code: 'taken-by-a-person' } });
});

test('an upload that one read tells as deleted, and others show, goes on', async () => {
  const world = new FakeWorld(3);
  world.saysDeleted = (index, read) => index === 1 && read === 1;
  expect(await finish(world)).toMatchObject({ submitted: 3, setApart: 0 });
  expect(world.count('createUploads')).toBe(1);
});

test('an upload that one read tells as deleted, and others do not show, is asked for by its submission', async () => {
  const world = new FakeWorld(2);
  // Heard, and its response lost; a gateway that has lost the route says 410 for a moment.
  world.onSubmit = ({ items }, call) => {
    if (call > 1) return undefined;
    for (const { index, uploadId } of items) world.submit(index, uploadId);
    return { kind: 'unknown' };
  };
  world.saysDeleted = (_, read) => read > 1;
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 0 });
  expect(world.revisions).toHaveLength(2);
});

test('an upload whose deletion one look alone tells stays in doubt once it was submitted', async () => {
  const world = new FakeWorld(2);
  world.onSubmit = (_, call) => (call === 1 ? { kind: 'unknown' } : undefined);
  world.isHidden = (index, read) => index === 0 && read > 1;
  world.onLookAgain = () => 'deleted';
  expect(await finish(world)).toMatchObject({ submitted: 1, setApart: 1 });
  expect(outcomeOf(world, 0)).toMatchObject({ kind: 'set-apart', reason: { code: 'perhaps-submitted' } });
});

test('an upload shown INCOMPLETE after its link is linked again, and the batch ends whole', async () => {
  const world = new FakeWorld(20);
  let reads = 0;
  world.onRead = index => {
    if (index !== 7 || ++reads > 2) return {};
    for (const upload of world.uploads.values()) if (upload.index === 7) upload.completed = false;
    return { completed: false };
  };
  expect(await finish(world)).toMatchObject({ submitted: 20, setApart: 0 });
  expect(world.revisions).toHaveLength(20);
  expect(world.count('createUploads')).toBe(1);
  expect(world.calls.filter(({ name }) => name === 'linkUploads').at(-1)?.input).toMatchObject({
    items: [{ index: 7 }],
  });
});

test('an upload that comes and goes is set apart in the end, the others do not wait', async () => {
  const world = new FakeWorld(3);
  world.isHidden = index => index === 1;
  expect(await finish(world)).toMatchObject({ submitted: 2, setApart: 1 });
  expect(outcomeOf(world, 1)).toMatchObject({ kind: 'set-apart', reason: { code: 'comes-and-goes' } });
});

describe('what another run has submitted since', () => {
  /** From its submission on, the world answers nothing, until the run is another one. */
  class HeardWorld extends FakeWorld {
    goOn: () => void = () => undefined;
    readonly #isOther = new Promise<void>(resolve => {
      this.goOn = resolve;
    });

    constructor(count: number) {
      super(count);
      this.onCall = async name => {
        if (this.revisions.length > 0 && name === 'readUploads') await this.#isOther;
      };
    }

    /** Of this submission only its answer is lost. */
    hear(items: readonly { index: number; uploadId: string }[]): { kind: 'unknown' } {
      for (const { index, uploadId } of items) this.submit(index, uploadId);
      return { kind: 'unknown' };
    }

    /** Whose end the first run noted is told by the journal; here it had no time for that. */
    async untilHeard(count: number): Promise<void> {
      while (this.revisions.length < count || this.calls.at(-1)?.name !== 'readUploads') await delay(20);
    }
  }

  async function endAfterReset(world: HeardWorld, handle: WorkflowHandle, activity: string, nth: number) {
    await resetByHand(temporal, handle, activity, nth);
    world.goOn();
    return await temporal.client.workflow.getHandle(handle.workflowId).result();
  }

  function told(world: FakeWorld) {
    return world.final.outcomes.map(({ index, kind }) => `${index} ${kind}`).sort();
  }

  test('a run reset by hand to between link and look finds it in the journal, and asks for its end', async () => {
    const world = new HeardWorld(2);
    world.onSubmit = ({ items }, call) => (call === 1 ? world.hear(items) : undefined);
    await runBatch(temporal, world, async ({ handle }) => {
      await world.untilHeard(2);
      await endAfterReset(world, handle, 'linkUploads', 1);
    });
    expect(told(world)).toEqual(['0 submitted', '1 submitted']);
    expect(world.revisions).toHaveLength(2);
    expectBothAskedAgain(world);
  });

  test('so does one reset to where the intent was noted and the submission not sent yet', async () => {
    const world = new HeardWorld(1);
    world.onSubmit = ({ items }, call) => (call < 3 ? { kind: 'not-sent' } : world.hear(items));
    await runBatch(temporal, world, async ({ handle }) => {
      while (world.revisions.length === 0) await delay(20);
      await endAfterReset(world, handle, 'submitRevisions', 2);
    });
    expect(told(world)).toEqual(['0 submitted']);
    expect(world.revisions).toHaveLength(1);
  });

  test('so does one whose batch another Temporal had meanwhile', async () => {
    const world = new FakeWorld(1);
    world.onCall = (name, call) => {
      if (name !== 'appendRecord' || call !== 3) return;
      // It has gone on from the same journal, and ended before it noted what became of that.
      for (const { id, index } of world.uploads.values()) {
        world.records.push({ kind: 'intent', uploads: [{ index, uploadId: id as never }] });
        world.submit(index, id);
      }
      throw ApplicationFailure.nonRetryable('Another Temporal has it', 'BATCH_HELD');
    };
    await runBatch(temporal, world, async ({ handle }) => {
      while ((await handle.query(progressQuery)).blocked === undefined) await temporal.nextEvent(handle);
      await handle.signal(resumeSignal);
      await handle.result();
    });
    expect(told(world)).toEqual(['0 submitted']);
    expect(world.revisions).toHaveLength(1);
  });

  test('what a run decided before it was reset, the one after it decides in the same way', async () => {
    const world = new FakeWorld(3);
    // Nobody was about to submit the first, a person took the second just before we did, the third is held.
    world.isHidden = index => index === 0;
    world.onLookAgain = index => (index === 0 ? 'hidden' : undefined);
    world.onSubmit = ({ items }) => {
      const { uploadId } = items[0]!;
      world.uploads.get(uploadId)!.consumed = true;
      return { kind: 'refused', refusals: [{ reasonCode: 'UPLOAD_NOT_FOUND', message: '', uploadId }] };
    };
    world.missing = index => (index === 2 ? ['Discipline'] : []);
    const last = () => world.settled.at(-1)?.outcomes ?? [];
    await runBatch(temporal, world, async ({ handle }) => {
      while (last().length < 2) await delay(20);
      expect(world.count('openBatch')).toBe(3);
      await resetByHand(temporal, handle, 'settleUp', world.count('settleUp'));
      const run = temporal.client.workflow.getHandle(handle.workflowId);
      await run.executeUpdate(answerUpdate, { args: [{ document: 2, decision: 'set-apart' }] });
      await run.result();
    });
    expect(told(world)).toEqual(['0 set-apart', '1 set-apart', '2 set-apart']);
  });

  test('of what no journal knows to have been about to be submitted, the reads count', async () => {
    const world = new FakeWorld(2);
    world.isHidden = index => index === 1;
    world.onLookAgain = index => (index === 1 ? 'hidden' : undefined);
    expect(await finish(world)).toMatchObject({ submitted: 1, setApart: 1 });
    expect(outcomeOf(world, 1)).toMatchObject({ reason: { code: 'taken-by-a-person' } });
    expect(world.count('submitAgain')).toBe(0);
  });
});
