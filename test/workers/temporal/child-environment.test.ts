// No program that we start sees a credential of ours: what each of them was given, and that
// each is given something chosen.
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { probeShare } from '../../../activities/share/files/reachability';
import { startStandIn } from '../../../client/session/stand-in';
import { childEnvironment } from '../../../workers/temporal/child-environment';
import { startEmbeddedTemporal } from '../../../workers/temporal/embedded-temporal';
import { buildTemporalCli, downloadTemporalCli } from '../../../workers/temporal/temporal-cli-fetch';
import { probeTemporalCli } from '../../../workers/temporal/temporal-cli-probe';
import { findFreePorts } from '../../setup/free-port';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const ROOT = join(__dirname, '..', '..', '..');
const folder = useTemporaryFolder();

const SECRETS = {
  DRAWBRIDGE_CLIENT_SECRET: 'canary-1',
  TEMPORAL_API_KEY: 'canary-2',
  AWS_SECRET_ACCESS_KEY: 'canary-3',
  NODE_OPTIONS: '--canary-4',
  LD_PRELOAD: 'canary-5',
  MY_PATH: 'canary-6',
  PATH_SECRET: 'canary-7',
};

test('passes on what programs need, and nothing else', () => {
  const given = childEnvironment({ PATH: '/bin', HOME: '/home/x', LC_ALL: 'C', GOPATH: '/go', ...SECRETS });
  expect(given).toEqual({ PATH: '/bin', HOME: '/home/x', LC_ALL: 'C' });
  expect(childEnvironment({ GOPATH: '/go', ...SECRETS }, true)).toEqual({ GOPATH: '/go' });
});

/** The environment that a process was started with, as the system has it. */
function environmentOf(pid: number): string {
  return readFileSync(`/proc/${pid}/environ`, 'utf8');
}

test('the embedded Temporal and its guard have nothing of ours', async () => {
  const [port = 0] = await findFreePorts(1);
  const database = join(folder(), 'temporal.db');
  const server = await startEmbeddedTemporal({
    cli: process.env.DRAWBRIDGE_TEST_TEMPORAL_CLI ?? '',
    port,
    database,
    logFile: join(folder(), 'temporal.log'),
    logLevel: 'warn',
    environment: { ...process.env, ...SECRETS },
  });
  try {
    const { pid } = JSON.parse(readFileSync(`${database}.pid`, 'utf8')) as { pid: number };
    const guard = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    expect(guard).not.toBe(process.pid);
    for (const each of [pid, guard]) {
      expect(environmentOf(each)).toContain('PATH=');
      expect(environmentOf(each)).not.toMatch(/canary|DRAWBRIDGE_/);
    }
  } finally {
    await server.stop();
  }
});

/** What each program that was started since had, by its name and first argument. */
const mockStarted: { readonly what: string; readonly environment: string }[] = [];

// The system knows a program's environment from the moment in which its start returns.
jest.mock('node:child_process', () => {
  const own = jest.requireActual('node:child_process');
  const noticing =
    (start: (...given: unknown[]) => ChildProcess) =>
    (...given: unknown[]): ChildProcess => {
      const child = start(...given);
      if (child.pid !== undefined) {
        const what = [basename(String(given[0])), ...[given[1] ?? []].flat()].slice(0, 2).join(' ');
        mockStarted.push({ what, environment: environmentOf(child.pid) });
      }
      return child;
    };
  const { spawn, fork, execFile } = own;
  return { ...own, spawn: noticing(spawn), fork: noticing(fork), execFile: noticing(execFile) };
});

