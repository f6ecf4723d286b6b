// Whether a run before of the same id has ended a moment ago, as Temporal tells it.
import { type Client, ServiceError } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createSinceRunBefore } from '../../workers/run-before';
import { useNamespace } from '../setup/temporal-namespace';

const NOW_MS = Date.parse('2026-02-02T10:00:00Z');
const WITHIN_MS = 30_000;

/** For the run `ours` of an id with an apostrophe, by a Temporal that lists these runs. */
async function ask(list: () => AsyncIterable<object>): Promise<{ sinceMs: number; queries: string[] }> {
  const queries: string[] = [];
  const since = createSinceRunBefore({
    withDeadline: async (_: number, work: () => Promise<unknown>) => await work(),
    workflow: {
      list: ({ query }: { readonly query: string }) => {
        queries.push(query);
        return list();
      },
    },
  } as unknown as Client);
  const environment = new MockActivityEnvironment({
    workflowExecution: { workflowId: "change-order/o'clock", runId: 'ours' },
    currentAttemptScheduledTimestampMs: NOW_MS,
  });
  const sinceMs = (await environment.run(since, WITHIN_MS)) as number;
  expect(await environment.run(since, WITHIN_MS)).toBe(sinceMs);
  return { sinceMs, queries };
}

const ended = (agoMs: number, name = 'FAILED') => ({
  runId: `${agoMs}`,
  status: { name },
  closeTime: new Date(NOW_MS - agoMs),
});
const OURS = { runId: 'ours', status: { name: 'RUNNING' } };

test.each<[string, readonly object[], number]>([
  ['none', [OURS], Number.POSITIVE_INFINITY],
  ['one', [OURS, ended(4_000)], 4_000],
  ['the last of several', [ended(9_000), ended(4_000), OURS], 4_000],
  ['one that is still listed as running', [OURS, { ...OURS, runId: 'before' }], 0],
  ['one that went on as this one', [OURS, ended(0, 'CONTINUED_AS_NEW')], Number.POSITIVE_INFINITY],
])('%s', async (_, runs, expected) => {
  const list = async function* () {
    yield* runs;
  };
  const { sinceMs, queries } = await ask(list);
  expect(sinceMs).toBe(expected);
  // Once a run, whatever it makes.
  expect(queries).toEqual([
    "WorkflowId = 'change-order/o''clock' AND (CloseTime >= '2026-02-02T09:59:30.000Z' OR ExecutionStatus = 'Running')",
  ]);
});

test('where Temporal does not tell, one may have ended just now', async () => {
  const list = (): AsyncIterable<object> => {
    throw new ServiceError('Failed to list Workflows');
  };
  expect((await ask(list)).sinceMs).toBe(0);
});

describe('a real server', () => {
  const temporal = useNamespace();

  test('tells of the run before, and of none where there was none', async () => {
    const since = createSinceRunBefore(temporal.client);
    const workflowId = 'change-order/7001/6001/CO-14';
    const start = () =>
      temporal.client.workflow.start('changeOrderWorkflow', { workflowId, taskQueue: 'nobody', args: [] });
    const askFor = async (runId: string) =>
      (await new MockActivityEnvironment({
        workflowExecution: { workflowId, runId },
        currentAttemptScheduledTimestampMs: Date.now(),
      }).run(since, WITHIN_MS)) as number;
    const first = await start();
    expect(await askFor(first.firstExecutionRunId)).toBe(Number.POSITIVE_INFINITY);
    await first.terminate();
    const listed = async () => {
      for await (const _ of temporal.client.workflow.list({ query: `WorkflowId = '${workflowId}'` }))
        return true;
      return false;
    };
    while (!(await listed())) await temporal.nextEvent(first);
    const second = await start();
    expect(await askFor(second.firstExecutionRunId)).toBeLessThan(WITHIN_MS);
  });
});
