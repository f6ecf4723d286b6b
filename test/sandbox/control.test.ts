/** The control port: settings, outages, tokens, edits, the log, reset. */
import { once } from 'node:events';
import { createServer, Server } from 'node:net';
import { request } from 'undici';
import { ENDED, RawClient, send } from './raw-client';
import { startSandbox } from './server';

let client: RawClient;

beforeAll(async () => {
  client = await RawClient.start();
});

beforeEach(async () => {
  await client.control.setOutages({ api: 'none', auth: 'none', storage: 'none' });
  await client.control.reset();
  await client.signIn();
});

afterAll(() => client.close());

const fields = () => client.api('GET', client.dm('/fields'));

describe('outages', () => {
  test('refuse: nobody listens; the other origins stay; the same address comes back', async () => {
    await client.control.setOutages({ api: 'refuse' });
    await expect(fields()).rejects.toThrow(/ECONNREFUSED/);
    expect((await client.signIn()).status).toBe(200);
    await client.control.setOutages({ api: 'none' });
    expect((await fields()).status).toBe(200);
  });

  test('the address comes back also when its port was somebody else’s for a moment', async () => {
    await client.control.setOutages({ api: 'refuse' });
    const other = createServer().listen(Number(new URL(client.sandbox.apiUrl).port), '127.0.0.1');
    await once(other, 'listening');
    // The first try finds somebody else there; who that was leaves at the second.
    const { listen } = Server.prototype;
    let tried = 0;
    const trying = jest.spyOn(Server.prototype, 'listen').mockImplementation(function (
      this: Server,
      ...given
    ) {
      tried += 1;
      if (tried === 2) other.close();
      return listen.apply(this, given);
    });
    await client.control.setOutages({ api: 'none' });
    trying.mockRestore();
    expect(tried).toBeGreaterThan(1);
    expect(other.listening).toBe(false);
    expect((await fields()).status).toBe(200);
  });

  test('reset: connections are reset', async () => {
    await client.control.setOutages({ auth: 'reset' });
    await expect(client.signIn()).rejects.toMatchObject({ code: expect.stringMatching(ENDED) });
    await client.control.setOutages({ auth: 'none' });
    expect((await client.signIn()).status).toBe(200);
  });

  test('silent: requests are taken and never answered, until the outage ends', async () => {
    await client.control.setOutages({ api: 'silent' });
    const url = `${client.sandbox.apiUrl}${client.dm('/fields')}`;
    await expect(request(url, { signal: AbortSignal.timeout(60) })).rejects.toThrow(/timeout/);
    expect(await client.control.requests()).toEqual({ 'oauth.token': 1 });
    await client.control.setOutages({ api: 'none' });
    expect((await fields()).status).toBe(200);
  });

  test('they are in the log', async () => {
    await client.control.setOutages({ storage: 'refuse' });
    await client.control.setOutages({ storage: 'none' });
    const log = (await client.control.operations()).filter(({ kind }) => kind === 'outage');
    expect(log.map(({ route, what }) => [route, what])).toEqual([
      ['storage:*', 'refuse'],
      ['storage:*', 'none'],
    ]);
  });
});

describe('the log', () => {
  test('one entry a request and one an effect, and the rest from a number on', async () => {
    await client.createUploads('a.pdf');
    const all = await client.control.operations();
    expect(all.map(({ kind, route, what }) => [kind, route, what])).toEqual([
      ['effect', 'oauth.token', 'tokens-issued'],
      ['request', 'oauth.token', undefined],
      ['effect', 'uploads.create', 'uploads-created'],
      ['request', 'uploads.create', undefined],
    ]);
    expect(all[2]!.detail).toEqual({ uploads: [{ uploadId: expect.any(String), fileName: 'a.pdf' }] });
    expect(all[2]!.request).toBe(all[3]!.request);
    expect(await client.control.operations(all[2]!.seq)).toEqual([all[3]]);
  });

  test('requests are counted by route and by status', async () => {
    await fields();
    client.token = 'wrong';
    await fields();
    expect(await client.control.requests()).toEqual({ 'oauth.token': 1, 'fields.list': 2 });
    expect(await client.control.answers()).toEqual({
      'oauth.token': { 200: 1 },
      'fields.list': { 200: 1, 401: 1 },
    });
  });
});

