// The whole way: a real Temporal server, a real worker, and the stand-in service over HTTP.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import type { EnsureWebhooksResult } from '../../../workflows/webhooks/webhooks-contract';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { recordHistory } from '../../setup/recorded-histories';
import { Rig, WEBHOOK_SECRET } from '../../setup/rig';

const input = {
  companyId: DEFAULT_COMPANY_ID,
  projectId: DEFAULT_PROJECTS.plain,
  destinationUrl: 'https://hooks.example.com/webhooks',
  triggers: [
    { resource: 'Document Upload', events: ['create', 'update'] },
    { resource: 'Observation Items', events: ['update'] },
  ],
};
let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({ webhooks: { scopes: [{ companyId: DEFAULT_COMPANY_ID }] } });
  await rig.startWorker();
});
beforeEach(async () => {
  await rig.control.reset();
});
afterAll(async () => {
  await rig.close();
});

type Handle = WorkflowHandle<(input: unknown) => Promise<EnsureWebhooksResult>>;

async function start(changed: Record<string, unknown> = {}): Promise<Handle> {
  return (await rig.temporal.client.workflow.start('ensureWebhooksWorkflow', {
    workflowId: `webhooks/test/${randomUUID()}`,
    taskQueue: SERVICE_TASK_QUEUE,
    args: [{ ...input, ...changed }],
  })) as Handle;
}

async function ensure(changed: Record<string, unknown> = {}): Promise<EnsureWebhooksResult> {
  return await (await start(changed)).result();
}

/** What took effect at the service, in order. */
async function effects(): Promise<(string | undefined)[]> {
  return (await rig.control.operations())
    .filter(({ kind, what }) => kind === 'effect' && what !== 'tokens-issued')
    .map(({ what }) => what);
}

test('makes the hook and its triggers once; the second time there is nothing to do', async () => {
  const handle = await start();
  const first = await handle.result();
  expect(first.changes).toHaveLength(4);
  expect(first).toMatchObject({ refused: [], notes: expect.arrayContaining([`hook ${first.hookId} made`]) });
  await recordHistory(handle);
  expect(await ensure()).toMatchObject({ hookId: first.hookId, changes: [] });
  expect(await effects()).toEqual(['hook-created', 'trigger-created', 'trigger-created', 'trigger-created']);
  expect(await rig.control.violations()).toEqual([]);
});

test('the secret is in no history and in no log', async () => {
  const handle = await start();
  await handle.result();
  const history = historyToJSON(await handle.fetchHistory());
  const texts = [...history.matchAll(/"data":\s*"([^"]+)"/g)].map(([, data = '']) =>
    Buffer.from(data, 'base64').toString('utf8'),
  );
  expect(texts.join()).toContain('hooks.example.com');
  const log = readFileSync(rig.logFile, 'utf8');
  expect(log).toContain('hooks.create');
  expect(log + history + texts.join()).not.toContain(WEBHOOK_SECRET.slice(7));
});

test('answers that are lost do not make anything twice', async () => {
  await rig.control.addFault({ route: 'hooks.create', action: { kind: 'reply-lost' } });
  await rig.control.addFault({ route: 'triggers.create', action: { kind: 'cut-answer' } });
  const handle = await start();
  await handle.result();
  await recordHistory(handle);
  expect(await effects()).toEqual(['hook-created', 'trigger-created', 'trigger-created', 'trigger-created']);
});

test.each([
  // The first reading is before anything is made.
  ['hooks.list', 1],
  ['triggers.list', 0],
])('what was made and %s shows late is not made a second time', async (route, skip) => {
  await rig.control.addFault({ route, skip, action: { kind: 'status', status: 200, body: [] } });
  const { changes, refused } = await ensure();
  expect(changes).toHaveLength(4);
  expect(refused).toEqual([]);
  expect(await effects()).toEqual(['hook-created', 'trigger-created', 'trigger-created', 'trigger-created']);
});

test.each([
  ['is not made a second time', input.triggers, 1],
  ['is removed where it is not wanted any more', [], 0],
])('what a run before has made a moment ago and is listed late %s', async (_, triggers, hooks) => {
  const scopes = [{ companyId: DEFAULT_COMPANY_ID }];
  const late = await Rig.start({ webhooks: { scopes }, listedAfterMs: 4_000 });
  try {
    await late.startWorker();
    const run = async (wanted = input.triggers) => {
      const handle = await late.temporal.client.workflow.start('ensureWebhooksWorkflow', {
        workflowId: 'webhooks/5001/7001',
        taskQueue: SERVICE_TASK_QUEUE,
        args: [{ ...input, triggers: wanted }],
      });
      return (await handle.result()) as EnsureWebhooksResult;
    };
    const first = await run();
    const action = { kind: 'status', status: 200, body: [] } as const;
    await late.control.addFault({ route: 'hooks.list', action });
    expect(await run(triggers)).toMatchObject(
      hooks === 1
        ? { hookId: first.hookId, changes: [] }
        : { hookId: null, changes: [`hook ${first.hookId} removed`] },
    );
    const requests = await late.control.requests();
    expect(requests).toMatchObject({ 'hooks.create': 1, 'triggers.create': 3 });
    expect(requests['hooks.delete'] ?? 0).toBe(1 - hooks);
  } finally {
    await late.close();
  }
});

