// A command follows a run: it ends when the run has, and leaves no question behind.
import type { Client } from '@temporalio/client';
import { withResolvers } from '../../../activities/host/with-resolvers';
import { followRun } from '../../../client/session/follow-run';

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
