// One event of the service, made durable by this run's start; what it sets off happens once.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import { SERVICE_TASK_QUEUE } from '../contract';
import { toSummary } from '../run/decide/escape-markdown';
import { parseInput } from '../run/parse-input';
import {
  type WebhookEventInput,
  type WebhookEventResult,
  webhookEventInput,
  webhookEventWorkflowId,
} from './webhooks-contract';

const EXAMPLE = {
  event: {
    eventId: '1000123',
    version: 'v2',
    resource: 'Observation Items',
    event: 'update',
    resourceId: '31',
    companyId: '5001',
    projectId: '7001',
    timestamp: '2026-01-31T09:30:00Z',
  },
  reactions: [{ kind: 'signal', name: 'wake', workflowId: 'observation/7001/31', signal: 'resume' }],
};

/**
 * Starts or wakes what the receiver's configuration says. What it starts goes on by itself; its id comes from
 * the event, so that nothing starts twice. An event is a hint: whoever is woken looks at the service.
 */
export async function webhookEventWorkflow(rawInput: WebhookEventInput): Promise<WebhookEventResult> {
  const { event, reactions } = parseInput(webhookEventInput, rawInput, EXAMPLE);
  const done: WebhookEventResult['reactions'][number][] = [];
  for (const reaction of reactions) {
    const { name } = reaction;
    if (reaction.kind === 'signal') {
      done.push({ name, outcome: await wake(reaction.workflowId, reaction.signal, event.eventId) });
      continue;
    }
    const { workflow, input } = reaction;
    done.push({
      name,
      outcome: await start(workflow, input, `${webhookEventWorkflowId(event.eventId)}/${name}`),
    });
  }
  return { reactions: done };
}

async function start(
  workflow: string,
  input: unknown,
  workflowId: string,
): Promise<'started' | 'started-before'> {
  try {
    await startChild(workflow, {
      workflowId,
      args: [input],
      taskQueue: SERVICE_TASK_QUEUE,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      staticSummary: toSummary(`Set off by ${workflowInfo().workflowId}`),
    });
    return 'started';
  } catch (error: unknown) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'started-before';
    throw error;
  }
}

async function wake(
  workflowId: string,
  signal: string,
  requestId: string,
): Promise<'signalled' | 'nobody-waits'> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(signal, { requestId });
    return 'signalled';
  } catch {
    // Ended, or never there: nobody waits, and a run that comes later looks by itself.
    return 'nobody-waits';
  }
}
