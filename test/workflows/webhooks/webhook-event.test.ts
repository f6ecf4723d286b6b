// What an event sets off, on a real Temporal server; the activities of what it wakes are in memory.
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import type { UserActivities } from '../../../activities';
import { SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import { runProgressQuery } from '../../../workflows/run/run-progress-contract';
import type { PermissionTemplateResult } from '../../../workflows/users/users-contract';
import {
  type WebhookEventResult,
  webhookEventWorkflowId,
} from '../../../workflows/webhooks/webhooks-contract';
import { recordHistory } from '../../setup/recorded-histories';
import { useNamespace } from '../../setup/temporal-namespace';

const temporal = useNamespace();

/** A user whom nobody lets in until `open`. */
class FakeDirectory implements UserActivities {
  open = false;
  readonly #template = { id: '303', name: 'Project Admin' };
  readonly #previous = { id: '302', name: 'Standard' };
  #inside = true;

  findMember: UserActivities['findMember'] = async () => ({
    kind: 'found',
    member: { userId: '9', name: 'Ada', template: this.#previous },
    template: this.#template,
    previous: this.#previous,
  });
  lookAtMember: UserActivities['lookAtMember'] = async ({ userId }) =>
    this.#inside ? { userId, name: 'Ada', template: this.#template } : null;
  removeMember: UserActivities['removeMember'] = async () => {
    this.#inside = false;
    return { kind: 'removed' };
  };
  addMember: UserActivities['addMember'] = async () => {
    if (!this.open) return { kind: 'refused', reason: { code: 'x', text: 'No.', fix: 'Wait.' } };
    this.#inside = true;
    return { kind: 'added' };
  };
  bringInside: UserActivities['bringInside'] = () =>
    Promise.reject(ApplicationFailure.create({ message: 'No.', nextRetryDelay: '1 minute' }));
}

async function withWorker(directory: FakeDirectory, work: () => Promise<void>): Promise<void> {
  const { findMember, lookAtMember, removeMember, addMember, bringInside } = directory;
  const worker = await Worker.create({
    connection: temporal.native,
    namespace: temporal.namespace,
    taskQueue: SERVICE_TASK_QUEUE,
    workflowBundle: { codePath: temporal.bundlePath },
    activities: { findMember, lookAtMember, removeMember, addMember, bringInside },
  });
  await worker.runUntil(work);
}

const person = { companyId: '1', projectId: '2', user: 'Ada', template: '303' };

async function start(
  eventId: string,
  reactions: unknown[],
): Promise<WorkflowHandle<(input: unknown) => Promise<WebhookEventResult>>> {
  const event = {
    eventId,
    version: 'v2',
    resource: 'Project Users',
    event: 'update',
    resourceId: '9',
    companyId: '1',
    projectId: '2',
    timestamp: '',
  };
  return (await temporal.client.workflow.start('webhookEventWorkflow', {
    workflowId: webhookEventWorkflowId(eventId),
    taskQueue: SERVICE_TASK_QUEUE,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    args: [{ event, reactions }],
  })) as WorkflowHandle<(input: unknown) => Promise<WebhookEventResult>>;
}

test('wakes what waits, and does nothing where nobody does', async () => {
  const directory = new FakeDirectory();
  await withWorker(directory, async () => {
    const workflowId = `permission-template/2/${randomUUID()}`;
    const waiting = await temporal.client.workflow.start('changePermissionTemplateWorkflow', {
      workflowId,
      taskQueue: SERVICE_TASK_QUEUE,
      args: [person],
    });
    while ((await waiting.query(runProgressQuery)).blocked === undefined) await temporal.nextEvent(waiting);
    directory.open = true;
    const handle = await start('41', [
      { kind: 'signal', name: 'nobody', workflowId: `nobody/${randomUUID()}`, signal: 'resume' },
      { kind: 'signal', name: 'wake', workflowId, signal: 'resume' },
    ]);
    expect((await handle.result()).reactions).toEqual([
      { name: 'nobody', outcome: 'nobody-waits' },
      { name: 'wake', outcome: 'signalled' },
    ]);
    await recordHistory(handle);
    const result = (await waiting.result()) as PermissionTemplateResult;
    expect(result.outcome).toBe('changed');
  });
});

test('starts what is configured once, although the event itself runs twice', async () => {
  const directory = new FakeDirectory();
  directory.open = true;
  await withWorker(directory, async () => {
    const reactions = [
      { kind: 'start', name: 'go', workflow: 'changePermissionTemplateWorkflow', input: person },
    ];
    const first = await start('42', reactions);
    expect((await first.result()).reactions).toEqual([{ name: 'go', outcome: 'started' }]);
    const child = temporal.client.workflow.getHandle(`${webhookEventWorkflowId('42')}/go`);
    expect(((await child.result()) as PermissionTemplateResult).outcome).toBe('changed');
    const second = await start('42', reactions);
    expect((await second.result()).reactions).toEqual([{ name: 'go', outcome: 'started-before' }]);
    await recordHistory(second);
  });
});

test('an input that cannot be used fails at once with all faults and an example', async () => {
  await withWorker(new FakeDirectory(), async () => {
    const handle = await start('', [{ kind: 'start', name: 'x', workflow: 'rm', input: 1 }]);
    const error = (await handle.result().catch((reason: unknown) => reason)) as { cause: Error };
    expect(error.cause.message).toContain('"event.eventId"');
    expect(error.cause.message).toContain('"reactions.0.workflow"');
    expect(error.cause.message).toContain('For example:');
  });
});
