// A test run that only a person can help stands still in sight, and goes on when it is told to.
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { asideTaskQueue, resumeSignal, SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import { runProgressQuery } from '../../../workflows/run/run-progress-contract';
import type { CheckFilesResult } from '../../../workflows/test-run/check-files-contract';
import { useNamespace } from '../../setup/temporal-namespace';

const temporal = useNamespace();

const RESULT: CheckFilesResult = {
  share: 'tender',
  folder: 'Package A',
  sheet: 'test/Package A-TEST.xlsx',
  sum: '1 would go through = 1',
  cost: '4 requests',
  time: 'a second',
  faults: [],
};

test('credentials that are refused are told, and waited for', async () => {
  let isSignedIn = false;
  const activities = {
    checkFiles: async () => {
      if (isSignedIn) return RESULT;
      throw ApplicationFailure.create({
        type: 'LOGIN_REQUIRED',
        message: 'Nobody is signed in.',
        nonRetryable: true,
        details: [{ effect: 'not-sent', fix: 'Sign in.' }],
      });
    },
  };
  const { namespace, native: connection } = temporal;
  const workflows = await Worker.create({
    connection,
    namespace,
    taskQueue: SERVICE_TASK_QUEUE,
    workflowBundle: { codePath: temporal.bundlePath },
  });
  const files = await Worker.create({
    connection,
    namespace,
    activities,
    taskQueue: asideTaskQueue('tender'),
  });
  await workflows.runUntil(
    files.runUntil(async () => {
      const handle = await temporal.client.workflow.start('checkFilesWorkflow', {
        workflowId: `test-run/${randomUUID()}`,
        taskQueue: SERVICE_TASK_QUEUE,
        args: [{ share: 'tender', folder: 'Package A' }],
      });
      for (;;) {
        const { blocked, share } = await handle.query(runProgressQuery);
        expect(share).toBe('tender');
        if (blocked !== undefined) {
          expect(blocked.reason.text).toContain('Nobody is signed in.');
          break;
        }
        await temporal.nextEvent(handle);
      }
      isSignedIn = true;
      await handle.signal(resumeSignal, {});
      expect(await handle.result()).toEqual(RESULT);
    }),
  );
});
