/**
 * What the contract forbids or a careful client never does, refused or left in the log: a
 * client's bug must not hide here.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expectNoRemark } from '../end-to-end/agreement';
import { DEFAULT_COMPANY_ID, DEFAULT_CREDENTIALS, DEFAULT_PROJECTS } from './defaults';
import { RawClient } from './raw-client';

let client: RawClient;

beforeAll(async () => {
  client = await RawClient.start();
});
beforeEach(async () => {
  await client.control.reset();
  await client.signIn();
});
afterAll(() => client.close());

async function logged(kind: 'violation' | 'remark'): Promise<(string | undefined)[]> {
  return (await client.control.operations()).filter(entry => entry.kind === kind).map(({ what }) => what);
}

describe('document management', () => {
  test.each([
    ['a\u0000b.pdf', 'application/pdf'],
    ['a\nb.pdf', 'application/pdf'],
    ['plan.pdf', 'pdf'],
    ['plan.pdf', 'application/pdf; charset=utf-8'],
    ['plan.pdf', '/pdf'],
  ])('the name %j with the media type %j is refused', async (file_name, mime_type) => {
    const answer = await client.api('POST', client.dm('/document_uploads'), {
      uploads: [{ file_name, mime_type }],
    });
    expect([answer.status, answer.json.error.details[0].reason_code]).toEqual([400, 'INVALID_PROPERTY']);
  });

  test('a null in part_etags says that a segment is missing, even one that was reported before', async () => {
    const bytes = Buffer.from('bytes');
    const opened = await client.openFile('a.txt', bytes);
    const id = opened.json.data.upload_id;
    expect(
      (await client.api('PATCH', client.filePath(id), { part_etags: [null] })).json.data.status,
    ).not.toBe('complete');
  });

  test('more than 100 ids of a bulk read, and an id twice, are violations', async () => {
    const [id = ''] = await client.createUploads('a.pdf');
    const path = client.dm('/document_uploads/selected_uploads', '2.2');
    expect((await client.api('POST', path, { ids: [id, id] })).status).toBe(200);
    await client.api('POST', path, { ids: [id, ...(await manyIds(100))] });
    expect(await logged('violation')).toEqual(['same-item-twice', 'too-many-items']);
  });

  test('a page larger than 100 is a violation although it is served; a page past the end leaves a remark', async () => {
    expect((await client.api('GET', client.dm('/fields?per_page=2000'))).headers['per-page']).toBe('100');
    expect((await client.api('GET', client.dm('/fields?per_page=100&page=9'))).json.data).toEqual([]);
    expect(await logged('violation')).toEqual(['page-too-large']);
    expect(await logged('remark')).toEqual(['page-past-the-end']);
  });

  test('an update of nothing is a violation', async () => {
    const [id = ''] = await client.createUploads('a.pdf');
    await client.patch([{ id }]);
    await client.patch([{ id, fields: [] }]);
    expect(await logged('violation')).toEqual(['empty-update', 'empty-update']);
  });

  test('one upload twice in one submission refuses the request', async () => {
    const id = await client.readyUpload('a.txt');
    expect((await client.submit({ id }, { id })).status).toBe(400);
    expect((await client.submit({ id })).status).toBe(201);
  });

  test('an event id that no reading has told is a violation, one that is out of date a remark', async () => {
    const id = await client.readyUpload('a.txt');
    const early = (await client.show(id)).json.data.latest_event_id;
    await client.patch([{ id, fields: [{ id: await client.fieldId('description'), values: ['x'] }] }]);
    expect((await client.submit({ id, upload_latest_event_id: early })).json.data.failures).toHaveLength(1);
    await client.submit({ id, upload_latest_event_id: 'made up' });
    expect(await logged('remark')).toEqual(['stale-event-id']);
    expect(await logged('violation')).toEqual(['event-id-never-given']);
  });

  test('an event id that the end of an analysis has overtaken leaves no remark, unless it was read since', async () => {
    await client.control.configure({ analysisMs: [400_000, 400_000] });
    const id = await client.readyUpload('a.pdf');
    const early = (await client.show(id)).json.data.latest_event_id;
    await delay(500);
    expect((await submitAs(id, early)).json.data.failures).toMatchObject([
      { reason_code: 'CONCURRENCY_CONFLICT' },
    ]);
    expect(await logged('remark')).toEqual([]);
    await client.show(id);
    await submitAs(id, early);
    expect(await logged('remark')).toEqual(['stale-event-id']);
  });

  test('one that a write of one’s own has overtaken as well leaves a remark', async () => {
    await client.control.configure({ analysisMs: [400_000, 400_000] });
    const id = await client.readyUpload('a.pdf');
    const early = (await client.show(id)).json.data.latest_event_id;
    await delay(500);
    await client.patch([{ id, fields: [{ id: await client.fieldId('description'), values: ['x'] }] }]);
    await submitAs(id, early);
    expect(await logged('remark')).toEqual(['stale-event-id']);
  });

  /** Without the reading by which the client otherwise learns the event id of now. */
  function submitAs(id: string, upload_latest_event_id: string) {
    const path = client.dm('/document_revisions', '2.1');
    return client.api('POST', path, { uploads: [{ id, upload_latest_event_id }] });
  }

  test('ending workflows that nobody was told of is a violation', async () => {
    const id = await client.readyUpload('a.txt');
    const status = await client.valueId('status', 'S1');
    await client.submit({ id, termination_reason: 'just so', terminated_revision_status_id: status });
    expect(await logged('violation')).toEqual(['termination-unasked']);
  });

  test('looking sooner than five seconds after COMPLETED, and after a look, leaves a remark each', async () => {
    const id = await neverAnalysed();
    await client.control.configure({ timeScale: 1 });
    await client.show(id);
    await client.show(id);
    expect(await logged('remark')).toEqual(['polled-too-soon', 'polled-too-soon']);
    // No violation, and a clean run has none of them all the same.
    expect(await client.control.violations()).toEqual([]);
    await expect(expectNoRemark(client.control)).rejects.toThrow('polled-too-soon');
  });

  test('one look, for the event id that a submission needs, is no polling; each further one is', async () => {
    const id = await neverAnalysed();
    const other = await neverAnalysed();
    await client.control.configure({ timeScale: 1 });
    const { latest_event_id } = (await client.show(id)).json.data;
    expect(await logged('remark')).toEqual([]);
    const answer = await submitAs(id, latest_event_id);
    expect(answer.status).toBe(201);
    expect(await logged('remark')).toEqual([]);

    await client.show(other);
    await client.show(other);
    await client.show(other);
    const remarks = (await client.control.operations()).filter(({ kind }) => kind === 'remark');
    expect(remarks.map(({ what }) => what)).toEqual(Array<string>(3).fill('polled-too-soon'));
    // Each names the look before, so that whoever reads it finds both.
    const looks = remarks.map(({ request, detail: { after } = {} }) => [after, request]);
    expect(looks).toEqual([
      ['COMPLETED', expect.any(Number)],
      [`request ${looks[0]?.[1]}`, expect.any(Number)],
      [`request ${looks[1]?.[1]}`, expect.any(Number)],
    ]);
    expect(new Set(looks.map(([, request]) => request)).size).toBe(3);
  });

  test('looking on after three minutes leaves a remark; the last look of them and a later one leave none', async () => {
    const id = await neverAnalysed();
    await client.control.configure({ timeScale: 400 });
    await delay(500);
    await client.show(id);
    expect(await logged('remark')).toEqual([]);
    await client.show(id);
    expect(await logged('remark')).toEqual(['polled-too-long']);
    await delay(100);
    await client.show(id);
    expect(await logged('remark')).toEqual(['polled-too-long']);
  });

  async function neverAnalysed(): Promise<string> {
    await client.control.addFault({
      route: 'analysis',
      match: { fileName: 'a.pdf' },
      action: { kind: 'analysis-never' },
    });
    return await client.readyUpload('a.pdf');
  }

  async function manyIds(count: number): Promise<string[]> {
    const names = Array.from({ length: count }, (_, index) => `${index}.txt`);
    return await client.createUploads(...names);
  }
});

