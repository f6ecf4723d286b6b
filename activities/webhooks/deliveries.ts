// What has come of the events that the service has sent (specification, Webhook delivery).
import type { ActivityScope } from '../scope/activity-scope';
import type { DeliveryStatus, ListedDelivery } from '../service/endpoints/webhooks';
import { listDeliveries } from '../service/endpoints/webhooks';
import { maskForeignText } from '../service/secret';
import type { Sender } from '../service/service-client';
import { echoes, secretsOf, type WebhookHeader } from './webhook-header';
import type { HookRef, ReadDeliveriesInput, SeenDelivery } from './webhooks-api';

const DELIVERY_PAGE = 100;
/** Most pages that are read at one time: nobody reads more deliveries than these. */
const MOST_PAGES = 50;
/** Told in place of what quotes a secret. */
const QUOTED = 'words that are not to be repeated';

/** Newest first, of one outcome; what quotes one of our secrets, or a part of it, is not told. */
export async function readDeliveries(
  deps: { readonly client: Sender; readonly header: WebhookHeader | undefined },
  input: ReadDeliveriesInput,
  { signal }: Pick<ActivityScope, 'signal'>,
): Promise<{ readonly deliveries: readonly SeenDelivery[] }> {
  const secrets = secretsOf(deps.header);
  const deliveries: SeenDelivery[] = [];
  for await (const page of fetchDeliveries(deps.client, input, signal)) {
    for (const delivery of page) {
      // The name of the filter differs between descriptions of the service: where the service has ignored
      // it, this does its work.
      if (!hasStatus(delivery, input.status)) continue;
      deliveries.push(toSeen(delivery, secrets));
      if (deliveries.length >= input.most) return { deliveries };
    }
  }
  return { deliveries };
}

/** Pages of deliveries, newest first, each beginning after the last id of the one before. */
export async function* fetchDeliveries(
  client: Sender,
  { scope, hookId, status }: HookRef & { readonly status: DeliveryStatus },
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly ListedDelivery[], void, undefined> {
  const starts = new Set<string>();
  let pageStart: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { data } = await client.send(listDeliveries, {
      companyId: scope.companyId,
      params: { hookId },
      query: { scope, status, pageSize: DELIVERY_PAGE, pageStart },
      signal,
    });
    if (data.length === 0) return;
    yield data;
    const last = data.at(-1)?.id ?? null;
    // Without a new place to go on from, the next page would be this one.
    if (last === null || starts.has(last)) return;
    starts.add(last);
    pageStart = last;
  }
}

function hasStatus({ outcome }: ListedDelivery, status: DeliveryStatus): boolean {
  switch (status) {
    case 'successful':
      return outcome === 'ok';
    case 'failing':
      return outcome === 'retried' || outcome === 'failed';
    case 'discarded':
      return outcome === 'discarded';
    default:
      return true;
  }
}

function toSeen(delivery: ListedDelivery, secrets: readonly string[]): SeenDelivery {
  const said = delivery.responseError || (delivery.outcome === 'ok' ? '' : delivery.responseBody);
  return {
    eventId: delivery.eventId ?? '',
    resource: delivery.resourceName.slice(0, 100),
    event: delivery.eventType.slice(0, 40),
    outcome: delivery.outcome.slice(0, 40),
    responseStatus: delivery.responseStatus,
    trouble: echoes(said, secrets) ? QUOTED : maskForeignText(said, secrets, 200),
    startedAt: delivery.startedAt.slice(0, 40),
  };
}
