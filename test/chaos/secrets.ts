// A batch through every kind of trouble that quotes back, redirects or refuses, and then a search: no token,
// client secret or presigned query in histories, heartbeats, logs, metrics, arguments, on the share, in the
// database of Temporal, in the state folder, nor at the foreign host that every redirect points to.
import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { startEmbeddedTemporal } from '../../workers/temporal/embedded-temporal';
import { resumeSignal } from '../../workflows/contract';
import type { FaultOrder } from '../sandbox/control';
import { DEFAULT_CREDENTIALS } from '../sandbox/defaults';
import { findFreePorts } from '../setup/free-port';
import { Rig } from '../setup/rig';
import { WorkerProcess } from '../setup/worker-process';
import { giveWay } from './give-way';
import type { ChaosPart, PartOptions, PartResult, Violation } from './part';
import {
  describeRun,
  filesBelow,
  historiesOf,
  type Place,
  type Secret,
  searchPlaces,
} from './secrets-search';

const DOCUMENTS = { short: 12, long: 60 } as const;
const PATIENCE_MS = 120_000;
const LOOK_EVERY_MS = 400;

const PLANTED = 'canary-planted-access-5b1e90c2';
const SIGNATURE = 'canaryplantedsignature77';
const QUOTE = [
  `Bearer ${PLANTED}`,
  `client_secret=${DEFAULT_CREDENTIALS.clientSecret}`,
  DEFAULT_CREDENTIALS.clientSecret,
  `https://storage.example.com/vault/x?expires=1&signature=${SIGNATURE}`,
].join(' and ');

const SECRETS: readonly Secret[] = [
  { name: 'token', pattern: /sandbox-(?:access|refresh|code)-[A-Za-z0-9_-]{12,}/ },
  { name: 'planted token', pattern: new RegExp(PLANTED) },
  { name: 'client secret', pattern: new RegExp(DEFAULT_CREDENTIALS.clientSecret) },
  { name: 'presigned query', pattern: /signature(?:=|%3[dD]|\\u003[dD])[0-9a-f]{16,}/ },
  { name: 'planted presigned query', pattern: new RegExp(SIGNATURE) },
];

export const secrets: ChaosPart = {
  name: 'secrets',
  about:
    'canaries for tokens, client secret and presigned queries, looked for everywhere after a run full of faults',
  run: runSecrets,
};

/** A host that nobody has business with; keeps whatever arrives. */
class Trap {
  readonly heard: string[] = [];
  readonly #server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (chunk: Buffer) => {
      body += chunk.toString('latin1');
    });
    incoming.on('end', () => {
      this.heard.push(`${incoming.method} ${incoming.url} ${JSON.stringify(incoming.headers)} ${body}`);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data": []}');
    });
  });

  async listen(): Promise<void> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

