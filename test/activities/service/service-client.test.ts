import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Agent } from 'undici';
import type { ServiceClient } from '../../../activities/service/service-client';
import type { ServiceOptions } from '../../../activities/service/service-config';
import { findFreePorts } from '../../setup/free-port';
import { CANARY_SECRET, CANARY_TOKEN, errorOf, makeThing, showThing, useClientBed } from './client-bed';
import { json, raw } from './scripted-service';

const bed = useClientBed();
const show = (id = 'one') => ({ params: { id }, companyId: '5001' });
const make = { params: {}, body: { name: 'x' }, companyId: '5001' };

describe('a request', () => {
  test('carries token, company and nothing of the caller’s that could change its way', async () => {
    bed().service.answer((_, response) => json(response, 200, { data: { id: 'a' } }));
    const answer = await bed().client.send(showThing, show('../x y/ü?#'));
    expect(answer.data).toEqual({ id: 'a' });
    const [seen] = bed().service.seen;
    expect(seen?.url).toBe('/rest/v2.0/things/..%2Fx%20y%2F%C3%BC%3F%23');
    expect(seen?.headers).toMatchObject({
      authorization: `Bearer ${CANARY_TOKEN}-1`,
      'service-company-id': '5001',
      accept: 'application/json',
      'accept-encoding': 'identity',
    });
    expect(seen?.headers['content-type']).toBeUndefined();
  });

  test('goes below the prefix of the configured address', async () => {
    bed().service.answer((_, response) => json(response, 200, { data: { id: 'a' } }));
    const client = bed().clientWith({ baseUrl: `${bed().service.url}/tenant/`, companyHeader: 'X-Company' });
    await client.send(showThing, show());
    expect(bed().service.seen[0]?.url).toBe('/tenant/rest/v2.0/things/one');
    expect(bed().service.seen[0]?.headers['x-company']).toBe('5001');
  });

  test('is never sent with a part, body or company that breaks the contract', async () => {
    for (const work of [
      bed().client.send(showThing, show('..')),
      bed().client.send(showThing, show('')),
      bed().client.send(showThing, { ...show(), companyId: '1\r\nX: y' }),
      bed().client.send(makeThing, { ...make, body: { name: 'x', more: 1 } as never }),
    ]) {
      expect(await errorOf(work)).toMatchObject({ code: 'INVALID_REQUEST', effect: 'not-sent' });
    }
    expect(bed().service.seen).toHaveLength(0);
  });

  test('gives a list’s paging and the request id', async () => {
    bed().service.answer((_, response) =>
      json(
        response,
        200,
        { data: { id: 'a' } },
        {
          total: '130',
          'per-page': '100',
          link: '</rest/v2.0/things/one?page=1>; rel="first", </rest/v2.0/things/one?page=2&per_page=100>; rel="next"',
          'x-request-id': 'req-9',
        },
      ),
    );
    expect(await bed().client.send(showThing, show())).toEqual({
      data: { id: 'a' },
      status: 200,
      total: 130,
      perPage: 100,
      nextSearch: 'page=2&per_page=100',
      requestId: 'req-9',
    });
  });
});

