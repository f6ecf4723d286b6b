// Who can reach the embedded server: this machine's own programs, no other machine, and no web page.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';

import { type EmbeddedTemporal, startEmbeddedTemporal } from '../../../workers/temporal/embedded-temporal';
import { findFreePorts } from '../../setup/free-port';
import { type ListeningSocket, listeningSocketsOf } from '../../setup/listening-sockets';

/** What a page may send to any address without being asked first: a "simple" request. */
const FROM_A_PAGE = { origin: 'http://evil.example', 'content-type': 'text/plain' };

let folder: string;
let server: EmbeddedTemporal;
let uiPort: number;
let sockets: readonly ListeningSocket[];

// One for all of them: they only knock.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drawbridge-doors-'));
  const [port = 0, second = 0] = await findFreePorts(2);
  uiPort = second;
  const database = join(folder, 'temporal.db');
  server = await startEmbeddedTemporal({
    cli: process.env.DRAWBRIDGE_TEST_TEMPORAL_CLI ?? '',
    port,
    uiPort,
    database,
    logFile: join(folder, 'temporal.log'),
    logLevel: 'warn',
  });
  sockets = listeningSocketsOf(JSON.parse(readFileSync(`${database}.pid`, 'utf8')).pid);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Asked {
  readonly host?: string;
  readonly port: number;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The status, or the error's code where nobody speaks HTTP. */
function ask({ body, ...to }: Asked): Promise<number | string> {
  return new Promise(resolve => {
    const asked = request({ host: '127.0.0.1', ...to, timeout: 5_000 }, answer => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    asked.once('timeout', () => asked.destroy(new Error('no answer')));
    asked.once('error', error => resolve(String((error as { code?: unknown }).code ?? error.message)));
    asked.end(body);
  });
}

function isReached(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: 3_000 });
    const end = (reached: boolean) => () => {
      socket.destroy();
      resolve(reached);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}

test('starts nothing for a web page, on whichever port it listens', async () => {
  const body = JSON.stringify({ workflowType: { name: 'anything' }, taskQueue: { name: 'nobody' } });
  const path = '/api/v1/namespaces/default/workflows/planted';
  const answers = await Promise.all(
    sockets.map(({ address, port }) =>
      ask({ host: address, port, path, method: 'POST', headers: FROM_A_PAGE, body }),
    ),
  );
  // One of them is the HTTP API, and says so.
  expect(answers).toContain(403);
  expect(await ask({ port: uiPort, path, method: 'POST', headers: FROM_A_PAGE, body })).toBe(403);
  const connection = await Connection.connect({ address: server.address });
  try {
    const planted = new Client({ connection }).workflow.getHandle('planted').describe();
    await expect(planted).rejects.toMatchObject({ name: 'WorkflowNotFoundError' });
  } finally {
    await connection.close();
  }
});

test.each([
  ['127.0.0.1', 200],
  ['localhost', 200],
  // Forwarded from another port of somebody's own machine.
  ['localhost:9000', 200],
  ['evil.example', 403],
  ['127.0.0.1.evil.example', 403],
  ['localhost.evil.example', 403],
])('shows the UI to a browser that asks by the name %s: %d', async (name, status) => {
  for (const path of ['/', '/api/v1/settings']) {
    expect(await ask({ port: uiPort, path, headers: { host: name } })).toBe(status);
  }
});

test('changes something for its own page alone, not for that of another program of this machine', async () => {
  const path = '/api/v1/namespaces/default/workflows/nobody/terminate';
  const change = (origin: string, host = `127.0.0.1:${uiPort}`) =>
    ask({ port: uiPort, path, method: 'POST', headers: { origin, host }, body: '{}' });
  for (const name of ['127.0.0.1', 'localhost']) {
    expect(await change(`http://${name}:${uiPort}`)).not.toBe(403);
    for (const port of [3000, uiPort + 1]) expect(await change(`http://${name}:${port}`)).toBe(403);
    expect(await change(`http://${name}`)).toBe(403);
  }
  // Forwarded from another port of somebody's own machine: it is the same page.
  expect(await change('http://localhost:9000', 'localhost:9000')).not.toBe(403);
  expect(await change('http://localhost:9000', 'localhost:9001')).toBe(403);
  expect(await change('null')).toBe(403);
});

test('has no UI beside the door, where a page would look for one', async () => {
  const onUsualAddress = sockets.filter(({ address }) => address === '127.0.0.1');
  const answers = await Promise.all(
    onUsualAddress.map(({ port }) => ask({ port, path: '/api/v1/settings' })),
  );
  expect(answers).not.toContain(200);
});

test('cannot be reached from another address', async () => {
  const others = Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
  // A server that listens on every address answers on this one as well, network or none.
  const asked = [...others, '127.0.0.2'];
  expect(sockets.length).toBeGreaterThan(2);
  for (const { port } of [...sockets, { port: uiPort }])
    for (const host of asked) expect([host, port, await isReached(host, port)]).toEqual([host, port, false]);
});
