// A command follows a run: it ends when the run has, and leaves no question behind.
import {
  ActivityFailure,
  ApplicationFailure,
  type Client,
  WorkflowFailedError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { z } from 'zod';
import { withResolvers } from '../../../activities/host/with-resolvers';
import { followRun, startRun, throwItsWords } from '../../../client/session/follow-run';
import { explainFaults } from '../../../workflows/run/parse-input';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A client whose run and whose answers are ended by hand. */
function stubClient() {
  const result = withResolvers<string>();
  const answer = withResolvers<{ step: string }>();
  const deadlines: number[] = [];
  const query = jest.fn(() => answer.promise);
  const client = {
    workflow: { getHandle: () => ({ query, result: () => result.promise }) },
    withDeadline: <T>(deadline: number, ask: () => Promise<T>) => {
      deadlines.push(deadline - Date.now());
      return ask();
    },
  } as unknown as Client;
  return { client, result, answer, query, deadlines };
}

test('it ends after the run only when its last question is answered: the connection is closed next', async () => {
  const { client, result, answer, query, deadlines } = stubClient();
  const told: string[] = [];
  const ended = jest.fn();
  const following = followRun<string>(client, 'w', step => told.push(step));
  void following.then(ended);
  await jest.advanceTimersByTimeAsync(3_500);
  // One question at a time, however long it takes.
  expect(query).toHaveBeenCalledTimes(1);
  expect(deadlines).toEqual([5_000]);
  result.resolve('done');
  await jest.advanceTimersByTimeAsync(0);
  expect(ended).not.toHaveBeenCalled();
  answer.resolve({ step: 'Making the order' });
  expect(await following).toBe('done');
  expect(told).toEqual(['Making the order']);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(query).toHaveBeenCalledTimes(1);
});

test('a question that fails is no reason to stop waiting', async () => {
  const { client, result, answer, query } = stubClient();
  const following = followRun<string>(client, 'w', () => undefined);
  answer.reject(new Error('no worker'));
  await jest.advanceTimersByTimeAsync(2_500);
  expect(query).toHaveBeenCalledTimes(2);
  result.resolve('done');
  expect(await following).toBe('done');
});

test('a title that is a link is shown where runs are listed, and is none', async () => {
  const start = jest.fn(async (_workflow: string, _options: unknown) => undefined);
  const client = { workflow: { start } } as unknown as Client;
  const run = { workflow: 'changeOrderWorkflow', workflowId: 'w', input: {}, summary: '[x](https://e)' };
  expect(await startRun(client, run)).toBe('started');
  expect(start.mock.calls[0]?.[1]).toMatchObject({ staticSummary: '\\[x\\](https\\://e)' });
});

test('a run that an activity has failed is told in the words of that failure', () => {
  const refused = ApplicationFailure.nonRetryable('The period is closed', 'REQUEST_REFUSED');
  const failed = new ActivityFailure('Activity task failed', 'a', '1', 'IN_PROGRESS', 'w', refused);
  const ended = new WorkflowFailedError('Workflow execution failed', failed, 'NON_RETRYABLE_FAILURE');
  expect(() => throwItsWords()(ended)).toThrow('The period is closed');
});

describe('an update that is refused', () => {
  function wordsOf(input: unknown): string {
    const { error } = z.strictObject({ count: z.number() }).safeParse(input);
    const refused = new WorkflowUpdateFailedError('refused', new Error(explainFaults(error!, { count: 1 })));
    try {
      return throwItsWords('Not taken: ')(refused);
    } catch (told: unknown) {
      return (told as Error).message;
    }
  }

  test('is told in the words of the run', () => {
    expect(wordsOf({ count: 'many' })).toMatch(/^Not taken: The input cannot be used:\n- "count": /);
  });

  test.each([
    { count: 1, asked: 2 },
    { count: 1, asked: 2, as: 3 },
  ])('by a worker that does not know all that was said (%j) tells which part to update first', input => {
    expect(wordsOf(input)).toBe(
      'Not taken: The worker is of an earlier version. Update the workers first, then the page and the commands.',
    );
  });
});
