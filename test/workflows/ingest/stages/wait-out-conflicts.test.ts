// The policy `wait` on a real Temporal server: one activity looks and submits while workflows stand against
// documents. Its looks leave no events, and whatever comes meanwhile ends it first.
import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { withResolvers } from '../../../../activities/host/with-resolvers';
import type { WaitOutConflictsInput } from '../../../../activities/ingest/api';
import { ServiceUnavailableError } from '../../../../activities/service/errors';
import { resumeSignal } from '../../../../workflows/contract';
import { answerUpdate } from '../../../../workflows/ingest/answer-contract';
import { type HeldDocument, progressQuery } from '../../../../workflows/ingest/ingest-contract';
import { useNamespace } from '../../../setup/temporal-namespace';
import { FakeWorld, POLICY } from '../../fake-activities';
import { type RunningBatch, runBatch } from '../../run-batch';

const temporal = useNamespace();
jest.setTimeout(60_000);

const NEVER_MS = 3_600_000;

function conflicted(documents: number, conflicts: readonly number[], conflictRetryMs: number): FakeWorld {
  const world = new FakeWorld(documents);
  world.policy = { ...POLICY, conflict: { kind: 'wait' }, conflictRetryMs };
  world.keepsHow = true;
  for (const index of conflicts) world.conflicts.add(index);
  return world;
}

async function run<Result>(world: FakeWorld, work: (running: RunningBatch) => Promise<Result>) {
  return await runBatch(temporal, world, work);
}

async function untilCalled(world: FakeWorld, name: string, count: number): Promise<void> {
  while (world.count(name) < count) await delay(20);
}

async function untilHeld(handle: RunningBatch['handle'], count: number): Promise<readonly HeldDocument[]> {
  for (;;) {
    const { held } = await handle.query(progressQuery);
    if (held.length === count) return held;
    await temporal.nextEvent(handle);
  }
}

async function eventsOf({ handle }: RunningBatch): Promise<number> {
  return (await handle.fetchHistory()).events?.length ?? 0;
}

test('a look leaves no event, the documents stay held, and all go when the workflows have ended', async () => {
  const world = conflicted(30, [...Array(30).keys()], 50);
  await run(world, async running => {
    await untilHeld(running.handle, 30);
    await untilCalled(world, 'waitOutConflicts', 2);
    const before = await eventsOf(running);
    await untilCalled(world, 'submitRevisions', world.count('submitRevisions') + 4);
    expect(await eventsOf(running)).toBe(before);
    expect((await running.handle.query(progressQuery)).held).toHaveLength(30);
    const reads = world.calls.filter(({ name }) => name === 'readUploads').length;
    expect(Math.abs(reads - world.count('submitRevisions'))).toBeLessThanOrEqual(2);
    world.conflicts.clear();
    expect(await running.handle.result()).toMatchObject({ submitted: 30, setApart: 0 });
  });
  expect(world.revisions).toHaveLength(30);
  expect(world.count('appendRecord')).toBeLessThan(8);
});

test('those whose workflows have ended go, and are settled, while the others wait on', async () => {
  const world = conflicted(3, [0, 2], 100);
  await run(world, async ({ handle }) => {
    await untilHeld(handle, 2);
    world.conflicts.delete(0);
    await untilHeld(handle, 1);
    while (world.settled.at(-1)?.outcomes.length !== 2) await temporal.nextEvent(handle);
    world.conflicts.clear();
    expect(await handle.result()).toMatchObject({ submitted: 3, setApart: 0 });
  });
  expect(world.revisions).toHaveLength(3);
});

test('what stands in the way is told anew when it has changed', async () => {
  const world = conflicted(1, [0], 50);
  let review = 'First review';
  world.onSubmit = ({ items }) =>
    world.conflicts.size === 0
      ? undefined
      : {
          kind: 'refused',
          refusals: items.map(({ uploadId }) => ({
            reasonCode: 'WORKFLOW_CONFLICT',
            message: '',
            uploadId,
            inTheWay: `"A" is in "${review}".`,
          })),
        };
  await run(world, async ({ handle }) => {
    const [first] = await untilHeld(handle, 1);
    review = 'Second review';
    for (;;) {
      const [held] = (await handle.query(progressQuery)).held;
      if (held?.reason.text.includes('Second review') === true) {
        expect(held).toMatchObject({ sinceMs: first?.sinceMs, untilMs: first?.untilMs });
        break;
      }
      await temporal.nextEvent(handle);
    }
    world.conflicts.clear();
    expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
  });
});

