// The fields of a project are kept on a share once they are asked for; what only a person can repair is not
// waited for.
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { asideTaskQueue, SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import type { KeepFieldsResult } from '../../../workflows/template/keep-fields-contract';
import { recordHistory } from '../../setup/recorded-histories';
import { useNamespace } from '../../setup/temporal-namespace';

const temporal = useNamespace();

async function keep(keepFields: (input: unknown) => Promise<KeepFieldsResult>): Promise<unknown> {
  const { namespace, native: connection, bundlePath: codePath } = temporal;
  const workflows = await Worker.create({
    connection,
    namespace,
    taskQueue: SERVICE_TASK_QUEUE,
    workflowBundle: { codePath },
  });
  const work = await Worker.create({
    connection,
    namespace,
    activities: { keepFields },
    taskQueue: asideTaskQueue('tender'),
  });
  return await workflows.runUntil(
    work.runUntil(async () => {
      const handle = await temporal.client.workflow.start('keepFieldsWorkflow', {
        workflowId: `fields/2/${randomUUID()}`,
        taskQueue: SERVICE_TASK_QUEUE,
        args: [{ share: 'tender' }],
      });
      const result: unknown = await handle.result();
      await recordHistory(handle);
      return result;
    }),
  );
}

test('the fields of a project are kept on the share that asks for them', async () => {
  const asked: unknown[] = [];
  const written: KeepFieldsResult = { share: 'tender', fields: 'written' };
  const result = await keep(async input => {
    asked.push(input);
    return await Promise.resolve(written);
  });
  expect([result, asked]).toEqual([written, [{ share: 'tender' }]]);
});

test('the fields of a project that only a person can let us ask for are not waited for', async () => {
  const result = await keep(async () => {
    await Promise.resolve();
    throw ApplicationFailure.create({
      type: 'LOGIN_REQUIRED',
      message: 'Nobody is signed in.',
      nonRetryable: true,
      details: [{ effect: 'not-sent', fix: 'Sign in.' }],
    });
  });
  expect(result).toEqual({ share: 'tender', fields: 'cannot-ask' });
});
