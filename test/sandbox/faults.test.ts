/** Every fault that can be ordered, seen from the outside. */
import { request } from 'undici';
import type { FaultOrder } from './control';
import { DEFAULT_PROJECTS } from './defaults';
import { ENDED, RawClient, send, sha256 } from './raw-client';

let client: RawClient;

beforeAll(async () => {
  client = await RawClient.start();
});

beforeEach(async () => {
  await client.control.reset();
  await client.signIn();
  client.project = DEFAULT_PROJECTS.plain;
});

afterAll(() => client.close());

const order = (route: string, action: FaultOrder['action'], more: Partial<FaultOrder> = {}) =>
  client.control.addFault({ route, action, ...more });
const create = (...names: string[]) =>
  client.api('POST', client.dm('/document_uploads'), {
    uploads: names.map(name => ({ file_name: name, mime_type: 'application/pdf' })),
  });
const created = async () => (await client.control.uploads()).length;
const violations = async () => (await client.control.violations()).map(({ what }) => what);

describe('faults of a whole request', () => {
  test('a status with a reason code, without effect', async () => {
    await order('uploads.create', { kind: 'status', status: 500, reasonCode: 'INTERNAL_ERROR' });
    const answer = await create('a.pdf');
    expect([answer.status, answer.json.error.details[0].reason_code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(await created()).toBe(0);
    expect((await create('a.pdf')).status).toBe(201);
  });

  test('a status although it took effect', async () => {
    await order('uploads.create', { kind: 'status', status: 503, effect: true });
    expect((await create('a.pdf')).status).toBe(503);
    expect(await created()).toBe(1);
  });

  test.each([
    ['reply-lost', 1],
    ['cut-answer', 1],
    ['cut-request', 0],
  ] as const)('%s leaves %i upload behind', async (kind, count) => {
    await order('uploads.create', { kind });
    await expect(create('a.pdf')).rejects.toMatchObject({ code: expect.stringMatching(ENDED) });
    expect(await created()).toBe(count);
    const last = (await client.control.operations()).filter(({ kind: what }) => what === 'request').at(-1);
    expect(last).toMatchObject({ route: 'uploads.create', status: null, fault: expect.any(String) });
  });

  test('a delay before or after the effect', async () => {
    for (const when of ['before', 'after'] as const) {
      await order('uploads.create', { kind: 'delay', ms: 400, when });
      const start = Date.now();
      expect((await create('a.pdf')).status).toBe(201);
      expect(Date.now() - start).toBeGreaterThanOrEqual(390);
      // By the stand-in's own clock: however late we are, what it did when is told there.
      const log = await client.control.operations();
      const effect = log.findLast(({ kind, route }) => kind === 'effect' && route === 'uploads.create');
      const answered = log.findLast(({ kind, route }) => kind === 'request' && route === 'uploads.create');
      const waitedMs = { before: (effect?.at ?? 0) - start, after: (answered?.at ?? 0) - (effect?.at ?? 0) };
      expect(waitedMs[when]).toBeGreaterThanOrEqual(390);
    }
  });

  test('a request that is held goes on when its fault is removed', async () => {
    const id = await client.control.addFault({
      route: 'uploads.create',
      action: { kind: 'delay', ms: 600_000, when: 'before' },
    });
    const answer = create('a.pdf');
    await client.until(async () => (await client.control.faults())[0]?.fired === 1);
    expect(await created()).toBe(0);
    await client.control.removeFault(id);
    expect((await answer).status).toBe(201);
  });

  test('a request that hangs is answered never', async () => {
    await order('uploads.create', { kind: 'hang' });
    const url = `${client.sandbox.apiUrl}${client.dm('/document_uploads')}`;
    const headers = {
      authorization: `Bearer ${client.token}`,
      'service-company-id': '5001',
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ uploads: [{ file_name: 'a', mime_type: 'b' }] });
    const signal = AbortSignal.timeout(60);
    await expect(request(url, { method: 'POST', headers, body, signal })).rejects.toThrow(/abort|timeout/i);
    expect(await created()).toBe(0);
  });

  test('malformed JSON and HTML', async () => {
    await order('fields.list', { kind: 'malformed', body: '{"data": [' });
    const broken = await client.api('GET', client.dm('/fields'));
    expect([broken.status, broken.text]).toEqual([200, '{"data": [']);
    await order('fields.list', { kind: 'html' });
    expect((await client.api('GET', client.dm('/fields'))).headers['content-type']).toContain('text/html');
  });

  test('a redirect leads into a trap that records who follows', async () => {
    await order('fields.list', { kind: 'redirect' });
    const answer = await client.api('GET', client.dm('/fields'));
    expect(answer.status).toBe(302);
    expect(await violations()).toEqual([]);
    await send('GET', String(answer.headers.location), {
      headers: { authorization: `Bearer ${client.token}` },
    });
    expect((await client.control.violations())[0]).toMatchObject({
      what: 'redirect-followed',
      detail: { withBearer: true },
    });
  });

  test.each([
    ['seconds', /^\d+$/],
    ['date', /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/],
    ['none', undefined],
  ] as const)('a 429 with Retry-After as %s', async (withRetryAfter, pattern) => {
    await order('fields.list', { kind: 'rate-limited', withRetryAfter });
    const { status, headers } = await client.api('GET', client.dm('/fields'));
    expect(status).toBe(429);
    expect(headers['x-rate-limit-remaining']).toBe('0');
    expect(Number(headers['x-rate-limit-reset'])).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1000));
    if (pattern === undefined) expect(headers['retry-after']).toBeUndefined();
    else expect(headers['retry-after']).toMatch(pattern);
  });

  test('a 503 with Retry-After, and its undercutting', async () => {
    await client.control.configure({ timeScale: 1 });
    await order('fields.list', { kind: 'unavailable', retryAfter: 30 });
    expect((await client.api('GET', client.dm('/fields'))).headers['retry-after']).toBe('30');
    await new Promise(resolve => setTimeout(resolve, 300));
    await client.api('GET', client.dm('/upload_requirements'));
    expect(await violations()).toEqual([]);
    await client.api('GET', client.dm('/fields'));
    expect(await violations()).toEqual(['retry-after-undercut']);
  });

  test('a whole origin', async () => {
    await order('api:*', { kind: 'status', status: 502 }, { times: 0 });
    expect((await client.api('GET', client.dm('/fields'))).status).toBe(502);
    expect((await create('a.pdf')).status).toBe(502);
    expect((await client.signIn()).status).toBe(200);
    await client.control.clearFaults();
    expect((await create('a.pdf')).status).toBe(201);
  });
});