describe('change orders', () => {
  const PACKAGES = '/rest/v1.0/change_order_packages';
  const POTENTIALS = '/rest/v1.0/potential_change_orders';
  const oneTier = { project_id: 7001, contract_id: 6001 };

  test('an origin id that is used again is a violation', async () => {
    for (const title of ['Piles', 'Piles, corrected']) {
      const body = { ...oneTier, change_order: { title, origin_id: 'O-1' } };
      expect((await client.api('POST', PACKAGES, body)).status).toBe(201);
    }
    expect(await logged('violation')).toEqual(['origin-id-reused']);
  });

  test('so is one of a line item, as long as the other one is there', async () => {
    const [change_order, line_item] = [{ title: 'Piles' }, { amount: '10.00', origin_id: 'O-1/p1/l1' }];
    const lines = [];
    for (let count = 0; count < 2; count++) {
      const order = await client.api('POST', POTENTIALS, { ...oneTier, change_order });
      expect(order.status).toBe(201);
      lines.push(`${POTENTIALS}/${order.json.id}/line_items`);
    }
    const create = (at = '', line: object = line_item) =>
      client.api('POST', at, { project_id: 7001, line_item: line });
    const first = await create(lines[0]);
    await create(lines[1]);
    for (let count = 0; count < 2; count++) await create(lines[0], { amount: '10.00' });
    expect(await logged('violation')).toEqual([]);
    expect((await create(lines[0])).status).toBe(201);
    expect(await logged('violation')).toEqual(['origin-id-reused']);
    await client.api('DELETE', `${lines[1]}/${first.json.id + 1}?project_id=7001`);
    await create(lines[1]);
    expect(await logged('violation')).toEqual(['origin-id-reused']);
  });

  test('lists are of the tiers and the contract of the project, and filters count', async () => {
    const list = (path: string) => client.api('GET', `/rest/v1.0${path}`);
    expect((await list('/change_order_requests?project_id=7001&contract_id=6001')).status).toBe(400);
    expect((await list('/change_order_packages?project_id=7001&contract_id=9')).status).toBe(404);
    const made = [];
    for (const title of ['one', 'two'])
      made.push(await client.api('POST', PACKAGES, { ...oneTier, change_order: { title } }));
    const id = made[1]?.json.id;
    const found = await list(`/change_order_packages?project_id=7001&filters[id]=${id}`);
    expect(found.json.map((row: { id: number }) => row.id)).toEqual([id]);
  });
});