describe('orders', () => {
  test('a wrong setting is refused in words, and nothing changes', async () => {
    const before = await client.control.settings();
    await expect(client.control.configure({ timeScale: -1 })).rejects.toThrow(/timeScale/);
    await expect(client.control.configure({ colour: 'red' } as never)).rejects.toThrow(/colour/);
    expect(await client.control.settings()).toEqual(before);
  });

  test('reset brings back content, settings and silence', async () => {
    await client.control.configure({ bulkRead: false });
    await client.control.edit('7001', { kind: 'add-value', field: 'status', code: 'NEW', label: 'New' });
    await client.control.addFault({ route: 'fields.list', action: { kind: 'reply-lost' } });
    await client.createUploads('a.pdf');
    await client.control.reset();
    await client.signIn();
    expect((await client.control.settings()).bulkRead).toBe(true);
    expect(await client.valueId('status', 'NEW')).toBe('');
    expect((await fields()).status).toBe(200);
    expect(await client.control.uploads()).toEqual([]);
  });

  test('tokens can be counted and revoked', async () => {
    await client.control.login();
    expect(await client.control.tokens()).toMatchObject({ validAccessTokens: 2, validRefreshTokens: 1 });
    await client.control.revokeTokens();
    expect(await client.control.tokens()).toMatchObject({ validAccessTokens: 0, validRefreshTokens: 0 });
    expect((await fields()).status).toBe(401);
  });

  test('values, fields and requirements can be changed while clients work', async () => {
    await client.control.edit('7001', {
      kind: 'set-value-active',
      field: 'status',
      code: 'S1',
      active: false,
    });
    const [id] = await client.createUploads('a.pdf');
    const values = [await client.valueId('status', 'S1')];
    expect(
      (await client.patch([{ id, fields: [{ id: await client.fieldId('status'), values }] }])).status,
    ).toBe(400);
    await client.control.edit('7001', { kind: 'add-field', name: 'zone', label: 'Zone', type: 'string' });
    await client.control.edit('7001', { kind: 'set-requirement', additional: ['zone'] });
    const { data } = (await client.api('GET', client.dm('/upload_requirements'))).json;
    expect(data).toHaveLength(3);
    const standard = data.find((row: { rule_qualifiers: unknown[] }) => row.rule_qualifiers.length === 0);
    expect(standard.additional_required_fields).toMatchObject([
      { name: 'zone', label: 'Zone', type: 'string' },
    ]);
  });

  test.each([
    [{ kind: 'delete-upload', fileName: 'none.pdf' } as const],
    [{ kind: 'set-value-active', field: 'status', code: 'NONE', active: true } as const],
    [{ kind: 'end-workflow', name: 'none' } as const],
  ])('%j is refused when there is no such thing', async edit => {
    await expect(client.control.edit('7001', edit)).rejects.toThrow(/no /);
  });

  test('an unknown order names the known ones', async () => {
    const answer = await send('GET', `${client.sandbox.controlUrl}/nothing`);
    expect([answer.status, answer.json.error]).toEqual([404, expect.stringContaining('GET settings')]);
  });
});

describe('starting', () => {
  test('two stand-ins share nothing', async () => {
    const other = await RawClient.start();
    await other.createUploads('a.pdf');
    expect(await client.control.uploads()).toEqual([]);
    await other.close();
  });

  test('wrong settings and bytes kept nowhere are refused', async () => {
    await expect(startSandbox({ settings: { timeScale: 0 } })).rejects.toThrow('timeScale');
    await expect(startSandbox({ keepBytes: true })).rejects.toThrow('dataDir');
  });

  test('a taken port rejects and leaves no other port open', async () => {
    const { port } = new URL(client.sandbox.apiUrl);
    await expect(startSandbox({ ports: { storage: Number(port) } })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});
