// No program that we start sees a credential of ours: what each of them was given, and that
// each is given something chosen.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { childEnvironment } from '../../../workers/temporal/child-environment';
import { startEmbeddedTemporal } from '../../../workers/temporal/embedded-temporal';
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

function sourcesOf(...folders: readonly string[]): readonly (readonly [name: string, text: string])[] {
  return folders.flatMap(top =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
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

test('every program and thread that the product starts is given an environment of its own', () => {
  const STARTS =
    /(?<![.\w])(?:spawn|start|fork|execFile|execFileSync|exec|promisify\(execFile\)|new Worker)\(/g;
  const starts = sourcesOf('client', 'workers', 'activities').flatMap(([name, text]) => {
    if (!/node:child_process|node:worker_threads/.test(text)) return [];
    return [...text.matchAll(STARTS)].map(match => {
      const given = argumentsAt(text, match.index + match[0].length - 1);
      return { name, start: match[0], given };
    });
  });
  expect(starts.length).toBeGreaterThanOrEqual(8);
  // The guard's own child has what the guard was given.
  const bare = starts.filter(
    ({ given }) => !/\benv\b|options/.test(given) && !given.includes("stdio: ['ignore', 'inherit'"),
  );
  expect(bare).toEqual([]);
  for (const { given } of starts) expect(given).not.toMatch(/env: process\.env\b|\.\.\.process\.env/);
});
