// What the watcher asks runs, and answers them: for no longer than so long, whatever is away.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { createHeldBatches } from '../../../client/answers/held-batches';
import type { ProjectRef } from '../../../workflows/contract';

const BATCH = { project: {} as ProjectRef, batchId: '20260131-093000-k3f7a2' };
const ANSWERS = {
  answers: [{ documents: ['A/1.pdf'], values: { Type: 'Plan' } }],
  as: 'the corrected sheet',
};

/** A client of which every call notes how long it may take. */
function begun() {
  const deadlines: number[] = [];
  let within: number | undefined;
  const sent: unknown[] = [];
  const client = {
    withDeadline: async (deadlineMs: number, ask: () => Promise<unknown>) => {
      within = deadlineMs - Date.now();
      try {
        return await ask();
      } finally {
        within = undefined;
      }
    },
    workflow: {
      getHandle: () => ({
        executeUpdate: async (_update: unknown, { args }: { readonly args: readonly unknown[] }) => {
          deadlines.push(within ?? Number.POSITIVE_INFINITY);
          sent.push(...args);
          return { taken: ['A/1.pdf'], refused: [] };
        },
      }),
    },
  } as unknown as Client;
  return { batches: createHeldBatches(client), deadlines, sent };
}

test('an answer is waited for half a minute at most: in an outage all other sheets are read', async () => {
  const { batches, deadlines, sent } = begun();
  expect(await batches.answer(BATCH, ANSWERS)).toEqual({ taken: ['A/1.pdf'], refused: [] });
  expect(sent).toEqual([ANSWERS]);
  expect(deadlines).toHaveLength(1);
  expect(deadlines[0]).toBeGreaterThan(20_000);
  expect(deadlines[0]).toBeLessThanOrEqual(30_000);
});

test('what runs hold is not known while an answer is being checked: it may be refused, and asked again', async () => {
  const [one, other] = [{ path: 'A/1.pdf' }, { path: 'A/2.pdf' }];
  let progress: object = { held: [one, other] };
  const client = {
    withDeadline: async (_: number, ask: () => Promise<unknown>) => await ask(),
    workflow: { getHandle: () => ({ query: async () => progress }) },
  } as unknown as Client;
  const batches = createHeldBatches(client);
  // A run of a release before says no more.
  expect(await batches.ask(BATCH)).toEqual({ held: [one, other], inLine: [] });
  progress = { held: [one], answered: [{ index: 1, path: 'A/2.pdf' }] };
  expect(await batches.ask(BATCH)).toBeUndefined();
  progress = { held: [one], answered: [{ index: 1, path: 'A/2.pdf', answer: { atMs: 1 } }] };
  expect(await batches.ask(BATCH)).toEqual({ held: [one], inLine: [] });
});

test('a run that has ended says so when it is answered: it still tells what it held', async () => {
  const errors: Error[] = [new WorkflowNotFoundError('workflow execution already completed', 'w', 'r')];
  const client = {
    withDeadline: async (_: number, ask: () => Promise<unknown>) => await ask(),
    workflow: { getHandle: () => ({ executeUpdate: async () => Promise.reject(errors[0]) }) },
  } as unknown as Client;
  const batches = createHeldBatches(client);
  expect(await batches.answer(BATCH, ANSWERS)).toBe('run-ended');
  errors[0] = new Error('away');
  await expect(batches.answer(BATCH, ANSWERS)).rejects.toThrow('away');
});