test('a right that is missing at a look is no other question: what was shown before may be ended', async () => {
  const world = conflicted(1, [0], NEVER_MS);
  // Asked once more, it would be set apart a moment later.
  world.policy = { ...world.policy, holdMs: 10_000 };
  let isRightMissing = false;
  world.onSubmit = ({ items }) =>
    isRightMissing
      ? {
          kind: 'refused',
          refusals: items.map(({ uploadId }) => ({
            reasonCode: 'WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION',
            message: '',
            uploadId,
          })),
        }
      : undefined;
  await run(world, async ({ handle }) => {
    await untilHeld(handle, 1);
    isRightMissing = true;
    await handle.signal(resumeSignal);
    const isTold = async () =>
      (await untilHeld(handle, 1))[0]?.reason.code === 'WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION';
    while (!(await isTold())) await temporal.nextEvent(handle);
    isRightMissing = false;
    const ending = { document: 0, decision: 'terminate', reason: 'x', status: 'Superseded' } as const;
    await handle.executeUpdate(answerUpdate, { args: [ending] });
    expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
  });
});

test('resume looks at the conflicts at once', async () => {
  const world = conflicted(2, [1], NEVER_MS);
  await run(world, async ({ handle }) => {
    await untilHeld(handle, 1);
    await untilCalled(world, 'waitOutConflicts', 1);
    world.conflicts.clear();
    await handle.signal(resumeSignal);
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
});

test('an answer ends it for its document first; the others are waited for on', async () => {
  const world = conflicted(3, [0, 1, 2], NEVER_MS);
  await run(world, async ({ handle }) => {
    await untilHeld(handle, 3);
    await untilCalled(world, 'waitOutConflicts', 1);
    await handle.executeUpdate(answerUpdate, { args: [{ document: 1, decision: 'set-apart' }] });
    await untilHeld(handle, 2);
    world.conflicts.clear();
    await handle.executeUpdate(answerUpdate, { args: [{ document: 0, decision: 'retry' }] });
    await untilHeld(handle, 1);
    await handle.signal(resumeSignal);
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 1 });
  });
  expect(world.final.outcomes[0]?.kind === 'submitted' && world.revisions.length).toBe(2);
  expect(world.final.outcomes.find(({ index }) => index === 1)).toMatchObject({
    reason: { code: 'set-apart-by-person' },
  });
});

test('its time is over: nothing is submitted any more, and it is set apart as what it is', async () => {
  const world = conflicted(2, [1], 100);
  world.policy = { ...world.policy, holdMs: 2_000 };
  await run(world, async ({ handle }) => {
    expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 1 });
  });
  expect(world.final.outcomes[1]).toMatchObject({ reason: { code: 'hold-expired' } });
  expect(world.revisions).toHaveLength(1);
});

test('another question has a time of its own, however long the conflict was waited out', async () => {
  const world = conflicted(1, [0], 100);
  await run(world, async ({ handle }) => {
    const [conflict] = await untilHeld(handle, 1);
    await untilCalled(world, 'submitRevisions', 3);
    world.missing = () => ['Status'];
    world.conflicts.clear();
    world.onSubmit = ({ items }) => ({
      kind: 'refused',
      refusals: items.map(({ uploadId }) => ({ reasonCode: 'INVALID_INPUT', message: '', uploadId })),
    });
    let asked = conflict;
    while (asked?.question !== 'missing-values') [asked] = await untilHeld(handle, 1);
    expect(asked.sinceMs).toBeGreaterThan(conflict?.sinceMs ?? 0);
    expect(asked.untilMs - asked.sinceMs).toBe(POLICY.holdMs);
    await handle.executeUpdate(answerUpdate, { args: [{ document: 0, decision: 'set-apart' }] });
    expect(await handle.result()).toMatchObject({ submitted: 0, setApart: 1 });
  });
});

