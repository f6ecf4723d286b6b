// What operators are told and may do, on a real share, with a Temporal that answers as one does.
import { rmSync } from 'node:fs';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { msNumberToTs } from '@temporalio/common/lib/time';
import fastify from 'fastify';
import pino from 'pino';
import { Metrics } from '../../../../activities/host/metrics';
import type { Share } from '../../../../activities/share/share';
import { operationsPage, resumeTold } from '../../../../client/console/contract/operations';
import type { Topic } from '../../../../client/console/contract/session';
import { createOperations } from '../../../../client/console/operations/operations';
import type { ConsoleDeps, Person } from '../../../../client/console/serve/module';
import { BatchContinuer } from '../../../../client/resume/continue-batch';
import { WorkMetrics } from '../../../../workers/metrics/work-metrics';
import { SERVICE_TASK_QUEUE } from '../../../../workflows/contract';
import { claimAll, createTestBed, type TestBed } from '../../../activities/share/share-test-bed';

const NOW_MS = Date.parse('2026-11-23T14:52:00Z');
let bed: TestBed;
let share: Share;
let batchId = '';
let started: string[] = [];
let topics: Topic[] = [];
let isAway = false;
let whyAway: string | undefined;
let isServed = true;
/** A queue that no worker asks, though all others are served. */
let unserved: string | undefined;
/** How many runs Temporal lists of batches that are not finished, and of other kinds. */
let [unfinished, others] = [0, 0];
let nowMs = NOW_MS;
/** How often attributes were added to the namespace of Temporal. */
let registrations = 0;
let operations: ReturnType<typeof createOperations> | undefined;

beforeEach(async () => {
  bed = await createTestBed();
  share = await bed.open();
  for (const name of ['a.pdf', 'b.pdf']) await bed.drop(name);
  ({ batchId } = await claimAll(share));
  await bed.drop('c.pdf');
  registrations = 0;
  unserved = undefined;
  [unfinished, others] = [0, 0];
  [started, topics, isAway, isServed, whyAway, nowMs] = [[], [], false, true, undefined, NOW_MS];
});
afterEach(async () => {
  await operations?.close?.();
  await bed.remove();
});

const gone = (workflowId: string) => new WorkflowNotFoundError('gone', workflowId, undefined);
const client = {
  options: { namespace: 'default' },
  connection: {
    operatorService: {
      listSearchAttributes: async () => await Promise.resolve({ customAttributes: {} }),
      addSearchAttributes: async () => {
        registrations += 1;
        await Promise.resolve();
      },
    },
  },
  withDeadline: async (_: number, work: () => Promise<unknown>) => await work(),
  workflowService: {
    describeNamespace: async () => await Promise.resolve({ namespaceInfo: { id: 'one' } }),
    describeTaskQueue: async ({ taskQueue: { name } }: { taskQueue: { name: string } }) =>
      await Promise.resolve({
        pollers: isServed && name !== unserved ? [{ lastAccessTime: msNumberToTs(Date.now()) }] : [],
      }),
  },
  workflow: {
    list: async function* ({ query }: { query: string }) {
      // None of a batch that can be looked at: only how many there are.
      const count = query.includes("'Failed'") ? unfinished : query.includes("!= 'ingestBatch") ? others : 0;
      for (let at = 0; at < count; at += 1)
        yield await Promise.resolve({
          workflowId: `other/${at}`,
          status: { name: 'RUNNING' },
          startTime: new Date(0),
        });
    },
    start: async (_: string, { workflowId }: { workflowId: string }) => {
      started.push(workflowId);
      await Promise.resolve();
    },
    getHandle: (workflowId: string) => ({
      describe: async () => await Promise.reject(gone(workflowId)),
    }),
  },
} as unknown as Client;

function create(work?: WorkMetrics, logger: object = pino({ level: 'silent' })) {
  const deps = {
    config: {
      stateDir: `${bed.root}/.state`,
      console: { temporalUi: 'http://127.0.0.1:8233', workers: [] },
      temporal: { embedded: { port: 7233 } },
    },
    shares: () => [{ config: share.config, share: whyAway === undefined ? share : undefined, why: whyAway }],
    temporal: async () => (isAway ? await Promise.reject(new Error('away')) : await Promise.resolve(client)),
    logger,
    changed: (changed: readonly Topic[]) => void topics.push(...changed),
    now: () => new Date(nowMs),
    work,
    metrics: work?.all ?? new Metrics(),
  } as unknown as ConsoleDeps;
  operations = createOperations(deps);
  return operations;
}

const person = (...roles: string[]): Person => ({
  id: 'T. Harker',
  name: 'T. Harker',
  may: role => roles.includes(role),
});
const NOBODY = { params: undefined, query: undefined, body: undefined };

