/**
 * Brings an event to a destination as the service does: one POST with the hook's
 * headers, five seconds' patience.
 */
import { request } from 'undici';
import { z } from 'zod';
import type { World } from '../world';
import type { Delivery } from './records';

const PATIENCE_MS = 5_000;

/** An order at the control port. `to` stands in for the hook's https address, which no test can serve. */
export const deliverySchema = z.strictObject({
  event: z.record(z.string(), z.unknown()),
  to: z.string().optional(),
  /** Records this instead of sending anything. */
  outcome: z.enum(['ok', 'retried', 'failed', 'discarded']).optional(),
  responseStatus: z.number().int().optional(),
});
export type DeliveryOrder = z.infer<typeof deliverySchema>;

/** One attempt, recorded for the list of deliveries; null when there is no such hook. */
export async function deliver(world: World, hookId: string, order: DeliveryOrder): Promise<Delivery | null> {
  const hook = world.hooks.get(hookId);
  if (hook === undefined || hook.deleted) return null;
  const startedAt = world.now();
  const result =
    order.outcome === undefined
      ? await attempt(order.to ?? hook.destinationUrl, hook.destinationHeaders, order.event)
      : {
          outcome: order.outcome,
          responseStatus: order.responseStatus ?? null,
          responseError: null,
          responseBody: null,
        };
  return world.deliveries.put({
    id: String(63_000 + world.deliveries.size),
    hookId,
    event: order.event,
    startedAt,
    completedAt: world.now(),
    ...result,
  });
}

async function attempt(
  url: string,
  headers: Readonly<Record<string, string>>,
  event: Readonly<Record<string, unknown>>,
): Promise<Pick<Delivery, 'outcome' | 'responseStatus' | 'responseError' | 'responseBody'>> {
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(event),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await answer.body.text();
    const isGood = answer.statusCode >= 200 && answer.statusCode < 300;
    return {
      outcome: isGood ? 'ok' : 'retried',
      responseStatus: answer.statusCode,
      responseError: null,
      responseBody: text.slice(0, 1_000),
    };
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    return {
      outcome: 'retried',
      responseStatus: null,
      responseError: `no answer (${String(code)})`,
      responseBody: null,
    };
  }
}
