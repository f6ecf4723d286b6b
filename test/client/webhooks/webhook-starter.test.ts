// What people see in Temporal of a run for an event: whoever can send one has chosen its words.
import type { Client } from '@temporalio/client';
import type { WebhookEvent } from '../../../client/webhooks/webhook-event';
import { TemporalEventStarter } from '../../../client/webhooks/webhook-starter';

const EVENT: WebhookEvent = {
  eventId: '1000123',
  version: 'v2',
  resource: '[x](https://e)',
  event: 'update',
  resourceId: '31',
  companyId: '5001',
  projectId: '7001',
  timestamp: '2026-01-31T09:30:00Z',
  sourceUserId: '',
  sourceApplicationId: '',
};

test('an event whose words are a link is named where runs are listed, and is none', async () => {
  const start = jest.fn(async (_workflow: string, _options: unknown) => undefined);
  const withDeadline = (_deadline: number, ask: () => Promise<unknown>) => ask();
  const client = { workflow: { start }, withDeadline } as unknown as Client;
  expect(await new TemporalEventStarter(client).start(EVENT, [])).toBe('started');
  expect(start.mock.calls[0]?.[1]).toMatchObject({ staticSummary: '\\[x\\](https\\://e) update' });
});
