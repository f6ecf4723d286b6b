// More runs than are looked at: whoever reads the list is told so.
import type { Client } from '@temporalio/client';
import { msNumberToTs } from '@temporalio/common/lib/time';
import { describeStatus } from '../../../client/commands/status';
import { lookAtRuns } from '../../../client/resume/look-at-runs';

/** A Temporal with so many running batches, and so many other runs. */
function clientWith(batches: number, others: number): Client {
  async function* list({ query }: { readonly query: string }) {
    const isOfBatches = query.startsWith("WorkflowType = 'ingestBatchWorkflow'");
    for (let at = 0; at < (isOfBatches ? batches : others); at += 1)
      yield await Promise.resolve({
        workflowId: `${isOfBatches ? 'ingest' : 'users'}/2/${at}`,
        runId: `${at}`,
        type: 'any',
        status: { name: 'RUNNING' },
        startTime: new Date(0),
        typedSearchAttributes: { get: () => undefined },
      });
  }
  const progress = { batchId: 'b', share: 'tender', documents: 1, stages: {}, held: [] };
  const pollers = [{ lastAccessTime: msNumberToTs(Date.now()) }];
  return {
    options: { namespace: 'default' },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => await ask(),
    workflowService: { describeTaskQueue: async () => await Promise.resolve({ pollers }) },
    workflow: {
      list,
      getHandle: () => ({
        query: async () => await Promise.resolve(progress),
        describe: async () => await Promise.resolve({ raw: {} }),
      }),
    },
  } as unknown as Client;
}

test('where all were looked at nothing is said of a limit', async () => {
  expect(await lookAtRuns(clientWith(3, 499))).not.toHaveProperty('limitedTo');
});

test('a limit that was met is told, in data and in words', async () => {
  expect((await lookAtRuns(clientWith(0, 501))).limitedTo).toEqual({ others: 500 });
  const { away, unserved, running, others, limitedTo } = await lookAtRuns(clientWith(10_001, 0));
  expect([running.length, limitedTo]).toEqual([10_000, { batches: 10_000 }]);
  const report = { away, unserved, shares: [], others, limitedTo, batches: running.slice(0, 1), waiting: [] };
  expect(describeStatus(report, 'drawbridge', new Date(0))).toContain(
    'No more than the newest 10,000 running batches were looked at',
  );
  const all = { ...report, limitedTo: undefined };
  expect(describeStatus(all, 'drawbridge', new Date(0))).not.toContain('No more than');
});
