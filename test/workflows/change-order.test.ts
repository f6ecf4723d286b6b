// Change orders the whole way: a real Temporal server, a real worker, and the stand-in service over HTTP.
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { request } from 'undici';
import type { ChangeOrderResult } from '../../workflows/change-order-contract';
import { resumeSignal, SERVICE_TASK_QUEUE } from '../../workflows/contract';
import { storyQuery } from '../../workflows/story-contract';
import { COMPANY_HEADER, DEFAULT_COMPANY_ID, DEFAULT_CREDENTIALS } from '../sandbox/defaults';
import { recordHistory } from '../setup/recorded-histories';
import { Rig } from '../setup/rig';

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
  await rig.startWorker();
});
beforeEach(async () => {
  await rig.control.reset();
});
afterAll(async () => {
  await rig.close();
});

type Handle = WorkflowHandle<(input: unknown) => Promise<ChangeOrderResult>>;

const oneTier = {
  companyId: DEFAULT_COMPANY_ID,
  projectId: '7001',
  contractId: '6001',
  tiers: 1,
  originId: 'CO-14',
  title: 'Additional piles',
  status: 'Pending - In Review',
  lineItems: [
    { description: 'Bored piles', quantity: '12', unitCost: '1850.10', costCodeId: '3001' },
    { description: 'Mobilisation', amount: '99999999999999.01' },
  ],
};
const potential = (title: string, amount: string) => ({
  title,
  lineItems: [{ description: 'Work', amount }],
});
const threeTier = {
  ...oneTier,
  projectId: '7003',
  contractId: '6004',
  tiers: 3,
  status: 'approved',
  lineItems: undefined,
  requests: [
    {
      title: 'Foundations',
      potentialChangeOrders: [potential('Piles', '100.10'), potential('Caps', '0.20')],
    },
    { title: 'Frame', potentialChangeOrders: [potential('Columns', '7.05')] },
  ],
};

async function start(input: unknown): Promise<Handle> {
  return (await rig.temporal.client.workflow.start('changeOrderWorkflow', {
    workflowId: `change-order/test/${randomUUID()}`,
    taskQueue: SERVICE_TASK_QUEUE,
    args: [input],
  })) as Handle;
}

async function failureOf(handle: Handle): Promise<{ type?: string; message: string }> {
  const error = await handle.result().catch((reason: unknown) => reason as Error);
  return ((error as Error).cause ?? {}) as { type?: string; message: string };
}