describe('observations', () => {
  const ITEMS = '/rest/v1.0/observations/items';
  const item = { name: 'Loose rail', type_id: 2106 };
  const create = (more: Record<string, unknown>) =>
    client.api('POST', ITEMS, { project_id: 7001, observation: { ...item, ...more } });

  test.each([
    ['a number as text', { type_id: '2106' }],
    ['an unknown trade', { trade_id: 1 }],
    ['an unknown location', { location_id: 1 }],
    ['30 February', { due_date: '2026-02-30' }],
    ['an unknown property', { colour: 'red' }],
  ])('%s is refused', async (_, more) => {
    expect((await create(more)).status).toBe(400);
  });

  test('what is documented is taken: hazards, custom fields, ids with a response log', async () => {
    const made = await create({ hazard_id: 7, trade_id: 2401, custom_field_31: 'x' });
    expect(made).toMatchObject({ status: 201, json: { hazard_id: 7, custom_field_31: 'x' } });
    const log = { project_id: 7001, response_log: { comment: 'done', prostore_file_ids: [3] } };
    expect((await client.api('POST', `${ITEMS}/${made.json.id}/response_logs`, log)).status).toBe(201);
  });

  test('the list can be narrowed by id, status and priority', async () => {
    const urgent = await create({ priority: 'Urgent' });
    await create({});
    const ids = async (filter: string) =>
      (await client.api('GET', `${ITEMS}?project_id=7001&${filter}`)).json.map(
        (row: { id: number }) => row.id,
      );
    expect(await ids('filters[priority]=Urgent')).toEqual([urgent.json.id]);
    expect(await ids(`filters[id]=${urgent.json.id}`)).toEqual([urgent.json.id]);
    expect(await ids('filters[status]=3')).toEqual([]);
    expect(await ids('filters[status]=0')).toHaveLength(2);
  });
});

