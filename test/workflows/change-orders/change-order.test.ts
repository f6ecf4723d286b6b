// Change orders the whole way: a real Temporal server, a real worker, and the stand-in service over HTTP.
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { ChangeOrderResult } from '../../../workflows/change-orders/change-order-contract';
import { resumeSignal, SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import { runProgressQuery } from '../../../workflows/run/run-progress-contract';
import { DEFAULT_COMPANY_ID } from '../../sandbox/defaults';
import { askService } from '../../setup/ask-service';
import { recordHistory } from '../../setup/recorded-histories';
import { Rig } from '../../setup/rig';

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
    { description: 'Bored piles', quantity: '12', unitCost: '1850.10', costCodeId: '41001' },
    { description: 'Mobilisation', amount: '99999999999999.01' },
  ],
};
const potential = (title: string, amount: string) => ({
  title,
  lineItems: [{ description: 'Work', amount }],
});
const twoTier = {
  ...oneTier,
  projectId: '7002',
  contractId: '6003',
  tiers: 2,
  lineItems: undefined,
  requests: [{ title: 'Glazing' }],
};
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
  return (await send('GET', path)) as Record<string, unknown>[];
}

async function statusesIn(path: string, projectId: number, contractId: number): Promise<unknown[]> {
  return (await list(`${path}?project_id=${projectId}&contract_id=${contractId}`)).map(
    ({ status }) => status,
  );
}

async function send(method: 'GET' | 'PATCH' | 'POST', path: string, body?: unknown): Promise<unknown> {
  return (await askService(rig.sandbox, method, path, body)).json;
}

const count = async (route: string) => (await rig.control.requests())[route] ?? 0;