async function runSecrets(options: PartOptions): Promise<PartResult> {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-secrets-'));
  const trap = new Trap();
  await trap.listen();
  const [port = 0, ...metricsPorts] = await findFreePorts(3);
  const temporal = await startEmbeddedTemporal({
    cli: options.temporalCli,
    port,
    database: join(folder, 'temporal', 'temporal.db'),
    logFile: join(folder, 'temporal.log'),
    logLevel: 'debug',
  });
  try {
    // Tokens on disk as they are, and encrypted.
    const results = await Promise.all(
      [false, true].map(async (isEncrypted, index) => {
        const metrics = `127.0.0.1:${metricsPorts[index]}`;
        return await tryOnce({
          options,
          folder,
          trap,
          isEncrypted,
          metrics,
          temporalAddress: temporal.address,
        });
      }),
    );
    return merge(results);
  } finally {
    await temporal.stop();
    trap.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Try {
  readonly options: PartOptions;
  readonly folder: string;
  readonly trap: Trap;
  readonly isEncrypted: boolean;
  readonly metrics: string;
  readonly temporalAddress: string;
}

async function tryOnce(input: Try): Promise<PartResult> {
  const key = join(input.folder, `token-key-${input.isEncrypted}`);
  writeFileSync(key, randomBytes(32).toString('hex'), { mode: 0o600 });
  const rig = await Rig.start({
    temporalAddress: input.temporalAddress,
    ...(input.isEncrypted ? { service: { tokenKey: { file: key } } } : {}),
  });
  const env = { DRAWBRIDGE_LOGGING__LEVEL: 'trace' };
  const processes = [
    new WorkerProcess(rig, {
      dist: input.options.dist,
      env: { ...env, DRAWBRIDGE_METRICS__ADDRESS: input.metrics },
    }),
    new WorkerProcess(rig, { dist: input.options.dist, env, command: 'watch' }),
  ];
  for (const { pid } of processes) giveWay(pid);
  try {
    const faults = faultsTo(input.trap.url);
    for (const fault of faults) await rig.control.addFault(fault);
    const count = DOCUMENTS[input.options.form];
    rig.dropFiles(Object.fromEntries(Array.from({ length: count }, (_, n) => [`s-${n}.pdf`, `%PDF ${n}`])));
    const seen = await watchUntilSettled(rig, count);
    const places = [...seen, ...(await collect(rig, input, processes))];
    return judge(rig, input, places, faults.length, await rig.control.violations());
  } finally {
    await Promise.all(processes.map(async each => await each.stop()));
    await rig.close();
  }
}

/** Redirects of every host to the trap, answers that quote what they were sent, tokens that fail. */
function faultsTo(trapUrl: string): FaultOrder[] {
  const quoting = (status: number) =>
    ({
      kind: 'status',
      status,
      body: {
        error: {
          code: 'X',
          message: QUOTE,
          details: [{ reason_code: 'ODD', message: QUOTE, source: QUOTE }],
        },
      },
      headers: { 'x-request-id': PLANTED, location: `${trapUrl}/?${QUOTE.replaceAll(/\W/g, '')}` },
    }) as const;
  const redirect = (status: number) =>
    ({ kind: 'redirect', status, location: `${trapUrl}/elsewhere` }) as const;
  return [
    // A token that the service does not know: renewed after the 401.
    {
      route: 'oauth.token',
      action: { kind: 'malformed', body: JSON.stringify({ access_token: PLANTED, expires_in: 3_600 }) },
    },
    { route: 'oauth.token', action: redirect(307) },
    {
      route: 'oauth.token',
      action: { kind: 'status', status: 500, body: { error: 'server_error', error_description: QUOTE } },
    },
    {
      route: 'oauth.token',
      action: { kind: 'status', status: 400, body: { error: 'invalid_request', error_description: QUOTE } },
    },
    { route: 'oauth.token', action: { kind: 'malformed', body: `{"access_token": "${PLANTED}` } },
    { route: 'requirements.list', action: redirect(302) },
    { route: 'fields.list', action: quoting(403) },
    { route: 'uploads.create', action: redirect(308) },
    { route: 'uploads.create', action: quoting(500) },
    { route: 'uploads.create', action: quoting(400) },
    { route: 'files.create', times: 2, action: quoting(503) },
    { route: 'files.create', action: quoting(422) },
    {
      route: 'files.create',
      action: { kind: 'status', status: 401, reasonCode: 'INVALID_TOKEN', message: QUOTE },
    },
    { route: 'storage.put', action: redirect(307) },
    { route: 'storage.put', times: 2, action: { kind: 'expired-url' } },
    { route: 'storage.put', skip: 4, times: 2, action: { kind: 'status', status: 500, body: QUOTE } },
    { route: 'storage.put', skip: 6, action: { kind: 'cut-request' } },
    { route: 'files.patch', action: { kind: 'malformed', body: `{"data": "${QUOTE}` } },
    { route: 'uploads.patch', action: quoting(500) },
    { route: 'uploads.patch', action: redirect(301) },
    { route: 'uploads.selected', action: { kind: 'html', status: 502 } },
    { route: 'revisions.create', action: quoting(422) },
    { route: 'revisions.create', action: redirect(302) },
    { route: 'revisions.create', action: quoting(403) },
    { route: 'revisions.create', action: { kind: 'reply-lost' } },
  ];
}

/** Until every file has a receipt; what waits for a person is resumed, and looked at while it waits. */
async function watchUntilSettled(rig: Rig, count: number): Promise<Place[]> {
  const seen = new Map<string, Place>();
  const deadline = performance.now() + PATIENCE_MS;
  const settled = () => rig.receipts().reduce((sum, receipt) => sum + receipt.files.length, 0);
  while (settled() < count) {
    if (performance.now() > deadline) throw new Error(`only ${settled()} of ${count} files have a receipt`);
    await delay(LOOK_EVERY_MS);
    for await (const { workflowId, status } of rig.temporal.client.workflow.list()) {
      const place = await describeRun(rig, workflowId);
      seen.set(createHash('sha256').update(place.text).digest('hex'), place);
      if (status.name !== 'RUNNING') continue;
      const handle = rig.temporal.client.workflow.getHandle(workflowId);
      await handle.signal(resumeSignal).catch(() => undefined);
    }
  }
  return [...seen.values()];
}

async function collect(rig: Rig, input: Try, processes: readonly WorkerProcess[]): Promise<Place[]> {
  const { body } = await request(`http://${input.metrics}/metrics`);
  const metrics = await body.text();
  const isTokenStore = (path: string) => /tokens-[0-9a-f]+\.json$/.test(path) && !input.isEncrypted;
  const command = processes.map(({ pid }) => ({
    name: `arguments of ${pid}`,
    text: readFileSync(`/proc/${pid}/cmdline`, 'latin1'),
  }));
  return [
    ...(await historiesOf(rig)),
    ...command,
    { name: 'metrics', text: metrics },
    // The share, the state folder, the configuration and the logs of all processes.
    ...filesBelow(rig.folder, 'files', isTokenStore),
    ...filesBelow(input.folder, 'Temporal', path => path.includes('token-key')),
    ...input.trap.heard.map(text => ({ name: 'foreign host', text })),
  ];
}

function judge(
  rig: Rig,
  input: Try,
  places: readonly Place[],
  faults: number,
  reported: readonly unknown[],
): PartResult {
  const where = input.isEncrypted ? 'tokens encrypted' : 'tokens in a private file';
  const violations: Violation[] = searchPlaces(SECRETS, places).map(({ secret, place, before }) => ({
    invariant: '19 no secret anywhere',
    case: `${where}: ${place}`,
    what: `a ${secret} after: ${before}`,
  }));
  const say = (invariant: string, what: string) => void violations.push({ invariant, case: where, what });
  for (const heard of input.trap.heard) say('18 no redirect is followed', heard.slice(0, 200));
  for (const each of reported) say('18 what the service saw', JSON.stringify(each).slice(0, 300));
  violations.push(...judgeStore(rig, where));
  violations.push(...judgeSearch(places, where));
  const bytes = places.reduce((sum, { text }) => sum + text.length, 0);
  return {
    cases: faults,
    violations,
    figures: {
      'places searched': places.length,
      bytes,
      receipts: rig.receipts().length,
      'heard by the foreign host': input.trap.heard.length,
    },
  };
}

/** Nobody else can read the tokens. */
function judgeStore(rig: Rig, where: string): Violation[] {
  const stores = filesBelow(join(rig.folder, 'state'), 'state').filter(({ name }) =>
    /tokens-[0-9a-f]+\.json$/.test(name),
  );
  if (stores.length === 0)
    return [{ invariant: '19 the token store is private', case: where, what: 'there is none' }];
  return stores.flatMap(({ name }) => {
    const path = join(rig.folder, 'state', name.slice('state '.length));
    const modes = [lstatSync(path).mode, lstatSync(dirname(path)).mode].map(mode =>
      (mode & 0o777).toString(8),
    );
    return modes.join() === '600,700'
      ? []
      : [{ invariant: '19 the token store is private', case: where, what: modes.join() }];
  });
}

/** A search that could not find what is there proves nothing. */
function judgeSearch(places: readonly Place[], where: string): Violation[] {
  const mustBeFound: readonly (readonly [place: RegExp, text: RegExp])[] = [
    [/^history /, /s-0\.pdf/],
    [/^Temporal temporal\/temporal\.db/, /s-0\.pdf/],
    [/^files worker\.log/, /service call/],
    [/^files watch\.log/, /"event"/],
    [/^files share\//, /s-0\.pdf/],
    [/^metrics/, /temporal_/],
    [/^arguments/, /drawbridge\.json/],
  ];
  return mustBeFound
    .filter(([place, text]) => !places.some(each => place.test(each.name) && text.test(each.text)))
    .map(([place, text]) => ({
      invariant: 'the search finds what is there',
      case: where,
      what: `no ${text} in ${place}`,
    }));
}

function merge(results: readonly PartResult[]): PartResult {
  const names = new Set(results.flatMap(({ figures }) => Object.keys(figures)));
  const sum = (name: string) => results.reduce((total, { figures }) => total + Number(figures[name] ?? 0), 0);
  return {
    cases: results.reduce((total, { cases }) => total + cases, 0),
    violations: results.flatMap(({ violations }) => violations),
    figures: Object.fromEntries([...names].map(name => [name, sum(name)])),
  };
}
