// A run whose history grows long is left for another one, which goes on as if nothing had been. On a real
// Temporal server.
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { type FileUploadId, resumeSignal, type UploadId } from '../../../workflows/contract';
import { answerUpdate } from '../../../workflows/ingest/answer-contract';
import { BatchState } from '../../../workflows/ingest/batch-state';
import { packDocuments, unpackDocuments } from '../../../workflows/ingest/carry-over';
import { meetConflict, standInLine } from '../../../workflows/ingest/decide/keep-waits';
import {
  type BatchSummary,
  type HeldDocument,
  progressQuery,
} from '../../../workflows/ingest/ingest-contract';
import { ActivityCalls } from '../../../workflows/run/activity-calls';
import { alterBundle } from '../../setup/altered-bundle';
import { type TestNamespace, useNamespace } from '../../setup/temporal-namespace';
import { useTemporaryFolder } from '../../setup/temporary-folder';
import { FakeWorld, POLICY, reason } from '../fake-activities';
import { type RunningBatch, runBatch } from '../run-batch';

jest.setTimeout(90_000);

const temporal = useNamespace();
const folder = useTemporaryFolder();

async function run<Result>(
  world: FakeWorld,
  continueAfterEvents: number,
  work: (running: RunningBatch) => Promise<Result>,
  build: TestNamespace = temporal,
): Promise<Result> {
  return await runBatch(build, world, work, { continueAfterEvents });
}

/** The run that goes on now; `handle` follows the chain. */
async function runIdOf(handle: WorkflowHandle): Promise<string> {
  return (await temporal.client.workflow.getHandle(handle.workflowId).describe()).runId;
}

async function untilAnotherRun(handle: WorkflowHandle, before: string): Promise<string> {
  for (;;) {
    const runId = await runIdOf(handle);
    if (runId !== before) return runId;
    await delay(20);
  }
}

/** What waits by itself leaves no events; each "resume" is a few. */
async function resumeUntilAnotherRun(handle: WorkflowHandle, before: string): Promise<string> {
  for (;;) {
    const runId = await runIdOf(handle);
    if (runId !== before) return runId;
    await temporal.client.workflow.getHandle(handle.workflowId).signal(resumeSignal);
    await delay(50);
  }
}

/** Whether an activity or a workflow task is under way. */
async function isWorking(handle: WorkflowHandle): Promise<boolean> {
  const { pendingActivities, pendingWorkflowTask } = (await handle.describe()).raw;
  return (pendingActivities ?? []).length > 0 || pendingWorkflowTask != null;
}

async function held(handle: WorkflowHandle): Promise<readonly HeldDocument[]> {
  const latest = temporal.client.workflow.getHandle(handle.workflowId);
  return (await latest.query(progressQuery)).held;
}

async function untilHeld(handle: WorkflowHandle, count: number): Promise<readonly HeldDocument[]> {
  for (;;) {
    const now = await held(handle);
    if (now.length === count) return now;
    await delay(50);
  }
}

test('held documents, what was given for them and what has ended go over; nothing is made or settled twice', async () => {
  const world = new FakeWorld(6);
  world.conflicts.add(1).add(4);
  await run(world, 60, async ({ handle }) => {
    const first = await runIdOf(handle);
    await untilAnotherRun(handle, first);
    // Others know it by this.
    const now = await temporal.client.workflow.getHandle(handle.workflowId).describe();
    expect(now.memo).toEqual({ share: 'tender' });
    const asked = await untilHeld(handle, 2);
    expect(asked.map(({ index, question }) => [index, question])).toEqual([
      [1, 'workflow-conflict'],
      [4, 'workflow-conflict'],
    ]);
    const latest = temporal.client.workflow.getHandle(handle.workflowId);
    world.conflicts.clear();
    for (const document of [1, 4]) {
      await latest.executeUpdate(answerUpdate, { args: [{ document, decision: 'retry' }] });
    }
    expect((await handle.result()) as BatchSummary).toMatchObject({ submitted: 6, setApart: 0 });
  });
  expect(new Set(world.revisions).size).toBe(6);
  expect(world.count('createUploads')).toBe(1);
  expect(world.count('linkUploads')).toBe(1);
  const openings = world.calls.filter(({ name }) => name === 'openBatch');
  expect(openings.length).toBeGreaterThan(1);
  expect(JSON.stringify(openings)).not.toContain('carried');
  expect(world.final.outcomes.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3, 4, 5]);
  const noted = world.records.flatMap(record => (record.kind === 'outcome' ? record.outcomes : []));
  expect(noted.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3, 4, 5]);
});

