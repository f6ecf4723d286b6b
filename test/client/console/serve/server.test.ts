// What every part of the page's server has in common: who is let in, what is refused, what is told.
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { Routes } from '../../../../client/console/contract/route';
import { ConsoleProblem, type Person } from '../../../../client/console/serve/module';
import type { AnyModule } from '../../../../client/console/serve/server';
import { openServer, type ServerBed } from './server-bed';

let checked = 0;
const counted = z.number().refine(() => {
  checked += 1;
  return true;
});
const kept = Object.freeze({ n: 1 });
const own = { n: 0 };
const ROUTES = {
  'GET /api/things/:share': {
    role: 'see',
    summary: 'Things',
    params: z.object({ share: z.string().max(10) }),
    query: z.object({ n: z.coerce.number().int().max(9), day: z.iso.date() }),
    answer: z.object({ n: z.number() }),
  },
  'POST /api/things/:share': {
    role: 'answer',
    summary: 'One more',
    params: z.object({ share: z.string() }),
    body: z.object({ word: z.string() }),
    answer: z.object({ by: z.string() }),
  },
  'POST /api/trouble': { role: 'operate', summary: 'Trouble', answer: z.object({}) },
  'POST /api/refused': { role: 'see', summary: 'Refused', answer: z.object({}) },
  'GET /api/many': { role: 'see', summary: 'Many', answer: z.array(z.string()) },
  'GET /api/others': { role: 'see', summary: 'Others', answer: z.array(z.string()) },
  'GET /api/kept': { role: 'see', summary: 'The same for many', answer: z.object({ n: counted }) },
  'GET /api/own': { role: 'see', summary: 'Of one', answer: z.object({ n: counted }) },
} as const satisfies Routes;

const PARTS: readonly AnyModule[] = [
  {
    handlers: {
      'GET /api/things/:share': async ({ query }: { query: { n: number } }) => ({ n: query.n, secret: 'x' }),
      'POST /api/things/:share': async (_asked: unknown, person: Person) => ({ by: person.name }),
      'POST /api/trouble': async () => {
        throw new Error('the disk is on fire');
      },
      'POST /api/refused': async () => {
        throw new ConsoleProblem(409, 'Somebody was faster.', [{ at: 'rows.1', text: 'answered' }]);
      },
      'GET /api/others': async () => Array.from({ length: 3_000 }, (_, index) => `other ${index}`),
      'GET /api/kept': async () => kept,
      'GET /api/own': async () => own,
      'GET /api/many': async () => Array.from({ length: 2_000 }, (_, index) => `thing ${index}`),
    },
    extend: (server, door) => {
      server.get('/api/files/:share', async asked => {
        const { share } = asked.params as { share: string };
        return { by: door.person(asked, 'see', share).name };
      });
    },
  },
];

let bed: ServerBed;
beforeAll(async () => {
  bed = await openServer({ routes: ROUTES, modules: PARTS });
});
afterAll(() => bed.close());

const post = (path: string, headers: Record<string, string> = {}) =>
  bed.ask(path, { json: { word: 'w' }, headers });

/** `fetch` writes these itself. */
function raw(path: string, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(bed.origin);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', part => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    })
      .on('error', reject)
      .end();
  });
}

