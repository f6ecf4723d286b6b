// The coordinator of a project on a real server: asked and told as the activities do it.
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { type InjectedSinks, Worker } from '@temporalio/worker';
import { createOrderActivities } from '../../../activities/revision-order/order-activities';
import { createCoordinators, createProjectRuns } from '../../../workers/coordinators';
import { createLogger } from '../../../workers/logging';
import {
  ingestWorkflowId,
  type ProjectRef,
  SERVICE_TASK_QUEUE,
  shareTaskQueue,
} from '../../../workflows/contract';
import type {
  OrderedBatch,
  OvertakenNote,
  TurnQuestion,
} from '../../../workflows/revision-order/decide/turns';
import { orderWorkflowId } from '../../../workflows/revision-order/order-contract';
import { alterBundle } from '../../setup/altered-bundle';
import type { CommandSinks } from '../../setup/command-recorder';
import { pausesBefore } from '../../setup/pauses';
import { recordHistory } from '../../setup/recorded-histories';
import { recordingBundle } from '../../setup/temporal';
import { startNamespace, type TestNamespace } from '../../setup/temporal-namespace';
import { useTemporaryFolder } from '../../setup/temporary-folder';
import { FakeWorld } from '../fake-activities';

jest.setTimeout(60_000);

let temporal: TestNamespace;
let project: ProjectRef;
let noted: OvertakenNote[];
const folder = useTemporaryFolder();
beforeAll(async () => {
  temporal = await startNamespace();
});
afterAll(async () => {
  await temporal.close();
});
beforeEach(() => {
  project = { companyId: '1', projectId: randomUUID() };
  noted = [];
});

const coordinatorsOf = () => createCoordinators(temporal.client, createLogger({ level: 'silent' }));

interface Build {
  readonly codePath: string;
  readonly sinks?: InjectedSinks<CommandSinks>;
}

/**
 * A worker for workflows, and one for the share of the earlier batch that takes notes; a batch that is opened
 * there has its receipt already.
 */
async function withWorkers<Result>(
  work: () => Promise<Result>,
  { codePath, sinks }: Build = { codePath: temporal.bundlePath },
): Promise<Result> {
  const common = { connection: temporal.native, namespace: temporal.namespace };
  const service = await Worker.create({
    ...common,
    taskQueue: SERVICE_TASK_QUEUE,
    workflowBundle: { codePath },
    ...(sinks === undefined ? {} : { sinks }),
    activities: {
      ...new FakeWorld(1).activities(),
      ...createOrderActivities(new AbortController().signal, createProjectRuns(temporal.client)),
    },
  });
  return await service.runUntil(serveShare('architect', work));
}

async function serveShare<Result>(share: string, work: Promise<Result> | (() => Promise<Result>)) {
  const worker = await Worker.create({
    connection: temporal.native,
    namespace: temporal.namespace,
    taskQueue: shareTaskQueue(share),
    activities: {
      noteOvertaken: async (note: OvertakenNote) => void noted.push(note),
      openBatch: async () => ({ kind: 'settled', summary: {} }),
    },
  });
  return await worker.runUntil(work);
}

/** A run that stands still before its batch is open, where nobody serves its share. */
async function startRun(batchId: string, share = 'nobody-serves-it'): Promise<WorkflowHandle> {
  return await temporal.client.workflow.start('ingestBatchWorkflow', {
    workflowId: ingestWorkflowId(project, batchId),
    taskQueue: SERVICE_TASK_QUEUE,
    args: [{ share, batchId }],
  });
}

const EARLIER = '20260131-093000-aaaaaa';
const LATER = '20260131-093000-bbbbbb';

function batch(batchId: string, share: string, claimed: number): OrderedBatch {
  return {
    batchId,
    share,
    claimedAt: new Date(1_700_000_000_000 + claimed).toISOString(),
    documents: [{ index: 0, keys: ['name a', 'number a'], modifiedNs: '0' }],
  };
}

function question(batchId: string, passAfterMs = 3_600_000): TurnQuestion {
  return { batchId, indexes: [0], ended: [], matches: [], behind: [], passAfterMs, confirmed: [] };
}

async function turnsSaid(run: WorkflowHandle): Promise<number> {
  const { events } = await run.fetchHistory();
  return (events ?? []).filter(event => event.workflowExecutionSignaledEventAttributes?.signalName === 'turn')
    .length;
}

