// Who is refused what: every address of the page's server, asked by each role, for another share, without the
// token, from another page and under another name. An address without a line here fails the first test.

import { request } from 'node:http';
import type { Client } from '@temporalio/client';
import { Metrics } from '../../../../activities/host/metrics';
import { createProxyAccess } from '../../../../client/console/access/proxy-access';
import { createModules } from '../../../../client/console/console';
import { ROUTES } from '../../../../client/console/contract/routes';
import type { Me } from '../../../../client/console/contract/session';
import type { AnyModule } from '../../../../client/console/serve/server';
import type { Config } from '../../../../workers/config/config';
import { createLogger } from '../../../../workers/logging';
import { createTestBed, type TestBed } from '../../../activities/share/share-test-bed';
import { openServer, type ServerBed } from './server-bed';

const ROLES = ['see', 'answer', 'operate'] as const;
type Role = (typeof ROLES)[number];

interface Line {
  /** The least that it takes; `anyone`: also who has not signed in; `signed-in`: whatever they may do. */
  readonly role: Role | 'anyone' | 'signed-in';
  readonly body?: unknown;
  /** Of a body that is no JSON. */
  readonly type?: string;
  /** Behind the address. */
  readonly query?: string;
  /** For people of any share: which ones they are told of is the part's own test. */
  readonly isOfAny?: true;
}

const SHEET = { type: 'application/octet-stream', body: 'File\n', query: '?name=a.csv' } as const;
const LINES: Readonly<Record<string, Line>> = {
  'GET /api/me': { role: 'anyone' },
  'POST /api/sign-in': { role: 'anyone', body: { name: 'x', password: 'y' } },
  'POST /api/sign-out': { role: 'anyone' },
  'GET /api/jobs': { role: 'see', isOfAny: true },
  'GET /api/jobs/:share/:job': { role: 'see' },
  'GET /api/jobs/:share/:job/rows': { role: 'see' },
  'GET /api/jobs/:share/:job/rows/:key': { role: 'see' },
  'GET /api/find': { role: 'see', isOfAny: true, query: '?q=A-1' },
  'GET /api/receipts/:share/:job/:format': { role: 'see' },
  'GET /api/proofs/:share/:job': { role: 'answer' },
  'POST /api/sheets/:share': { role: 'answer', ...SHEET },
  'GET /api/waiting': { role: 'see', isOfAny: true },
  'GET /api/waiting/count': { role: 'see', isOfAny: true },
  'GET /api/waiting/sheet/:share': { role: 'see' },
  'POST /api/waiting/sheet/:share': { role: 'answer', ...SHEET },
  'GET /api/fields/:share': { role: 'see' },
  'POST /api/answers': {
    role: 'answer',
    isOfAny: true,
    body: { answers: [{ share: 'tender', batchId: 'b', documents: [0], decision: 'retry' }] },
  },
  'GET /api/drop': { role: 'answer', isOfAny: true },
  'POST /api/uploads/:share': { role: 'answer', body: { name: '', files: [] } },
  'GET /api/uploads/:share/:upload': { role: 'answer' },
  'DELETE /api/uploads/:share/:upload': { role: 'answer' },
  'POST /api/uploads/:share/:upload/take-over': { role: 'answer', body: { window: 'w' } },
  'POST /api/uploads/:share/:upload/send': { role: 'answer' },
  'POST /api/uploads/:share/:upload/test': { role: 'answer', body: {} },
  'HEAD /api/uploads/:share/:upload/bytes/:index': {
    role: 'answer',
    type: 'application/offset+octet-stream',
  },
  'PATCH /api/uploads/:share/:upload/bytes/:index': {
    role: 'answer',
    type: 'application/offset+octet-stream',
    body: '',
  },
  'GET /api/templates/:share': { role: 'answer' },
  'GET /api/tests/:share/:upload': { role: 'answer' },
  'GET /api/tests/:share/:upload/sheet': { role: 'answer' },
  'GET /api/apart': { role: 'see', isOfAny: true },
  'GET /api/apart/count': { role: 'see', isOfAny: true },
  'GET /api/apart/columns/:share/:job': { role: 'see' },
  'POST /api/try-again': {
    role: 'answer',
    isOfAny: true,
    body: { documents: [{ share: 'tender', batchId: 'b', index: 0 }], dryRun: true },
  },
  'POST /api/replacements/:share/:job': {
    role: 'answer',
    body: { batchId: 'b', index: 0, name: 'a.pdf', sizeBytes: 1, modifiedMs: 1 },
  },
  'POST /api/replacements/:share/:job/:upload': { role: 'answer' },
  'GET /api/operations': { role: 'see', isOfAny: true },
  'GET /api/operations/sign': { role: 'see', isOfAny: true },
  'POST /api/resume': { role: 'operate', isOfAny: true, body: { look: true } },
  'GET /metrics': { role: 'see' },
  'GET /healthz': { role: 'anyone' },
  'GET /readyz': { role: 'anyone' },
  'GET /api/openapi.json': { role: 'signed-in' },
  // What changes is told by topic, jobs by their share.
  'GET /api/live': { role: 'signed-in' },
};
const KEYS = Object.keys(LINES);
/** They need no name of ours: machines ask them by an address. */
const ANY_HOST = ['GET /healthz', 'GET /readyz'];
const LOOKS = /^(?:GET|HEAD) /;