describe('people, time and sign-in', () => {
  test('project users can be narrowed by template, and shown compactly', async () => {
    const list = async (query: string) =>
      (await client.api('GET', `/rest/v1.0/projects/7001/users?${query}`)).json;
    const readers = await list('filters[permission_template]=301&per_page=1000');
    expect(readers.length).toBeGreaterThan(0);
    expect(
      new Set(readers.map((user: { permission_template: { id: number } }) => user.permission_template.id)),
    ).toEqual(new Set([301]));
    const [compact] = await list('view=compact&per_page=1');
    expect(Object.keys(compact).sort()).toEqual(['first_name', 'id', 'last_name', 'name']);
  });

  test('a negative lunch is refused, and an entry can move to another sheet of its day', async () => {
    const at = (path: string) => `/rest/v1.0/projects/${DEFAULT_PROJECTS.plain}/${path}`;
    const sheets = [];
    for (let count = 0; count < 2; count++)
      sheets.push(
        (await client.api('POST', at('timesheets'), { timesheet: { date: '2026-02-02' } })).json.id,
      );
    const entry = { timesheet_id: sheets[0], time_in: '07:00', time_out: '15:30', lunch_time: 30 };
    const create = (more: object) =>
      client.api('POST', at('timecard_entries'), { timecard_entry: { ...entry, ...more } });
    expect((await create({ lunch_time: -30 })).status).toBe(400);
    const made = await create({});
    const moved = await client.api('PATCH', at(`timecard_entries/${made.json.id}`), {
      timecard_entry: { timesheet_id: sheets[1] },
    });
    expect(moved).toMatchObject({ status: 200, json: { timesheet: { id: sheets[1] } } });
  });

  test('an entry with the mark of another one is a violation: its origin id, or what is said in place of one', async () => {
    const at = (path: string) => `/rest/v1.0/projects/${DEFAULT_PROJECTS.plain}/${path}`;
    const sheet = async () =>
      (await client.api('POST', at('timesheets'), { timesheet: { date: '2026-02-02' } })).json.id;
    const [one, other] = [await sheet(), await sheet()];
    const create = async (timesheet_id: number, mark: object) => {
      const timecard_entry = { timesheet_id, time_in: '07:00', time_out: '15:30', ...mark };
      const { status } = await client.api('POST', at('timecard_entries'), { timecard_entry });
      expect(status).toBe(201);
    };
    for (const timesheet of [one, one, other]) await create(timesheet, {});
    for (const origin_id of [1, 2]) await create(one, { origin_id, origin_data: 'from the clock' });
    await create(one, { origin_data: 'drawbridge/a' });
    await create(other, { origin_data: 'drawbridge/a' });
    expect(await logged('violation')).toEqual([]);
    await create(other, { origin_id: 1 });
    await create(one, { origin_data: 'drawbridge/a' });
    expect(await logged('violation')).toEqual(['origin-id-reused', 'origin-id-reused']);
  });

  test('only a registered https address is sent a code', async () => {
    const authorize = async (redirect_uri: string) => {
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: DEFAULT_CREDENTIALS.clientId,
        redirect_uri,
      });
      return (await fetch(`${client.sandbox.authUrl}/oauth/authorize?${query}`, { redirect: 'manual' }))
        .status;
    };
    expect(await authorize('https://elsewhere.example/callback')).toBe(400);
    await client.control.configure({ redirectUris: ['https://elsewhere.example/callback'] });
    expect(await authorize('https://elsewhere.example/callback')).toBe(302);
  });
});

test.each(['v2', 'v4'])(
  'creating and completing an upload sends an event each, payload %s',
  async version => {
    const seen: Record<string, unknown>[] = [];
    let arrived = () => {};
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', chunk => (text += chunk));
      request.on('end', () => {
        seen.push(JSON.parse(text));
        response.writeHead(204).end();
        arrived();
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    try {
      const eventsTo = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      await client.control.configure({ eventsTo });
      const company_id = Number(DEFAULT_COMPANY_ID);
      const hook = await client.api('POST', '/rest/v1.0/webhooks/hooks', {
        company_id,
        hook: { api_version: version, namespace: 'drawbridge', destination_url: 'https://receiver.example/' },
      });
      for (const event_type of ['create', 'update']) {
        const body = {
          company_id,
          api_version: version,
          trigger: { resource_name: 'Document Upload', event_type },
        };
        const made = await client.api('POST', `/rest/v1.0/webhooks/hooks/${hook.json.id}/triggers`, body);
        expect(made.status).toBe(201);
      }
      // Triggers of the version that a hook had before bring nothing.
      const hooks = '/rest/v1.0/webhooks/hooks';
      const other = await client.api('POST', hooks, {
        company_id,
        hook: { api_version: 'v3', namespace: 'other', destination_url: 'https://receiver.example/' },
      });
      const trigger = { resource_name: 'Document Upload', event_type: 'create' };
      await client.api('POST', `${hooks}/${other.json.id}/triggers`, {
        company_id,
        api_version: 'v3',
        trigger,
      });
      const patch = { company_id, hook: { api_version: version } };
      expect((await client.api('PATCH', `${hooks}/${other.json.id}`, patch)).status).toBe(200);
      expect(await logged('remark')).toEqual(['version-changed-under-triggers']);
      const id = await client.completeUpload('a.txt');
      while (seen.length < 2) await new Promise<void>(resolve => (arrived = resolve));
      const type = version === 'v4' ? 'reason' : 'event_type';
      expect(seen.map(event => [event.resource_id, event[type], event.api_version]).sort()).toEqual([
        [id, 'create', version],
        [id, 'update', version],
      ]);
    } finally {
      server.close();
    }
  },
);
