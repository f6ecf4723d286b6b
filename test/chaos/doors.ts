// A web page that somebody of this machine looks at, and other machines: at every port that `run` listens on
// they are to be obeyed in nothing and to read nothing. The same attempts against a development server as it
// comes must succeed, or they prove nothing.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { DEFAULT_COMPANY_ID, DEFAULT_CREDENTIALS, DEFAULT_PROJECTS } from '../sandbox/defaults';
import { startSandbox } from '../sandbox/server';
import { findFreePorts } from '../setup/free-port';
import { type ListeningSocket, listeningSocketsOf } from '../setup/listening-sockets';
import { descendantsOf } from '../setup/process-tree';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';

export const doors: ChaosPart = {
  name: 'doors',
  about: 'web pages and other machines at every port that `run` listens on: obeyed in nothing, told nothing',
  run: runDoors,
};

const READY_WITHIN_MS = 90_000;
const EVIL = 'http://evil.example';
const PLANTED = 'planted-by-a-page';
/** Names that lead a page's own name to this machine, once its address has been changed under it. */
const FOREIGN_HOSTS = ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', 'rebound.test:80'];
/** What the servers of a development set-up tell of workflows, at the paths where they do. */
const READ_PATHS = [
  '/',
  '/api/v1/settings',
  '/api/v1/namespaces',
  '/api/v1/namespaces/default/workflows',
  '/metrics',
];
/** Of a document that is carried meanwhile. */
const NAME = 'canary-of-a-tender';
const START_PATH = `/api/v1/namespaces/default/workflows/${PLANTED}`;
const START = JSON.stringify({ workflowType: { name: 'anything' }, taskQueue: { name: 'nobody' } });

interface Answer {
  /** Undefined where nobody speaks HTTP, or nobody answers. */
  readonly status: number | undefined;
  readonly allows: string | undefined;
  readonly body: string;
}

interface Heard {
  readonly attempts: number;
  readonly obeyed: readonly string[];
  readonly told: readonly string[];
  readonly reached: readonly string[];
}