async function look(of = operations ?? create()) {
  return operationsPage.parse(await of.handlers['GET /api/operations'](NOBODY, person('see')));
}

test('of how many runs no more than so many were looked at is said, where there may be more', async () => {
  [unfinished, others] = [9_999, 499];
  expect((await look()).notLookedAt).toEqual([]);
  [unfinished, others, nowMs] = [10_000, 500, nowMs + 60_000];
  expect((await look()).notLookedAt).toEqual([
    'No more than the newest 500 of the other runs were looked at.',
    expect.stringMatching(/^No more than the newest 10,000 unfinished runs of batches were looked at\./),
  ]);
});

test('a batch without a run is told with what it is, is looked at first, and goes on once it is said', async () => {
  const { handlers } = create();
  const page = await look();
  expect(page.stopped).toMatchObject([
    {
      state: 'no run',
      batches: 1,
      documents: 2,
      shares: [share.name],
      goesOnByItself: false,
      mayResume: false,
    },
  ]);
  expect(page.parts.find(({ kind }) => kind === 'storage')?.state).toBe('quiet');
  expect(page).toMatchObject({ mustAct: true, away: [], limits: null, state: { dropFiles: 1 } });

  const cause = page.stopped[0]?.key ?? '';
  const resume = async (body: object) =>
    resumeTold.parse(
      await handlers['POST /api/resume']({ ...NOBODY, body: body as never }, person('operate')),
    );
  expect(await resume({ look: true, cause })).toMatchObject({
    isLook: true,
    batches: [{ batchId, deed: 'start', documents: 2, result: null }],
  });
  expect([started, registrations]).toEqual([[], 0]);
  expect((await resume({ look: false, cause: 'another' })).batches).toEqual([]);
  expect(await resume({ look: false, cause, batches: [batchId] })).toMatchObject({
    isLook: false,
    batches: [{ batchId, result: 'done' }],
  });
  expect(started).toEqual([expect.stringContaining(batchId)]);
  expect(topics).toContain('operations');
});

test('who may not operate a share goes on with nothing there, and sees nothing of one they may not see', async () => {
  const { handlers } = create();
  const body = { look: false };
  expect(await handlers['POST /api/resume']({ ...NOBODY, body }, person('see'))).toMatchObject({
    batches: [],
  });
  expect(started).toEqual([]);
  const page = await handlers['GET /api/operations'](NOBODY, person());
  expect(page).toMatchObject({ stopped: [], state: { dropFiles: 0 } });
  expect(page.parts.filter(({ kind }) => kind === 'share')).toEqual([]);
});

test('an outage of Temporal, of a share and of the workers is told with since when, and stays in the marks', async () => {
  create();
  await look();
  [isAway, whyAway, nowMs] = [true, 'It is not mounted here.', NOW_MS + 60_000];
  const page = await look();
  expect(page.away.map(({ kind, since }) => [kind, since])).toEqual([
    ['temporal', '2026-11-23T14:53:00.000Z'],
    ['share', '2026-11-23T14:53:00.000Z'],
  ]);
  expect(page.parts.find(({ kind }) => kind === 'service')?.state).toBe('unknown');
  [isAway, whyAway, isServed, nowMs] = [false, undefined, false, NOW_MS + 120_000];
  const back = await look();
  expect(back.away).toEqual([]);
  const parts = new Map(back.parts.map(part => [part.kind, part]));
  expect(parts.get('workers')).toMatchObject({ state: 'away', why: 'No worker is running.' });
  expect(parts.get('temporal')).toMatchObject({ state: 'here', marks: `${'-'.repeat(95)}a` });
  expect(parts.get('share')?.marks.endsWith('a')).toBe(true);
});

test('on every page of those who look on, a share is away or back within seconds, whatever view they show', async () => {
  const module = create();
  const signed = async () =>
    (await module.handlers['GET /api/operations/sign'](NOBODY, person('see'))) as {
      readonly away: readonly { readonly kind: string }[];
    };
  const looked = async (atMs: number) => {
    nowMs = NOW_MS + atMs;
    // What stopped on a share is news of its jobs as well.
    const told = (await module.look?.())?.filter(topic => topic !== 'jobs');
    return { told, away: (await signed()).away.map(({ kind }) => kind) };
  };
  whyAway = 'It is not mounted here.';
  expect((await signed()).away.map(({ kind }) => kind)).toEqual(['share']);
  whyAway = undefined;
  // Which shares are away is known without a look: the page asks as soon as one is back.
  expect((await signed()).away).toEqual([]);
  expect(await looked(6_000)).toEqual({ told: ['operations'], away: [] });
  // While nothing is away, nothing is asked for them.
  isAway = true;
  expect(await looked(12_000)).toEqual({ told: [], away: [] });
  [isAway, whyAway] = [false, 'It is not mounted here.'];
  expect(await looked(18_000)).toEqual({ told: ['operations'], away: ['share'] });
  [isAway, whyAway] = [true, undefined];
  expect(await looked(24_000)).toEqual({ told: ['operations'], away: ['temporal'] });
  isAway = false;
  expect(await looked(30_000)).toEqual({ told: ['operations'], away: [] });
});

