// Makes an event durable: a workflow start keyed by the event's id. Duplicates cost nothing.
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { systemClock } from '../../activities/host/clock';
import { SERVICE_TASK_QUEUE } from '../../workflows/contract';
import { toSummary } from '../../workflows/run/decide/escape-markdown';
import { type WebhookEventInput, webhookEventWorkflowId } from '../../workflows/webhooks/webhooks-contract';
import type { WebhookEvent } from './webhook-event';
import type { Reaction } from './webhook-reactions';

/** Events remembered as started, to spare the server the duplicates that follow at once. */
const REMEMBERED = 10_000;
/** The sender waits five seconds in all (specification, Limits). */
const START_WITHIN_MS = 3_000;

export interface EventStarter {
  /** Resolves once the event is durable, now or before; throws when that is not known. */
  start(event: WebhookEvent, reactions: readonly Reaction[]): Promise<'started' | 'known'>;
}

export class TemporalEventStarter implements EventStarter {
  readonly #client: Client;
  readonly #withinMs: number;
  /** By workflow id, oldest first; under way or done. */
  readonly #started = new Map<string, Promise<unknown>>();

  constructor(client: Client, options: { readonly withinMs?: number } = {}) {
    this.#client = client;
    this.#withinMs = options.withinMs ?? START_WITHIN_MS;
  }

  async start(event: WebhookEvent, reactions: readonly Reaction[]): Promise<'started' | 'known'> {
    const workflowId = webhookEventWorkflowId(event.eventId);
    const known = this.#started.get(workflowId);
    if (known !== undefined) {
      await known;
      return 'known';
    }
    const starting = this.#startOnce(workflowId, event, reactions);
    this.#started.set(workflowId, starting);
    try {
      return await starting;
    } catch (error: unknown) {
      this.#started.delete(workflowId);
      throw error;
    } finally {
      const [oldest] = this.#started.keys();
      if (this.#started.size > REMEMBERED && oldest !== undefined) this.#started.delete(oldest);
    }
  }

  async #startOnce(
    workflowId: string,
    event: WebhookEvent,
    reactions: readonly Reaction[],
  ): Promise<'started' | 'known'> {
    const { sourceUserId: _, sourceApplicationId: __, ...kept } = event;
    const input: WebhookEventInput = { event: kept, reactions: [...reactions] };
    try {
      await this.#client.withDeadline(systemClock.wallMs() + this.#withinMs, () =>
        this.#client.workflow.start('webhookEventWorkflow', {
          workflowId,
          taskQueue: SERVICE_TASK_QUEUE,
          args: [input],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          workflowIdConflictPolicy: 'FAIL',
          staticSummary: toSummary(`${event.resource} ${event.event}`),
        }),
      );
      return 'started';
    } catch (error: unknown) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return 'known';
      throw error;
    }
  }
}