test('an answer that comes while a submission is under way is told what became of it, and changes nothing', async () => {
  const world = conflicted(2, [1], 100);
  const { promise: isUnderway, resolve: tellUnderway } = withResolvers();
  const { promise: isEnough, resolve: goOn } = withResolvers();
  let isHeld = false;
  world.onCall = async name => {
    if (name !== 'submitRevisions' || !isHeld) return;
    isHeld = false;
    tellUnderway();
    await isEnough;
  };
  await run(world, async ({ handle }) => {
    await untilHeld(handle, 1);
    isHeld = true;
    await isUnderway;
    // Heard by the service, whose answer is still on its way when the person answers.
    world.conflicts.clear();
    const answered = handle
      .executeUpdate(answerUpdate, { args: [{ document: 1, decision: 'set-apart' }] })
      .then(
        () => 'taken',
        () => 'told that it is too late',
      );
    while (!(await isCancelRequested(handle))) await temporal.nextEvent(handle);
    goOn();
    expect(await answered).toBe('told that it is too late');
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
  expect(world.revisions).toHaveLength(2);
});

async function isCancelRequested(handle: RunningBatch['handle']): Promise<boolean> {
  return (await cancelRequests(handle)) > 0;
}

async function cancelRequests(handle: RunningBatch['handle']): Promise<number> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter(event => event.activityTaskCancelRequestedEventAttributes != null).length;
}

describe('an attempt that is cut', () => {
  /** The next submission is heard, and whoever sent it is gone before it can tell. */
  function cutNext(world: FakeWorld): void {
    const { onSubmit } = world;
    world.onSubmit = ({ items }) => {
      world.onSubmit = onSubmit;
      for (const { index, uploadId } of items) world.submit(index, uploadId);
      throw ApplicationFailure.create({ type: 'killed', nextRetryDelay: '300ms' });
    };
  }

  test('after its submission was heard: the documents are revisions, submitted once', async () => {
    const world = conflicted(2, [0, 1], 100);
    await run(world, async ({ handle }) => {
      await untilHeld(handle, 2);
      await untilCalled(world, 'waitOutConflicts', 3);
      cutNext(world);
      expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
    });
    expect(world.revisions).toHaveLength(2);
  });

  test('and a person who sets a document apart then: nobody is told to send it again', async () => {
    const world = conflicted(1, [0], 100);
    let isCut = false;
    await run(world, async ({ handle }) => {
      await untilHeld(handle, 1);
      await untilCalled(world, 'waitOutConflicts', 3);
      world.onSubmit = ({ items }) => {
        if (isCut) return undefined;
        isCut = true;
        for (const { index, uploadId } of items) world.submit(index, uploadId);
        throw ApplicationFailure.create({ type: 'killed', nextRetryDelay: '1 hour' });
      };
      while (!isCut) await delay(20);
      await handle.executeUpdate(answerUpdate, { args: [{ document: 0, decision: 'set-apart' }] });
      expect(await handle.result()).toMatchObject({ setApart: 1 });
    });
    expect(world.final.outcomes[0]).toMatchObject({ reason: { code: 'perhaps-submitted' } });
  });
});

function lastAsked(world: FakeWorld): WaitOutConflictsInput {
  const { input } = world.calls.findLast(({ name }) => name === 'waitOutConflicts') ?? {};
  return input as WaitOutConflictsInput;
}

/** Whether an activity waits for its next attempt. */
async function isInAPause(handle: RunningBatch['handle']): Promise<boolean> {
  const { raw } = await handle.describe();
  return (raw.pendingActivities ?? []).some(({ attempt = 0 }) => (attempt ?? 0) > 1);
}

test('cut before anything was asked anew: what was untold stays so, and is looked for before it is set apart', async () => {
  const world = conflicted(2, [0, 1], NEVER_MS);
  const { promise: isUnderway, resolve: tellUnderway } = withResolvers();
  const { promise: isEnough, resolve: goOn } = withResolvers();
  world.onCall = async (name, call) => {
    if (name !== 'waitOutConflicts') return;
    const { onlyLook, items } = lastAsked(world);
    if (onlyLook === true || call === 1 || items.length > 1) return;
    // The look for the other one may be asked for before or after this.
    for (const { index, uploadId } of items) world.submit(index, uploadId);
    tellUnderway();
    await isEnough;
  };
  await run(world, async ({ handle }) => {
    await untilHeld(handle, 2);
    while (!(await isInAPause(handle))) await delay(20);
    // Cut in a pause, which cannot tell what was sent before it.
    await handle.executeUpdate(answerUpdate, { args: [{ document: 1, decision: 'set-apart' }] });
    await isUnderway;
    const answered = handle.executeUpdate(answerUpdate, { args: [{ document: 0, decision: 'set-apart' }] });
    while ((await cancelRequests(handle)) < 2) await temporal.nextEvent(handle);
    goOn();
    await answered;
    expect(await handle.result()).toMatchObject({ setApart: 2 });
  });
  expect(world.final.outcomes.find(({ index }) => index === 0)).toMatchObject({
    reason: { code: 'perhaps-submitted' },
  });
});

test('cut while an attempt fails, as in an outage: the run goes on, and the others are waited for on', async () => {
  const world = conflicted(2, [0, 1], 100);
  const { promise: isUnderway, resolve: tellUnderway } = withResolvers();
  const { promise: isEnough, resolve: goOn } = withResolvers();
  let isAway = false;
  world.onCall = async name => {
    if (name !== 'readUploads' || !isAway) return;
    isAway = false;
    tellUnderway();
    await isEnough;
    throw new ServiceUnavailableError('503', { fault: 'network', effect: 'not-sent' });
  };
  await run(world, async ({ handle }) => {
    await untilHeld(handle, 2);
    await untilCalled(world, 'waitOutConflicts', 2);
    isAway = true;
    await isUnderway;
    const answered = handle.executeUpdate(answerUpdate, { args: [{ document: 0, decision: 'set-apart' }] });
    while (!(await isCancelRequested(handle))) await temporal.nextEvent(handle);
    goOn();
    await answered;
    world.conflicts.clear();
    expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 1 });
  });
  expect(world.final.outcomes.find(({ index }) => index === 0)).toMatchObject({
    reason: { code: 'set-apart-by-person' },
  });
});

