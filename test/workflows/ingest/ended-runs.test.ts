// A run that was ended (by a person, or by a failure) is gone on with by a reset: Temporal dispatches what
// was pending again, with its old input and as a first attempt, and the batch comes to its end without asking
// twice. On a real server.
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { inScope } from '../../../activities/scope/activity-scope';
import { BatchContinuer } from '../../../client/resume/continue-batch';
import { explainEnding, type HistoryEvent } from '../../../client/resume/stopped-history';
import { BatchStarter } from '../../../client/session/start-batch';
import { type InLine, turnSignal } from '../../../workflows/contract';
import { answerUpdate } from '../../../workflows/ingest/answer-contract';
import {
  type BatchProgress,
  type BatchSummary,
  progressQuery,
} from '../../../workflows/ingest/ingest-contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld, POLICY } from '../fake-activities';
import { type RunningBatch, runBatch } from '../run-batch';

jest.setTimeout(60_000);

const temporal = useNamespace();

interface Dispatch {
  readonly attempt: number;
  readonly runId: string | undefined;
  readonly asked: string;
}

/**
 * The first submission is heard at once, and its answer is not until `letGo`; otherwise it does what the real
 * one does.
 */
class LateWorld extends FakeWorld {
  readonly dispatched: Dispatch[] = [];
  letGo: () => void = () => undefined;
  readonly #answer = new Promise<void>(resolve => {
    this.letGo = resolve;
  });

  override activities(): ReturnType<FakeWorld['activities']> {
    const fakes = super.activities();
    return {
      ...fakes,
      submitRevisions: async input => {
        const { attempt, workflowExecution } = Context.current().info;
        const dispatch = { attempt, runId: workflowExecution?.runId, asked: input.asked.runId };
        this.dispatched.push(dispatch);
        const isFirst = this.dispatched.length === 1;
        const never = new AbortController().signal;
        const result = await inScope(
          never,
          async scope =>
            scope.attempt > 1 ? { kind: 'unknown' as const } : await fakes.submitRevisions(input),
          input.asked,
        );
        if (isFirst) await this.#answer;
        return result;
      },
    };
  }
}

/** As `resume` does. */
async function goOn({ handle }: RunningBatch, state: 'terminated' | 'cancelled' | 'failed'): Promise<void> {
  const continuer = new BatchContinuer(
    temporal.client,
    new BatchStarter(temporal.client, { hasSearchAttributes: false }),
  );
  const { workflowId, runId } = await temporal.client.workflow.getHandle(handle.workflowId).describe();
  const stopped = {
    batchId: '20260131-093000-k3f9a2',
    workflowId,
    runId,
    projectId: '2',
    state,
    reason: { code: state, text: 'by a person' },
  };
  const plan = await continuer.plan(stopped);
  expect(plan.kind).toBe('reset');
  expect(await continuer.carryOut(stopped, plan)).toEqual({ kind: 'done' });
}

test('terminated with a submission in flight: what is dispatched again is looked at, and nothing is submitted twice', async () => {
  const world = new LateWorld(2);
  world.needsAnalysis = index => index === 1;
  await runBatch(temporal, world, async running => {
    const { handle } = running;
    // The other document has come to its end, so that the run is reset to long after the first submission was
    // asked for.
    while (world.revisions.length < 2 || !world.records.some(({ kind }) => kind === 'outcome'))
      await temporal.nextEvent(handle);
    await handle.terminate('by mistake');
    try {
      await goOn(running, 'terminated');
      const again = temporal.client.workflow.getHandle(handle.workflowId);
      expect((await again.result()) as BatchSummary).toMatchObject({ submitted: 2, setApart: 0 });
    } finally {
      world.letGo();
    }
  });
  const [first, other, repeated] = world.dispatched;
  expect(world.dispatched).toHaveLength(3);
  expect(other?.runId).toBe(first?.runId);
  expect(repeated).toEqual({
    attempt: 1,
    runId: expect.not.stringMatching(first?.runId ?? ''),
    asked: first?.asked,
  });
  expect(world.revisions).toHaveLength(2);
  expect(world.final.outcomes.map(({ index, kind }) => [index, kind]).sort()).toEqual([
    [0, 'submitted'],
    [1, 'submitted'],
  ]);
});

async function untilProgress(
  { handle }: RunningBatch,
  isSo: (progress: BatchProgress) => boolean,
): Promise<void> {
  while (!isSo(await handle.query(progressQuery))) await temporal.nextEvent(handle);
}

async function eventsOf({ handle }: RunningBatch): Promise<readonly HistoryEvent[]> {
  return (await handle.fetchHistory()).events ?? [];
}

/** The run that goes on under the same id. */
async function resultOfNext({ handle }: RunningBatch): Promise<BatchSummary> {
  return (await temporal.client.workflow.getHandle(handle.workflowId).result()) as BatchSummary;
}

interface Waiting {
  readonly world: FakeWorld;
  /** It waits as it is meant to. */
  readonly isThere: (progress: BatchProgress) => boolean;
  /** What it waits for is over. */
  readonly repair: () => void;
  /** Once the next run goes on. */
  readonly answer?: (running: RunningBatch) => Promise<void>;
}

