// A share whose workers are all gone: nothing fails, so `status` has to look for it.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Client } from '@temporalio/client';
import { msNumberToTs } from '@temporalio/common/lib/time';
import { Worker } from '@temporalio/worker';
import { BatchStarter } from '../../../client/session/start-batch';
import { listRunningBatches, type RunningBatch } from '../../../client/status/batch-status';
import { describeUnserved } from '../../../client/status/incident-text';
import { areServed, findUnserved } from '../../../client/status/unserved';
import { SERVICE_TASK_QUEUE, shareTaskQueue, transferTaskQueue } from '../../../workflows/contract';
import { useNamespace } from '../../setup/temporal-namespace';
import { FakeWorld } from '../../workflows/fake-activities';
import { withShareWorkers } from '../../workflows/run-batch';

const temporal = useNamespace();

async function startBatch(share: string): Promise<void> {
  const starter = new BatchStarter(temporal.client, { hasSearchAttributes: false });
  const project = { companyId: '1', projectId: randomUUID() };
  await starter.start({ share, project, batchId: '20260131-093000-aaaaaa', manifestSha256: 'a'.repeat(64) });
}

/** The batches of these shares. The list lags behind what was started, and shows other tests' batches too. */
async function untilRunning(...shares: readonly string[]): Promise<readonly RunningBatch[]> {
  for (;;) {
    const running = await listRunningBatches(temporal.client);
    const ours = running.filter(({ share }) => share !== undefined && shares.includes(share));
    if (ours.length === shares.length) return ours;
  }
}

test('what no worker asks for is named, and what is served is not', async () => {
  expect(await findUnserved(temporal.client, [])).toEqual([]);
  await startBatch('here');
  await startBatch('there');
  const running = await untilRunning('here', 'there');
  expect(await findUnserved(temporal.client, running)).toEqual([
    { batches: 2, documents: 0, others: 0 },
    ...running.map(({ share }) => ({ share, batches: 1, documents: 0, others: 0 })),
  ]);
  // Answers when the test is over, so that the batches go on running.
  const over = new AbortController();
  const openBatch = async () => {
    // It may begin only then: a worker that stops waits for what it has begun.
    if (!over.signal.aborted) await once(over.signal, 'abort');
    throw new Error('over');
  };
  const activities = { ...new FakeWorld(1).activities(), openBatch };
  const common = { connection: temporal.native, namespace: temporal.namespace, activities };
  const service = await Worker.create({
    ...common,
    taskQueue: SERVICE_TASK_QUEUE,
    workflowBundle: { codePath: temporal.bundlePath },
  });
  const untilOneIsLeft = async () => {
    for (;;) {
      const unserved = await findUnserved(temporal.client, running);
      if (unserved.length > 1) continue;
      over.abort();
      return unserved;
    }
  };
  const left = await service.runUntil(withShareWorkers('here', common, untilOneIsLeft));
  expect(left).toEqual([{ share: 'there', batches: 1, documents: 0, others: 0 }]);
  // Though they asked long ago by the clock of a machine that is ahead.
  expect(await findUnserved(temporal.client, running, [], Date.now() + 200_000)).toEqual(left);
});

/** A Temporal whose clock shows `nowMs`, and whose queues were polled `agoMs` before; it may not be asked. */
function polled(nowMs: number, agoMs: number, mayAsk = true): Client {
  const ours: { identity: string; lastAccessTime: ReturnType<typeof msNumberToTs> }[] = [];
  return {
    options: { namespace: 'default' },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => await ask(),
    withAbortSignal: async (_: AbortSignal, ask: () => Promise<unknown>) => await ask(),
    workflowService: {
      pollActivityTaskQueue: async ({ identity }: { identity: string }) => {
        if (!mayAsk) throw new Error('not allowed');
        ours.push({ identity, lastAccessTime: msNumberToTs(nowMs) });
        return await new Promise(() => undefined);
      },
      describeTaskQueue: async ({ taskQueue: { name } }: { taskQueue: { name: string } }) => ({
        pollers: name === 'work' ? [{ lastAccessTime: msNumberToTs(nowMs - agoMs) }] : ours,
      }),
    },
  } as unknown as Client;
}

test.each([
  ['a worker that asked just now', 200_000, 1_000, true, true],
  ['one that has not asked for more than a minute', 200_000, 76_000, true, false],
  ['one that has not, by a clock that is right', 0, 76_000, true, false],
  // Then there is no better word than this machine's own.
  ['one of which Temporal does not tell the time', 200_000, 1_000, false, false],
])('%s, with a clock that is %d ms ahead', async (_, aheadMs, agoMs, mayAsk, isServed) => {
  const nowMs = 1_800_000_000_000;
  const served = await areServed(polled(nowMs, agoMs, mayAsk), ['work'], nowMs + aheadMs);
  expect(served).toBe(isServed);
});

test.each([
  ['what Temporal has told counts for all shares that are looked at together', true, 1],
  ['where it has told nothing it is asked for each of them', false, 2],
])('%s', async (_, mayAsk, times) => {
  const client = polled(1_800_000_000_000, 76_000, mayAsk);
  const poll = jest.spyOn(client.workflowService, 'pollActivityTaskQueue');
  for (let share = 0; share < 2; share++) await areServed(client, ['work'], 1_800_000_000_000);
  expect(poll).toHaveBeenCalledTimes(times);
});

test('a share of which only some queues are asked for is not served', async () => {
  await startBatch('half');
  const running = await untilRunning('half');
  const activities = new FakeWorld(1).activities();
  const common = { connection: temporal.native, namespace: temporal.namespace, activities };
  const short = await Worker.create({ ...common, taskQueue: shareTaskQueue('half') });
  const bytes = await Worker.create({ ...common, taskQueue: transferTaskQueue('half') });
  const isPolled = async (queue: string): Promise<boolean> => {
    const { pollers } = await temporal.client.workflowService.describeTaskQueue({
      namespace: temporal.namespace,
      taskQueue: { name: queue },
      taskQueueType: 2,
    });
    return (pollers ?? []).length > 0;
  };
  const unserved = await short.runUntil(
    bytes.runUntil(async () => {
      while (!((await isPolled(shareTaskQueue('half'))) && (await isPolled(transferTaskQueue('half')))));
      return await findUnserved(temporal.client, running);
    }),
  );
  expect(unserved).toContainEqual({ share: 'half', batches: 1, documents: 0, others: 0 });
});

test('people read which share it is, what waits, and what to start', () => {
  const text = describeUnserved(
    [
      { share: 'tender', batches: 2, documents: 40, others: 0 },
      { share: 'former', batches: 1, documents: 3, others: 0 },
      { batches: 1, documents: 0, others: 0 },
    ],
    { command: 'drawbridge', paint: (_, words) => words, shares: new Set(['tender']) },
  );
  expect(text.split('\n')).toEqual([
    'No worker serves share tender: 2 batches with 40 documents wait. Start one on a host that sees this share: drawbridge worker',
    'No worker serves share former: 1 batch with 3 documents waits. No share is configured by that name here. If one was renamed, give it that name back until what waits has ended; else start a worker on a host that has it: drawbridge worker',
    'No worker is running: 1 batch waits. Start one: drawbridge worker',
  ]);
});