function program(name: string, script: string): string {
  const path = join(folder(), name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

test('each program that is started besides has nothing of ours either', async () => {
  // Each lives long enough to be looked at.
  const cli = program('temporal', 'sleep 0.1');
  program('go', 'sleep 0.1; exit 1');
  const environment = { ...process.env, ...SECRETS, GOFLAGS: '-v', PATH: `${folder()}:/usr/bin:/bin` };
  const reporter = { say: () => undefined, progress: () => undefined };
  const before = { ...process.env };
  // As a process of ours has them: what takes its environment from there is found, too.
  Object.assign(process.env, SECRETS, { PATH: before.PATH });
  mockStarted.length = 0;
  try {
    await probeShare(folder());
    await probeTemporalCli(cli, environment);
    await buildTemporalCli({ cacheFolder: folder(), environment, reporter });
    const calledOff = new AbortController();
    const fetch = downloadTemporalCli({
      ...{ cacheFolder: folder(), environment, reporter },
      signal: calledOff.signal,
    });
    calledOff.abort();
    await fetch;
    const [firstPort] = await findFreePorts(1);
    await startStandIn({
      ...{ dataFolder: join(folder(), 'data'), logFile: join(folder(), 'log'), speed: 1 },
      ...{ firstPort, portOption: '--stand-in-port' },
    }).catch(() => undefined);
  } finally {
    for (const name of Object.keys(SECRETS)) delete process.env[name];
    Object.assign(process.env, before);
  }
  expect(mockStarted.map(({ what }) => what)).toEqual([
    'node -e',
    'temporal --version',
    'go env',
    'go build',
    'node -e',
    expect.stringContaining('main.js'),
  ]);
  for (const { environment: given } of mockStarted) expect(given).not.toMatch(/canary|DRAWBRIDGE_/);
});

function sourcesOf(...folders: readonly string[]): readonly (readonly [name: string, text: string])[] {
  return folders.flatMap(top =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.tsx?$/.test(name))
      .map(name => [join(top, name), readFileSync(join(ROOT, top, name), 'utf8')] as const),
  );
}

/** From the opening bracket to its closing one. */
function argumentsAt(text: string, open: number): string {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return text.slice(open, at);
  }
  return text.slice(open);
}

/** What stands behind `env:`, up to the comma or bracket that ends it; undefined where there is none. */
function environmentIn(given: string): string | undefined {
  const at = given.search(/\benv: /);
  if (at < 0) return undefined;
  let depth = 0;
  for (let end = at; end < given.length; end++) {
    const character = given[end] ?? '';
    if ('([{'.includes(character)) depth++;
    const isClosing = ')]}'.includes(character);
    if (depth === 0 && (isClosing || character === ',')) return given.slice(at + 'env: '.length, end).trim();
    if (isClosing) depth--;
  }
  return given.slice(at + 'env: '.length).trim();
}

/** Every start of a program or a thread, and what it is given: a new one is looked at before it joins. */
const STARTS_OF = {
  'activities/host/process-identity.ts': ['{ PATH: process.env.PATH }'],
  'activities/registers/sheet/ask-thread.ts': ['{}'],
  'activities/share/files/reachability.ts': ['{}'],
  'activities/transfer/hashing/hash-thread.ts': ['{}'],
  'client/session/stand-in.ts': ['childEnvironment(process.env)'],
  // The guard, and what it guards: that runs in the guard's process, with the guard's environment.
  'workers/temporal/child-guard.ts': ['{ ...input.environment }', 'process.env'],
  'workers/temporal/temporal-cli-fetch.ts': ['input.toolEnvironment'],
  'workers/temporal/temporal-cli-probe.ts': ['childEnvironment(environment)'],
};
const STARTS =
  /(?<![.\w])(?:spawn|spawnSync|start|fork|execFile|execFileSync|exec|execSync|promisify|new Worker)\(/g;

test('every program and thread that the product starts is given an environment of its own', () => {
  const sources = sourcesOf('client', 'workers', 'activities', 'workflows').filter(([, text]) =>
    /['"](?:node:)?(?:child_process|worker_threads|cluster)['"]/.test(text),
  );
  const starts = sources.flatMap(([name, text]): [string, (string | undefined)[]][] => {
    // By another name a start would not be found.
    const byName = /import (?:type )?\{[^}]*\} from '[^']*(?:child_process|worker_threads)'/;
    const inside =
      /const \{[^}]*\} = (?:process\.getBuiltinModule|require)\('node:(?:child_process|worker_threads)'/;
    expect([name, byName.test(text) || inside.test(text)]).toEqual([name, true]);
    const given = [...text.matchAll(STARTS)].map(match =>
      environmentIn(argumentsAt(text, match.index + match[0].length - 1)),
    );
    return given.length === 0 ? [] : [[name, given]];
  });
  expect(Object.fromEntries(starts)).toEqual(STARTS_OF);
});
