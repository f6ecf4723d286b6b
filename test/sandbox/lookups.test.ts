/** Steps 1 to 3, users, and pagination. */
import { DEFAULT_PROJECTS } from './defaults';
import { RawClient } from './raw-client';

let client: RawClient;

beforeAll(async () => {
  client = await RawClient.start({ settings: { limits: null } });
});

beforeEach(async () => {
  await client.control.reset();
  await client.signIn();
  client.project = DEFAULT_PROJECTS.plain;
});

afterAll(() => client.close());

/** rel to the page number of its address. */
function links(header: unknown): Record<string, string | null> {
  return Object.fromEntries(
    [...String(header).matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, url, rel]) => [
      rel ?? '',
      new URL(url ?? '').searchParams.get('page'),
    ]),
  );
}

describe('pagination', () => {
  const page = (query: string) => client.api('GET', client.dm(`/fields/supplier/values?${query}`));

  test('ten rows unless asked, with Total and Per-Page', async () => {
    const { json, headers } = await page('');
    expect(json.data).toHaveLength(10);
    expect([headers.total, headers['per-page']]).toEqual(['250', '10']);
  });

  test.each([
    [1, { next: '2', last: '5' }],
    [2, { first: '1', next: '3', last: '5' }],
    [3, { first: '1', prev: '2', next: '4', last: '5' }],
    [5, { first: '1', prev: '4', last: '5' }],
  ])('page %i of five links to %j', async (number, expected) => {
    const { headers } = await page(`per_page=50&page=${number}`);
    expect(links(headers.link)).toEqual(expected);
  });

  test('the links keep the other parameters and the page size', async () => {
    const { headers } = await page('per_page=5&keyword=Supplier%201');
    const next = /<([^>]+)>; rel="next"/.exec(String(headers.link))?.[1] ?? '';
    const url = new URL(next);
    expect(url.origin).toBe(client.sandbox.apiUrl);
    expect([url.searchParams.get('per_page'), url.searchParams.get('keyword')]).toEqual(['5', 'Supplier 1']);
  });

  test('Link is present and empty when everything fits on one page', async () => {
    const { headers } = await client.api('GET', client.dm('/upload_requirements'));
    expect(headers.link).toBe('');
  });

  test('following the links sees every row once', async () => {
    const seen: string[] = [];
    let url: string | undefined = client.dm('/fields/supplier/values?per_page=70');
    while (url !== undefined) {
      const answer = await client.api('GET', url);
      seen.push(...answer.json.data.map(({ id }: { id: string }) => id));
      const next = /<([^>]+)>; rel="next"/.exec(String(answer.headers.link))?.[1];
      url = next === undefined ? undefined : next.slice(client.sandbox.apiUrl.length);
    }
    expect([seen.length, new Set(seen).size]).toEqual([250, 250]);
  });

  test('a page size over the maximum is lowered silently, or refused when so set', async () => {
    expect((await page('per_page=500')).headers['per-page']).toBe('100');
    await client.control.configure({ clampPageSize: false });
    expect((await page('per_page=500')).status).toBe(400);
  });

  test.each(['page=0', 'page=x', 'per_page=0', 'per_page=-1'])('%s is a 400', async query => {
    expect((await page(query)).status).toBe(400);
  });
});

describe('requirements', () => {
  test('a default and two conditional ones, with references that name the field', async () => {
    const { data } = (await client.api('GET', client.dm('/upload_requirements'))).json;
    expect(data.map((row: { rule_qualifiers: unknown[] }) => row.rule_qualifiers.length).sort()).toEqual([
      0, 1, 2,
    ]);
    const structural = data.find((row: { rule_qualifiers: unknown[] }) => row.rule_qualifiers.length === 2);
    expect(structural.rule_qualifiers[0]).toMatchObject({
      type: 'lov_entry',
      field: { name: 'type', label: 'Type' },
      acceptable_values: [{ code: 'DWG', label: 'Drawing', active: true }],
    });
    expect(structural.additional_required_fields.map(({ name }: { name: string }) => name)).toEqual([
      'number',
      'discipline',
      'originator',
    ]);
    expect(structural.fields_required_by_project[0]).toMatchObject({
      name: 'name',
      label: 'Name',
      type: 'string',
    });
    expect(structural).not.toHaveProperty('naming_standard');
  });

  test('a project with a naming standard says so', async () => {
    client.project = DEFAULT_PROJECTS.namingStandard;
    const { data } = (await client.api('GET', client.dm('/upload_requirements'))).json;
    expect(data[0].naming_standard.fields.map(({ name }: { name: string }) => name)).toEqual([
      'project',
      'originator',
      'type',
      'number',
      'revision',
    ]);
  });
});

