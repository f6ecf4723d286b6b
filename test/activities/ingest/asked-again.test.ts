// An activity that a reset dispatches again has the input of the run before and counts its attempts from 1:
// whose question it is tells it apart.
import { MockActivityEnvironment } from '@temporalio/testing';
import { inScope } from '../../../activities/scope/activity-scope';
import type { Asking } from '../../../workflows/contract';

const OWN = 'run-of-now';

async function attemptOf(asked: Asking | undefined, attempt: number): Promise<number> {
  const environment = new MockActivityEnvironment({
    attempt,
    workflowExecution: { workflowId: 'ingest/2/batch', runId: OWN },
  });
  const never = new AbortController().signal;
  return (await environment.run(() => inScope(never, async scope => scope.attempt, asked))) as number;
}

test.each([
  [{ runId: OWN }, 1, 1],
  [{ runId: OWN }, 3, 3],
  [{ runId: OWN, afterReset: true }, 1, 1],
  [{ runId: 'run-of-before' }, 1, 2],
  [{ runId: 'run-of-before', afterReset: true }, 2, 3],
  [undefined, 1, 1],
])('asked by %j at attempt %d it counts as attempt %d', async (asked, attempt, expected) => {
  expect(await attemptOf(asked, attempt)).toBe(expected);
});
