/** Hooks, triggers and deliveries by plain HTTP. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from './defaults';
import { RawClient } from './raw-client';

const HOOKS = '/rest/v1.0/webhooks/hooks';
const hook = {
  api_version: 'v2',
  namespace: 'drawbridge',
  destination_url: 'https://receiver.example/webhooks',
  destination_headers: { Authorization: 'Bearer 1234567890abcde', 'X-Extra': 'plain' },
};
let client: RawClient;

beforeAll(async () => {
  client = await RawClient.start();
});
beforeEach(async () => {
  await client.control.reset();
  await client.signIn();
});
afterAll(() => client.close());

const company = Number(DEFAULT_COMPANY_ID);

async function makeHook(): Promise<number> {
  const { status, json } = await client.api('POST', HOOKS, { company_id: company, hook });
  expect(status).toBe(201);
  return json.id;
}

test('a hook shows its Authorization header down to the last five characters', async () => {
  await makeHook();
  const { json } = await client.api('GET', `${HOOKS}?company_id=${company}&namespace=drawbridge`);
  expect(json).toMatchObject([
    {
      destination_headers: { Authorization: `${'*'.repeat(17)}abcde`, 'X-Extra': 'plain' },
      owned_by_company_id: company,
    },
  ]);
  expect((await client.api('GET', `${HOOKS}?company_id=${company}&namespace=other`)).json).toEqual([]);
  const ofProject = await client.api('GET', `${HOOKS}?project_id=${DEFAULT_PROJECTS.plain}`);
  expect(ofProject.json).toEqual([]);
});

test.each([
  ['no scope', {}, 400],
  ['both scopes', { company_id: company, project_id: Number(DEFAULT_PROJECTS.plain) }, 400],
  ['another company', { company_id: 1 }, 403],
  ['an unknown project', { project_id: 1 }, 404],
])('%s is refused', async (_, scope, status) => {
  expect((await client.api('POST', HOOKS, { ...scope, hook })).status).toBe(status);
});

test.each([
  ['a namespace with capitals', { namespace: 'Draw_Bridge' }],
  ['a destination without https', { destination_url: 'http://receiver.example' }],
  ['a payload version that there is not', { api_version: 'v9' }],
  ['an unknown key', { nonsense: 1 }],
])('%s is a 400 that names the place', async (_, part) => {
  const { status, json } = await client.api('POST', HOOKS, {
    company_id: company,
    hook: { ...hook, ...part },
  });
  expect(status).toBe(400);
  expect(Object.keys(json.errors)).toEqual([`hook.${Object.keys(part)[0]}`]);
});

test('triggers come and go with their hook; the same one is made once', async () => {
  const id = await makeHook();
  const body = {
    company_id: company,
    api_version: 'v2',
    trigger: { resource_name: 'Document Upload', event_type: 'create' },
  };
  const path = `${HOOKS}/${id}/triggers`;
  const first = await client.api('POST', path, body);
  expect(first).toMatchObject({ status: 201, json: { event_type: 'CREATE', webhook_hook_id: id } });
  expect((await client.api('POST', path, body)).status).toBe(422);
  expect((await client.api('POST', path, { ...body, api_version: 'v4' })).status).toBe(422);
  expect((await client.api('GET', `${path}?company_id=${company}`)).json).toHaveLength(1);
  expect((await client.api('DELETE', `${path}/${first.json.id}?company_id=${company}`)).status).toBe(200);
  expect((await client.api('DELETE', `${path}/${first.json.id}?company_id=${company}`)).status).toBe(404);
  const refused = { ...body, trigger: { resource_name: 'Document Upload', event_type: 'delete' } };
  expect((await client.api('POST', path, refused)).status).toBe(422);
  expect((await client.api('DELETE', `${HOOKS}/${id}?company_id=${company}`)).status).toBe(200);
  expect((await client.api('GET', `${path}?company_id=${company}`)).status).toBe(404);
});

test('a delivery carries the headers of the hook and is listed with its outcome', async () => {
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(seen.length === 1 ? 500 : 204).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const id = String(await makeHook());
  await client.control.deliver(id, { event: { id: 1 }, to });
  await client.control.deliver(id, { event: { id: 1 }, to });
  await client.control.deliver(id, { event: { id: 2 }, outcome: 'discarded' });
  server.close();
  expect(seen).toEqual([hook.destination_headers.Authorization, hook.destination_headers.Authorization]);
  const outcomes = async (query: string) =>
    (await client.api('GET', `${HOOKS}/${id}/deliveries?company_id=${company}${query}`)).json.map(
      (row: { outcome: string }) => row.outcome,
    );
  expect(await outcomes('')).toEqual(['discarded', 'ok', 'retried']);
  expect(await outcomes('&filter%5Bstatus%5D=failing')).toEqual(['retried']);
  const [newest] = (await client.api('GET', `${HOOKS}/${id}/deliveries?company_id=${company}&page_size=1`))
    .json;
  expect(await outcomes(`&page_start=${newest.id}`)).toEqual(['ok', 'retried']);
});

test('what can be subscribed to is listed', async () => {
  const { json } = await client.api('GET', `/rest/v1.0/webhooks/resources?company_id=${company}`);
  expect(json).toContainEqual(expect.objectContaining({ tools: 'Document Upload', except: ['delete'] }));
});

describe('project users', () => {
  const users = `/rest/v1.0/projects/${DEFAULT_PROJECTS.plain}/users`;
  const add = (id: number, template: number) =>
    client.api('POST', `${users}/${id}/actions/add`, { user: { permission_template_id: template } });

  test('one is removed with 204 and added again with another template', async () => {
    const removed = await client.api('DELETE', `${users}/9005/actions/remove`);
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect((await client.api('GET', `${users}/9005`)).status).toBe(404);
    expect((await client.api('DELETE', `${users}/9005/actions/remove`)).status).toBe(404);
    const added = await add(9005, 303);
    expect([added.status, added.json.permission_template]).toEqual([201, undefined]);
    expect((await client.api('GET', `${users}/9005`)).json.permission_template).toMatchObject({ id: 303 });
  });

  test('whoever is in, unknown, or would get an unknown template is not added', async () => {
    expect((await add(9006, 301)).status).toBe(400);
    expect((await add(1, 301)).status).toBe(404);
    expect((await add(9131, 999)).status).toBe(400);
    expect((await add(9131, 301)).status).toBe(201);
  });
});