test('a handler gets what was asked, checked, and only what the contract names goes out', async () => {
  const response = await bed.ask('/api/things/tender?n=3&day=2026-11-23');
  expect([response.status, await response.json()]).toEqual([200, { n: 3 }]);
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test('all that is wrong is told at once', async () => {
  const response = await bed.ask('/api/things/tender?n=12&day=today');
  expect(response.status).toBe(400);
  const { faults } = (await response.json()) as { faults: { at: string }[] };
  expect(faults.map(({ at }) => at)).toEqual(['n', 'day']);
});

test('what a part refuses is told as it says; what nobody expected, with a reference that the log has', async () => {
  const refused = await post('/api/refused');
  expect([refused.status, await refused.json()]).toEqual([
    409,
    { text: 'Somebody was faster.', faults: [{ at: 'rows.1', text: 'answered' }] },
  ]);
  const failed = await post('/api/trouble');
  const body = (await failed.json()) as { text: string; reference: string };
  expect(failed.status).toBe(500);
  expect(JSON.stringify(body)).not.toContain('fire');
  expect(bed.records.find(({ reference }) => reference === body.reference)).toMatchObject({
    event: 'console-failed',
    error: { message: 'the disk is on fire' },
  });
});

test('what a person does is logged with their name, without what they wrote', async () => {
  await post('/api/things/tender');
  const record = bed.records.filter(({ event }) => event === 'console-action').at(-1);
  expect(record).toMatchObject({
    who: 'A. Novák',
    what: 'POST /api/things/:share',
    share: 'tender',
    status: 200,
  });
  expect(JSON.stringify(record)).not.toContain('"w"');
});

test('nothing is changed without the token, or for a page of another origin', async () => {
  expect((await post('/api/things/tender')).status).toBe(200);
  for (const headers of [
    { 'x-drawbridge-csrf': '' },
    { 'x-drawbridge-csrf': 'wrong' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: bed.origin.replace(/:\d+$/, ':1') },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ] as Record<string, string>[])
    expect([headers, (await post('/api/things/tender', headers)).status]).toEqual([headers, 403]);
});

test('a form of another page changes nothing', async () => {
  const response = await fetch(`${bed.origin}/api/things/tender`, {
    method: 'POST',
    headers: { origin: 'http://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'word=w',
  });
  expect(response.status).toBe(403);
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
});

test('a script of another page reads nothing; a link from there may be followed', async () => {
  const site = { 'sec-fetch-site': 'cross-site' };
  expect((await raw('/api/me', { ...site, 'sec-fetch-mode': 'no-cors' })).status).toBe(403);
  expect((await raw('/api/files/tender', { ...site, 'sec-fetch-mode': 'navigate' })).status).toBe(200);
});

test('it goes by no name but its own: a name of somebody else that leads here is refused', async () => {
  const { port } = new URL(bed.origin);
  const status = async (host: string) => (await raw('/api/me', { host })).status;
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
    expect(await status(host)).toBe(200);
  for (const host of [`evil.example:${port}`, 'localhost', 'localhost:1', '127.0.0.1.evil.example'])
    expect(await status(host)).toBe(403);
  expect((await raw('/', { host: 'evil.example' })).status).toBe(403);
});

test('where nobody signs in, what comes through a proxy is refused', async () => {
  expect((await raw('/api/me', { 'x-forwarded-for': '10.1.2.3' })).status).toBe(403);
});

test('where nobody signs in, HTTP/1.0 is refused: a proxy that says nothing of itself speaks it', async () => {
  const { host, port } = new URL(bed.origin);
  const socket = connect(Number(port), '127.0.0.1');
  // As nginx asks with `proxy_pass` and no other line.
  socket.write(`GET /api/me HTTP/1.0\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.\d 403 /);
  expect(answer).toMatch('HTTP/1.0, as proxies do');
  expect((await raw('/api/me', { host })).status).toBe(200);
});

test('too much at once is refused, and so is what is no JSON', async () => {
  const large = await bed.ask('/api/things/tender', { json: { word: 'x'.repeat(2 * 1024 * 1024) } });
  expect([large.status, await large.json()]).toEqual([413, { text: 'This is too much at once.' }]);
  const torn = await bed.ask('/api/things/tender', {
    method: 'POST',
    body: '{"word"',
    headers: { 'content-type': 'application/json' },
  });
  expect(torn.status).toBe(400);
  const other = await bed.ask('/api/things/tender', { method: 'POST', body: 'word' });
  expect(other.status).toBe(415);
});

test('what is not there is told as everything is', async () => {
  const response = await bed.ask('/api/gone', { json: {} });
  expect([response.status, await response.json()]).toEqual([404, { text: 'There is nothing here.' }]);
});

test('the page is strict about itself', async () => {
  const response = await fetch(bed.origin);
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
});

test('files are served packed and known by their content; views are all the page', async () => {
  const script = await fetch(`${bed.origin}/main-ABCDEFGH.js`, { headers: { 'accept-encoding': 'br' } });
  expect(await script.text()).toBe('// script');
  expect(script.headers.get('content-encoding')).toBe('br');
  expect(script.headers.get('cache-control')).toMatch('immutable');
  const index = await fetch(`${bed.origin}/jobs/tender/1`);
  expect(await index.text()).toMatch('<base href="/">');
  const again = await fetch(bed.origin, { headers: { 'if-none-match': index.headers.get('etag') ?? '' } });
  expect(again.status).toBe(304);
  const opened = await fetch(`${bed.origin}/jobs/1/a.pdf`, { headers: { accept: 'text/html' } });
  expect(opened.status).toBe(200);
  expect((await fetch(`${bed.origin}/gone.js`)).status).toBe(404);
});

test('what the build has packed is served as it lies there, and is no file of its own', async () => {
  const style = await fetch(`${bed.origin}/main-HGFEDCBA.css`, { headers: { 'accept-encoding': 'gzip' } });
  expect(await style.text()).toBe('/* style, as it was built */');
  const plain = await raw('/main-HGFEDCBA.css', { host: new URL(bed.origin).host });
  expect(plain.text).toBe('/* style */');
  expect((await fetch(`${bed.origin}/main-HGFEDCBA.css.gz`)).status).toBe(404);
});

test.each([
  '/..%2f..%2fetc/passwd.txt',
  '/%2e%2e/%2e%2e/etc/passwd.txt',
  '/../../../etc/passwd.txt',
  '/..\\..\\log.txt',
  '/main-ABCDEFGH.js%00.txt',
  '//etc/passwd.txt',
  '/%zz.txt',
  '/api/../log.txt',
  '/api/gone',
  '/log.txt',
])('%s leads nowhere', async path => {
  const { status, text } = await raw(path, { host: new URL(bed.origin).host });
  expect([400, 404]).toContain(status);
  expect(JSON.parse(text)).toEqual({ text: expect.any(String) });
});

test('the text of an answer to many is made once; one that may still change is written each time', async () => {
  for (const _each of [1, 2]) expect(await (await bed.ask('/api/kept')).json()).toEqual({ n: 1 });
  expect(checked).toBe(1);
  for (const n of [1, 2]) {
    own.n = n;
    expect(await (await bed.ask('/api/own')).json()).toEqual({ n });
  }
});

test('long answers are packed', async () => {
  const response = await bed.ask('/api/many', { headers: { 'accept-encoding': 'gzip' } });
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect(await response.json()).toHaveLength(2_000);
  // What is the same text is packed once, what is another is not told as that one.
  const again = await bed.ask('/api/many', { headers: { 'accept-encoding': 'gzip' } });
  expect(await again.json()).toHaveLength(2_000);
  const other = await bed.ask('/api/others', { headers: { 'accept-encoding': 'gzip' } });
  expect(other.headers.get('content-encoding')).toBe('gzip');
  expect(await other.json()).toHaveLength(3_000);
});