describe('one tier', () => {
  test('the potential change order that comes along gets the line items, and all is pending at the end', async () => {
    const handle = await start(oneTier);
    const result = await handle.result();
    await recordHistory(handle);
    expect(result.package).toMatchObject({ status: 'pending', how: 'made', total: '100000000022200.21' });
    expect(result.potentialChangeOrders).toMatchObject([
      { how: 'came-along', lineItems: 2, total: '100000000022200.21' },
    ]);
    expect(await count('changeOrderPackages.create')).toBe(1);
    expect(await count('potentialChangeOrders.create')).toBe(0);
    expect(await rig.control.violations()).toEqual([]);
    expect((await handle.query(runProgressQuery)).step).toContain('read back');
  });

  test('the status is the package’s: that of the potential change order is neither set nor demanded', async () => {
    const handle = await start({ ...oneTier, status: 'approved' });
    const result = await handle.result();
    await recordHistory(handle);
    expect(result.package.status).toBe('approved');
    // The service ignores it, and what it shows may be anything.
    expect(result.potentialChangeOrders).toMatchObject([{ status: 'draft', lineItems: 2 }]);
    // Marked as ours, and nothing else.
    expect(await count('potentialChangeOrders.update')).toBe(1);
  });

  test('nor does one that shows void keep the run from its end: no status could bring it back', async () => {
    await send('POST', 'potential_change_orders', {
      project_id: 7001,
      contract_id: 6002,
      change_order: { title: oneTier.title, origin_id: `${oneTier.originId}/p1`, status: 'void' },
    });
    const result = await (await start({ ...oneTier, contractId: '6002', status: undefined })).result();
    expect(result.potentialChangeOrders).toMatchObject([{ status: 'void', lineItems: 2 }]);
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

  const POTENTIALS = 'potential_change_orders?project_id=7001&filters[contract_id]=6001';

  /** A run makes the package, and ends before it has marked what came along. */
  async function refuseCompanion(): Promise<void> {
    await rig.control.addFault({
      route: 'potentialChangeOrders.update',
      action: { kind: 'status', status: 422 },
    });
    expect(await failureOf(await start(oneTier))).toMatchObject({ type: 'REQUEST_REFUSED' });
    await rig.control.clearFaults();
  }

  /** Somebody's package of the same title. Returns the potential change order that it brings along. */
  async function makeByHand() {
    const byHand = { project_id: 7001, contract_id: 6001, change_order: { title: oneTier.title } };
    await send('POST', 'change_order_packages', byHand);
    const [others] = await list(POTENTIALS);
    return others;
  }

  test('what came along in a run that was refused is found, also where the survey shows the package late', async () => {
    await refuseCompanion();
    await rig.control.addFault({
      route: 'changeOrderPackages.list',
      action: { kind: 'status', status: 200, body: [] },
    });
    const result = await (await start(oneTier)).result();
    expect(result.package.how).toBe('found');
    expect(result.potentialChangeOrders).toMatchObject([{ how: 'came-along', lineItems: 2 }]);
    expect(await list(POTENTIALS)).toHaveLength(1);
  });

  test('what came along with a package whose answer was lost is waited for: what is older is left alone', async () => {
    const others = await makeByHand();
    await rig.control.addFault({ route: 'changeOrderPackages.create', action: { kind: 'reply-lost' } });
    // After the survey and the look by origin id: what has come along is not listed yet.
    await rig.control.addFault({
      route: 'potentialChangeOrders.list',
      skip: 2,
      action: { kind: 'status', status: 200, body: [others] },
    });
    const handle = await start(oneTier);
    const result = await handle.result();
    await recordHistory(handle);
    expect(result.package.how).toBe('found');
    expect(result.potentialChangeOrders).toMatchObject([{ how: 'came-along', lineItems: 2 }]);
    expect(result.potentialChangeOrders[0]?.id).not.toBe(String(others?.id));
    expect(await list(POTENTIALS)).toHaveLength(2);
  });

  test('so it is where the package was found and its correction had no answer', async () => {
    await refuseCompanion();
    const early = { kind: 'status', status: 200, body: [] } as const;
    await rig.control.addFault({ route: 'changeOrderPackages.list', action: early });
    await rig.control.addFault({
      route: 'changeOrderPackages.update',
      action: { kind: 'status', status: 503 },
    });
    const result = await (await start({ ...oneTier, description: 'As agreed' })).result();
    expect(result.package.how).toBe('corrected');
    expect(result.potentialChangeOrders).toMatchObject([{ how: 'came-along', lineItems: 2 }]);
    expect(await list(POTENTIALS)).toHaveLength(1);
  });

  test('where nobody knows which run made the package, an older one is for people to tell', async () => {
    const others = await makeByHand();
    await rig.control.addFault({ route: 'changeOrderPackages.create', action: { kind: 'reply-lost' } });
    // By the survey and the first attempt it is not there, and to the second one the list is refused.
    await rig.control.addFault({
      route: 'changeOrderPackages.list',
      skip: 2,
      action: { kind: 'status', status: 403 },
    });
    // After the survey: what has come along is not listed.
    await rig.control.addFault({
      route: 'potentialChangeOrders.list',
      skip: 1,
      times: 20,
      action: { kind: 'status', status: 200, body: [others] },
    });
    const handle = await start(oneTier);
    while ((await handle.query(runProgressQuery)).blocked === undefined) {
      await rig.temporal.nextEvent(handle);
    }
    await handle.signal(resumeSignal, { requestId: 'a' });
    const { type, message } = await failureOf(handle);
    expect(type).toBe('REQUEST_REFUSED');
    expect(message).toContain(`whether the potential change order ${others?.id} is its own cannot be told`);
    expect(await count('potentialChangeOrders.update')).toBe(0);
    await rig.control.clearFaults();
    // Started again as it is, it sees both, and asks which.
    expect((await failureOf(await start(oneTier))).message).toContain('Give the right one the origin id');
  });

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

  test('is found although its title is answered otherwise than it is listed', async () => {
    await rig.control.addFault({
      route: 'changeOrderPackages.create',
      action: {
        kind: 'status',
        status: 201,
        effect: true,
        body: { id: 610_001, title: 'Additional piles ' },
      },
    });
    const result = await (await start(oneTier)).result();
    expect(result.potentialChangeOrders).toMatchObject([{ how: 'came-along' }]);
    expect(await count('potentialChangeOrders.create')).toBe(0);
  });

  test('a line item whose text the service has tidied is as it was asked for', async () => {
    const described = (description: string) => ({
      ...oneTier,
      status: undefined,
      lineItems: [{ description, amount: '5' }],
    });
    await (await start(described('Bored piles\nB\u00fcro'))).result();
    const handle = await start(described('Bored piles\r\nBu\u0308ro'));
    expect((await handle.result()).package.how).toBe('found');
    await recordHistory(handle);
    expect(await count('lineItems.update')).toBe(0);
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

test('one that a lost answer and a late list have made twice is told, not called done', async () => {
  await rig.control.addFault({ route: 'changeOrderRequests.create', action: { kind: 'reply-lost' } });
  await rig.control.addFault({
    route: 'changeOrderRequests.list',
    // The first look, and both after the lost answer.
    times: 3,
    action: { kind: 'status', status: 200, body: [] },
  });
  const handle = await start({ ...twoTier, status: undefined });
  const { type, message } = await failureOf(handle);
  await recordHistory(handle);
  expect(type).toBe('NOT_VERIFIED');
  expect(message).toMatch(
    /more than one change order request of the origin id "CO-14\/r1": \d+, \d+\. Set those/,
  );
  const again = await failureOf(await start({ ...twoTier, status: undefined }));
  expect(again).toMatchObject({ type: 'REQUEST_REFUSED', message: expect.stringContaining('more than one') });
  expect(await count('changeOrderRequests.create')).toBe(2);
});

test('a run right after one that has failed takes what that one made, although no list shows it yet', async () => {
  const late = await Rig.start({ listedAfterMs: 4_000 });
  try {
    await late.startWorker();
    const run = async () => {
      const handle = await late.temporal.client.workflow.start('changeOrderWorkflow', {
        workflowId: 'change-order/7002/6003/CO-14',
        taskQueue: SERVICE_TASK_QUEUE,
        args: [{ ...twoTier, status: undefined }],
      });
      return (await handle.result()) as ChangeOrderResult;
    };
    const route = 'changeOrderPackages.create';
    await late.control.addFault({ route, action: { kind: 'status', status: 422 } });
    await expect(run()).rejects.toThrow();
    const action = { kind: 'status', status: 200, body: [] } as const;
    await late.control.addFault({ route: 'changeOrderRequests.list', action });
    expect(await run()).toMatchObject({ requests: [{ how: 'found' }] });
    expect((await late.control.requests())['changeOrderRequests.create']).toBe(1);
  } finally {
    await late.close();
  }
});

describe('put again, corrected', () => {
  const twoTier = {
    ...oneTier,
    projectId: '7002',
    contractId: '6003',
    tiers: 2,
    status: undefined,
    lineItems: undefined,
    description: 'As tendered',
    dueDate: '2026-03-01',
    scheduleImpactDays: 3,
    requests: [
      { title: 'Glazing', amount: '10.10' },
      { title: 'Doors', amount: '0.05', description: 'All of them' },
    ],
  };

  test('another title, amount, description and due date are set and read back; nothing is made twice', async () => {
    const first = await (await start(twoTier)).result();
    const handle = await start({
      ...twoTier,
      title: 'Facade',
      description: 'As agreed',
      dueDate: '2026-04-01',
      scheduleImpactDays: 5,
      requests: [
        { title: 'Curtain wall', amount: '12.10' },
        { title: 'Doors', amount: '0.05', description: 'Four of them' },
      ],
    });
    const again = await handle.result();
    await recordHistory(handle);
    expect(again.requests.map(({ id }) => id)).toEqual(first.requests.map(({ id }) => id));
    expect(again).toMatchObject({
      package: { id: first.package.id, how: 'corrected', title: 'Facade', total: '12.15' },
      requests: [{ how: 'corrected', title: 'Curtain wall', total: '12.10' }, { how: 'corrected' }],
    });
    const shown = await list(`change_order_packages/${first.package.id}?project_id=7002&contract_id=6003`);
    expect(shown).toMatchObject({
      description: 'As agreed',
      due_date: '2026-04-01',
      schedule_impact_amount: 5,
    });
    const [, doors] = first.requests;
    expect(await list(`change_order_requests/${doors?.id}?project_id=7002&contract_id=6003`)).toMatchObject({
      description: 'Four of them',
      title: 'Doors',
    });
    expect(await list('change_order_requests?project_id=7002&contract_id=6003')).toHaveLength(2);
    expect(await list('change_order_packages?project_id=7002&contract_id=6003')).toHaveLength(1);
  });

  test('unchanged, nothing is sent that could change anything', async () => {
    await (await start(twoTier)).result();
    const before = await rig.control.requests();
    const again = await (await start(twoTier)).result();
    expect(again).toMatchObject({
      package: { how: 'found' },
      requests: [{ how: 'found' }, { how: 'found' }],
    });
    const after = await rig.control.requests();
    for (const route of ['changeOrderPackages', 'changeOrderRequests']) {
      for (const what of ['create', 'update'])
        expect([route, what, after[`${route}.${what}`]]).toEqual([route, what, before[`${route}.${what}`]]);
    }
  });

  test('by somebody in the service as well: a request is found whatever its title is', async () => {
    const first = await (await start(twoTier)).result();
    const rename = async (id: string | undefined, title: string) =>
      await send('PATCH', `change_order_requests/${id}`, {
        project_id: 7002,
        contract_id: 6003,
        change_order: { title },
      });
    await rename(first.requests[0]?.id, 'Renamed by hand');
    const again = await (await start(twoTier)).result();
    expect(again.requests.map(({ id, title }) => [id, title])).toEqual(
      first.requests.map(({ id, title }) => [id, title]),
    );
    expect(await list('change_order_requests?project_id=7002&contract_id=6003')).toHaveLength(2);
  });

  test('what the service does not take over is told, not called done', async () => {
    await (await start(twoTier)).result();
    await rig.control.addFault({
      route: 'changeOrderRequests.update',
      times: 0,
      // Taken, and nothing changes.
      action: { kind: 'status', status: 200, body: { id: 620_001, title: 'Glazing', grand_total: '10.10' } },
    });
    const [glazing, doors] = twoTier.requests;
    const { type, message } = await failureOf(
      await start({ ...twoTier, requests: [{ ...glazing, amount: '99.00' }, doors] }),
    );
    expect(type).toBe('NOT_VERIFIED');
    expect(message).toMatch(/request 62000\d has "10\.10" as its amount, not "99\.00"/);
  });

  test('a request that the input no longer has is told with its amount, not passed over', async () => {
    await (await start({ ...twoTier, status: 'pending' })).result();
    const handle = await start({ ...twoTier, status: 'pending', requests: [twoTier.requests[0]] });
    const { type, message } = await failureOf(handle);
    await recordHistory(handle);
    expect(type).toBe('NOT_VERIFIED');
    expect(message).toMatch(/request 62000\d "Doors" \(0\.05, pending\) is still there/);
    expect(message).not.toContain('Glazing');
    expect(await statusesIn('change_order_requests', 7002, 6003)).toEqual(['pending', 'pending']);
  });

  test('on demand it is voided: ours alone, and nothing of other people’s', async () => {
    const first = await (await start({ ...twoTier, status: 'pending' })).result();
    const foreign = (await send('POST', 'change_order_requests', {
      project_id: 7002,
      contract_id: 6003,
      change_order: {
        title: 'By hand',
        status: 'pending',
        change_order_package_id: Number(first.package.id),
      },
    })) as { readonly id: number };
    const corrected = { ...twoTier, status: 'pending', requests: [twoTier.requests[0]], voidOthers: true };
    const handle = await start(corrected);
    const again = await handle.result();
    await recordHistory(handle);
    expect(again.notes.join('\n')).toMatch(/request 62000\d "Doors" \(0\.05, pending\) is void now/);
    const shown = await list('change_order_requests?project_id=7002&contract_id=6003');
    const statusOf = (id: unknown) => shown.find(row => String(row.id) === String(id))?.status;
    expect(first.requests.map(({ id }) => statusOf(id))).toEqual(['pending', 'void']);
    expect(statusOf(foreign.id)).toBe('pending');
    // Void, it is nothing to tell of any more.
    expect((await (await start({ ...corrected, voidOthers: undefined })).result()).requests).toHaveLength(1);
  });

  test('a part that was voided and is wanted again is told, not called done; a status brings it back', async () => {
    await (await start(twoTier)).result();
    await (await start({ ...twoTier, requests: [twoTier.requests[0]], voidOthers: true })).result();
    const handle = await start(twoTier);
    const { type, message } = await failureOf(handle);
    await recordHistory(handle);
    expect(type).toBe('NOT_VERIFIED');
    expect(message).toMatch(/request 62000\d "Doors" is void, and the input has it.*"status"/);
    expect(message).not.toContain('Glazing');
    const again = await (await start({ ...twoTier, status: 'draft' })).result();
    expect(again.requests.map(({ status }) => status)).toEqual(['draft', 'draft']);
  });

  test('what is asked to be void is done when it is void', async () => {
    const result = await (await start({ ...twoTier, status: 'void' })).result();
    expect(result.package.status).toBe('void');
  });

  test('drafts of a run that failed half-way lie in no package yet, and are told all the same', async () => {
    const [foundations] = threeTier.requests;
    const [piles, caps] = foundations?.potentialChangeOrders ?? [];
    const halfWay = async (originId: string, left: readonly unknown[]) => {
      await rig.control.addFault({
        route: 'lineItems.create',
        skip: 1,
        action: { kind: 'status', status: 422, body: { errors: 'the cost code is closed' } },
      });
      const input = { ...threeTier, originId, status: undefined };
      const both = [{ ...foundations, potentialChangeOrders: [piles, caps] }];
      expect((await failureOf(await start({ ...input, requests: both }))).type).toBe('REQUEST_REFUSED');
      return { ...input, requests: [{ ...foundations, potentialChangeOrders: left }] };
    };
    // Drafts of other change orders in the same contract are no concern of this one.
    for (const other of ['CO-15', 'CO-14/2']) await halfWay(other, []);
    const handle = await start(await halfWay('CO-14', [piles]));
    const { type, message } = await failureOf(handle);
    await recordHistory(handle);
    expect(type).toBe('NOT_VERIFIED');
    expect(message.match(/potential \d+ "\w+" \(.*\) is still there/g)).toEqual([
      expect.stringContaining('"Caps"'),
    ]);
  });

  test('three tiers: potential change orders and line items that the input no longer has', async () => {
    await (await start(threeTier)).result();
    const [foundations] = threeTier.requests;
    const corrected = {
      ...threeTier,
      requests: [{ ...foundations, potentialChangeOrders: [potential('Piles', '100.10')] }],
    };
    const { type, message } = await failureOf(await start(corrected));
    expect(type).toBe('NOT_VERIFIED');
    expect(message).toMatch(/potential \d+ "Caps" \(0\.20, approved\) is still there/);
    expect(message).toMatch(/potential \d+ "Columns" \(7\.05, approved\) is still there/);
    expect(message).toMatch(/request \d+ "Frame" \(7\.05, approved\) is still there/);
    expect((await (await start({ ...corrected, voidOthers: true })).result()).requests).toHaveLength(1);
    expect((await statusesIn('potential_change_orders', 7003, 6004)).sort()).toEqual([
      'approved',
      'void',
      'void',
    ]);
  });

  test('a line item that the input no longer has is told with its amount where it is not to be removed', async () => {
    await (await start(oneTier)).result();
    const { type, message } = await failureOf(
      await start({ ...oneTier, lineItems: oneTier.lineItems.slice(0, 1) }),
    );
    expect(type).toBe('NOT_VERIFIED');
    expect(message).toContain('The line item "Mobilisation" (99999999999999.01) is still there');
    expect(message).toContain('removeOtherLineItems');
  });

  test('a calculated line item that somebody gave another amount by hand is set right', async () => {
    const first = await (await start({ ...oneTier, status: undefined })).result();
    const potentialId = first.potentialChangeOrders[0]?.id;
    const [piles] = await list(`potential_change_orders/${potentialId}/line_items?project_id=7001`);
    await send('PATCH', `potential_change_orders/${potentialId}/line_items/${piles?.id}`, {
      project_id: 7001,
      line_item: { extended_type: 'manual', amount: '999.00' },
    });
    const again = await (await start({ ...oneTier, status: undefined })).result();
    expect(again.package.total).toBe(first.package.total);
  });

  test('one tier: the potential change order that came along follows', async () => {
    const draft = { ...oneTier, status: undefined };
    await (await start(draft)).result();
    const again = await (
      await start({
        ...draft,
        removeOtherLineItems: true,
        title: 'Fewer piles',
        lineItems: [{ description: 'Bored piles', quantity: '6', unitCost: '3700.20', costCodeId: '41002' }],
      })
    ).result();
    expect(again.potentialChangeOrders).toMatchObject([{ title: 'Fewer piles' }]);
    const lines = await list(
      `potential_change_orders/${again.potentialChangeOrders[0]?.id}/line_items?project_id=7001`,
    );
    expect(lines[0]).toMatchObject({ quantity: '6', unit_cost: '3700.20', cost_code: { id: 41_002 } });
  });
});

describe('other tiers than the input says', () => {
  test('are found before anything is made, where the project has a potential change order', async () => {
    await (await start({ ...oneTier, contractId: '6002', status: undefined })).result();
    const made = await rig.control.requests();
    const { type, message } = await failureOf(
      await start({ ...threeTier, projectId: '7001', contractId: '6001' }),
    );
    expect(type).toBe('REQUEST_REFUSED');
    expect(message).toMatch(/configured with 1 tier\(s\), the input says 3/);
    expect((await rig.control.requests())['potentialChangeOrders.create']).toBe(
      made['potentialChangeOrders.create'],
    );
  });

  test.each([
    ['three of one', { ...threeTier, projectId: '7001', contractId: '6001' }, 1],
    ['three of two', { ...threeTier, projectId: '7002', contractId: '6003' }, 2],
    ['one of two', { ...oneTier, projectId: '7002', contractId: '6003' }, 2],
    ['two of one', { ...twoTier, projectId: '7001', contractId: '6001' }, 1],
    // Last, so that its history is the one that is kept of these.
    ['two of three', { ...twoTier, projectId: '7003', contractId: '6004' }, 3],
  ])('are found before anything is made by the kinds that the project lists: %s', async (_, input, tiers) => {
    const handle = await start(input);
    const { message } = await failureOf(handle);
    await recordHistory(handle);
    expect(message).toContain(`configured with ${tiers} tier(s)`);
    const routes = Object.keys(await rig.control.requests());
    expect(routes.filter(route => route.endsWith('.create'))).toEqual([]);
  });

  test('are no hindrance where somebody says that the project has two, though the service lists every kind', async () => {
    await rig.control.addFault({
      route: 'potentialChangeOrders.list',
      times: 2,
      action: { kind: 'status', status: 200, body: [] },
    });
    const handle = await start({ ...twoTier, tiersAreRight: true });
    expect(await handle.result()).toMatchObject({ requests: [{ how: 'made' }] });
  });

  test('are found with the first draft, where the service lists every kind and has none', async () => {
    await rig.control.addFault({
      route: 'changeOrderRequests.list',
      action: { kind: 'status', status: 200, body: [] },
    });
    const { message } = await failureOf(await start({ ...threeTier, projectId: '7001', contractId: '6001' }));
    expect(message).toMatch(/configured with 1 tier\(s\), the input says 3/);
    expect(await count('potentialChangeOrders.create')).toBe(1);
    expect(await count('changeOrderRequests.create')).toBe(0);
  });

  test('refused like a missing permission, they are named as the other cause', async () => {
    await rig.control.addFault({
      route: 'changeOrderRequests.create',
      action: { kind: 'status', status: 403 },
    });
    const handle = await start(twoTier);
    let text = '';
    while (text === '') {
      text = (await handle.query(runProgressQuery)).blocked?.reason.text ?? '';
      if (text === '') await rig.temporal.nextEvent(handle);
    }
    expect(text).toMatch(/may not make a change order request, or .* other tiers than the input's "tiers"/);
    await handle.signal(resumeSignal, { requestId: 'a' });
    expect(await handle.result()).toMatchObject({ requests: [{ how: 'made' }] });
  });
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
    const { blocked } = await handle.query(runProgressQuery);
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
    action: { kind: 'status', status: 429, retryAfter: 1 },
  });
  const running = await start({ ...oneTier, status: 'approved' });
  for (let isOver = false; !isOver; ) {
    isOver = (await running.describe()).status.name !== 'RUNNING';
    for (const row of await list('change_order_packages?project_id=7001&contract_id=6001')) {
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

  test('parts that do not go together are told beside everything else', async () => {
    const many = Array.from({ length: 50 }, (_, at) => potential(`Part ${at}`, '1'));
    const twice = { ...potential('Part', '1'), key: 'p1' };
    const { type, message } = await failureOf(
      await start({
        ...threeTier,
        title: '',
        requests: [
          { key: 'r2', title: 'A', potentialChangeOrders: many },
          { title: 'B', potentialChangeOrders: many },
          {
            title: 'C',
            potentialChangeOrders: [twice, { ...twice, lineItems: [{ key: 'a' }, { key: 'a' }] }],
          },
        ],
      }),
    );
    expect(type).toBe('INVALID_INPUT');
    for (const part of [
      '"title"',
      '"requests.1": "r2" names another one beside it',
      '"requests.2.potentialChangeOrders.1": "p1" names',
      '"requests.2.potentialChangeOrders.1.lineItems.1": "a" names',
      '"requests": 102 potential change orders',
      'For example',
    ]) {
      expect(message).toContain(part);
    }
    expect(await rig.control.requests()).toEqual({});
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
