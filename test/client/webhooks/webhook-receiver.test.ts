// The receiver over real HTTP, its workflow starts in memory.
import { createConnection, type Socket } from 'node:net';
import { request } from 'undici';
import { Secret } from '../../../activities/service/secret';
import { startWebhookReceiver, type WebhookReceiver } from '../../../client/webhooks/webhook-receiver';
import type { EventStarter } from '../../../client/webhooks/webhook-starter';
import { type WebhookConfig, webhooksSection } from '../../../workers/config/config-webhooks';

/** The service gives a delivery up after so long; we do after two seconds, whatever else the machine does. */
const SENDER_WAITS_MS = 5_000;
const PRESENT = 'Bearer present-secret-0001';
const PREVIOUS = 'Bearer previous-secret-0002';
const settings = webhooksSection.parse({
  secret: { env: 'X' },
  scopes: [{ companyId: 5001 }],
  own: { userIds: [9900], applicationIds: ['app-1'] },
  triggers: [
    {
      name: 'look',
      resource: 'Observation Items',
      events: ['create', 'update', 'reopened'],
      start: { workflow: 'lookWorkflow', input: { id: '{resourceId}', list: ['{projectId}', 3] } },
    },
    {
      name: 'wake',
      resource: 'Observation Items',
      events: ['update'],
      signal: { workflowId: 'observation/{projectId}/{resourceId}', name: 'resume' },
    },
    { name: 'hint', resource: 'Document Upload', events: ['create', 'update'], look: 'batch' },
  ],
})!;
const config: WebhookConfig = {
  ...settings,
  secrets: [
    { secret: new Secret(PRESENT) },
    { secret: new Secret(PREVIOUS), untilMs: Date.now() + 3_600_000 },
  ],
};
const v2 = {
  id: 17,
  ulid: '01JZZZZZZZZZZZZZZZZZZZZZZZ',
  timestamp: '2026-01-31T09:30:00Z',
  metadata: { source_user_id: 42, source_application_id: 'app-2' },
  user_id: 42,
  company_id: 5001,
  project_id: 7001,
  api_version: 'v2',
  event_type: 'update',
  resource_name: 'Observation Items',
  resource_id: 31,
};
const v3 = { ...v2, id: 18, related_resources: [{ id: 1, name: 'x' }] };
const v4 = {
  id: '01JZZZZZZZZZZZZZZZZZZZZZZ4',
  timestamp: '2026-01-31T09:30:00Z',
  company_id: '5001',
  project_id: '7001',
  api_version: 'v4',
  reason: 'reopened',
  resource_type: 'Observation Items',
  resource_id: '31',
};

class FakeStarter implements EventStarter {
  readonly calls: Parameters<EventStarter['start']>[] = [];
  fails = false;

  async start(...call: Parameters<EventStarter['start']>): Promise<'started'> {
    if (this.fails) throw new Error('no connection');
    this.calls.push(call);
    return 'started';
  }
}

let starter: FakeStarter;
let receiver: WebhookReceiver;
const rung: unknown[] = [];
const bell = { ring: (event: unknown) => void rung.push(event) };
const logged: unknown[] = [];
const sockets: Socket[] = [];

beforeEach(async () => {
  starter = new FakeStarter();
  logged.length = 0;
  rung.length = 0;
  const note = (facts: unknown) => void logged.push(facts);
  receiver = await startWebhookReceiver({
    config,
    starter,
    bell,
    logger: { info: note, warn: note },
    port: 0,
  });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await receiver.close();
});

interface Delivery {
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly method?: 'POST' | 'GET' | 'PUT' | 'DELETE' | 'HEAD';
  readonly path?: string;
}