describe('which request is struck', () => {
  test('skip and times count matches', async () => {
    await order('fields.list', { kind: 'status', status: 500 }, { skip: 1, times: 2 });
    const seen: number[] = [];
    for (let n = 0; n < 5; n += 1) seen.push((await client.api('GET', client.dm('/fields'))).status);
    expect(seen).toEqual([200, 500, 500, 200, 200]);
    expect((await client.control.faults())[0]).toMatchObject({ matched: 5, fired: 2 });
  });

  test('nth strikes one match alone', async () => {
    await order('fields.list', { kind: 'status', status: 500 }, { match: { nth: 2 } });
    const seen: number[] = [];
    for (let n = 0; n < 3; n += 1) seen.push((await client.api('GET', client.dm('/fields'))).status);
    expect(seen).toEqual([200, 500, 200]);
  });

  test('a file name is recognised by the upload’s id, the file’s id and the presigned address', async () => {
    await order('files.create', { kind: 'status', status: 500 }, { match: { fileName: 'bad.dwg' } });
    await order('storage.put', { kind: 'status', status: 500 }, { match: { fileName: 'worse.dwg' } });
    await order('uploads.show', { kind: 'status', status: 500 }, { match: { fileName: 'good.dwg' } });
    expect((await client.openFile('bad.dwg', Buffer.from('x'))).status).toBe(500);
    const id = await client.completeUpload('good.dwg');
    expect((await client.show(id)).status).toBe(500);
    const { segments } = (await client.openFile('worse.dwg', Buffer.from('x'))).json.data;
    const put = await send('PUT', segments[0].url, { headers: segments[0].headers, body: Buffer.from('x') });
    expect(put.status).toBe(500);
  });

  test('a header can be asked for', async () => {
    await order(
      'fields.list',
      { kind: 'status', status: 500 },
      { match: { header: { name: 'X-Test', value: '1' } } },
    );
    expect((await client.api('GET', client.dm('/fields'))).status).toBe(200);
    expect((await client.api('GET', client.dm('/fields'), undefined, { 'x-test': '1' })).status).toBe(500);
  });

  test('requests without a valid token do not use a fault up', async () => {
    await order('fields.list', { kind: 'status', status: 500 });
    const { token } = client;
    client.token = 'wrong';
    expect((await client.api('GET', client.dm('/fields'))).status).toBe(401);
    client.token = token;
    expect((await client.api('GET', client.dm('/fields'))).status).toBe(500);
  });

  test.each([
    ['a route that does not exist', 'nothing.at-all', { kind: 'reply-lost' }],
    ['a kind that cannot strike there', 'fields.list', { kind: 'drop-from-207' }],
    ['an unknown kind', 'fields.list', { kind: 'earthquake' }],
  ])('%s is refused', async (_, route, action) => {
    await expect(order(route, action as FaultOrder['action'])).rejects.toThrow('control port');
  });
});

