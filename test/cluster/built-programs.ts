// Programs that the cluster needs and that no package of the system brings: built
// with Go once, kept in the cache.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { waitForLock } from '../../activities/host/process-lock';
import { childEnvironment } from '../../workers/temporal/child-environment';
import { temporalCacheFolder } from '../../workers/temporal/temporal-cli';
import { runTool } from '../../workers/temporal/temporal-cli-fetch';
import type { Reporter } from '../../workers/temporal/terminal-reporter';

const BUILD_TIMEOUT_MS = 30 * 60_000;
const STAGING = '.building-';

export interface GoProgram {
  /** Folder in the cache; does not begin with `temporal-`, where Temporal CLIs are looked for. */
  readonly name: string;
  readonly title: string;
  readonly module: string;
  readonly version: string;
  /** Package below the module, by the name that the program gets. */
  readonly packages: Readonly<Record<string, string>>;
}

/** The server of the compose file, and the tool that its set-up script prepares databases with. */
export const TEMPORAL_SERVER: GoProgram = {
  name: 'server-temporal-1.32.0',
  title: 'Temporal server and SQL tool',
  module: 'go.temporal.io/server',
  version: 'v1.32.0',
  packages: { 'temporal-server': 'cmd/server', 'temporal-sql-tool': 'cmd/tools/sql' },
};

/** The plugin reads and checks compose files by itself, without Docker. */
export const DOCKER_COMPOSE: GoProgram = {
  name: 'docker-compose-2.32.4',
  title: 'docker compose',
  module: 'github.com/docker/compose/v2',
  version: 'v2.32.4',
  packages: { 'docker-compose': 'cmd' },
};

export interface BuildInput {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly reporter: Reporter;
  readonly signal: AbortSignal;
}

/**
 * Folder with the programs: from the cache, or built now, which takes minutes. Throws
 * when Go is missing or refuses.
 */
export async function provideProgram(program: GoProgram, input: BuildInput): Promise<string> {
  const cacheFolder = temporalCacheFolder(input.environment);
  const target = join(cacheFolder, program.name);
  const isThere = (): boolean => Object.keys(program.packages).every(name => existsSync(join(target, name)));
  const describe = (origin: string): void =>
    input.reporter.say(`${program.title} ${program.version}: ${target} (${origin})`);
  if (isThere()) {
    describe('from the cache');
    return target;
  }
  mkdirSync(cacheFolder, { recursive: true });
  const lock = await waitForLock(join(cacheFolder, 'build-lock'), {
    signal: input.signal,
    onWait: owner => input.reporter.progress(`${owner} is building already; waiting for it`),
  });
  try {
    removeLeftOvers(cacheFolder);
    // Another process may have built it while we waited.
    if (!isThere()) await buildInto(target, program, cacheFolder, input);
    describe('built now');
    return target;
  } finally {
    await lock.release();
  }
}

async function buildInto(
  target: string,
  program: GoProgram,
  cacheFolder: string,
  input: BuildInput,
): Promise<void> {
  const staging = mkdtempSync(join(cacheFolder, STAGING));
  try {
    const binaries = join(staging, 'bin');
    const run = await runTool({
      ...input,
      cacheFolder,
      title: `building ${program.title} ${program.version} with Go`,
      command: 'go',
      args: ['install', '-v', ...Object.values(program.packages).map(path => packageOf(program, path))],
      toolEnvironment: { ...(await goEnvironment(program, cacheFolder, staging, input)), GOBIN: binaries },
      timeoutMs: BUILD_TIMEOUT_MS,
    });
    if (run.kind === 'failed') {
      throw new Error(
        `${program.title} cannot be built: ${run.why}. It needs Go (https://go.dev/dl) and the network.`,
      );
    }
    for (const [name, path] of Object.entries(program.packages)) {
      const built = join(binaries, path.slice(path.lastIndexOf('/') + 1));
      chmodSync(built, 0o755);
      renameSync(built, join(binaries, name));
    }
    chmodSync(binaries, 0o755);
    rmSync(target, { recursive: true, force: true });
    renameSync(binaries, target);
  } finally {
    rmSync(staging, { recursive: true, force: true, maxRetries: 3 });
  }
}

function packageOf({ module, version }: GoProgram, path: string): string {
  return `${module}/${path}@${version}`;
}

/**
 * Go's own caches where they hold the module already; else ones that are removed
 * afterwards: they are gigabytes.
 */
async function goEnvironment(
  { module, version }: GoProgram,
  cacheFolder: string,
  staging: string,
  input: BuildInput,
): Promise<Record<string, string>> {
  const environment = childEnvironment(input.environment, true);
  const asked = await runTool({
    ...input,
    cacheFolder,
    title: 'asking Go for its module cache',
    command: 'go',
    args: ['env', 'GOMODCACHE'],
    toolEnvironment: environment,
    timeoutMs: 30_000,
  });
  if (asked.kind === 'done' && existsSync(join(asked.lastLine, `${module}@${version}`))) return environment;
  return {
    ...environment,
    GOMODCACHE: join(staging, 'mod'),
    GOCACHE: join(staging, 'build'),
    // Go makes its module cache read-only otherwise.
    GOFLAGS: `${environment.GOFLAGS ?? ''} -modcacherw`.trim(),
  };
}

/** What a build that was killed has left behind. Only for the holder of the lock. */
function removeLeftOvers(cacheFolder: string): void {
  for (const name of readdirSync(cacheFolder)) {
    if (name.startsWith(STAGING)) rmSync(join(cacheFolder, name), { recursive: true, force: true });
  }
}