async function deliver(event: unknown, changed: Delivery = {}): Promise<{ status: number; text: string }> {
  const answer = await request(new URL(changed.path ?? '', receiver.address), {
    method: changed.method ?? 'POST',
    headers: { authorization: PRESENT, 'content-type': 'application/json', ...changed.headers },
    ...(changed.method === undefined || changed.method === 'POST'
      ? { body: changed.body ?? JSON.stringify(event) }
      : {}),
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}

describe('a delivery', () => {
  test.each([
    ['v2', v2, '17'],
    ['v3', v3, '18'],
    ['v4', v4, v4.id],
  ])('of payload version %s starts what is configured for it', async (version, event, eventId) => {
    expect(await deliver(event)).toEqual({ status: 204, text: '' });
    const [seen, reactions] = starter.calls[0]!;
    expect(seen).toMatchObject({ version, eventId, companyId: '5001', projectId: '7001', resourceId: '31' });
    expect(reactions[0]).toEqual({
      kind: 'start',
      name: 'look',
      workflow: 'lookWorkflow',
      input: { id: '31', list: ['7001', 3] },
    });
    expect(reactions).toHaveLength(version === 'v4' ? 1 : 2);
    if (version !== 'v4') expect(reactions[1]).toMatchObject({ workflowId: 'observation/7001/31' });
  });

  test('with the secret before this one is taken during a rotation', async () => {
    expect((await deliver(v2, { headers: { authorization: PREVIOUS } })).status).toBe(204);
    expect(starter.calls).toHaveLength(1);
  });

  test.each([
    ['caused by our own user', { ...v2, metadata: { source_user_id: '9900' } }, 'own-change'],
    ['caused by our own application', { ...v2, metadata: { source_application_id: 'app-1' } }, 'own-change'],
    ['of another company', { ...v2, company_id: 1 }, 'other-scope'],
    ['of no company', { ...v2, company_id: null }, 'other-scope'],
    ['of a resource without a trigger', { ...v2, resource_name: 'Rainbows' }, 'no-trigger'],
    ['of another verb', { ...v2, event_type: 'delete' }, 'no-trigger'],
    ['of a form nobody knows', { kind: 'v9' }, 'unknown-form'],
    ['that is a list', [v2], 'unknown-form'],
    ['whose id is a path', { ...v2, id: '../../x' }, 'unknown-form'],
    ['whose id is too long', { ...v2, id: '1'.repeat(65) }, 'unknown-form'],
  ])('%s is answered 2xx and does nothing', async (_, event, why) => {
    expect((await deliver(event)).status).toBe(204);
    expect(starter.calls).toEqual([]);
    expect(receiver.counts().ignored).toMatchObject({ [why]: 1 });
  });

  test('is answered 503 while Temporal is away, so that the service brings it again', async () => {
    starter.fails = true;
    expect(await deliver(v2)).toEqual({ status: 503, text: '' });
    starter.fails = false;
    expect((await deliver(v2)).status).toBe(204);
    expect(JSON.stringify(logged)).not.toContain('present-secret');
  });
});

describe('what is refused, without a word', () => {
  test.each<[string, number, Delivery]>([
    ['no secret', 401, { headers: { authorization: '' } }],
    ['a wrong secret', 401, { headers: { authorization: `${PRESENT}x` } }],
    ['a secret cut short', 401, { headers: { authorization: PRESENT.slice(0, -1) } }],
    ['another method', 405, { method: 'PUT' }],
    ['GET', 405, { method: 'GET' }],
    ['HEAD', 405, { method: 'HEAD' }],
    ['another path', 404, { path: '/other' }],
    ['another type', 415, { headers: { 'content-type': 'text/plain' } }],
    ['a type that only begins like JSON', 415, { headers: { 'content-type': 'application/jsonx' } }],
    ['no JSON', 400, { body: '{"id":' }],
    ['no UTF-8', 400, { body: Buffer.from([0x22, 0xff, 0x22]) }],
    ['an empty body', 400, { body: '' }],
    ['a body over 64 KiB', 413, { body: `"${'x'.repeat(65 * 1024)}"` }],
    [
      'a compressed body',
      400,
      { body: Buffer.from('H4sI', 'base64'), headers: { 'content-encoding': 'gzip' } },
    ],
  ])('%s: %i', async (_, status, delivery) => {
    expect(await deliver(v2, delivery)).toEqual({ status, text: '' });
    expect(starter.calls).toEqual([]);
  });

  test('an unauthorised stranger learns nothing of method, type or size', async () => {
    const strange = { authorization: 'Bearer guess', 'content-type': 'text/plain' };
    const body = 'x'.repeat(70_000);
    expect((await deliver(v2, { headers: strange, body })).status).toBe(401);
    expect((await deliver(v2, { headers: strange, method: 'DELETE' })).status).toBe(401);
  });

  test('a body that says nothing of its length is cut at 64 KiB while it is read', async () => {
    const socket = open(`transfer-encoding: chunked`);
    const chunk = 'x'.repeat(16 * 1024);
    let sent = 0;
    const answer = new Promise<string>(resolve => socket.once('data', data => resolve(data.toString())));
    const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
    while (!socket.destroyed && sent < 640) {
      socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
      sent++;
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(await answer).toMatch(/^HTTP\/1.1 413 /);
    await closed;
    expect(starter.calls).toEqual([]);
  });

  test('a body that does not come is waited for two seconds, no longer', async () => {
    const startedMs = performance.now();
    const socket = open('content-length: 100');
    socket.write('{');
    await new Promise<void>(resolve => socket.resume().once('close', () => resolve()));
    expect(performance.now() - startedMs).toBeLessThan(SENDER_WAITS_MS);
    expect(starter.calls).toEqual([]);
  });

  test('headers that do not come are waited for as long', async () => {
    const { hostname, port } = new URL(receiver.address);
    const socket = createConnection(Number(port), hostname);
    sockets.push(socket);
    socket.write('POST /webhooks HTTP/1.1\r\nhost: x\r\n');
    const startedMs = performance.now();
    await new Promise<void>(resolve => socket.resume().once('close', () => resolve()));
    expect(performance.now() - startedMs).toBeLessThan(SENDER_WAITS_MS);
  });
});

test('an event of an upload is told to its batch, and nothing is kept of it', async () => {
  const uploadId = '01JZZZZZZZZZZZZZZZZZZZZZUP';
  const upload = { ...v2, resource_name: 'Document Upload', resource_id: uploadId };
  expect((await deliver(upload)).status).toBe(204);
  starter.fails = true;
  expect(
    (await deliver({ ...v4, reason: 'update', resource_type: 'Document Upload', resource_id: uploadId }))
      .status,
  ).toBe(204);
  expect((await deliver({ ...upload, company_id: 1 })).status).toBe(204);
  expect((await deliver({ ...upload, metadata: { source_user_id: 9900 } })).status).toBe(204);
  expect((await deliver(upload, { headers: { authorization: 'Bearer guess-guess-guess' } })).status).toBe(
    401,
  );
  expect(rung).toEqual([
    { projectId: '7001', uploadId },
    { projectId: '7001', uploadId },
  ]);
  expect(starter.calls).toEqual([]);
  expect(receiver.counts()).toMatchObject({
    hinted: 2,
    started: 0,
    ignored: { 'other-scope': 1, 'own-change': 1 },
  });
});

test('nothing is received without a secret', async () => {
  const unarmed = { ...config, secrets: [] };
  const logger = { info: () => undefined, warn: () => undefined };
  await expect(startWebhookReceiver({ config: unarmed, starter, bell, logger, port: 0 })).rejects.toThrow(
    'secret',
  );
});

test('rejections are counted, and said once rather than one by one', async () => {
  for (let count = 0; count < 20; count++) await deliver(v2, { headers: { authorization: 'Bearer guess' } });
  expect(receiver.counts().rejected.secret).toBe(20);
  expect(logged).toHaveLength(1);
});

/** A connection with the beginning of an authorised delivery on it. */
function open(header: string): Socket {
  const { hostname, port } = new URL(receiver.address);
  const socket = createConnection(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.write(
    `POST /webhooks HTTP/1.1\r\nhost: x\r\nauthorization: ${PRESENT}\r\ncontent-type: application/json\r\n${header}\r\n\r\n`,
  );
  return socket;
}