describe('fields and values', () => {
  test('the list holds inactive, invisible and readonly fields, each marked', async () => {
    const { data } = (await client.api('GET', client.dm('/fields?per_page=100'))).json;
    const named = (name: string) => data.find((field: { name: string }) => field.name === name);
    expect(named('legacy_code').active).toBe(false);
    expect(named('internal_note').visible).toBe(false);
    expect(named('uploaded_by').readonly).toBe(true);
    expect(named('sheet_count')).toHaveProperty('custom_field_definition_id');
    expect(named('name')).not.toHaveProperty('custom_field_definition_id');
  });

  test('values come by the name and by the id of the field, inactive ones included', async () => {
    const byName = (await client.api('GET', client.dm('/fields/status/values'))).json.data;
    const byId = (await client.api('GET', client.dm(`/fields/${await client.fieldId('status')}/values`))).json
      .data;
    expect(byId).toEqual(byName);
    expect(byName.find(({ code }: { code: string }) => code === 'ARC')).toMatchObject({
      active: false,
      tags: [],
    });
  });

  const foundBy = async (keyword: string): Promise<string[]> =>
    (await client.api('GET', client.dm(`/fields/supplier/values?keyword=${keyword}`))).json.data.map(
      ({ code }: { code: string }) => code,
    );

  test('keyword filters, and labels may be ambiguous', async () => {
    expect((await foundBy('supplier%20100')).sort()).toEqual(['SUP-100', 'SUP-100-BIS']);
  });

  test('keyword filters by name alone: a code finds nothing', async () => {
    expect(await foundBy('SUP-100-BIS')).toEqual([]);
  });

  test('fields that refer to users have no values here', async () => {
    expect((await client.api('GET', client.dm('/fields/authored_by/values'))).json).toEqual({ data: [] });
    const locations = (await client.api('GET', client.dm('/fields/location/values'))).json.data;
    expect(locations[0].id).toBe('120667');
  });

  test('a field that does not exist is 404, a project that does not exist too', async () => {
    expect((await client.api('GET', client.dm('/fields/colour/values'))).status).toBe(404);
    client.project = '1';
    expect((await client.api('GET', client.dm('/fields'))).status).toBe(404);
  });
});

describe('project users', () => {
  test('they come in pages, as a plain array', async () => {
    const first = await client.api('GET', '/rest/v1.0/projects/7001/users');
    expect([first.json.length, first.headers.total]).toEqual([100, '130']);
    const second = await client.api('GET', '/rest/v1.0/projects/7001/users?page=2');
    expect(second.json).toHaveLength(30);
    expect(second.json.at(-1)).toMatchObject({ id: 9130, name: 'Robin Namesake', first_name: 'Robin' });
  });

  test('one user is shown, an unknown one is 404', async () => {
    const shown = await client.api('GET', '/rest/v1.0/projects/7001/users/9001');
    expect(shown.json).toMatchObject({
      id: 9001,
      last_name: 'Ashby',
      permission_template: { id: expect.any(Number) },
    });
    expect((await client.api('GET', '/rest/v1.0/projects/7001/users/1')).status).toBe(404);
  });

  test('search finds names and addresses', async () => {
    const found = await client.api('GET', '/rest/v1.0/projects/7001/users?filters[search]=namesake');
    expect(found.json).toHaveLength(2);
  });

  test('a project that may not be read is 403 everywhere', async () => {
    await client.control.edit('7001', { kind: 'permissions', read: false });
    expect((await client.api('GET', '/rest/v1.0/projects/7001/users')).status).toBe(403);
    expect((await client.api('GET', client.dm('/fields'))).status).toBe(403);
  });
});
