/** Change orders and observations of the stand-in, by plain HTTP. */

import { COMPANY_HEADER, DEFAULT_COMPANY_ID } from './defaults';
import { RawClient, send } from './raw-client';

let client: RawClient;
beforeAll(async () => {
  client = await RawClient.start();
});
beforeEach(async () => {
  await client.control.reset();
  await client.signIn();
});
afterAll(async () => {
  await client.close();
});

const PACKAGES = '/rest/v1.0/change_order_packages';
const REQUESTS = '/rest/v1.0/change_order_requests';
const POTENTIALS = '/rest/v1.0/potential_change_orders';
const ITEMS = '/rest/v1.0/observations/items';
const oneTier = { project_id: 7001, contract_id: 6001 };
const threeTiers = { project_id: 7003, contract_id: 6004 };

describe('change orders', () => {
  test('a package of a one-tier contract brings its potential change order along, without the package’s marks', async () => {
    const change_order = { title: 'Piles', origin_id: 'O-1' };
    expect((await client.api('POST', PACKAGES, { ...oneTier, change_order })).status).toBe(201);
    const listed = await client.api('GET', `${POTENTIALS}?project_id=7001&filters[contract_id]=6001`);
    expect(listed.json).toMatchObject([
      { title: 'Piles', change_order_package_title: 'Piles', change_order_tiers: 1 },
    ]);
    expect(listed.json[0]).not.toHaveProperty('origin_id');
    const filtered = `${POTENTIALS}?project_id=7001&filters[origin_id]=O-1`;
    expect((await client.api('GET', filtered)).json).toEqual([]);
  });

  test.each([
    ['money as a number', PACKAGES, { ...oneTier, change_order: { title: 'x', grand_total: 1.5 } }, 400],
    ['an unknown property', PACKAGES, { ...oneTier, change_order: { title: 'x', colour: 'red' } }, 400],
    ['an unknown status', PACKAGES, { ...oneTier, change_order: { title: 'x', status: 'done' } }, 400],
    ['no title', PACKAGES, { ...oneTier, change_order: {} }, 400],
    ['an id as text', PACKAGES, { ...oneTier, project_id: '7001', change_order: { title: 'x' } }, 400],
    [
      'a contract of another project',
      PACKAGES,
      { project_id: 7001, contract_id: 6004, change_order: { title: 'x' } },
      404,
    ],
    ['requests in one tier', REQUESTS, { ...oneTier, change_order: { title: 'x' } }, 400],
    [
      'a package that is not there',
      REQUESTS,
      { ...threeTiers, change_order: { title: 'x', change_order_package_id: 1 } },
      400,
    ],
  ])('%s is refused', async (_, path, body, status) => {
    expect((await client.api('POST', path, body)).status).toBe(status);
  });

  test('in one tier the status of a potential change order is ignored, in others it is set', async () => {
    const update = async (at: object, id: number) =>
      (
        await client.api('PATCH', `${POTENTIALS}/${id}`, {
          ...at,
          change_order: { title: 'y', status: 'approved' },
        })
      ).json;
    await client.api('POST', PACKAGES, { ...oneTier, change_order: { title: 'Piles' } });
    const listed = await client.api('GET', `${POTENTIALS}?project_id=7001&filters[contract_id]=6001`);
    expect(await update(oneTier, listed.json[0].id)).toMatchObject({ title: 'y', status: 'draft' });
    const made = await client.api('POST', POTENTIALS, { ...threeTiers, change_order: { title: 'p' } });
    expect(await update(threeTiers, made.json.id)).toMatchObject({ title: 'y', status: 'approved' });
  });

  test('in one tier line items stand once the package is decided', async () => {
    const pack = await client.api('POST', PACKAGES, { ...oneTier, change_order: { title: 'Piles' } });
    const listed = await client.api('GET', `${POTENTIALS}?project_id=7001&filters[contract_id]=6001`);
    const add = async () => {
      const path = `${POTENTIALS}/${listed.json[0].id}/line_items`;
      return (await client.api('POST', path, { project_id: 7001, line_item: { amount: '1' } })).status;
    };
    expect(await add()).toBe(201);
    const change_order = { status: 'approved' };
    await client.api('PATCH', `${PACKAGES}/${pack.json.id}`, { ...oneTier, change_order });
    expect(await add()).toBe(422);
  });

  test.each(['cost_code_id', 'line_item_type_id', 'tax_code_id', 'wbs_code_id'])(
    'a line item with an unknown %s is refused',
    async name => {
      const order = await client.api('POST', POTENTIALS, { ...threeTiers, change_order: { title: 'p' } });
      const line_item = { amount: '1', [name]: 1 };
      const path = `${POTENTIALS}/${order.json.id}/line_items`;
      expect((await client.api('POST', path, { project_id: 7003, line_item })).status).toBe(400);
    },
  );

  test('amounts roll up from line items through requests to the package', async () => {
    const make = async (path: string, change_order: object) =>
      (await client.api('POST', path, { ...threeTiers, change_order })).json.id as number;
    const potential = await make(POTENTIALS, { title: 'p' });
    const request = await make(REQUESTS, { title: 'r' });
    const pack = await make(PACKAGES, { title: 'c' });
    for (const line_item of [
      { amount: '0.10' },
      { quantity: '3', unit_cost: '0.335', extended_type: 'calculated' },
    ]) {
      const path = `${POTENTIALS}/${potential}/line_items`;
      expect((await client.api('POST', path, { project_id: 7003, line_item })).status).toBe(201);
    }
    const link = (path: string, change_order: object) =>
      client.api('PATCH', path, { ...threeTiers, change_order });
    await link(`${POTENTIALS}/${potential}`, { change_order_request_id: request });
    await link(`${REQUESTS}/${request}`, { change_order_package_id: pack });
    const shown = await client.api('GET', `${PACKAGES}/${pack}?project_id=7003&contract_id=6004`);
    expect(shown.json.grand_total).toBe('1.11');
  });
});