describe('an answer that refuses', () => {
  const refusal = (reasonCode: string, more = {}) => ({
    error: {
      code: 'VALIDATION_ERROR',
      message: 'm',
      details: [{ reason_code: reasonCode, message: 'why', ...more }],
    },
  });

  test.each([
    [400, refusal('INVALID_PROPERTY', { field: 'uploads.0.file_name' }), 'REQUEST_REFUSED', 'rejected'],
    [403, refusal('ACCESS_DENIED'), 'ACCESS_DENIED', 'rejected'],
    [403, { message: 'no' }, 'ACCESS_DENIED', 'rejected'],
    [404, refusal('NOT_FOUND'), 'NOT_FOUND', 'rejected'],
    [408, refusal('X'), 'SERVICE_UNAVAILABLE', 'unknown'],
    [409, { errors: 'conflict' }, 'REQUEST_REFUSED', 'rejected'],
    [410, refusal('GONE'), 'GONE', 'rejected'],
    [422, refusal('UPLOAD_NOT_FOUND', { source: '01H' }), 'REQUEST_REFUSED', 'rejected'],
    [422, refusal('PERMISSION_DENIED'), 'ACCESS_DENIED', 'rejected'],
    [422, refusal('WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION'), 'REQUEST_REFUSED', 'rejected'],
    [422, refusal('SOMETHING_NEW'), 'REQUEST_REFUSED', 'rejected'],
    [429, {}, 'RATE_LIMITED', 'rejected'],
    [500, refusal('INTERNAL_ERROR'), 'INTERNAL_ERROR', 'unknown'],
    [502, {}, 'SERVICE_UNAVAILABLE', 'unknown'],
    [503, {}, 'SERVICE_UNAVAILABLE', 'unknown'],
  ])('%i %j is %s', async (status, body, code, effect) => {
    bed().service.answer((_, response) => json(response, status, body));
    const error = await errorOf(bed().client.send(makeThing, make));
    expect(error).toMatchObject({ code, effect, route: 'POST /rest/v2.0/things' });
    expect(bed().service.seen).toHaveLength(1);
  });

  test('keeps reasons with their code, source and property', async () => {
    bed().service.answer((_, response) =>
      json(response, 422, refusal('UPLOAD_NOT_FOUND', { source: '01H', field: 'id' })),
    );
    expect((await errorOf(bed().client.send(makeThing, make))).reasons).toEqual([
      {
        reasonCode: 'UPLOAD_NOT_FOUND',
        rawCode: 'UPLOAD_NOT_FOUND',
        message: 'why',
        source: '01H',
        property: 'id',
      },
    ]);
  });

  test('says when to come back', async () => {
    for (const status of [429, 503]) {
      bed().service.answer((_, response) => json(response, status, {}, { 'retry-after': '7' }));
      expect(await errorOf(bed().client.send(showThing, show()))).toMatchObject({ retryAtMs: 1_234_567 });
    }
  });
});

