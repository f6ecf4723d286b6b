// The list of batches names the share of each, however the batch was started and after it has ended.
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { BatchStarter } from '../../../client/session/start-batch';
import { type BatchStatus, listBatches, listRunningBatches } from '../../../client/status/batch-status';
import { SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld } from '../../workflows/fake-activities';
import { withShareWorkers } from '../../workflows/run-batch';

const PROJECT = { companyId: '1', projectId: '2' };

const temporal = useNamespace();

/** The list lags behind what it lists. */
async function untilListed(batchId: string): Promise<BatchStatus> {
  for (;;) {
    const batches = await listBatches(temporal.client, 10);
    const found = batches.find(batch => batch.batchId === batchId && batch.status !== 'RUNNING');
    if (found !== undefined) return found;
  }
}

test('a batch of files that were submitted by hand', async () => {
  const batchId = '20260131-093000-aaaaaa';
  const activities = {
    ...new FakeWorld(1).activities(),
    claimFiles: async () => ({ project: PROJECT, batchIds: [batchId], followed: [], refused: [] }),
  };
  const common = { connection: temporal.native, namespace: temporal.namespace, activities };
  const service = await Worker.create({
    ...common,
    taskQueue: SERVICE_TASK_QUEUE,
    workflowBundle: { codePath: temporal.bundlePath },
  });
  const execution = temporal.client.workflow.execute('ingestFilesWorkflow', {
    workflowId: `submit/tender/${randomUUID()}`,
    taskQueue: SERVICE_TASK_QUEUE,
    args: [{ share: 'tender', paths: ['a.pdf'] }],
  });
  await service.runUntil(withShareWorkers('tender', common, async () => await execution));
  expect(await untilListed(batchId)).toMatchObject({ status: 'COMPLETED', share: 'tender' });
});

const BUSY = {
  code: 'busy',
  text: '"c.pdf" is open in another program.',
  fix: 'Close it there and try again.',
};

test('a batch that a watcher has started before, and one that a watcher has claimed: both are followed', async () => {
  const claimed = '20260131-093000-cccccc';
  const followed = '20260131-093000-dddddd';
  const starter = new BatchStarter(temporal.client, { hasSearchAttributes: false });
  await starter.start({
    share: 'tender',
    project: PROJECT,
    batchId: claimed,
    manifestSha256: 'a'.repeat(64),
  });
  const asked: string[] = [];
  const activities = {
    ...new FakeWorld(1).activities(),
    claimFiles: async () => ({
      project: PROJECT,
      batchIds: [claimed],
      followed: [followed],
      refused: [BUSY],
    }),
    followBatch: async ({ batchId }: { batchId: string }) => {
      asked.push(batchId);
      return { batchId, submitted: 1, setApart: 0, receipts: [] };
    },
  };
  const common = { connection: temporal.native, namespace: temporal.namespace, activities };
  const service = await Worker.create({
    ...common,
    taskQueue: SERVICE_TASK_QUEUE,
    workflowBundle: { codePath: temporal.bundlePath },
  });
  const execution = temporal.client.workflow.execute('ingestFilesWorkflow', {
    workflowId: `submit/tender/${randomUUID()}`,
    taskQueue: SERVICE_TASK_QUEUE,
    args: [{ share: 'tender', paths: ['a.pdf', 'b.pdf'] }],
  });
  const result = await service.runUntil(withShareWorkers('tender', common, async () => await execution));
  expect(result.batches.map(({ batchId }: { batchId: string }) => batchId)).toEqual([claimed, followed]);
  expect(asked.sort()).toEqual([claimed, followed]);
  expect(result.refused).toEqual([BUSY]);
});

test('a batch that was started where search attributes are not registered', async () => {
  const batchId = '20260131-093000-bbbbbb';
  const starter = new BatchStarter(temporal.client, { hasSearchAttributes: false });
  await starter.start({ share: 'tender', project: PROJECT, batchId, manifestSha256: 'a'.repeat(64) });
  await temporal.client.workflow.getHandle(`ingest/2/${batchId}`).terminate();
  expect(await untilListed(batchId)).toMatchObject({ status: 'TERMINATED', share: 'tender' });
});

test('of many running batches none is left out, for the oldest are those that wait longest', async () => {
  const runs = Array.from({ length: 1_200 }, (_, number) => ({
    workflowId: `ingest/2/20260131-093000-${number}`,
    runId: String(number),
    type: 'ingestBatchWorkflow',
    status: { name: 'RUNNING' },
    startTime: new Date(0),
    memo: { share: 'tender' },
  }));
  const asked = new Set<string>();
  const client = {
    options: { namespace: 'default' },
    withDeadline: <T>(_at: number, work: () => T) => work(),
    workflow: {
      list: async function* () {
        yield* runs;
      },
      getHandle: (workflowId: string) => ({
        query: async () => {
          asked.add(workflowId);
          return { share: 'tender', documents: 1, stages: {}, held: [] };
        },
        describe: async () => ({ raw: { pendingActivities: [] } }),
      }),
    },
  } as unknown as Client;
  const found = await listRunningBatches(client);
  expect([found.length, asked.size]).toEqual([1_200, 1_200]);
});

test('a batch whose run was reset is listed once, by its present run', async () => {
  const run = (workflowId: string, name: string) => ({
    workflowId,
    runId: `${workflowId} ${name}`,
    type: 'ingestBatchWorkflow',
    status: { name },
    startTime: new Date(0),
    memo: { share: 'tender' },
  });
  const [reset, ended, older] = ['ingest/2/reset', 'ingest/2/ended', 'ingest/2/older'];
  const runs = [
    run(reset, 'RUNNING'),
    run(reset, 'TERMINATED'),
    run(ended, 'FAILED'),
    run(reset, 'TERMINATED'),
    run(ended, 'TERMINATED'),
    run(older, 'FAILED'),
  ];
  const client = {
    workflow: {
      list: async function* () {
        yield* runs;
      },
    },
  } as unknown as Client;
  const known = { workflowId: reset, batchId: 'reset', status: 'RUNNING', startedAt: new Date(0) };
  const listed = async (limit: number) =>
    (await listBatches(client, limit, [known])).map(({ workflowId, status }) => [workflowId, status]);
  expect(await listed(10)).toEqual([
    [reset, 'RUNNING'],
    [ended, 'FAILED'],
    [older, 'FAILED'],
  ]);
  // What stands once takes one of the places.
  expect(await listed(2)).toEqual([
    [reset, 'RUNNING'],
    [ended, 'FAILED'],
  ]);
});
