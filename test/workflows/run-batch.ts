// Runs one batch on a worker whose activities are a fake world, on a real Temporal server.
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { SERVICE_TASK_QUEUE, taskQueuesOfShare } from '../../workflows/contract';
import type { BatchSummary, IngestBatchInput } from '../../workflows/ingest/ingest-contract';
import { recordHistory } from '../setup/recorded-histories';
import type { TestNamespace } from '../setup/temporal-namespace';
import type { FakeWorld } from './fake-activities';

export interface RunningBatch {
  readonly handle: WorkflowHandle;
  readonly world: FakeWorld;
}

/** Workers for workflows and share, with the given build of the workflows, as long as `work` lasts. */
export async function withWorkers<Result>(
  temporal: TestNamespace,
  world: FakeWorld,
  codePath: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const activities = world.activities();
  const common = { connection: temporal.native, namespace: temporal.namespace, activities };
  const service = await Worker.create({
    ...common,
    taskQueue: SERVICE_TASK_QUEUE,
    workflowBundle: { codePath },
  });
  return await service.runUntil(withShareWorkers('tender', common, work));
}

/** Workers for all queues of a share, as long as `work` lasts. */
export async function withShareWorkers<Result>(
  share: string,
  common: Omit<WorkerOptions, 'taskQueue'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const workers = await Promise.all(
    taskQueuesOfShare(share).map(taskQueue => Worker.create({ ...common, taskQueue })),
  );
  return await workers.reduce((inner, worker) => () => worker.runUntil(inner), work)();
}

/** Starts one batch; its documents are the world's. */
export async function startBatch(
  temporal: TestNamespace,
  input: Partial<IngestBatchInput> = {},
): Promise<WorkflowHandle> {
  return await temporal.client.workflow.start('ingestBatchWorkflow', {
    workflowId: `ingest/2/${randomUUID()}`,
    taskQueue: SERVICE_TASK_QUEUE,
    args: [{ share: 'tender', batchId: '20260131-093000-k3f9a2', ...input }],
    memo: { share: 'tender' },
  });
}

/**
 * Starts a worker on the fake world and one batch on it. The namespace is the suite's own, the tests run one
 * by one.
 */
export async function runBatch<Result>(
  temporal: TestNamespace,
  world: FakeWorld,
  work: (running: RunningBatch) => Promise<Result>,
  input: Partial<IngestBatchInput> = {},
): Promise<Result> {
  return await withWorkers(temporal, world, temporal.bundlePath, async () => {
    const handle = await startBatch(temporal, input);
    try {
      const result = await work({ handle, world });
      await recordHistory(handle);
      return result;
    } finally {
      // A failed test must not leave a run behind that the next test's worker would carry on.
      await handle.terminate().catch(() => undefined);
    }
  });
}

/** The same, to the end of the batch. */
export async function finishBatch(temporal: TestNamespace, world: FakeWorld): Promise<BatchSummary> {
  return await runBatch(temporal, world, async ({ handle }) => (await handle.result()) as BatchSummary);
}

/** How many activities of this type were under way at one time, at the most. */
export async function mostAtOnce(handle: WorkflowHandle, type: string): Promise<number> {
  const open = new Set<string>();
  let most = 0;
  for (const event of (await handle.fetchHistory()).events ?? []) {
    const isBegun = event.activityTaskScheduledEventAttributes?.activityType?.name === type;
    if (isBegun) open.add(String(event.eventId));
    const end =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    if (end !== undefined && end !== null) open.delete(String(end.scheduledEventId));
    most = Math.max(most, open.size);
  }
  return most;
}