describe('what waits for a connection', () => {
  const callers = (client: ServiceClient, count: number) =>
    Array.from({ length: count }, async () => await errorOf(client.send(makeThing, make)));

  test('stays here when the service asks for a pause meanwhile, and gives its permit back', async () => {
    const { service, gate, clientWith } = bed();
    gate.retryAtMs = Date.now() + 60_000;
    service.answer((_, response) => json(response, 429, {}, { 'retry-after': '60' }));
    const errors = await Promise.all(callers(clientWith({ connections: 2 }), 12));
    expect(service.seen.length).toBeLessThanOrEqual(2);
    expect(gate.released).toBe(12 - service.seen.length);
    expect(gate.observed).toHaveLength(service.seen.length);
    for (const error of errors)
      expect(error).toMatchObject({ code: 'RATE_LIMITED', retryAtMs: gate.retryAtMs });
    expect(errors.filter(({ effect }) => effect === 'not-sent')).toHaveLength(gate.released);
  });

  test('stays for the longest pause that was asked for, not for the last', async () => {
    const { service, gate, clientWith } = bed();
    const untilMs = Date.now() + 60_000;
    gate.retryAtMs = untilMs;
    service.answer((_, response) => {
      json(response, 503, {}, { 'retry-after': '60' });
      // Those after it name a time that is over.
      gate.retryAtMs = service.seen.length === 1 ? untilMs : 1;
    });
    await Promise.all(callers(clientWith({ connections: 2 }), 12));
    expect(service.seen.length).toBeLessThanOrEqual(2);
  });

  test('leaves once the pause is over, and where none was asked for', async () => {
    const { service, gate, clientWith } = bed();
    service.answer((_, response) => json(response, 503, {}, { 'retry-after': '1' }));
    await Promise.all(callers(clientWith({ connections: 2 }), 6));
    expect([service.seen.length, gate.released]).toEqual([6, 0]);
    service.answer((_, response) => json(response, 500, {}));
    gate.retryAtMs = Date.now() + 60_000;
    await Promise.all(callers(clientWith({ connections: 2 }), 6));
    expect([service.seen.length, gate.released]).toEqual([12, 0]);
  });

  test('with a permit from after it was asked for, goes', async () => {
    const { service, gate, client } = bed();
    gate.retryAtMs = Date.now() + 60_000;
    service.answer((_, response) => json(response, 503, {}, { 'retry-after': '60' }));
    for (let turn = 0; turn < 3; turn++) await errorOf(client.send(makeThing, make));
    expect([service.seen.length, gate.released]).toEqual([3, 0]);
  });

  /** A read has the only connection, and a write waits for it; `end` has the read answered. */
  async function waiting(options: Partial<ServiceOptions> = {}) {
    const { service, gate, clientWith } = bed();
    let end = () => {};
    const held = new Promise<void>(resolve => {
      end = resolve;
    });
    service.answer(async ({ method }, response) => {
      if (method === 'GET') await held;
      json(response, method === 'GET' ? 200 : 201, { data: { id: 'a' } });
    });
    const agent = new Agent({ connections: 1 });
    const client = clientWith({}, agent);
    const cancel = new AbortController();
    const read = client.send(showThing, show());
    while (service.seen.length === 0) await delay(5);
    const write = clientWith(options, agent).send(makeThing, { ...make, signal: cancel.signal });
    while (gate.acquired < 2) await delay(5);
    await delay(20);
    return { client, cancel, read, write, end, close: () => agent.close() };
  }

  test('ends with its caller, also a write, which never leaves', async () => {
    const { service, gate } = bed();
    const { client, cancel, read, write, end, close } = await waiting();
    const reason = new Error('cancelled');
    cancel.abort(reason);
    // Not only once there is a connection.
    expect(await errorOf(write)).toBe(reason);
    expect(gate.released).toBe(1);
    end();
    await read;
    await client.send(showThing, show());
    await close();
    expect(service.seen.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  test('and whose time is over there has certainly not left', async () => {
    const { service, gate } = bed();
    const { read, write, end, close } = await waiting({ timeouts: { totalMs: 300 } });
    expect(await errorOf(write)).toMatchObject({ fault: 'deadline', effect: 'not-sent' });
    expect(gate.released).toBe(1);
    end();
    await read;
    await close();
    expect(service.seen.map(({ method }) => method)).toEqual(['GET']);
  });

  test('goes out with another token where its own is refused meanwhile', async () => {
    const { service, gate, tokens } = bed();
    const { read, write, end, close } = await waiting();
    tokens.generation = 2;
    end();
    await Promise.all([read, write]);
    await close();
    expect(service.seen.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${CANARY_TOKEN}-1`,
      `Bearer ${CANARY_TOKEN}-2`,
    ]);
    expect([tokens.refreshes, gate.released]).toEqual([0, 1]);
  });
});

describe('an answer that is none', () => {
  test.each([
    ['a redirect', 302, '', { location: 'http://127.0.0.1:9/steal' }],
    ['a redirect that keeps the method', 307, '', { location: 'http://127.0.0.1:9/steal' }],
    ['HTML', 200, '<html>login</html>', { 'content-type': 'text/html' }],
    ['HTML that says it is JSON', 200, '<html>login</html>', { 'content-type': 'application/json' }],
    ['an empty success', 200, '', { 'content-type': 'application/json' }],
    ['cut JSON', 200, '{"data":{"id":"a', { 'content-type': 'application/json' }],
    ['the wrong form', 200, '{"data":{"id":7}}', { 'content-type': 'application/json' }],
    ['null', 200, 'null', { 'content-type': 'application/json' }],
    ['no UTF-8', 200, Buffer.from([0x22, 0xff, 0xfe, 0x22]), { 'content-type': 'application/json' }],
    ['a success this call does not have', 202, '{"data":{"id":"a"}}', { 'content-type': 'application/json' }],
    [
      'an encoded body',
      200,
      '{"data":{"id":"a"}}',
      { 'content-type': 'application/json', 'content-encoding': 'br' },
    ],
    ['a gateway’s 404', 404, '<h1>Not Found</h1>', { 'content-type': 'text/html' }],
    ['an empty 404', 404, '', {}],
    ['a text 410', 410, 'gone', { 'content-type': 'text/plain' }],
    ['a gateway’s 403', 403, '<h1>Blocked</h1>', { 'content-type': 'text/html' }],
  ])('%s is a fault of unknown effect', async (_, status, body, headers) => {
    bed().service.answer((_request, response) =>
      raw(response, status, body, headers as Record<string, string>),
    );
    const error = await errorOf(bed().client.send(showThing, show()));
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', effect: 'unknown', fault: 'response' });
    expect(bed().service.seen).toHaveLength(1);
  });

  test('a body beyond the cap is not read to its end', async () => {
    let written = 0;
    bed().service.answer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (!response.destroyed && written < 200e6) {
          written += 1e5;
          if (!response.write('x'.repeat(1e5))) return void response.once('drain', more);
        }
      };
      more();
    });
    const client = bed().clientWith({ maxResponseBytes: 1_000_000 });
    const error = await errorOf(client.send(showThing, show()));
    // The same read would be answered the same: waiting as for an outage would never end.
    expect(error).toMatchObject({ code: 'MISCONFIGURED', effect: 'unknown' });
    expect(error.message).toMatch(/larger than 1000000 bytes: raise service\.maxAnswerBytes/);
    expect(written).toBeLessThan(50e6);
  });

  test.each([
    ['the answer to a write that may have been heard', 201, 'application/json', true],
    ["a gateway's page", 200, 'text/html', false],
    ['an answer that tells a fault', 503, 'application/json', false],
  ])('%s beyond the cap is waited out', async (_, status, type, isWrite) => {
    bed().service.answer((_request, response) =>
      raw(response, status, `"${'x'.repeat(50_000)}"`, { 'content-type': type }),
    );
    const client = bed().clientWith({ maxResponseBytes: 10_000 });
    const sent = isWrite ? client.send(makeThing, make) : client.send(showThing, show());
    expect(await errorOf(sent)).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      fault: 'response',
      effect: 'unknown',
      message: expect.stringContaining('service.maxAnswerBytes'),
    });
  });

  test('the cap holds for a dispatcher that knows none, too', async () => {
    const dispatcher = new Agent();
    bed().service.answer((_, response) =>
      raw(response, 200, `"${'x'.repeat(50_000)}"`, { 'content-type': 'application/json' }),
    );
    const client = bed().clientWith({ maxResponseBytes: 10_000 }, dispatcher);
    expect(await errorOf(client.send(showThing, show()))).toMatchObject({
      code: 'MISCONFIGURED',
      effect: 'unknown',
    });
    await dispatcher.close();
  });

  test('a body cut half-way is of unknown effect', async () => {
    bed().service.answer((_, response) => {
      response.writeHead(201, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"data"');
      setTimeout(() => response.destroy(), 20);
    });
    expect(await errorOf(bed().client.send(makeThing, make))).toMatchObject({
      fault: 'network',
      effect: 'unknown',
    });
  });

  test('a dripping body ends at the deadline', async () => {
    let drip: NodeJS.Timeout | undefined;
    bed().service.answer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
    });
    const client = bed().clientWith({ timeouts: { totalMs: 200 } });
    expect(await errorOf(client.send(showThing, show()))).toMatchObject({
      fault: 'deadline',
      effect: 'unknown',
    });
  });

  test('silence ends at the headers’ time-out', async () => {
    bed().service.answer(() => undefined);
    const client = bed().clientWith({ timeouts: { headersMs: 100 } });
    expect(await errorOf(client.send(makeThing, make))).toMatchObject({
      fault: 'deadline',
      effect: 'unknown',
    });
  });
});

describe('what is known of the effect', () => {
  test('a refused connection was not sent', async () => {
    const [port] = await findFreePorts(1);
    const client = bed().clientWith({ baseUrl: `http://127.0.0.1:${port}` });
    expect(await errorOf(client.send(makeThing, make))).toMatchObject({
      fault: 'network',
      effect: 'not-sent',
    });
    expect(bed().gate).toMatchObject({ released: 1, observed: [] });
  });

  test('a name that does not resolve was not sent', async () => {
    const client = bed().clientWith({ baseUrl: 'https://service.invalid' });
    expect(await errorOf(client.send(makeThing, make))).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      effect: 'not-sent',
    });
  });

  test('a failed handshake was not sent', async () => {
    const server = createServer(socket => socket.end('this is no TLS').resume());
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const client = bed().clientWith({ baseUrl: `https://127.0.0.1:${port}` });
    expect(await errorOf(client.send(makeThing, make))).toMatchObject({ effect: 'not-sent' });
    server.close();
  });

  test('a connection reset after the request was written is unknown', async () => {
    bed().service.answer((_, __, message) => void message.socket.resetAndDestroy());
    expect(await errorOf(bed().client.send(makeThing, make))).toMatchObject({
      fault: 'network',
      effect: 'unknown',
    });
    expect(bed().gate).toMatchObject({ released: 0, observed: [null] });
  });
});

describe('a 401', () => {
  const unauthorised = { error: { code: 'UNAUTHORIZED', details: [{ reason_code: 'INVALID_TOKEN' }] } };

  test('is repeated with a token of the next generation, a write as well', async () => {
    bed().service.answerInTurn(
      (_, response) => json(response, 401, unauthorised),
      (_, response) => json(response, 201, { data: { id: 'made' } }),
    );
    expect((await bed().client.send(makeThing, make)).data).toEqual({ id: 'made' });
    expect(bed().service.seen.map(seen => seen.headers.authorization)).toEqual([
      `Bearer ${CANARY_TOKEN}-1`,
      `Bearer ${CANARY_TOKEN}-2`,
    ]);
    expect(bed().gate.acquired).toBe(2);
  });

  test('again, shortly after, is no end while there is a newer token', async () => {
    bed().service.answerInTurn(
      (_, response) => json(response, 401, unauthorised),
      (_, response) => json(response, 401, unauthorised),
      (_, response) => json(response, 200, { data: { id: 'shown' } }),
    );
    expect((await bed().client.send(showThing, show())).data).toEqual({ id: 'shown' });
    expect(bed().service.seen.map(seen => seen.headers.authorization)).toEqual(
      [1, 2, 3].map(generation => `Bearer ${CANARY_TOKEN}-${generation}`),
    );
  });

  test('to every token ends as TOKEN_REJECTED, and the last one is not used again either', async () => {
    bed().service.answer((_, response) => json(response, 401, unauthorised));
    expect(await errorOf(bed().client.send(showThing, show()))).toMatchObject({
      code: 'TOKEN_REJECTED',
      effect: 'rejected',
      reasons: [{ reasonCode: 'INVALID_TOKEN' }],
    });
    expect(new Set(bed().service.seen.map(seen => seen.headers.authorization)).size).toBe(4);
    expect(bed().service.seen).toHaveLength(4);
    expect(bed().tokens.refusals).toBe(1);
  });

  test('to another request, while the permit is waited for: the newer token goes out', async () => {
    bed().service.answer((_, response) => json(response, 200, { data: { id: 'shown' } }));
    bed().gate.beforePermit = () => {
      bed().tokens.generation = 2;
    };
    await bed().client.send(showThing, show());
    expect(bed().service.seen.map(seen => seen.headers.authorization)).toEqual([`Bearer ${CANARY_TOKEN}-2`]);
  });

  test('to another request, with no newer token yet: the permit is given back until there is one', async () => {
    bed().service.answer((_, response) => json(response, 200, { data: { id: 'shown' } }));
    bed().tokens.gaps = 1;
    await bed().client.send(showThing, show());
    expect(bed().service.seen).toHaveLength(1);
    expect(bed().gate).toMatchObject({ acquired: 2, released: 1, observed: [200] });
  });

  test('is not repeated when there is no newer token', async () => {
    bed().tokens.refreshGives = 0;
    bed().service.answer((_, response) => json(response, 401, unauthorised));
    expect(await errorOf(bed().client.send(showThing, show()))).toMatchObject({ code: 'TOKEN_REJECTED' });
    expect(bed().service.seen).toHaveLength(1);
  });
});

describe('a cancelled caller', () => {
  test('gets its own reason, and a read is cut', async () => {
    const cancel = new AbortController();
    const reason = new Error('the batch was cancelled');
    const isCut = new Promise(resolve => {
      bed().service.answer((_, response) => {
        response.on('close', () => resolve(!response.writableEnded));
        cancel.abort(reason);
      });
    });
    expect(await errorOf(bed().client.send(showThing, { ...show(), signal: cancel.signal }))).toBe(reason);
    expect(await isCut).toBe(true);
  });

  test('does not begin a write', async () => {
    const cancel = new AbortController();
    cancel.abort(new Error('too late'));
    expect(await errorOf(bed().client.send(makeThing, { ...make, signal: cancel.signal }))).toMatchObject({
      message: 'too late',
    });
    expect(bed().service.seen).toHaveLength(0);
  });

  test('does not cut a write half-way', async () => {
    const cancel = new AbortController();
    bed().service.answer((_, response) => {
      cancel.abort(new Error('cancelled meanwhile'));
      setTimeout(() => json(response, 201, { data: { id: 'made' } }), 50);
    });
    const answer = await bed().client.send(makeThing, { ...make, signal: cancel.signal });
    expect(answer.data).toEqual({ id: 'made' });
  });
});

describe('secrets', () => {
  test('are in no error, whatever the service echoes', async () => {
    bed().service.answer((request, response) =>
      json(response, 422, {
        error: {
          details: [
            {
              reason_code: `X-${CANARY_TOKEN}-1`,
              message: `${request.headers.authorization} ${CANARY_SECRET} https://storage.example/a?X-Signature=canary-signature`,
              source: CANARY_SECRET,
            },
          ],
        },
      }),
    );
    const error = await errorOf(bed().client.send(makeThing, make));
    const shown = `${inspect(error, { depth: 10 })} ${JSON.stringify(error)} ${error.stack}`;
    expect(shown).not.toContain('canary');
  });

  test('are in no log line', async () => {
    bed().service.answer((_, response) => json(response, 401, {}));
    await errorOf(bed().client.send(showThing, show()));
    expect(bed().logged.length).toBeGreaterThan(0);
    expect(inspect(bed().logged, { depth: 10 })).not.toContain('canary');
  });

  test('are not in network faults', async () => {
    bed().service.answer((_, __, message) => void message.socket.resetAndDestroy());
    const error = await errorOf(bed().client.send(makeThing, make));
    expect(`${inspect(error, { depth: 10 })}`).not.toContain('canary');
  });
});

test('sockets are given back after every kind of answer', async () => {
  const before = process.getActiveResourcesInfo().filter(name => name === 'TCPSocketWrap').length;
  bed().service.answerInTurn(
    (_, response) => json(response, 404, {}),
    (_, response) => raw(response, 302, 'moved', { location: '/x' }),
    (_, response) => raw(response, 200, '<html>', { 'content-type': 'text/html' }),
    (_, __, message) => void message.socket.resetAndDestroy(),
  );
  for (let n = 0; n < 8; n++) await errorOf(bed().client.send(showThing, show()));
  await bed().client.close();
  await bed().service.close();
  await new Promise(resolve => setImmediate(resolve));
  const after = process.getActiveResourcesInfo().filter(name => name === 'TCPSocketWrap').length;
  expect(after).toBeLessThanOrEqual(before);
});