test('the question keeps its beginning and its end', async () => {
  const world = new FakeWorld(2);
  world.policy = { ...POLICY, conflict: { kind: 'wait' }, conflictRetryMs: 300 };
  world.keepsHow = true;
  world.conflicts.add(0);
  await run(world, 60, async ({ handle }) => {
    let runId = await runIdOf(handle);
    const [before] = await untilHeld(handle, 1);
    for (let runs = 0; runs < 3; runs++) runId = await resumeUntilAnotherRun(handle, runId);
    const [after] = await untilHeld(handle, 1);
    expect(after).toMatchObject({ sinceMs: before?.sinceMs, untilMs: before?.untilMs });
    world.conflicts.clear();
    expect(await handle.result()).toMatchObject({ submitted: 2, setApart: 0 });
    expect(world.final.outcomes[0]?.waits).toMatchObject([{ sinceMs: before?.sinceMs, policy: 'wait' }]);
  });
  expect(world.revisions).toHaveLength(2);
});

test('an outage keeps no run from being left, and the next one waits it out', async () => {
  const world = new FakeWorld(3);
  let isOver = false;
  world.onSubmit = () => (isOver ? undefined : { kind: 'unknown' });
  await run(world, 70, async ({ handle }) => {
    const first = await runIdOf(handle);
    while (world.count('probeSubmission') < 1) await delay(20);
    // Each "resume" is a few events.
    for (let round = 0; (await runIdOf(handle)) === first; round++) {
      await temporal.client.workflow.getHandle(handle.workflowId).signal(resumeSignal);
      await delay(50);
      expect(round).toBeLessThan(200);
    }
    const calls = world.count('probeSubmission');
    while (world.count('probeSubmission') <= calls) await delay(20);
    isOver = true;
    await temporal.client.workflow.getHandle(handle.workflowId).signal(resumeSignal);
    expect(await handle.result()).toMatchObject({ submitted: 3, setApart: 0 });
  });
  expect(world.revisions).toHaveLength(3);
  expect(world.count('createUploads')).toBe(1);
});

test('answers given while one run follows another are not lost', async () => {
  const world = new FakeWorld(30);
  for (let index = 0; index < 30; index++) world.conflicts.add(index);
  await run(world, 150, async ({ handle }) => {
    await untilHeld(handle, 30);
    world.conflicts.clear();
    for (let document = 0; document < 30; document++) {
      await temporal.client.workflow
        .getHandle(handle.workflowId)
        .executeUpdate(answerUpdate, { args: [{ document, decision: 'retry' }] });
    }
    expect(await handle.result()).toMatchObject({ submitted: 30, setApart: 0 });
  });
  expect(new Set(world.revisions).size).toBe(30);
});

test('an answer that comes in the moment of leaving is obeyed, whatever became of the conflict', async () => {
  const setApart = { document: 0, decision: 'set-apart' } as const;
  const askAndAnswer = async (continueAfterEvents: number): Promise<number> => {
    const world = new FakeWorld(2);
    world.conflicts.add(0);
    return await run(world, continueAfterEvents, async ({ handle }) => {
      await untilHeld(handle, 1);
      while (world.settled.length === 0 || (await isWorking(handle))) await temporal.nextEvent(handle);
      // Whoever asked for this document now would find nothing in its way.
      world.conflicts.clear();
      const { historyLength } = await handle.describe();
      const latest = temporal.client.workflow.getHandle(handle.workflowId);
      await latest.executeUpdate(answerUpdate, { args: [setApart] });
      expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 1 });
      expect(world.revisions).toHaveLength(1);
      return Number(historyLength);
    });
  };
  const events = await askAndAnswer(10_000);
  // The task of the answer is the first with so long a history.
  await askAndAnswer(events + 1);
});

