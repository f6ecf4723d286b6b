// What Temporal calls takes the input alone; what the work needs, and the scope
// of the attempt, come from here.
import { MockActivityEnvironment } from '@temporalio/testing';
import type { ActivityScope } from '../../../activities/scope/activity-scope';
import { toActivities } from '../../../activities/scope/to-activities';
import type { Asking } from '../../../workflows/contract';

const OWN = 'run-of-now';
const never = new AbortController().signal;

const { attemptOf, greet, fail } = toActivities(never, 'Hello', {
  attemptOf: async (_: unknown, _input: { readonly asked?: Asking }, { attempt }) => attempt,
  greet: async (greeting, input: { readonly name: string }) => `${greeting}, ${input.name}`,
  fail: async () => {
    throw new RangeError('not like that');
  },
});

async function run<Result>(work: () => Promise<Result>): Promise<Result> {
  const environment = new MockActivityEnvironment({
    workflowExecution: { workflowId: 'ingest/2/batch', runId: OWN },
  });
  return (await environment.run(work)) as Result;
}

test('the work is given what it needs and what was asked', async () => {
  expect(await run(() => greet({ name: 'Ada' }))).toBe('Hello, Ada');
});

test.each([
  [{}, 1],
  [{ asked: { runId: OWN } }, 1],
  [{ asked: { runId: 'run-before-a-reset' } }, 2],
  // Not a run that asked, but the fields of a change order.
  [{ asked: { title: 'Fence' } }, 1],
  [{ asked: {} }, 1],
])('with the input %j it counts as attempt %d', async (input, attempt) => {
  expect(await run(() => attemptOf(input as { readonly asked?: Asking }))).toBe(attempt);
});

test('an error leaves as a failure that says its type', async () => {
  await expect(run(() => fail(undefined))).rejects.toMatchObject({ type: 'BUG', nonRetryable: true });
});

test('all of them run in what stands around them', async () => {
  const scopes: ActivityScope[] = [];
  const { double } = toActivities(
    never,
    2,
    { double: async (factor, input: number) => factor * input },
    async (scope, work) => {
      scopes.push(scope);
      return await work(scope);
    },
  );
  expect(await run(() => double(4))).toBe(8);
  expect(scopes).toHaveLength(1);
});