async function untilTurns(run: WorkflowHandle, count: number): Promise<void> {
  while ((await turnsSaid(run)) < count) await temporal.nextEvent(run);
}

/** The list lags behind what it lists. */
async function untilListed({ workflowId }: WorkflowHandle): Promise<void> {
  const query = `WorkflowId = '${workflowId}' AND ExecutionStatus = 'Running'`;
  for (;;) for await (const _run of temporal.client.workflow.list({ query })) return;
}

function coordinator(): WorkflowHandle {
  return temporal.client.workflow.getHandle(orderWorkflowId(project));
}

test('the later one waits, whoever asks first, and is woken when the earlier has ended', async () => {
  await withWorkers(async () => {
    const coordinators = coordinatorsOf();
    const later = await startRun(LATER);
    await coordinators.register(project, batch(LATER, 'structural', 2));
    await coordinators.register(project, batch(EARLIER, 'architect', 1));
    expect(await coordinators.ask(project, question(LATER))).toMatchObject({
      waiting: [{ index: 0, behind: { batchId: EARLIER, share: 'architect' } }],
    });
    expect(await coordinators.ask(project, question(EARLIER))).toMatchObject({ waiting: [] });
    const before = await turnsSaid(later);
    await coordinators.ended(project, EARLIER);
    await untilTurns(later, before + 1);
    expect(await coordinators.ask(project, question(LATER))).toMatchObject({ waiting: [] });
    await coordinators.ended(project, LATER);
    await recordHistory(coordinator());
    await later.terminate();
  });
});

test('whoever waits for a document is woken when its batch says what it has, and that is not among it', async () => {
  await withWorkers(async () => {
    const coordinators = coordinatorsOf();
    const later = await startRun(LATER);
    const earlier = batch(EARLIER, 'architect', 1);
    const others = [{ index: 1, keys: ['name b'], modifiedNs: '0' }];
    await coordinators.register(project, { ...earlier, documents: [...earlier.documents, ...others] });
    await coordinators.register(project, batch(LATER, 'structural', 2));
    await coordinators.ask(project, question(LATER));
    const before = await turnsSaid(later);
    await coordinators.register(project, { ...earlier, documents: others });
    await untilTurns(later, before + 1);
    expect(await coordinators.ask(project, question(LATER))).toMatchObject({ waiting: [] });
    await coordinators.ended(project, LATER);
    await recordHistory(coordinator());
    await later.terminate();
  });
});

test('ended by a person, it begins anew with whoever speaks next, and has the runs of the project heard', async () => {
  await withWorkers(async () => {
    const coordinators = coordinatorsOf();
    const earlier = await startRun(EARLIER);
    await untilListed(earlier);
    await coordinators.register(project, batch(EARLIER, 'architect', 1));
    await coordinators.register(project, batch(LATER, 'structural', 2));
    await coordinators.ask(project, question(LATER));
    await coordinator().terminate();
    expect(await coordinators.ask(project, question(LATER))).toEqual({ kind: 'unregistered' });
    await coordinators.ended(project, EARLIER, [5]);
    await coordinators.register(project, batch(LATER, 'structural', 2));
    // What the run does when it hears that: it says what it has.
    const answer = coordinators.ask(project, question(LATER));
    await untilTurns(earlier, 1);
    await coordinators.register(project, batch(EARLIER, 'architect', 1));
    expect(await answer).toMatchObject({ waiting: [{ index: 0, behind: { batchId: EARLIER } }] });
    await recordHistory(coordinator());
    await earlier.terminate();
  });
});

test('a batch whose run was ended is passed after its time, and that is noted where it lies', async () => {
  await withWorkers(async () => {
    const coordinators = coordinatorsOf();
    const [earlier, later] = [await startRun(EARLIER), await startRun(LATER)];
    await coordinators.register(project, batch(EARLIER, 'architect', 1));
    await coordinators.register(project, batch(LATER, 'structural', 2));
    await coordinators.ask(project, question(LATER, 600));
    const before = await turnsSaid(later);
    await earlier.terminate();
    // It is seen to stand still, and then to have stood still for long enough.
    await untilTurns(later, before + 2);
    expect(await coordinators.ask(project, question(LATER, 600))).toMatchObject({
      waiting: [],
      passing: [{ index: 0, before: { batchId: EARLIER, share: 'architect' } }],
    });
    while (noted.length === 0) await temporal.nextEvent(later);
    expect(noted).toEqual([
      {
        batchId: EARLIER,
        share: 'architect',
        documents: [{ index: 0, by: { batchId: LATER, share: 'structural' } }],
      },
    ]);
    await coordinators.ended(project, LATER);
    await coordinators.register(project, batch(EARLIER, 'architect', 1));
    expect(await coordinators.ask(project, question(EARLIER))).toMatchObject({
      overtaken: [{ index: 0, by: { batchId: LATER } }],
    });
    await recordHistory(coordinator());
    await later.terminate();
  });
});