describe('observations', () => {
  const item = { project_id: 7001, observation: { name: 'Leak', type_id: 2110 } };

  test.each([
    ['no name', { ...item, observation: { type_id: 2110 } }],
    ['a type that is not in use', { ...item, observation: { name: 'x', type_id: 2112 } }],
    ['an assignee who cannot be', { ...item, observation: { ...item.observation, assignee_id: 9030 } }],
    ['a stranger', { ...item, observation: { ...item.observation, distribution_member_ids: [1] } }],
    ['an attachment that is no file', { ...item, attachments: ['x'] }],
    [
      'a stranger as the one who made it',
      { ...item, observation: { ...item.observation, created_by_id: 1 } },
    ],
    ['an unknown property', { ...item, send: true }],
  ])('%s is refused', async (_, body) => {
    expect((await client.api('POST', ITEMS, body)).status).toBe(400);
  });

  test('an update without name and type is refused, as the published schema has it', async () => {
    const { id } = (await client.api('POST', ITEMS, item)).json;
    const body = { project_id: 7001, observation: { status: 'ready_for_review' } };
    expect((await client.api('PATCH', `${ITEMS}/${id}`, body)).status).toBe(400);
  });

  test('multipart is read with its files, and a torn one is refused', async () => {
    const parts = (end: string) =>
      Buffer.from(
        [
          '--b0\r\nContent-Disposition: form-data; name="project_id"\r\n\r\n7001\r\n',
          '--b0\r\nContent-Disposition: form-data; name="observation[name]"\r\n\r\nMit Öl\r\n',
          '--b0\r\nContent-Disposition: form-data; name="observation[type_id]"\r\n\r\n2110\r\n',
          '--b0\r\nContent-Disposition: form-data; name="observation[distribution_member_ids][]"\r\n\r\n9001\r\n',
          '--b0\r\nContent-Disposition: form-data; name="attachments[]"; filename="ä.jpg"\r\nContent-Type: image/jpeg\r\n\r\n\r\n--b\r\n',
          end,
        ].join(''),
      );
    const post = (body: Buffer) =>
      send('POST', `${client.sandbox.apiUrl}${ITEMS}`, {
        headers: {
          authorization: `Bearer ${client.token}`,
          [COMPANY_HEADER]: DEFAULT_COMPANY_ID,
          'content-type': 'multipart/form-data; boundary=b0',
        },
        body,
      });
    const made = await post(parts('--b0--\r\n'));
    expect(made.json).toMatchObject({
      name: 'Mit Öl',
      attachments: [{ name: 'ä.jpg' }],
      distribution_members: [{ id: 9001 }],
    });
    expect((await post(parts(''))).status).toBe(400);
  });

  test('sending mails every unsent item of the project, once', async () => {
    await client.api('POST', ITEMS, item);
    await client.api('POST', ITEMS, item);
    const asText = await client.api('POST', `${ITEMS}/send_unsent`, { project_id: '7001' });
    expect(asText.status).toBe(400);
    const sendAll = () => client.api('POST', `${ITEMS}/send_unsent`, { project_id: 7001 });
    expect((await sendAll()).json).toHaveLength(2);
    expect((await sendAll()).json).toEqual([]);
    const listed = await client.api('GET', `${ITEMS}?project_id=7001`);
    expect(listed.json[0].date_notified).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(listed.json[0]).not.toHaveProperty('attachments');
  });
});