function heldForAnAnswer(): Waiting {
  const world = new FakeWorld(2);
  world.conflicts.add(0);
  return {
    world,
    isThere: ({ held }) => held.length === 1 && world.settled.length === 1,
    repair: () => world.conflicts.clear(),
    answer: async ({ handle }) => {
      const next = temporal.client.workflow.getHandle(handle.workflowId);
      // What a reset leaves out is done again first, the asking too.
      while ((await next.query(progressQuery)).held.length === 0) await temporal.nextEvent(next);
      await next.executeUpdate(answerUpdate, { args: [{ document: 0, decision: 'retry' }] });
    },
  };
}

function blocked(type: 'LOGIN_REQUIRED' | 'ACCESS_DENIED'): Waiting {
  const world = new FakeWorld(2);
  let isRepaired = false;
  world.onCall = name => {
    if (name === 'submitRevisions' && !isRepaired) throw ApplicationFailure.nonRetryable('taken away', type);
  };
  return {
    world,
    isThere: progress => progress.blocked?.reason.code === type,
    repair: () => {
      isRepaired = true;
    },
  };
}

function pollingTheAnalysis(): Waiting {
  const world = new FakeWorld(2);
  world.needsAnalysis = () => true;
  let repair = (): void => undefined;
  const isAnalysed = new Promise<void>(resolve => {
    repair = resolve;
  });
  let isPolled = false;
  world.onCall = async name => {
    if (name !== 'readUploads') return;
    isPolled = true;
    await isAnalysed;
  };
  return { world, isThere: () => isPolled, repair };
}

function waitingOutAConflict(): Waiting {
  const world = new FakeWorld(2);
  world.policy = { ...POLICY, conflict: { kind: 'wait' }, conflictRetryMs: 3_600_000 };
  world.conflicts.add(0);
  return {
    world,
    isThere: ({ held }) => held.length === 1 && world.settled.length === 1,
    repair: () => world.conflicts.clear(),
  };
}

describe('cancelled by hand, the run ends at once and resume carries the batch to its end', () => {
  test.each<[string, () => Waiting]>([
    ['while a document is held for an answer', heldForAnAnswer],
    ['while the credentials are wrong', () => blocked('LOGIN_REQUIRED')],
    ['while a permission is missing', () => blocked('ACCESS_DENIED')],
    ['while the analysis is polled', pollingTheAnalysis],
    ['while it waits out a conflict', waitingOutAConflict],
  ])('%s', async (_, toWaiting) => {
    const { world, isThere, repair, answer } = toWaiting();
    await runBatch(temporal, world, async running => {
      try {
        await untilProgress(running, isThere);
        const submitted = world.count('submitRevisions');
        await running.handle.cancel();
        await expect(running.handle.result()).rejects.toThrow('cancelled');
        const events = await eventsOf(running);
        expect(explainEnding(events.at(-1)).code).toBe('cancelled');
        const asked = events.findIndex(
          event => event.workflowExecutionCancelRequestedEventAttributes != null,
        );
        expect(events.slice(asked).filter(isBegun)).toEqual([]);
        expect(world.count('submitRevisions')).toBe(submitted);
        repair();
        await goOn(running, 'cancelled');
        await answer?.(running);
        expect(await resultOfNext(running)).toMatchObject({ submitted: 2, setApart: 0 });
      } finally {
        repair();
      }
    });
    expect(world.count('createUploads')).toBe(1);
    expect(world.revisions).toHaveLength(2);
  });
});

/** Something that the run began. */
function isBegun({
  activityTaskScheduledEventAttributes,
  timerStartedEventAttributes,
}: HistoryEvent): boolean {
  return activityTaskScheduledEventAttributes != null || timerStartedEventAttributes != null;
}

test('a failure in the background ends the run at once with its own reason, and the rest goes on with resume', async () => {
  const world = new FakeWorld(4);
  const behind: InLine['behind'] = { batchId: '20260130-120000-aaaaaa', index: 3 };
  let isTurn = false;
  world.behind = index => (index === 1 || (index === 2 && !isTurn) ? behind : undefined);
  world.conflicts.add(0);
  let isBroken = true;
  world.onCall = name => {
    if (name === 'readUploads' && isTurn && isBroken)
      throw ApplicationFailure.nonRetryable('a mistake', 'BUG');
  };
  await runBatch(temporal, world, async running => {
    const { handle } = running;
    await untilProgress(
      running,
      ({ held, inLine }) => held.length === 1 && inLine?.length === 2 && world.settled.length === 1,
    );
    isTurn = true;
    await handle.signal(turnSignal, {});
    await expect(handle.result()).rejects.toMatchObject({ cause: { cause: { type: 'BUG' } } });
    const events = await eventsOf(running);
    expect(explainEnding(events.at(-1))).toEqual({ code: 'BUG', text: 'a mistake' });
    isBroken = false;
    world.behind = () => undefined;
    world.conflicts.clear();
    await goOn(running, 'failed');
    const next = temporal.client.workflow.getHandle(handle.workflowId);
    await next.executeUpdate(answerUpdate, { args: [{ document: 0, decision: 'retry' }] });
    expect(await resultOfNext(running)).toMatchObject({ submitted: 4, setApart: 0 });
  });
  expect(world.count('createUploads')).toBe(1);
  expect(world.revisions).toHaveLength(4);
});