test('as long as somebody runs the batch in front, it is looked at the less often the longer others wait', async () => {
  await withWorkers(async () => {
    const coordinators = coordinatorsOf();
    const [earlier, later] = [await startRun(EARLIER), await startRun(LATER)];
    await coordinators.register(project, batch(EARLIER, 'architect', 1));
    await coordinators.register(project, batch(LATER, 'structural', 2));
    await coordinators.ask(project, question(LATER, 300));
    const pauses = await pausesBefore(coordinator(), 'lookAtRuns', 4);
    expect(pauses).toEqual([...pauses].sort((one, other) => one - other));
    expect(pauses.at(-1)).toBeGreaterThan(3 * pauses[0]!);
    // Seen to stand still, it is passed in its time all the same.
    await earlier.terminate();
    const before = await turnsSaid(later);
    await untilTurns(later, before + 2);
    expect(await coordinators.ask(project, question(LATER, 300))).toMatchObject({ waiting: [] });
    await coordinators.ended(project, LATER);
    await recordHistory(coordinator());
    await later.terminate();
  });
});

test('it goes on in another run with all it knows when its history has grown, and says nothing twice', async () => {
  await withWorkers(async () => {
    const coordinators = coordinatorsOf();
    const later = await startRun(LATER);
    const begun = await temporal.client.workflow.start('projectOrderWorkflow', {
      workflowId: orderWorkflowId(project),
      taskQueue: SERVICE_TASK_QUEUE,
      args: [{ project, continueAfterEvents: 40 }],
    });
    await coordinators.register(project, batch(EARLIER, 'architect', 1));
    await coordinators.register(project, batch(LATER, 'structural', 2));
    await coordinators.ask(project, question(LATER));
    const before = await turnsSaid(later);
    const first = await begun.describe();
    for (;;) {
      await coordinators.ended(project, 'another-batch');
      if ((await coordinator().describe()).runId !== first.runId) break;
    }
    expect(await coordinators.ask(project, question(LATER))).toMatchObject({
      waiting: [{ index: 0, behind: { batchId: EARLIER } }],
    });
    expect(await turnsSaid(later)).toBe(before);
    await coordinators.ended(project, EARLIER);
    await untilTurns(later, before + 1);
    await recordHistory(temporal.client.workflow.getHandle(orderWorkflowId(project), first.runId));
    await later.terminate();
  });
});

test('what cannot be read is refused or left, and stops nothing', async () => {
  await withWorkers(async () => {
    const coordinators = coordinatorsOf();
    await coordinators.register(project, batch(EARLIER, 'architect', 1));
    await coordinator().signal('register', { nonsense: true });
    await coordinator().signal('ended', 7);
    await expect(coordinator().executeUpdate('turns', { args: [{ batchId: 3 }] })).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/cannot be used:\n- "batchId"/) },
    });
    expect(await coordinators.ask(project, question(EARLIER))).toMatchObject({ waiting: [] });
  });
});