test('what is handed over of a hundred held documents stays far below the limit of a payload', () => {
  const { documents } = new FakeWorld(100);
  const openHundred = () =>
    new BatchState(
      { share: 'tender', batchId: '20260131-093000-k3f9a2' },
      { project: { companyId: '1', projectId: '2' }, policy: POLICY, documents, known: [] },
      new ActivityCalls('tender'),
    );
  const batch = openHundred();
  for (const state of batch.documents) {
    state.uploadCreated(`01HX${'0'.repeat(22)}` as UploadId);
    state.fileSent({ fileUploadId: `01HX${'1'.repeat(22)}` as FileUploadId, openedAtMs: Date.now() });
    state.linked();
    state.analysisEnded({
      waitedMs: 28_123,
      found: [
        { label: 'Type', value: 'Drawing' },
        { label: 'Number', value: `TEST4-SP-I-${state.document.index}` },
        { label: 'Revision', value: 'P01' },
      ],
      lacked: ['Discipline', 'Volume'],
    });
    const said = 'Type = Drawing, Discipline = Architecture';
    state.keepAnswer({ by: 'Maria Keller', atMs: 1, sinceMs: 0, question: 'missing-values', said });
    // Some have stood in line, each behind another; the others were refused together.
    const { index } = state.document;
    const behind = `revision A of this document, "Package/${index}.pdf" in batch 20260130-120000-aaaaaa`;
    const refused = { atMs: Date.UTC(2026, 1, 3), why: 'A workflow runs.', policy: 'wait' } as const;
    const hasStood = index % 3 === 0;
    state.keepWaits(
      hasStood ? standInLine(undefined, refused.atMs, behind) : meetConflict(undefined, refused),
    );
    state.replan({ Number: `TEST4-SP-I-${state.document.index}`, Status: 'Work in progress' });
    state.hold({
      index: state.document.index,
      path: state.document.path,
      question: 'missing-values',
      reason: {
        ...reason('missing-values'),
        text: 'These required fields are empty: Discipline, Volume. '.repeat(3),
      },
      missing: ['Discipline', 'Volume'],
      sinceMs: Date.now(),
      untilMs: Date.now(),
    });
    state.note('Two requirements apply alike; the fields of both are required. '.repeat(3));
  }
  const handedOver = packDocuments(batch.documents);
  expect(JSON.stringify(handedOver).length).toBeLessThan(64 * 1024);
  const again = openHundred();
  unpackDocuments(again.documents, handedOver);
  const [one, other] = [batch.documents[7], again.documents[7]];
  expect(one?.waits).toHaveLength(1);
  const { analysis, given, waits, held } = one ?? {};
  expect(other).toMatchObject({ analysis, given, waits, held });
});

test('of a call that has not ended nobody tells the next run what it did', () => {
  const [before, after] = [0, 1].map(
    () =>
      new BatchState(
        { share: 'tender', batchId: '20260131-093000-k3f9a2' },
        {
          project: { companyId: '1', projectId: '2' },
          policy: POLICY,
          documents: new FakeWorld(3).documents,
          known: [],
        },
        new ActivityCalls('tender'),
      ),
  );
  const [named, probed, retried] = before?.documents ?? [];
  named?.writeName('A-101');
  probed?.probedNow(true);
  retried?.retriedBeside('now');
  unpackDocuments(after?.documents ?? [], packDocuments(before?.documents ?? []));
  expect(after?.documents).toMatchObject([
    { named: undefined, mayBeSubmitted: false },
    { mayBeSubmitted: true },
    { retried: 'untold' },
  ]);
  named?.nameAnswered();
  probed?.probedNow(false);
  unpackDocuments(after?.documents ?? [], packDocuments(before?.documents ?? []));
  expect(after?.documents).toMatchObject([{ named: 'A-101' }, { mayBeSubmitted: false }, {}]);
});

test('a name that stood still before it was written is written by the run that goes on', async () => {
  const world = new FakeWorld(1);
  world.onRead = () => (world.isWritten ? {} : { rename: { fieldId: 'NAME' as never, values: ['A-101'] } });
  let isSignedIn = false;
  world.onCall = name => {
    if (name !== 'writeValues' || isSignedIn) return;
    throw ApplicationFailure.nonRetryable('Nobody has signed in', 'LOGIN_REQUIRED');
  };
  await run(world, 60, async ({ handle }) => {
    while (world.count('writeValues') < 1) await delay(20);
    await resumeUntilAnotherRun(handle, await runIdOf(handle));
    isSignedIn = true;
    await temporal.client.workflow.getHandle(handle.workflowId).signal(resumeSignal);
    expect(await handle.result()).toMatchObject({ submitted: 1, setApart: 0 });
  });
  expect(world.isWritten).toBe(true);
  const names = world.calls.map(({ name }) => name);
  expect(names.lastIndexOf('writeValues')).toBeLessThan(names.indexOf('submitRevisions'));
});

