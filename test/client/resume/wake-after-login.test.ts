// A login wakes whatever stands still for want of one.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { wakeAfterLogin } from '../../../client/resume/wake-after-login';

const blocked = { progress: { blocked: { reason: { code: 'LOGIN_REQUIRED' } } } };

jest.mock('../../../client/status/batch-status', () => ({
  listRunningBatches: async () => [
    { workflowId: 'ended', ...blocked },
    { workflowId: 'waits', ...blocked },
    { workflowId: 'silent' },
  ],
}));
jest.mock('../../../client/resume/other-runs', () => ({
  ...jest.requireActual('../../../client/resume/other-runs'),
  listOtherRuns: async () => [{ workflowId: 'other', ...blocked }, { workflowId: 'silent too' }],
  wakeOtherRuns: async (_: unknown, runs: readonly object[]) => runs.map(run => ({ run, result: 'told' })),
}));

test('a batch that has ended since it was listed does not keep the others asleep', async () => {
  const told: string[] = [];
  const getHandle = (workflowId: string) => ({
    signal: async () => {
      if (workflowId === 'ended') throw new WorkflowNotFoundError('gone', workflowId, undefined);
      told.push(workflowId);
    },
  });
  const woken = await wakeAfterLogin({ client: { workflow: { getHandle } } as unknown as Client });
  expect(woken).toEqual({ told: 2, unanswered: 2 });
  expect(told).toEqual(['waits']);
});