async function runDoors(options: PartOptions): Promise<PartResult> {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-doors-'));
  try {
    const ours = await tryProduct(options, folder);
    options.say(`  ${ours.heard.attempts} attempts at ${ours.ports} ports`);
    const plain = await tryPlainServer(options, folder);
    const violations: Violation[] = [
      ...ours.heard.obeyed.map(what => ({ invariant: 'a web page is obeyed in nothing', case: 'run', what })),
      ...ours.heard.told.map(what => ({ invariant: 'a web page is told nothing', case: 'run', what })),
      ...ours.heard.reached.map(what => ({ invariant: 'nobody comes from elsewhere', case: 'run', what })),
    ];
    if (ours.ports < 3 || ours.guessed !== 1) {
      const what = `${ours.ports} ports, and ${ours.guessed} to be guessed, were found`;
      violations.push({ invariant: 'the suite notices', case: 'run', what });
    }
    if (plain.obeyed.length === 0 || plain.told.length === 0) {
      const what = JSON.stringify(plain).slice(0, 500);
      violations.push({ invariant: 'the suite notices', case: 'a server as it comes', what });
    }
    return {
      cases: 2,
      violations,
      figures: {
        'ports of `run`': `${ours.ports}, and one that is to be guessed`,
        attempts: ours.heard.attempts,
        'obeyed, told by a server as it comes': `${plain.obeyed.length}, ${plain.told.length}`,
      },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function tryProduct(
  options: PartOptions,
  folder: string,
): Promise<{ readonly heard: Heard; readonly ports: number; readonly guessed: number }> {
  const sandbox = await startSandbox({ settings: { timeScale: 100, limits: null } });
  const [port = 0, uiPort = 0] = await findFreePorts(2);
  const config = join(folder, 'drawbridge.json');
  for (const name of ['drop', 'done']) mkdirSync(join(folder, 'share', name), { recursive: true });
  writeFileSync(join(folder, 'share', 'drop', `${NAME}.pdf`), '%PDF');
  writeFileSync(
    config,
    JSON.stringify({
      service: {
        environment: 'sandbox',
        baseUrl: sandbox.apiUrl,
        authUrl: sandbox.authUrl,
        clientId: DEFAULT_CREDENTIALS.clientId,
        allowInsecureLoopback: true,
      },
      temporal: { embedded: { port, uiPort } },
      stateDir: './state',
      shares: [
        {
          name: 'tender',
          folder: './share',
          settle: 100,
          scanEvery: 500,
          batch: { quiet: 200 },
          analysis: { firstLook: 100, every: 200, typical: 300, for: 5_000 },
          defaults: { Type: 'Document', Status: 'Work in progress', Revision: 'A' },
          project: { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain },
        },
      ],
    }),
  );
  const child = start(
    process.execPath,
    [join(options.dist, 'client', 'main.js'), 'run', '--config', config],
    {
      TEMPORAL_CLI: options.temporalCli,
      DRAWBRIDGE_CLIENT_SECRET: DEFAULT_CREDENTIALS.clientSecret,
    },
  );
  try {
    await untilServed(uiPort, child);
    const all = [child.pid ?? 0, ...descendantsOf(child.pid ?? 0)].flatMap(pid => listeningSocketsOf(pid));
    // Carried, so that everything that could be told of it is known.
    const deadline = performance.now() + READY_WITHIN_MS;
    while (!readdirSync(join(folder, 'share', 'done'), { recursive: true }).some(isOfName)) {
      if (performance.now() > deadline) throw new Error('The document was not carried');
      await delay(100);
    }
    // The UI itself stands behind its door, at an address and a port that a page
    // would have to guess among billions.
    const sockets = all.filter(({ address }) => !isToBeGuessed(address));
    const heard = await tryAll(sockets, `127.0.0.1:${port}`);
    const reached = [...heard.reached, ...(await reachFromElsewhere(all))];
    return { heard: { ...heard, reached }, ports: sockets.length, guessed: all.length - sockets.length };
  } finally {
    await end(child);
    await sandbox.close();
  }
}

function isOfName(path: string | Buffer): boolean {
  return String(path).includes(NAME);
}

function isToBeGuessed(address: string): boolean {
  return address.startsWith('127.') && address !== '127.0.0.1';
}

async function tryPlainServer({ temporalCli }: PartOptions, folder: string): Promise<Heard> {
  const [port = 0, uiPort = 0] = await findFreePorts(2);
  const ports = ['--port', String(port), '--ui-port', String(uiPort)];
  const database = join(folder, 'plain.db');
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', ...ports, '--db-filename', database];
  const child = start(temporalCli, [...args, '--log-level', 'never'], {});
  try {
    await untilServed(uiPort, child);
    return await tryAll(listeningSocketsOf(child.pid ?? 0), `127.0.0.1:${port}`);
  } finally {
    await end(child);
  }
}

async function tryAll(sockets: readonly ListeningSocket[], temporalAddress: string): Promise<Heard> {
  const told: string[] = [];
  const obeyed: string[] = [];
  let attempts = 0;
  const tryOne = async (socket: ListeningSocket, what: string, ask: Parameters<typeof askHttp>[1]) => {
    attempts += 1;
    const { status, allows, body } = await askHttp(socket, ask);
    if (status === undefined) return;
    // The server's own counts, which it offers without a switch for it: they name
    // queues, and nothing of documents.
    if (ask.path === '/metrics' && !body.includes(NAME)) return;
    const seen = `${what} ${ask.path} at ${socket.address}:${socket.port}: ${status}`;
    if (ask.method === 'POST' ? status < 300 : status === 200)
      (ask.method === 'POST' ? obeyed : told).push(seen);
    // What an answer allows to a page of elsewhere, that page can read.
    if (allows === '*' || allows === EVIL) told.push(`${seen}, for ${allows}`);
  };
  await Promise.all(
    sockets.map(async socket => {
      for (const path of [START_PATH, '/', '/api/v1/namespaces'])
        await tryOne(socket, 'POST', { method: 'POST', path, headers: PAGE, body: START });
      for (const host of FOREIGN_HOSTS) {
        for (const path of READ_PATHS) await tryOne(socket, host, { method: 'GET', path, headers: { host } });
        const headers = { ...PAGE, host };
        await tryOne(socket, host, { method: 'POST', path: START_PATH, headers, body: START });
      }
    }),
  );
  if (await isThere(temporalAddress)) obeyed.push('a workflow was started');
  return { attempts, obeyed, told, reached: await reachFromElsewhere(sockets) };
}

/** What a page may send to any address without asking first. */
const PAGE = { origin: EVIL, 'content-type': 'text/plain' };

function askHttp(
  { address, port }: ListeningSocket,
  ask: {
    readonly method: 'GET' | 'POST';
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  },
): Promise<Answer> {
  const { body, ...rest } = ask;
  const host = /^0+$/.test(address.replaceAll('.', '')) ? '127.0.0.1' : address;
  return new Promise(resolve => {
    const asked = request({ host, port, timeout: 3_000, ...rest }, answer => {
      const allows = answer.headers['access-control-allow-origin'];
      let told = '';
      answer.on('data', (chunk: Buffer) => {
        told += chunk.toString('latin1');
      });
      answer.once('close', () => resolve({ status: answer.statusCode, allows, body: told }));
    });
    asked.once('timeout', () => asked.destroy(new Error('no answer')));
    asked.once('error', () => resolve({ status: undefined, allows: undefined, body: '' }));
    asked.end(body);
  });
}

async function isThere(address: string): Promise<boolean> {
  const connection = await Connection.connect({ address });
  try {
    await new Client({ connection }).workflow.getHandle(PLANTED).describe();
    return true;
  } catch (error) {
    if ((error as { name?: unknown }).name === 'WorkflowNotFoundError') return false;
    throw error;
  } finally {
    await connection.close();
  }
}

/** Whoever listens on every address answers on these as well, network or none. */
async function reachFromElsewhere(sockets: readonly ListeningSocket[]): Promise<string[]> {
  const others = Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
  const reached: string[] = [];
  for (const { address, port } of sockets) {
    for (const host of ['127.0.0.2', ...others]) {
      if (host !== address && (await isReached(host, port))) reached.push(`${host}:${port}`);
    }
  }
  return reached;
}

function isReached(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: 2_000 });
    const finish = (is: boolean) => () => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', finish(true)).once('error', finish(false)).once('timeout', finish(false));
  });
}

function start(
  program: string,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
): ChildProcess {
  const own = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|DRAWBRIDGE_)/.test(name));
  return spawn(program, args, { stdio: 'ignore', env: { ...Object.fromEntries(own), ...more } });
}

async function untilServed(port: number, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  const ask = { method: 'GET', path: '/api/v1/settings', headers: { host: `127.0.0.1:${port}` } } as const;
  while ((await askHttp({ address: '127.0.0.1', port }, ask)).status !== 200) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`Nobody listens on port ${port}; exit code ${child.exitCode}`);
    await delay(100);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
