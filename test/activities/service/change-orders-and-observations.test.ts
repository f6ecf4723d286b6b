// The endpoints of change orders and observations against the stand-in: what is
// sent, refused, paged and read.
import {
  createLineItem,
  listChangeOrderStatuses,
  listChangeReasons,
  listLineItems,
} from '../../../activities/service/endpoints/change-order-lines';
import { changeOrders } from '../../../activities/service/endpoints/change-orders';
import {
  listAssignees,
  listCategoryFieldSets,
  listDefaultDistribution,
  listObservationTypes,
  listPotentialDistribution,
} from '../../../activities/service/endpoints/observation-lists';
import {
  createObservation,
  createResponseLog,
  listObservations,
  listResponseLogs,
  sendUnsentObservations,
  showObservation,
  updateObservation,
} from '../../../activities/service/endpoints/observations';
import { fetchAll, fetchPages } from '../../../activities/service/pages';
import { HeaderRateGate } from '../../../activities/service/rate/rate-gate';
import { Secret } from '../../../activities/service/secret';
import { ServiceClient } from '../../../activities/service/service-client';
import { completeServiceConfig } from '../../../activities/service/service-config';
import { TokenSource } from '../../../activities/service/tokens/token-source';
import { SandboxControl } from '../../sandbox/control';
import { DEFAULT_COMPANY_ID as companyId, DEFAULT_CREDENTIALS } from '../../sandbox/defaults';
import { type Sandbox, startSandbox } from '../../sandbox/server';
import { errorOf } from './client-bed';
import { FakeTokenStore } from './tokens/fake-token-store';

let sandbox: Sandbox;
let control: SandboxControl;
let tokens: TokenSource;
let client: ServiceClient;

beforeAll(async () => {
  sandbox = await startSandbox({ settings: { limits: null } });
  control = new SandboxControl(sandbox.controlUrl);
  const config = completeServiceConfig({
    baseUrl: sandbox.apiUrl,
    authUrl: sandbox.authUrl,
    clientId: DEFAULT_CREDENTIALS.clientId,
    clientSecret: new Secret(DEFAULT_CREDENTIALS.clientSecret),
    allowInsecureLoopback: true,
  });
  tokens = new TokenSource({ config, store: new FakeTokenStore() });
  client = new ServiceClient({ config, tokens, gate: new HeaderRateGate() });
});
beforeEach(async () => {
  await control.reset();
});
afterAll(async () => {
  await client.close();
  await tokens.close();
  await sandbox.close();
});

const contract = { projectId: '7003', contractId: '6004' };
const call = { params: {}, companyId };
const inProject = { ...call, query: { projectId: '7001' } };

describe('change orders', () => {
  test.each(['package', 'request', 'potential'] as const)(
    'a %s is made, shown, updated and listed with its money as text',
    async kind => {
      const endpoints = changeOrders[kind];
      const fields = { title: 'Öl & Gas', originId: 'O-1', grandTotal: '90071992547409.93' };
      const made = await client.send(endpoints.create, { ...call, body: { contract, fields } });
      const at = { companyId, params: { id: made.data.id } };
      const updated = await client.send(endpoints.update, {
        ...at,
        body: { contract, fields: { status: 'pending', scheduleImpactDays: -3 } },
      });
      expect(updated.data).toMatchObject({ status: 'pending', scheduleImpactDays: '-3' });
      const shown = await client.send(endpoints.show, { ...at, query: { contract } });
      expect(shown.data).toMatchObject({ ...fields, id: made.data.id, contractId: '6004' });
      const listed = await fetchAll(client, endpoints.list, { ...call, query: { contract, perPage: 1 } });
      expect(listed.map(({ id }) => id)).toEqual([made.data.id]);
    },
  );

  test('lists are followed to their end, page by page', async () => {
    const { create, list } = changeOrders.request;
    for (let index = 0; index < 5; index++) {
      await client.send(create, { ...call, body: { contract, fields: { title: `R${index}` } } });
    }
    const sizes: number[] = [];
    for await (const page of fetchPages(client, list, { ...call, query: { contract, perPage: 2 } })) {
      sizes.push(page.length);
    }
    expect(sizes).toEqual([2, 2, 1]);
  });

  test.each([
    ['a number for money', { grandTotal: 12.5 }],
    ['money with separators', { grandTotal: '1,000.00' }],
    ['a status there is not', { status: 'done' }],
    ['a field of another kind', { changeOrderRequestId: '1' }],
    ['a date that is none', { dueDate: '2026-13-01' }],
  ])('%s is never sent', async (_, wrong) => {
    const body = { contract, fields: { title: 'x', ...wrong } as never };
    const error = await errorOf(client.send(changeOrders.package.create, { ...call, body }));
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', effect: 'not-sent' });
    expect(await control.requests()).not.toHaveProperty('changeOrderPackages.create');
  });

  test('an id that is none is never sent', async () => {
    const body = { contract: { ...contract, contractId: '6004x' }, fields: { title: 'x' } };
    expect(await errorOf(client.send(changeOrders.package.create, { ...call, body }))).toMatchObject({
      code: 'INVALID_REQUEST',
    });
  });

  test('what the tiers do not have is refused with its words kept', async () => {
    const oneTier = { projectId: '7001', contractId: '6001' };
    const error = await errorOf(
      client.send(changeOrders.request.create, {
        ...call,
        body: { contract: oneTier, fields: { title: 'x' } },
      }),
    );
    expect(error).toMatchObject({ code: 'REQUEST_REFUSED', effect: 'rejected', status: 400 });
    expect(JSON.stringify(error.reasons)).toMatch(/tier/);
  });

  test('line items are refused once the change order is decided', async () => {
    const { create, update } = changeOrders.potential;
    const { data } = await client.send(create, { ...call, body: { contract, fields: { title: 'x' } } });
    const lines = { companyId, params: { potentialChangeOrderId: data.id } };
    const body = { projectId: '7003', fields: { description: 'x', amount: '1' } };
    await client.send(createLineItem, { ...lines, body });
    await client.send(update, {
      companyId,
      params: { id: data.id },
      body: { contract, fields: { status: 'approved' } },
    });
    expect(await errorOf(client.send(createLineItem, { ...lines, body }))).toMatchObject({ status: 422 });
    const listed = await fetchAll(client, listLineItems, { ...lines, query: { projectId: '7003' } });
    expect(listed).toMatchObject([{ amount: '1.00', description: 'x' }]);
  });

  test('reasons and statuses are the company’s', async () => {
    const query = { companyId, perPage: 2 };
    const reasons = await fetchAll(client, listChangeReasons, { ...call, query });
    expect(reasons.map(({ reason }) => reason)).toEqual([
      'Client request',
      'Design development',
      'Back charge',
    ]);
    const statuses = await fetchAll(client, listChangeOrderStatuses, { ...call, query });
    expect(statuses).toContainEqual({
      id: '852',
      name: 'Pending - In Review',
      mappedTo: 'pending',
      isOffered: true,
    });
  });
});