describe('when nothing is heard for ten minutes', () => {
  /** The same build, with ten minutes that are short. */
  const impatient = (codePath: string): string =>
    alterBundle(codePath, folder(), 'impatient', {
      from: 'const IDLE_MS = 10 * 60000;',
      to: 'const IDLE_MS = 300;',
    });

  async function eventsOf(run: WorkflowHandle) {
    return (await run.fetchHistory()).events ?? [];
  }

  /** How often it was looked at runs, and how many waits were over. */
  async function looksAndWaits(): Promise<{ looks: number; waits: number }> {
    const events = await eventsOf(coordinator());
    return {
      looks: events.filter(
        event => event.activityTaskScheduledEventAttributes?.activityType?.name === 'lookAtRuns',
      ).length,
      waits: events.filter(event => event.timerFiredEventAttributes != null).length,
    };
  }

  /** Until it has begun for so many times to wait for nothing but what it is told. */
  async function untilStill(times = 1): Promise<void> {
    const isLong = (seconds: unknown): boolean => Number(seconds) >= 1;
    for (;;) {
      const begun = (await eventsOf(coordinator())).filter(({ timerStartedEventAttributes: timer }) =>
        isLong(timer?.startToFireTimeout?.seconds),
      );
      if (begun.length >= times) return;
      await temporal.nextEvent(coordinator());
    }
  }

  test('it looks once at the runs that it knows of: one whose end was not told is forgotten', async () => {
    await withWorkers(
      async () => {
        const coordinators = coordinatorsOf();
        await (await startRun(EARLIER, 'architect')).result();
        const later = await startRun(LATER);
        await coordinators.register(project, batch(EARLIER, 'architect', 1));
        await coordinators.register(project, batch(LATER, 'structural', 2));
        await untilStill();
        expect((await looksAndWaits()).looks).toBe(1);
        expect(await coordinators.ask(project, question(LATER))).toMatchObject({
          kind: 'turns',
          waiting: [],
        });
        // What was heard may be that another has ended without a word.
        await untilStill(2);
        expect((await looksAndWaits()).looks).toBe(2);
        await coordinators.ended(project, LATER);
        await coordinator().result();
        expect(await looksAndWaits()).toMatchObject({ looks: 2, waits: 3 });
        await later.terminate();
      },
      { codePath: impatient(temporal.bundlePath) },
    );
  });

  test('nothing but a day ends its wait then, and one that was ended meanwhile is forgotten', async () => {
    const aDay = (codePath: string): string =>
      alterBundle(codePath, folder(), 'a-day', {
        from: 'const STILL_MS = 24 * 60 * 60000;',
        to: 'const STILL_MS = 1500;',
      });
    await withWorkers(
      async () => {
        const coordinators = coordinatorsOf();
        const later = await startRun(LATER);
        await coordinators.register(project, batch(LATER, 'nobody-serves-it', 2));
        await untilStill();
        expect((await looksAndWaits()).looks).toBe(1);
        await serveShare('nobody-serves-it', later.result());
        await coordinator().result();
        expect((await looksAndWaits()).looks).toBeGreaterThan(1);
      },
      { codePath: aDay(impatient(temporal.bundlePath)) },
    );
  });

  test('it ends where nothing is on its way, and the next batch starts another', async () => {
    await withWorkers(
      async () => {
        const coordinators = coordinatorsOf();
        await coordinators.register(project, batch(EARLIER, 'architect', 1));
        await coordinators.ended(project, EARLIER);
        await coordinator().result();
        expect(await looksAndWaits()).toMatchObject({ looks: 0 });
        expect(await coordinators.ask(project, question(LATER))).toEqual({ kind: 'unregistered' });
        await coordinators.register(project, batch(LATER, 'structural', 2));
        expect(await coordinators.ask(project, question(LATER))).toMatchObject({
          kind: 'turns',
          waiting: [],
        });
        await coordinator().terminate();
      },
      { codePath: impatient(temporal.bundlePath) },
    );
  });

  test('a batch that registers in the very moment of its end is not lost', async () => {
    const coordinators = coordinatorsOf();
    let isRegistered = false;
    // It has decided to end; what is told before the server knows that is for it to hear.
    const registerAtEnd = async (workflowType: string, kind: string): Promise<void> => {
      if (workflowType !== 'projectOrderWorkflow' || kind !== 'end' || isRegistered) return;
      isRegistered = true;
      await coordinators.register(project, batch(LATER, 'structural', 2));
    };
    const sinks: InjectedSinks<CommandSinks> = {
      commands: { told: { fn: ({ workflowType }, { kind }) => registerAtEnd(workflowType, kind) } },
    };
    await withWorkers(
      async () => {
        await coordinators.register(project, batch(EARLIER, 'architect', 1));
        const { runId } = await coordinator().describe();
        await coordinators.ended(project, EARLIER);
        while (!isRegistered) await temporal.nextEvent(coordinator());
        await coordinators.register(project, batch(EARLIER, 'architect', 1));
        expect(await coordinators.ask(project, question(LATER))).toMatchObject({
          waiting: [{ index: 0, behind: { batchId: EARLIER } }],
        });
        expect((await coordinator().describe()).runId).toBe(runId);
        await coordinator().terminate();
      },
      { codePath: impatient(recordingBundle()), sinks },
    );
  });
});