test('that no worker serves the service is news by itself', async () => {
  const module = create();
  await look(module);
  const looked = async (atMs: number) => {
    nowMs = NOW_MS + atMs;
    return await module.look?.();
  };
  await looked(6_000);
  expect(await looked(12_000)).toEqual([]);
  unserved = SERVICE_TASK_QUEUE;
  expect(await looked(18_000)).toEqual(['operations']);
  expect(await looked(24_000)).toEqual([]);
});

test('what was resumed before trouble came is in the log, and the next look is a new one', async () => {
  await bed.drop('d.pdf');
  await claimAll(share);
  const said: object[] = [];
  const module = create(undefined, { info: (fields: object) => void said.push(fields) });
  const page = await look(module);
  expect(page.stopped).toMatchObject([{ batches: 2 }]);
  const plan = jest.spyOn(BatchContinuer.prototype, 'plan');
  plan.mockResolvedValueOnce({ kind: 'start' }).mockRejectedValueOnce(new Error('Temporal is gone'));
  topics = [];
  const body = { look: false };
  const resumed = module.handlers['POST /api/resume']({ ...NOBODY, body }, person('operate'));
  await expect(resumed).rejects.toThrow('Temporal is gone');
  expect(said).toMatchObject([{ event: 'console-resumed', who: 'T. Harker', result: 'done' }]);
  expect(topics).toContain('operations');
  plan.mockRestore();
});

test('what a worker of the same process counts is told: requests left, and the day', async () => {
  const work = new WorkMetrics();
  work.follow({
    limits: () => [{ limit: 3600, remaining: 2396, resetInMs: 12_000, longestMs: 3_500_000 }],
    token: { describe: () => undefined },
    away: () => [],
  });
  create(work);
  nowMs = Date.now();
  work.tellProof({ dependency: 'api', tried: 'GET /projects' });
  work.documents.add({ share: share.name, outcome: 'submitted', reason: '' }, 7);
  work.documents.add({ share: share.name, outcome: 'set-apart', reason: 'empty' }, 2);
  work.requests.add({ operation: 'GET /projects', status: 'ok' }, 30);
  work.requests.add({ operation: 'GET /projects', status: '429' }, 3);
  work.bytes.add({}, 5_000_000);
  const page = await look();
  expect(page.limits).toEqual([
    { limit: 3600, remaining: 2396, fullAt: expect.any(String), windowSeconds: 3600 },
  ]);
  const states = new Map(page.parts.map(({ kind, state }) => [kind, state]));
  expect([states.get('service'), states.get('storage')]).toEqual(['here', 'quiet']);
  const last = Object.entries(page.day.numbers).map(([name, values]) => [name, values.at(-1)]);
  expect(Object.fromEntries(last)).toEqual({
    submitted: 7,
    setApart: 2,
    requests: 33,
    refused: 3,
    bytes: 5_000_000,
    left: 2396,
    drop: 1,
    held: 0,
    batches: 0,
    answerMs: null,
  });
  expect(page.day.requestsLimit).toBe(900);
});

test('what is counted between the last look of a quarter and the first of the next is of that one', async () => {
  const work = new WorkMetrics();
  create(work);
  // 14:52 and 15:01.
  work.documents.add({ share: share.name, outcome: 'submitted', reason: '' }, 3);
  await look();
  work.documents.add({ share: share.name, outcome: 'submitted', reason: '' }, 2);
  nowMs = NOW_MS + 9 * 60_000;
  await look();
  work.documents.add({ share: share.name, outcome: 'submitted', reason: '' }, 4);
  nowMs += 60_000;
  const { day } = await look();
  expect(day.numbers.submitted.slice(-2)).toEqual([3, 6]);
});

test('health is told to whoever asks, numbers to those who may see the shares', async () => {
  const server = fastify();
  const door = { person: () => person('see') };
  create().extend?.(server, door);
  await look();
  expect((await server.inject('/healthz')).statusCode).toBe(200);
  expect(await server.inject('/readyz')).toMatchObject({
    statusCode: 200,
    payload: 'ok\n',
  });
  const { payload } = await server.inject('/metrics');
  expect(payload).toContain(`drawbridge_drop_files{share="${share.name}"} 1`);
  rmSync(share.config.folder, { recursive: true });
  whyAway = 'gone';
  expect((await server.inject('/readyz')).statusCode).toBe(503);
  await server.close();
});