describe('faults of single items', () => {
  test('a dropped id is in neither list and nothing is applied to it', async () => {
    const [a, b] = await client.createUploads('a.pdf', 'b.pdf');
    await order('uploads.patch', { kind: 'drop-from-207' }, { match: { fileName: 'a.pdf' } });
    const fields = [{ id: await client.fieldId('description'), values: ['x'] }];
    const answer = await client.patch([
      { id: a, fields },
      { id: b, fields },
    ]);
    expect(answer.json.data).toEqual({ success: [{ id: b }], failed: [] });
    expect((await client.control.uploads())[0]!.fields.description).toBeUndefined();
  });

  test('an item can fail in the 207', async () => {
    const [id] = await client.createUploads('a.pdf');
    const file_upload_id = await client.sendFile('a.pdf');
    await order('uploads.patch', { kind: 'fail-in-207', code: 503 });
    const item = { id, file_upload_id, upload_status: 'COMPLETED' };
    expect((await client.patch([item])).json.data.failed).toMatchObject([{ id, code: 503 }]);
    expect((await client.patch([item])).json.data.success).toEqual([{ id }]);
  });

  test('storage can be unverified for the whole request', async () => {
    const [a, b] = await client.createUploads('a.pdf', 'b.pdf');
    await order('uploads.patch', { kind: 'storage-unverified' }, { match: { fileName: 'b.pdf' }, times: 0 });
    expect((await client.patch([{ id: a }, { id: b }])).status).toBe(500);
    expect((await client.patch([{ id: a }])).status).toBe(207);
  });

  test.each(['CONCURRENCY_CONFLICT', 'UNKNOWN_FAILURE', 'SOMETHING_NEW'])(
    'a submission fails with %s',
    async reasonCode => {
      const [a, b] = [await client.readyUpload('a.dwg'), await client.readyUpload('b.dwg')];
      await order('revisions.create', { kind: 'item-failure', reasonCode }, { match: { uploadId: a } });
      const { data } = (await client.submit({ id: a }, { id: b })).json;
      expect(data.failures).toMatchObject([{ upload_id: a, reason_code: reasonCode }]);
      expect(data.ids).toHaveLength(1);
      expect((await client.show(a)).status).toBe(200);
    },
  );

  test.each([
    [true, 422],
    [false, 404],
  ])('a submission is refused for one item’s sake (named: %s)', async (named, status) => {
    const [a, b] = [await client.readyUpload('a.dwg'), await client.readyUpload('b.dwg')];
    const action = { kind: 'request-refusal' as const, reasonCode: 'DUPLICATE_REVISION', named, status };
    await order('revisions.create', action, { match: { fileName: 'b.dwg' }, times: 0 });
    const answer = await client.submit({ id: a }, { id: b });
    expect(answer.status).toBe(status);
    expect(answer.json.error.details[0].source).toBe(named ? b : undefined);
    expect((await client.submit({ id: a })).status).toBe(201);
  });

  test('linking another file is right after FILE_KEY_MISMATCH, and a violation otherwise', async () => {
    const relink = async (id: string) => {
      const file_upload_id = await client.sendFile('again.dwg');
      return client.patch([{ id, file_upload_id, upload_status: 'COMPLETED' }]);
    };
    const id = await client.readyUpload('a.dwg');
    const action = { kind: 'request-refusal' as const, reasonCode: 'FILE_KEY_MISMATCH' };
    await order('revisions.create', action, { match: { fileName: 'a.dwg' } });
    expect((await client.submit({ id })).status).toBe(422);
    expect((await relink(id)).json.data.success).toEqual([{ id }]);
    expect(await violations()).toEqual([]);
    await relink(id);
    expect(await violations()).toEqual(['completed-upload-relinked']);
  });

  test('Step 4 and Step 6 can be refused for one item’s sake as well', async () => {
    const action = { kind: 'request-refusal' as const, reasonCode: 'INVALID_PROPERTY' };
    await order('uploads.create', action, { match: { fileName: 'bad.pdf' }, times: 0 });
    expect((await create('good.pdf', 'bad.pdf')).status).toBe(400);
    expect(await created()).toBe(0);
    const [id] = await client.createUploads('good.pdf');
    await order('uploads.patch', action, { match: { fileName: 'good.pdf' } });
    expect((await client.patch([{ id }])).status).toBe(400);
  });

  test('Step 4 can answer an id too many, one too few, or two the wrong way round', async () => {
    await order('uploads.create', { kind: 'extra-id' });
    expect((await create('a', 'b')).json.data).toHaveLength(3);
    await order('uploads.create', { kind: 'missing-id' });
    expect((await create('a', 'b')).json.data).toHaveLength(1);
    await order('uploads.create', { kind: 'swap-ids' });
    const { data } = (await create('first', 'second')).json;
    const names = new Map((await client.control.uploads()).map(({ id, fileName }) => [id, fileName]));
    expect(data.map(({ id }: { id: string }) => names.get(id))).toEqual(['second', 'first']);
  });

  test('a file can be ordered never to become available', async () => {
    await order('scan', { kind: 'never-available' }, { match: { fileName: 'a.dwg' } });
    const bytes = Buffer.from('x');
    const { upload_id, segments } = (await client.openFile('a.dwg', bytes)).json.data;
    const put = await send('PUT', segments[0].url, { headers: segments[0].headers, body: bytes });
    const etag = String(put.headers.etag).replaceAll('"', '');
    await client.api('PATCH', client.filePath(upload_id), { part_etags: [etag] });
    await client.sendFile('b.dwg');
    expect((await client.api('GET', client.filePath(upload_id))).json.data.status).toBe('complete');
  });
});