/** The look for a document that is answered first goes on until it is told to end. */
function holdTheLook(world: FakeWorld) {
  const { promise: isLooking, resolve: tellLooking } = withResolvers();
  const { promise: isEnough, resolve: endLook } = withResolvers();
  const { onCall } = world;
  let isHeldOnce = false;
  world.onCall = async (name, call) => {
    await onCall(name, call);
    if (name !== 'waitOutConflicts' || isHeldOnce || lastAsked(world).onlyLook !== true) return;
    isHeldOnce = true;
    tellLooking();
    await isEnough;
  };
  return { isLooking, endLook };
}

test('one that is answered while another one is looked for is looked for as well before it is set apart', async () => {
  const world = conflicted(2, [0, 1], NEVER_MS);
  const { isLooking, endLook } = holdTheLook(world);
  await run(world, async ({ handle }) => {
    await untilHeld(handle, 2);
    while (!(await isInAPause(handle))) await delay(20);
    await handle.executeUpdate(answerUpdate, { args: [{ document: 1, decision: 'set-apart' }] });
    await isLooking;
    while (!(await isInAPause(handle))) await delay(20);
    // As if a request that was cut had been heard.
    for (const { index, id } of world.uploads.values()) if (index === 0) world.submit(index, id);
    await handle.executeUpdate(answerUpdate, { args: [{ document: 0, decision: 'set-apart' }] });
    endLook();
    expect(await handle.result()).toMatchObject({ setApart: 2 });
  });
  expect(world.final.outcomes.find(({ index }) => index === 0)).toMatchObject({
    reason: { code: 'perhaps-submitted' },
  });
  expect(world.final.outcomes.find(({ index }) => index === 1)).toMatchObject({
    reason: { code: 'set-apart-by-person' },
  });
});

test('one whose time is over while another one is looked for is not set apart while it is being submitted', async () => {
  const world = conflicted(2, [0, 1], 1_000);
  world.policy = { ...world.policy, holdMs: 6_000 };
  const { promise: isUnderway, resolve: tellUnderway } = withResolvers();
  const { promise: isHeard, resolve: tellHeard } = withResolvers();
  let isLast = false;
  world.onCall = async name => {
    if (name !== 'submitRevisions' || !isLast) return;
    isLast = false;
    tellUnderway();
    await isHeard;
  };
  const { isLooking, endLook } = holdTheLook(world);
  await run(world, async ({ handle }) => {
    const [, { untilMs } = { untilMs: 0 }] = await untilHeld(handle, 2);
    while (!(await isInAPause(handle))) await delay(20);
    await handle.executeUpdate(answerUpdate, { args: [{ document: 0, decision: 'set-apart' }] });
    await isLooking;
    isLast = true;
    await isUnderway;
    world.conflicts.clear();
    await delay(untilMs - Date.now() + 500);
    // Wakes the run: the cut of the submission and the end of the look come one after the other.
    await handle.signal(resumeSignal);
    while ((await cancelRequests(handle)) < 2) await temporal.nextEvent(handle);
    endLook();
    while ((await handle.query(progressQuery)).held.length === 2) await temporal.nextEvent(handle);
    tellHeard();
    expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 1 });
  });
  expect(world.revisions).toHaveLength(1);
});

test('a submission without an answer is looked after in the usual way', async () => {
  const world = conflicted(2, [0, 1], 100);
  await run(world, async ({ handle }) => {
    await untilHeld(handle, 2);
    await untilCalled(world, 'waitOutConflicts', 2);
    let silent = 0;
    world.onSubmit = () => {
      if (silent++ > 0) return undefined;
      world.conflicts.clear();
      return { kind: 'unknown' };
    };
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
  });
  expect(world.revisions).toHaveLength(2);
});

test('an upload that a person deletes meanwhile was taken by a person', async () => {
  const world = conflicted(1, [0], 100);
  await run(world, async ({ handle }) => {
    await untilHeld(handle, 1);
    await untilCalled(world, 'waitOutConflicts', 2);
    for (const upload of world.uploads.values()) upload.deleted = true;
    expect(await handle.result()).toMatchObject({ submitted: 0, setApart: 1 });
  });
  expect(world.final.outcomes[0]).toMatchObject({ reason: { code: 'taken-by-a-person' } });
});
