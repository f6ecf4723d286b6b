import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { ShareConfig } from '../../../activities/share/share-config';
import { findBatches } from '../../../client/answers/find-batches';

const SHARES = ['tender', 'site'].map(name => ({
  name,
  project: { companyId: '1', projectId: '7001' },
})) as unknown as readonly ShareConfig[];

/** Knows these runs, each with its memo, and one batch that has ended. */
function clientOf(memos: Readonly<Record<string, object>>): Client {
  const workflow = {
    getHandle: (workflowId: string) => ({
      describe: async () => {
        if (workflowId === 'ingest/7001/20260131-093000-k3f9a2') return await Promise.resolve({});
        throw new WorkflowNotFoundError('none', workflowId, undefined);
      },
    }),
    list: async function* () {
      for (const [workflowId, memo] of Object.entries(memos))
        yield await Promise.resolve({ workflowId, memo });
    },
  };
  return { workflow } as unknown as Client;
}

const RUNS = {
  'ingest/7001/b': { share: 'tender', job: 'Package A' },
  'ingest/7001/a': { share: 'tender', job: 'Package A' },
  'ingest/7001/c': { share: 'tender' },
  'ingest/7001/d': { share: 'other', job: 'Package A' },
};

test('a batch is found by its id, a job by its name in any case, with all its batches', async () => {
  const client = clientOf(RUNS);
  expect(await findBatches(client, SHARES, '20260131-093000-k3f9a2')).toEqual([
    { workflowId: 'ingest/7001/20260131-093000-k3f9a2', batchId: '20260131-093000-k3f9a2' },
  ]);
  // That of a share which is not ours is not meant.
  expect((await findBatches(client, SHARES, 'package a/')).map(({ batchId }) => batchId)).toEqual(['a', 'b']);
});

test('a name that jobs of several shares have is refused, and found with the share', async () => {
  const client = clientOf({ ...RUNS, 'ingest/7001/e': { share: 'site', job: 'Package A' } });
  await expect(findBatches(client, SHARES, 'Package A')).rejects.toThrow(/tender, site.*--share/);
  expect(await findBatches(client, SHARES.slice(1), 'Package A')).toHaveLength(1);
});

test('a name that nothing has is told', async () => {
  await expect(findBatches(clientOf(RUNS), SHARES, 'Package B')).rejects.toThrow(/knows no batch Package B/);
});
