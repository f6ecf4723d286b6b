// What was asked before an answer tells nothing of what is held after it.
import type { Client } from '@temporalio/client';
import { withResolvers } from '../../../../activities/host/with-resolvers';
import { HeldListing } from '../../../../client/console/waiting/held-listing';

test('who asks after an answer is not told what was on its way before it', async () => {
  let held: readonly object[] = [{ index: 0 }, { index: 1 }];
  const first = withResolvers<void>();
  let queries = 0;
  async function* runs() {
    await Promise.resolve();
    yield { workflowId: 'ingest/2/b', runId: 'r', status: { name: 'RUNNING' } };
  }
  const client = {
    withDeadline: async (_: number, work: () => Promise<unknown>) => await work(),
    workflow: {
      list: runs,
      getHandle: () => ({
        describe: async () => await Promise.resolve({ historyLength: held.length }),
        query: async () => {
          const said = { batchId: 'b', share: 'tender', documents: 2, stages: {}, held };
          queries += 1;
          if (queries === 1) await first.promise;
          return said;
        },
      }),
    },
  } as unknown as Client;
  const listing = new HeldListing(
    async () => await Promise.resolve(client),
    () => 1_000,
  );
  const before = listing.list();
  while (queries === 0) await new Promise(resolve => setImmediate(resolve));
  held = [{ index: 1 }];
  listing.forget();
  const after = await listing.list();
  expect(after.batches[0]?.held).toEqual(held);
  first.resolve();
  expect((await before).batches[0]?.held).toEqual(held);
  expect((await listing.list()).batches[0]?.held).toEqual(held);
});