describe('faults of storage', () => {
  const bytes = Buffer.alloc(300_000, 'storage');
  const open = async () => (await client.openFile('a.dwg', bytes)).json.data.segments[0];
  const put = async (segment: { url: string; headers: Record<string, string> }) =>
    send('PUT', segment.url, { headers: segment.headers, body: bytes });

  test('an expired address', async () => {
    await order('storage.put', { kind: 'expired-url' });
    const segment = await open();
    expect((await put(segment)).status).toBe(403);
    expect((await put(segment)).status).toBe(200);
  });

  test('a wrong ETag, which finishing then refuses', async () => {
    await order('storage.put', { kind: 'wrong-etag' });
    const { upload_id, segments } = (await client.openFile('a.dwg', bytes)).json.data;
    const etag = String((await put(segments[0])).headers.etag).replaceAll('"', '');
    expect((await client.api('PATCH', client.filePath(upload_id), { part_etags: [etag] })).status).toBe(400);
  });

  test('a connection cut in the middle of the body', async () => {
    await order('storage.put', { kind: 'cut-request' });
    const segment = await open();
    await expect(put(segment)).rejects.toMatchObject({ code: expect.stringMatching(ENDED) });
    expect((await client.control.files())[0]!.segmentsReceived).toBe(0);
    expect((await put(segment)).status).toBe(200);
  });

  test('a reply lost after the bytes were kept', async () => {
    await order('storage.put', { kind: 'reply-lost' });
    await expect(put(await open())).rejects.toMatchObject({ code: expect.stringMatching(ENDED) });
    expect((await client.control.files())[0]!.segmentsReceived).toBe(1);
  });

  test('a 503 with Retry-After, also before the body was read', async () => {
    const segment = await open();
    await order('storage.put', { kind: 'unavailable' });
    expect((await put(segment)).status).toBe(503);
    await order('storage.put', { kind: 'status', status: 503, early: true });
    const early = await put(segment).then(
      ({ status }) => status,
      () => 'reset',
    );
    expect([503, 'reset']).toContain(early);
    expect((await put(segment)).status).toBe(200);
  });

  test('corrupted bytes, which only the whole file’s status shows', async () => {
    await order('storage.put', { kind: 'corrupt-bytes' });
    const { upload_id, segments } = (await client.openFile('a.dwg', bytes)).json.data;
    const answer = await put(segments[0]);
    expect(answer.status).toBe(200);
    const etag = String(answer.headers.etag).replaceAll('"', '');
    await client.api('PATCH', client.filePath(upload_id), { part_etags: [etag] });
    await client.sendFile('b.dwg');
    const [file] = await client.control.files();
    expect([file!.state, file!.sha256]).toEqual(['complete', sha256(bytes)]);
  });
});