let bed: TestBed;
let server: ServerBed;
const added: string[] = [];

beforeAll(async () => {
  bed = await createTestBed();
  const share = await bed.open();
  const modules = createModules({
    config: { stateDir: `${bed.root}/state`, console: { workers: [] as readonly string[] } } as Config,
    shares: () => [{ config: share.config, share, why: undefined }],
    temporal: () => Promise.reject<Client>(new Error('Temporal is away')),
    logger: createLogger({ level: 'silent' }),
    changed: () => undefined,
    now: () => new Date(),
    metrics: new Metrics(),
  });
  const listing: AnyModule = {
    handlers: {},
    extend: on => {
      on.addHook('onRoute', ({ method, url }) => {
        for (const each of [method].flat()) added.push(`${each} ${url}`);
      });
    },
  };
  const grants = ROLES.map(role => ({ people: [role], groups: [], role, shares: ['tender'] }));
  const elsewhere = { people: ['elsewhere'], groups: [], role: 'operate' as const, shares: ['site'] };
  server = await openServer({
    modules: [listing, ...modules],
    access: createProxyAccess({ peers: ['127.0.0.1'], nameHeader: 'x-user' }, [...grants, elsewhere]),
    shares: () => ['tender', 'site'],
  });
});
afterAll(async () => {
  await server.close();
  await bed.remove();
});

const PARAMS: Readonly<Record<string, string>> = {
  share: 'tender',
  job: 'job-1',
  key: 'key-1',
  format: 'csv',
  upload: '0'.repeat(20),
  index: '0',
};

/** The status that it is answered with. `undefined` leaves a header out. */
async function ask(
  key: string,
  who: string | undefined,
  changed: Readonly<Record<string, string | undefined>> = {},
  api = '/api',
): Promise<number> {
  const [method = '', route = ''] = key.split(' ');
  const { body, type = 'application/json', query = '' } = LINES[key] as Line;
  const path = route.replace('/api', api).replaceAll(/:(\w+)/g, (_all, name: string) => PARAMS[name] ?? '');
  const user = who === undefined ? {} : { 'x-user': who };
  const me = (await (await fetch(`${server.origin}/api/me`, { headers: user })).json()) as Me;
  const headers = {
    host: new URL(server.origin).host,
    origin: server.origin,
    'x-drawbridge-csrf': me.csrf,
    ...(body === undefined ? {} : { 'content-type': type }),
    ...(type === 'application/json' ? {} : { 'tus-resumable': '1.0.0', 'upload-offset': '0' }),
    ...user,
    ...changed,
  };
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  const { hostname, port } = new URL(server.origin);
  return await new Promise((resolve, reject) => {
    request(
      { hostname, port, path: path + query, method, headers: Object.fromEntries(given) as never },
      response => {
        resolve(response.statusCode ?? 0);
        // Live changes have no end.
        response.destroy();
      },
    )
      .once('error', reject)
      .end(typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body));
  });
}

test('every address that the server has stands in the table, with the role that it takes', () => {
  const others = added.filter(key => !['GET /*', 'HEAD /*'].includes(key));
  expect(KEYS.toSorted()).toEqual([...new Set([...Object.keys(ROUTES), ...others])].toSorted());
  for (const [key, { role }] of Object.entries(ROUTES)) expect([key, LINES[key]?.role]).toEqual([key, role]);
});

test.each(KEYS)('%s: each role gets what is its own, and no other', async key => {
  const line = LINES[key] as Line;
  const needed = ROLES.indexOf(line.role as Role) + 1;
  for (const [rank, who] of ['nobody', ...ROLES].entries()) {
    const status = await ask(key, who);
    if (rank < needed) expect([who, status]).toEqual([who, 403]);
    else expect([401, 403]).not.toContain(status);
  }
  if (line.role !== 'anyone') expect(await ask(key, undefined)).toBe(401);
  // Of another share alone.
  if (needed > 0 && line.isOfAny !== true) expect(await ask(key, 'elsewhere')).toBe(403);
});

test.each(KEYS.filter(key => !ANY_HOST.includes(key)))('%s: under no name but our own', async key => {
  expect(await ask(key, 'operate', { host: 'evil.example' })).toBe(403);
});

test.each(KEYS.filter(key => !LOOKS.test(key)))('%s: with our token alone, and for our page', async key => {
  for (const headers of [
    { 'x-drawbridge-csrf': undefined },
    { 'x-drawbridge-csrf': 'wrong' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
  ])
    expect([headers, await ask(key, 'operate', headers)]).toEqual([headers, 403]);
});

test.each(KEYS.filter(key => key.startsWith('GET /api/')))(
  '%s: no script of another page reads it',
  async key => {
    const asked = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    expect(await ask(key, 'operate', asked)).toBe(403);
    // The same address, written in another way.
    expect(await ask(key, 'operate', asked, '/%61pi')).toBe(403);
    expect(await ask(key, undefined, {}, '/%61pi')).toBe(LINES[key]?.role === 'anyone' ? 200 : 401);
  },
);