test('what was made and is gone by the next reading is made anew', async () => {
  await rig.control.addFault({
    route: 'hooks.list',
    skip: 1,
    times: 2,
    action: { kind: 'status', status: 200, body: [] },
  });
  await ensure();
  expect((await effects()).filter(what => what === 'hook-created')).toHaveLength(2);
  expect((await effects()).filter(what => what === 'hook-deleted')).toHaveLength(1);
});

test('what is no longer wanted is removed, a wrong destination is written anew', async () => {
  const { hookId } = await ensure();
  const changed = await ensure({
    destinationUrl: 'https://other.example.com/webhooks',
    triggers: [{ resource: 'document upload', events: ['create'] }],
  });
  expect(changed.hookId).toBe(hookId);
  expect((await effects()).slice(4)).toEqual(['hook-updated', 'trigger-deleted', 'trigger-deleted']);
  expect(await ensure({ triggers: [] })).toMatchObject({ hookId: null });
  expect((await effects()).at(-1)).toBe('hook-deleted');
});

test('another payload version gets a hook of its own before the old one goes', async () => {
  const { hookId } = await ensure();
  const next = await ensure({ apiVersion: 'v4' });
  expect(next.hookId).not.toBe(hookId);
  const since = (await effects()).slice(4);
  expect(since[0]).toBe('hook-created');
  expect(since.at(-1)).toBe('hook-deleted');
});

test('headers are written anew when asked for, although the masked ones look right', async () => {
  await ensure();
  expect((await ensure({ renewHeaders: true })).changes).toHaveLength(1);
  expect((await ensure()).changes).toEqual([]);
});

test('a trigger that the service refuses does not hold up the others', async () => {
  const triggers = [{ resource: 'Nonsense', events: ['create'] }, ...input.triggers];
  const result = await ensure({ triggers });
  expect(result.refused).toEqual([expect.stringContaining('there is no Nonsense')]);
  expect(result.notes).toContain('The service does not list "Nonsense".');
  expect(result.changes).toHaveLength(4);
});

test('deliveries are counted by outcome, and the failing ones shown', async () => {
  const { hookId } = await ensure();
  const event = { id: 17, resource_name: 'Document Upload', event_type: 'create' };
  await rig.control.deliver(hookId ?? '', { event, outcome: 'ok', responseStatus: 204 });
  await rig.control.deliver(hookId ?? '', { event, outcome: 'retried', responseStatus: 503 });
  await rig.control.deliver(hookId ?? '', { event, outcome: 'discarded' });
  expect((await ensure()).deliveries).toMatchObject({
    byOutcome: { ok: 1, retried: 1, discarded: 1 },
    failing: [{ eventId: '17', outcome: 'retried', responseStatus: 503, resource: 'Document Upload' }],
  });
});

test('an input that cannot be used fails at once with all faults and an example', async () => {
  const handle = await start({
    destinationUrl: 'http://plain.example',
    namespace: 'Draw_Bridge',
    triggers: 1,
  });
  const error = (await handle.result().catch((reason: unknown) => reason)) as { cause: Error };
  for (const part of ['"destinationUrl"', '"namespace"', '"triggers"', 'For example:']) {
    expect(error.cause.message).toContain(part);
  }
});

test('a refusal ends the run in the words of the service', async () => {
  await rig.control.addFault({
    route: 'hooks.create',
    action: { kind: 'status', status: 422, body: { errors: { namespace: ['is taken by another company'] } } },
  });
  const error = (await (await start()).result().catch((reason: unknown) => reason)) as { cause: Error };
  expect(error.cause).toMatchObject({
    type: 'REQUEST_REFUSED',
    message: expect.stringContaining('is taken by another company'),
  });
});

test.each([400, 410])(
  'a list that serves warnings only holds nothing up when it is refused (%i)',
  async status => {
    await rig.control.addFault({ route: 'webhook-resources.list', action: { kind: 'status', status } });
    expect((await ensure()).changes).toHaveLength(4);
  },
);