describe('observations', () => {
  test('types, field sets and people are listed', async () => {
    const types = await fetchAll(client, listObservationTypes, inProject);
    expect(types).toContainEqual(
      expect.objectContaining({ name: 'Near-Miss', category: 'Safety', isActive: true }),
    );
    expect(types).toContainEqual(expect.objectContaining({ name: 'Snag', isActive: false }));
    const sets = await fetchAll(client, listCategoryFieldSets, inProject);
    expect(sets.find(({ category }) => category === 'Safety')?.requiredFields).toEqual([
      'description',
      'assignee_id',
    ]);
    expect(await fetchAll(client, listAssignees, inProject)).toHaveLength(20);
    expect(await fetchAll(client, listDefaultDistribution, inProject)).toHaveLength(2);
    const found = await fetchAll(client, listPotentialDistribution, {
      ...call,
      query: { projectId: '7001', search: 'namesake', perPage: 1 },
    });
    expect(found).toHaveLength(2);
  });

  test('an item is made, found, shown, updated with a file, answered and sent', async () => {
    const fields = { name: 'Leak & more', typeId: '2110', distributionMemberIds: ['9001'] };
    const made = await client.send(createObservation, { ...call, body: { projectId: '7001', fields } });
    expect(made.data).toMatchObject({ status: 'initiated', notifiedOn: null, number: '1' });
    const found = await fetchAll(client, listObservations, {
      ...call,
      query: { projectId: '7001', search: 'leak &', typeId: '2110' },
    });
    expect(found.map(({ id }) => id)).toEqual([made.data.id]);
    const at = { companyId, params: { id: made.data.id } };
    const bytes = Buffer.from('--not the boundary\r\n');
    const updated = await client.send(updateObservation, {
      ...at,
      query: { runConfigurableValidations: true },
      body: { projectId: '7001', fields: { ...fields, status: 'ready_for_review' } },
      files: [
        {
          field: 'attachments[]',
          fileName: 'Plan "A".pdf',
          contentType: 'application/pdf',
          sizeBytes: bytes.length,
          open: async function* () {
            yield bytes;
          },
        },
      ],
    });
    expect(updated.data).toMatchObject({
      status: 'ready_for_review',
      attachmentsByNames: [['Plan "A".pdf', 'Plan "A".pdf']],
      distributionMemberIds: ['9001'],
    });
    const log = { companyId, params: { itemId: made.data.id } };
    await client.send(createResponseLog, {
      ...log,
      body: { projectId: '7001', comment: 'Closed now', status: 'closed' },
    });
    const logs = await fetchAll(client, listResponseLogs, { ...log, query: { projectId: '7001' } });
    expect(logs).toMatchObject([{ comment: 'Closed now', status: 'Closed' }]);
    const sent = await client.send(sendUnsentObservations, { ...call, body: { projectId: '7001' } });
    expect(sent.data.map(({ id }) => id)).toEqual([made.data.id]);
    const shown = await client.send(showObservation, { ...at, query: { projectId: '7001' } });
    expect(shown.data).toMatchObject({ status: 'closed', notifiedOn: expect.stringMatching(/^\d{4}-/) });
  });

  test('field sets count only when asked', async () => {
    const body = { projectId: '7001', fields: { name: 'x', typeId: '2107' } };
    await client.send(createObservation, { ...call, body });
    const validated = { ...call, query: { runConfigurableValidations: true }, body };
    expect(await errorOf(client.send(createObservation, validated))).toMatchObject({ status: 422 });
  });

  test('only what is ready for review can be closed', async () => {
    const fields = { name: 'x', typeId: '2110' };
    const { data } = await client.send(createObservation, { ...call, body: { projectId: '7001', fields } });
    const error = await errorOf(
      client.send(updateObservation, {
        companyId,
        params: { id: data.id },
        body: { projectId: '7001', fields: { ...fields, status: 'closed' } },
      }),
    );
    expect(error).toMatchObject({ code: 'REQUEST_REFUSED', status: 422 });
  });
});