test('a file that the service has not released goes over with its session, and is not sent again', async () => {
  const world = new FakeWorld(4);
  let isReleased = false;
  world.onTransfer = ({ indexes }) => ({
    files: indexes
      .filter(index => index !== 2)
      .map(index => ({ index, fileUploadId: `F${index}` as never, openedAtMs: Date.now() })),
    refused: [],
    left: [{ index: 2, progress: SENT }],
  });
  world.onAwait = ({ files, releasedMs }) => {
    if (isReleased) return { files, releasedMs, again: [], overdue: [] };
    throw ApplicationFailure.create({ type: 'NOT_RELEASED', nextRetryDelay: '200ms' });
  };
  await run(world, 60, async ({ handle }) => {
    await untilAnotherRun(handle, await runIdOf(handle));
    isReleased = true;
    expect(await handle.result()).toMatchObject({ submitted: 4, setApart: 0 });
  });
  expect(world.count('transferFiles')).toBe(1);
  expect(world.count('createUploads')).toBe(1);
  const asked = world.calls.filter(({ name }) => name === 'awaitFiles').map(({ input }) => input);
  expect(asked.at(-1)).toMatchObject({ files: [{ index: 2, fileUploadId: 'S2', reportedAtMs: 2 }] });
});

/** One file is being sent until `end`; the other late ones are sent, and not released yet. */
function sendForLong(world: FakeWorld, long: number, unreleased: readonly number[] = []): () => void {
  let end = (): void => undefined;
  const ended = new Promise<void>(resolve => {
    end = resolve;
  });
  const late = new Set([long, ...unreleased]);
  world.onTransfer = ({ indexes, isLong }) => ({
    files: indexes
      .filter(index => isLong || !late.has(index))
      .map(index => ({ index, fileUploadId: `F${index}` as never, openedAtMs: Date.now() })),
    refused: [],
    left: isLong
      ? []
      : indexes
          .filter(index => late.has(index))
          .map(index => ({ index, progress: index === long ? null : { ...SENT, sessionId: `S${index}` } })),
  });
  world.onCall = async name => {
    const { input } = world.calls.at(-1) as { input: { isLong?: boolean } };
    if (name === 'transferFiles' && input.isLong) await ended;
  };
  return () => end();
}

/** What waits by itself leaves no events; each "resume" is a few. */
async function resumeUntilLong(handle: WorkflowHandle, events: number): Promise<void> {
  while (Number((await handle.describe()).historyLength) < events) {
    await handle.signal(resumeSignal);
    await delay(50);
  }
}

test('while a file is sent for hours, a long run probes on: the others are submitted when the outage is over', async () => {
  const world = new FakeWorld(3);
  const endSending = sendForLong(world, 2);
  let isOver = false;
  world.onSubmit = () => (isOver ? undefined : { kind: 'unknown' });
  await run(world, 70, async ({ handle }) => {
    while (world.count('probeSubmission') < 1) await delay(20);
    await resumeUntilLong(handle, 90);
    isOver = true;
    await handle.signal(resumeSignal);
    while (world.revisions.length < 2) await delay(20);
    endSending();
    expect(await handle.result()).toMatchObject({ submitted: 3, setApart: 0 });
  });
  expect(new Set(world.revisions).size).toBe(3);
  expect(world.count('createUploads')).toBe(1);
});

test('while a file is sent for hours, a long run links what is released, and tries again what is in conflict', async () => {
  const world = new FakeWorld(4);
  world.policy = { ...POLICY, conflict: { kind: 'wait' }, conflictRetryMs: 300 };
  world.conflicts.add(0);
  const endSending = sendForLong(world, 2, [1]);
  let isReleased = false;
  world.onAwait = ({ files, releasedMs }) => {
    if (isReleased) return { files, releasedMs, again: [], overdue: [] };
    throw ApplicationFailure.create({ type: 'NOT_RELEASED', nextRetryDelay: '200ms' });
  };
  // What is released waits only a moment for others.
  const bundlePath = alterBundle(temporal.bundlePath, folder(), 'hasty', {
    from: 'requests are what is scarce. */ const GATHER_MS = 30000;',
    to: 'requests are what is scarce. */ const GATHER_MS = 300;',
  });
  const work = async ({ handle }: RunningBatch): Promise<void> => {
    await untilHeld(handle, 1);
    await resumeUntilLong(handle, 90);
    isReleased = true;
    while (world.revisions.length < 2) await delay(20);
    world.conflicts.clear();
    while (world.revisions.length < 3) await delay(20);
    endSending();
    expect(await handle.result()).toMatchObject({ submitted: 4, setApart: 0 });
  };
  await run(world, 60, work, { ...temporal, bundlePath });
  expect(new Set(world.revisions).size).toBe(4);
});

const SENT = {
  sessionId: 'S2',
  openedAtMs: Date.now(),
  partEtags: ['etag'],
  finished: true,
  available: false,
  reportedAtMs: 2,
};
