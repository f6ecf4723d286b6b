// Runs that are no batches: `status` shows them with what they wait for, `resume` and a login let them go on.
import { randomUUID } from 'node:crypto';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { describeStatus } from '../../../client/commands/status';
import {
  countUnanswered,
  describeUnanswered,
  describeWokenRuns,
  isWantedRun,
  listOtherRuns,
  listWantedRuns,
  MOST_SHOWN,
  type OtherRun,
  wakeOtherRuns,
} from '../../../client/resume/other-runs';
import { wakeAfterLogin } from '../../../client/resume/wake-after-login';
import { findUnserved } from '../../../client/status/unserved';
import { SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import { startNamespace, type TestNamespace } from '../../setup/temporal-namespace';

let temporal: TestNamespace;
beforeEach(async () => {
  temporal = await startNamespace();
});
afterEach(async () => {
  await temporal.close();
});

const input = { companyId: '5001', projectId: '7001', type: 'Safety', name: 'Open edge' };

async function startObservation(more: object = {}): Promise<string> {
  const workflowId = `observation/7001/${randomUUID()}`;
  await temporal.client.workflow.start('observationWorkflow', {
    workflowId,
    taskQueue: SERVICE_TASK_QUEUE,
    args: [{ ...input, ...more }],
  });
  return workflowId;
}

/** The list lags behind what it lists. */
async function until(isSeen: (runs: readonly OtherRun[]) => boolean): Promise<readonly OtherRun[]> {
  for (;;) {
    const runs = await listOtherRuns(temporal.client);
    if (isSeen(runs)) return runs;
  }
}

/** `broken` until it is taken out, then the name resolves to nothing and the run ends. */
function brokenActivities(code: string) {
  const state = { broken: true };
  const resolveObservation = async () => {
    if (state.broken) throw ApplicationFailure.nonRetryable(`it says ${code}`, code);
    return { kind: 'unresolved', reasons: [{ code: 'type', text: 'No such type.', fix: '' }] };
  };
  return { state, activities: { resolveObservation } };
}

async function withWorker<Result>(activities: object, work: () => Promise<Result>): Promise<Result> {
  const worker = await Worker.create({
    connection: temporal.native,
    namespace: temporal.namespace,
    taskQueue: SERVICE_TASK_QUEUE,
    workflowBundle: { codePath: temporal.bundlePath },
    activities,
  });
  return await worker.runUntil(work);
}

const report = (others: readonly OtherRun[]) => ({
  away: [],
  unserved: [],
  shares: [],
  batches: [],
  waiting: [],
  others,
});

test('one that waits for a right is shown with the reason and the command, and goes on when it is told', async () => {
  const { state, activities } = brokenActivities('ACCESS_DENIED');
  await withWorker(activities, async () => {
    const workflowId = await startObservation();
    const runs = await until(all => all.some(({ progress }) => progress?.blocked !== undefined));
    const text = describeStatus(report(runs), 'drawbridge', new Date());
    expect(text).not.toContain('No batches yet');
    expect(text).toContain(workflowId);
    expect(text).toMatch(/waits? for a person:[\s\S]*It says ACCESS_DENIED/);
    expect(text).toContain(`drawbridge resume ${workflowId}`);

    expect(await wakeOtherRuns(temporal.client, runs, true)).toMatchObject([{ result: 'would be told' }]);
    state.broken = false;
    const woken = await wakeOtherRuns(temporal.client, runs);
    expect(woken).toMatchObject([{ result: 'told' }]);
    expect(describeWokenRuns(woken)).toContain(workflowId);
    await expect(temporal.client.workflow.getHandle(workflowId).result()).rejects.toBeInstanceOf(
      WorkflowFailedError,
    );
    expect(await wakeOtherRuns(temporal.client, runs)).toMatchObject([{ result: 'has ended' }]);
  });
});

test('a login wakes those that wait for one, and leaves the others', async () => {
  const login = brokenActivities('LOGIN_REQUIRED');
  await withWorker(login.activities, async () => {
    const workflowId = await startObservation();
    await until(all => all.some(({ progress }) => progress?.blocked !== undefined));
    login.state.broken = false;
    expect(await wakeAfterLogin({ client: temporal.client })).toEqual({ told: 1, unanswered: 0 });
    await expect(temporal.client.workflow.getHandle(workflowId).result()).rejects.toBeInstanceOf(
      WorkflowFailedError,
    );
  });
  const rights = brokenActivities('ACCESS_DENIED');
  await withWorker(rights.activities, async () => {
    await startObservation();
    await until(all => all.some(({ progress }) => progress?.blocked !== undefined));
    expect(await wakeAfterLogin({ client: temporal.client })).toEqual({ told: 0, unanswered: 0 });
  });
});

/** Of its share alone, and of this one run. */
async function expectUnserved(runs: readonly OtherRun[]): Promise<void> {
  expect(runs).toMatchObject([{ share: 'tender' }]);
  for (;;) {
    // The worker's own queue shows its poller a moment later.
    const unserved = await findUnserved(temporal.client, [], runs);
    if (unserved.length > 1) continue;
    expect(unserved).toEqual([{ share: 'tender', batches: 0, others: 1, documents: 0 }]);
    return;
  }
}

test('photos on a share that nobody serves: the run is named under that share', async () => {
  const activities = {
    resolveObservation: async () => ({ kind: 'resolved', typeId: '1', distributionMemberIds: [] }),
    findTwins: async () => [],
  };
  await withWorker(activities, async () => {
    await startObservation({ share: 'tender', attachments: ['a.jpg'] });
    const runs = await until(all => all.some(({ progress }) => progress?.step === 'Making the observation'));
    await expectUnserved(runs);
  });
});

test('files that somebody asked for on a share that nobody serves: the run is named under that share', async () => {
  // It serves what needs no share.
  await withWorker(brokenActivities('ACCESS_DENIED').activities, async () => {
    await temporal.client.workflow.start('ingestFilesWorkflow', {
      workflowId: `submit/tender/${randomUUID()}`,
      taskQueue: SERVICE_TASK_QUEUE,
      args: [{ share: 'tender', paths: ['a.pdf'] }],
    });
    await expectUnserved(await until(all => all.some(({ progress }) => progress !== undefined)));
  });
});

/** So many run that only the oldest, which is listed last, is beyond what `status` looks at. */
function manyRuns() {
  const runs = Array.from({ length: MOST_SHOWN + 1 }, (_, number) => ({
    workflowId: `observation/7001/${number}`,
    runId: String(number),
    type: 'observationWorkflow',
    status: { name: 'RUNNING' },
    startTime: new Date(0),
  }));
  const blocked = { sinceMs: 0, reason: { code: 'LOGIN_REQUIRED', text: 'Sign in.', fix: '' } };
  const told: string[] = [];
  const askedFor: string[] = [];
  const state = { isAnswered: true };
  const client = {
    options: { namespace: 'default' },
    withDeadline: <T>(_at: number, work: () => T) => work(),
    workflow: {
      list: async function* ({ query }: { query: string }) {
        if (!query.startsWith("WorkflowType = 'ingestBatchWorkflow'")) yield* runs;
      },
      getHandle: (workflowId: string) => ({
        query: async () => {
          askedFor.push(workflowId);
          if (!state.isAnswered) throw Object.assign(new Error('too late'), { code: 4 });
          return { step: '', notes: [], ...(workflowId === runs.at(-1)?.workflowId ? { blocked } : {}) };
        },
        describe: async () => ({ raw: { pendingActivities: [] } }),
        signal: async () => told.push(workflowId),
      }),
    },
  } as unknown as Client;
  return { client, told, askedFor, state, oldest: `observation/7001/${MOST_SHOWN}` };
}

test('of very many runs `resume` and a login find the oldest as well', async () => {
  const { client, told, oldest } = manyRuns();
  const woken = await wakeOtherRuns(client, await listOtherRuns(client));
  expect(woken.map(({ run, result }) => [run.workflowId, result])).toEqual([[oldest, 'told']]);
  expect(await wakeAfterLogin({ client })).toEqual({ told: 1, unanswered: 0 });
  expect(told).toEqual([oldest, oldest]);
});

test('`resume` asks none of which the id tells that it is not meant', async () => {
  const { client, askedFor, oldest } = manyRuns();
  const { wanted } = await listWantedRuns(client, { batchId: String(MOST_SHOWN) });
  expect(wanted.map(({ workflowId }) => workflowId)).toEqual([oldest]);
  expect(askedFor).toEqual([oldest]);
  expect(await listWantedRuns(client, { projectId: '7002' })).toEqual({ wanted: [], unanswered: 0 });
  expect(await listWantedRuns(client, { document: 'a.pdf' })).toEqual({ wanted: [], unanswered: 0 });
  expect(askedFor).toEqual([oldest]);
});

test('those that did not answer are counted, and told', async () => {
  const { client, state } = manyRuns();
  state.isAnswered = false;
  const unanswered = MOST_SHOWN + 1;
  expect(await listWantedRuns(client, {})).toEqual({ wanted: [], unanswered });
  expect(await wakeAfterLogin({ client })).toEqual({ told: 0, unanswered });
  const silent = [{ workflow: 'keepFieldsWorkflow' }, { workflow: 'keepTemplateWorkflow' }];
  const asked = [{ workflow: 'observationWorkflow' }, { workflow: 'ingestFilesWorkflow' }];
  expect(countUnanswered([...silent, ...asked])).toBe(2);
  expect(describeUnanswered(unanswered)).toBe(
    `${unanswered} other runs did not answer and were not looked at; run it again.`,
  );
  expect(describeUnanswered(1)).toBe('1 other run did not answer and was not looked at; run it again.');
  expect(describeUnanswered(0)).toBe('');
});

test('of very many runs `status` looks at the newest, and says so', async () => {
  const { client } = manyRuns();
  const others = await listOtherRuns(client, MOST_SHOWN);
  const said = `No more than the newest ${MOST_SHOWN} of the other runs were looked at. \`drawbridge resume --dry-run\` looks at all of them.`;
  expect(describeStatus(report(others), 'drawbridge', new Date())).toContain(said);
  expect(describeStatus(report(others.slice(1)), 'drawbridge', new Date())).not.toContain('looked at');
});

describe('the filters of `resume`', () => {
  const run: OtherRun = {
    workflowId: 'change-order/7001/6001/CO-14',
    runId: 'r',
    workflow: 'changeOrderWorkflow',
    startedAt: new Date(0),
    share: 'tender',
    waiting: [],
    progress: {
      step: '',
      notes: [],
      blocked: { sinceMs: 1_000, reason: { code: 'ACCESS_DENIED', text: 'No right.', fix: '' } },
    },
  };
  test.each([
    [{}, true],
    [{ projectId: '7001' }, true],
    [{ projectId: '7002' }, false],
    [{ share: 'tender' }, true],
    [{ share: 'other' }, false],
    [{ reason: 'access denied' }, false],
    [{ reason: 'ACCESS_DENIED' }, true],
    [{ reason: 'no right' }, true],
    [{ sinceMs: 2_000 }, false],
    [{ batchId: 'CO-14' }, true],
    [{ batchId: 'CO-15' }, false],
    [{ document: 'a.pdf' }, false],
  ])('%j: %s', (filter, isWanted) => {
    expect(isWantedRun(filter, run)).toBe(isWanted);
    expect(isWantedRun(filter, { ...run, progress: { step: '', notes: [] } })).toBe(false);
  });
});
