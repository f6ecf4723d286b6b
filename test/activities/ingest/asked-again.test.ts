// An activity that a reset dispatches again has the input of the run before and counts its attempts from 1:
// whose question it is tells it apart.
import { MockActivityEnvironment } from '@temporalio/testing';
import { type ActivityScope, inScope } from '../../../activities/scope/activity-scope';
import type { Asking } from '../../../workflows/contract';

const OWN = 'run-of-now';

type Counted = Pick<ActivityScope, 'attempt' | 'isOfOtherRun'>;

async function countAs(asked: Asking | undefined, attempt: number): Promise<Counted> {
  const environment = new MockActivityEnvironment({
    attempt,
    workflowExecution: { workflowId: 'ingest/2/batch', runId: OWN },
  });
  const never = new AbortController().signal;
  const count = async (scope: ActivityScope): Promise<Counted> => ({
    attempt: scope.attempt,
    isOfOtherRun: scope.isOfOtherRun,
  });
  return (await environment.run(() => inScope(never, count, asked))) as Counted;
}

test.each([
  [{ runId: OWN }, 1, 1, false],
  [{ runId: OWN }, 3, 3, false],
  [{ runId: OWN, afterReset: true }, 1, 1, false],
  [{ runId: 'run-of-before' }, 1, 2, true],
  [{ runId: 'run-of-before', afterReset: true }, 2, 3, true],
  [undefined, 1, 1, false],
])('asked by %j at attempt %d it counts as attempt %d', async (asked, attempt, expected, isOfOtherRun) => {
  expect(await countAs(asked, attempt)).toEqual({ attempt: expected, isOfOtherRun });
});
