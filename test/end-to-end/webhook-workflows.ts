// Workflows for the test of the webhooks: the one of the product, one whose runs are counted,
// and one that keeps workers busy.
import { proxyActivities } from '@temporalio/workflow';

export { webhookEventWorkflow } from '../../workflows/webhooks/webhook-event';

interface CountingActivities {
  noteEffect(input: { readonly id: string }): Promise<void>;
  occupy(): Promise<void>;
}

const activities = proxyActivities<CountingActivities>({ startToCloseTimeout: '1 minute' });

export async function noteEffectWorkflow(input: { readonly id: string }): Promise<void> {
  await activities.noteEffect(input);
}

/** Ends when it is terminated. */
export async function busyWorkflow(): Promise<void> {
  for (let count = 0; count < 1_000; count++) await activities.occupy();
}