/** What the service has, asked by plain HTTP. */
async function list(path: string): Promise<Record<string, unknown>[]> {
  const { clientId, clientSecret } = DEFAULT_CREDENTIALS;
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  const token = await request(`${rig.sandbox.authUrl}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
  const { access_token } = (await token.body.json()) as { access_token: string };
  const answer = await request(`${rig.sandbox.apiUrl}/rest/v1.0/${path}`, {
    headers: { authorization: `Bearer ${access_token}`, [COMPANY_HEADER]: DEFAULT_COMPANY_ID },
  });
  return (await answer.body.json()) as Record<string, unknown>[];
}

const count = async (route: string) => (await rig.control.requests())[route] ?? 0;

describe('one tier', () => {
  test('the potential change order that comes along gets the line items, and all is pending at the end', async () => {
    const handle = await start(oneTier);
    const result = await handle.result();
    await recordHistory(handle);
    expect(result.package).toMatchObject({ status: 'pending', how: 'made', total: '100000000022200.21' });
    expect(result.potentialChangeOrders).toMatchObject([
      { how: 'came-along', status: 'pending', lineItems: 2, total: '100000000022200.21' },
    ]);
    expect(await count('changeOrderPackages.create')).toBe(1);
    expect(await count('potentialChangeOrders.create')).toBe(0);
    expect(await rig.control.violations()).toEqual([]);
    expect((await handle.query(storyQuery)).step).toContain('read back');
  });

  test('where none comes along it is made', async () => {
    const result = await (await start({ ...oneTier, contractId: '6002' })).result();
    expect(result.potentialChangeOrders).toMatchObject([{ how: 'made', lineItems: 2 }]);
    expect(await list('potential_change_orders?project_id=7001&filters[contract_id]=6002')).toHaveLength(1);
  });

  test.each(['reply-lost', 'cut-answer'] as const)(
    'nothing is made twice when answers end as %s',
    async kind => {
      for (const route of [
        'changeOrderPackages.create',
        'lineItems.create',
        'potentialChangeOrders.update',
      ]) {
        await rig.control.addFault({ route, action: { kind } });
      }
      await rig.control.addFault({
        route: 'lineItems.create',
        skip: 1,
        action: { kind: 'status', status: 502, effect: true },
      });
      const handle = await start(oneTier);
      const result = await handle.result();
      if (kind === 'reply-lost') await recordHistory(handle);
      expect(result.potentialChangeOrders).toMatchObject([{ lineItems: 2 }]);
      expect(await list('change_order_packages?project_id=7001&contract_id=6001')).toHaveLength(1);
      expect(await count('lineItems.create')).toBe(2);
    },
  );

  test('the same origin id again continues: amounts are corrected, what is left over goes, nothing is made', async () => {
    const draft = { ...oneTier, status: undefined };
    await (await start(draft)).result();
    const again = {
      ...draft,
      removeOtherLineItems: true,
      lineItems: [{ description: 'Bored piles', amount: '5' }],
    };
    const result = await (await start(again)).result();
    expect(result.package).toMatchObject({ how: 'found', total: '5.00' });
    expect(result.potentialChangeOrders).toMatchObject([{ lineItems: 1 }]);
    expect(await count('lineItems.create')).toBe(2);
    expect(await count('lineItems.delete')).toBe(1);
  });

  test('a second package of the same title does not take the first one’s potential change order', async () => {
    const first = await (await start(oneTier)).result();
    const second = await (await start({ ...oneTier, originId: 'CO-15' })).result();
    expect(second.potentialChangeOrders[0]?.id).not.toBe(first.potentialChangeOrders[0]?.id);
  });
});

test('two tiers: requests flow into the package, also when the answer to one is lost', async () => {
  await rig.control.addFault({ route: 'changeOrderRequests.create', action: { kind: 'reply-lost' } });
  const handle = await start({
    ...oneTier,
    projectId: '7002',
    contractId: '6003',
    tiers: 2,
    lineItems: undefined,
    requests: [
      { title: 'Glazing', amount: '10.10' },
      { title: 'Glazing', amount: '0.05' },
    ],
  });
  const result = await handle.result();
  await recordHistory(handle);
  expect(result.requests).toHaveLength(2);
  expect(result.package).toMatchObject({ total: '10.15', status: 'pending' });
  const path = `change_order_requests?project_id=7002&contract_id=6003&filters[change_order_package_id]=${result.package.id}`;
  expect(await list(path)).toHaveLength(2);
  expect(await list('change_order_requests?project_id=7002&contract_id=6003')).toHaveLength(2);
});

test('three tiers: potential change orders roll up into requests, these into the package', async () => {
  const handle = await start(threeTier);
  const result = await handle.result();
  await recordHistory(handle);
  expect(result.requests.map(({ total }) => total)).toEqual(['100.30', '7.05']);
  expect(result.package).toMatchObject({ total: '107.35', status: 'approved' });
  expect(result.potentialChangeOrders).toHaveLength(3);
});

test('a missing permission is waited for in sight, and "resume" goes on', async () => {
  await rig.control.edit('7001', { kind: 'permissions', read: false });
  const handle = await start(oneTier);
  for (;;) {
    const { blocked } = await handle.query(storyQuery);
    if (blocked !== undefined) {
      expect(blocked.reason.code).toBe('ACCESS_DENIED');
      break;
    }
    await rig.temporal.nextEvent(handle);
  }
  await rig.control.edit('7001', { kind: 'permissions', read: true });
  await handle.signal(resumeSignal, { requestId: 'a' });
  expect(await handle.result()).toMatchObject({ package: { status: 'pending' } });
});

test('an approved change order is never seen without its line items', async () => {
  await rig.control.addFault({
    route: 'lineItems.create',
    times: 2,
    action: { kind: 'status', status: 503, retryAfter: 1 },
  });
  const running = await start({ ...oneTier, status: 'approved' });
  for (let isOver = false; !isOver; ) {
    isOver = (await running.describe()).status.name !== 'RUNNING';
    for (const row of await list('potential_change_orders?project_id=7001&filters[contract_id]=6001')) {
      if (row.status === 'approved') expect(row.grand_total).toBe('100000000022200.21');
    }
  }
  expect(await running.result()).toMatchObject({ package: { status: 'approved' } });
});

describe('what cannot be', () => {
  test('all faults of an input are said at once, with an example', async () => {
    const { type, message } = await failureOf(
      await start({ ...oneTier, originId: 'no spaces', lineItems: [{ description: 'x', amount: 12.5 }] }),
    );
    expect(type).toBe('INVALID_INPUT');
    expect(message).toMatch(/originId[\s\S]*decimal text in quotes[\s\S]*For example/);
    expect(await count('changeOrderPackages.create')).toBe(0);
  });

  test('an unknown status is answered with those there are, before anything is made', async () => {
    const { message } = await failureOf(await start({ ...oneTier, status: 'Perhaps' }));
    expect(message).toMatch(/no status "Perhaps"[\s\S]*Pending - In Review/);
    expect(await count('changeOrderPackages.create')).toBe(0);
  });

  test('a refusal ends the run with the service’s words', async () => {
    const { type, message } = await failureOf(await start({ ...oneTier, contractId: '6999' }));
    expect(type).toBe('REQUEST_REFUSED');
    expect(message).toMatch(/contract/);
  });
});
