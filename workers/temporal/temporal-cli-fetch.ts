// Two ways to get a Temporal CLI that is not there yet: the SDK's own download, and a build with Go.

import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../activities/host/clock';
import { codeOf, hasCode } from '../../activities/host/error-code';
import type { SystemCode } from '../../activities/host/file-trouble';

import { childEnvironment } from './child-environment';
import type { Reporter } from './terminal-reporter';

/** The newest published version of the CLI's module that can be built from outside of its own repository. */
export const CLI_MODULE_VERSION = '1.5.1';
const CLI_MODULE = 'github.com/temporalio/cli';
/**
 * Of its database. The one that it names itself (1.34.1) refuses every statement for good, once one was
 * called off in the wrong moment; mended in 1.40.1 and 1.42.2. From 1.60.0 on it needs a newer Go.
 */
const SQLITE_VERSION = '1.59.0';
const BUILT_FOLDER = `temporal-${CLI_MODULE_VERSION}-sqlite-${SQLITE_VERSION}`;
/** Built by older versions, with the database that its module names. */
export const OUTDATED_FOLDER = `temporal-${CLI_MODULE_VERSION}`;
const DOWNLOAD_TIMEOUT_MS = 3 * 60_000;
const BUILD_TIMEOUT_MS = 30 * 60_000;
const PROGRESS_EVERY_MS = 1_000;
const PROGRAM = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

export interface FetchInput {
  /** The cache of this project; the program ends in a folder of it. */
  readonly cacheFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly reporter: Reporter;
  readonly signal?: AbortSignal | undefined;
}

export type FetchOutcome =
  | { readonly kind: 'fetched'; readonly path: string }
  | { readonly kind: 'failed'; readonly why: string };

/**
 * Lets the SDK download the CLI that goes with it, in a process of its own since a
 * download cannot be called off.
 */
export async function downloadTemporalCli(input: FetchInput): Promise<FetchOutcome> {
  return await inStaging(input, async staging => {
    const worker = require.resolve('@temporalio/worker');
    const run = await runTool({
      ...input,
      title: 'downloading the Temporal CLI',
      command: process.execPath,
      args: ['-e', `(${downloadProgram.toString()})()`, '--', worker, staging, sdkVersion()],
      toolEnvironment: childEnvironment(input.environment),
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
    });
    const downloaded = readdirSync(staging).find(name => name.startsWith('temporal'));
    if (run.kind === 'failed' || downloaded === undefined) {
      return { kind: 'failed', why: run.kind === 'failed' ? run.why : 'nothing was downloaded' };
    }
    return keep(input, join(staging, downloaded), `temporal-sdk-${sdkVersion()}`);
  });
}

/**
 * Builds the CLI from its public Go module, with another version of its database; takes minutes. Module and
 * build caches of its own are removed afterwards.
 */
export async function buildTemporalCli(input: FetchInput): Promise<FetchOutcome> {
  return await inStaging(input, async staging => {
    const usesOwnCaches = !(await hasWarmModules(input));
    writeFileSync(join(staging, 'go.mod'), GO_MODULE);
    const run = await runTool({
      ...input,
      title: `building the Temporal CLI ${CLI_MODULE_VERSION} with Go`,
      command: 'go',
      args: [
        ...['build', '-C', staging, '-mod=mod', '-v', '-o', PROGRAM],
        ...['-ldflags', `-X ${CLI_MODULE}/temporalcli.Version=${CLI_MODULE_VERSION}`],
        `${CLI_MODULE}/cmd/temporal`,
      ],
      toolEnvironment: {
        ...childEnvironment(input.environment, true),
        // A go.work in a folder above would have the module be one of its own.
        GOWORK: 'off',
        ...(usesOwnCaches
          ? // The flag lets us delete the module cache again; Go makes it read-only otherwise.
            { GOMODCACHE: join(staging, 'mod'), GOCACHE: join(staging, 'build'), GOFLAGS: '-modcacherw' }
          : {}),
      },
      timeoutMs: BUILD_TIMEOUT_MS,
    });
    if (run.kind === 'failed') return run;
    return keep(input, join(staging, PROGRAM), BUILT_FOLDER);
  });
}

/** What is not named here is taken in the versions that these two ask for. */
const GO_MODULE = `module drawbridge/temporal-cli

go 1.25.0

require (
\t${CLI_MODULE} v${CLI_MODULE_VERSION}
\tmodernc.org/sqlite v${SQLITE_VERSION}
)
`;

async function inStaging(
  input: FetchInput,
  use: (staging: string) => Promise<FetchOutcome>,
): Promise<FetchOutcome> {
  // Inside the cache, so that the finished program can be renamed into place.
  const staging = mkdtempSync(join(input.cacheFolder, '.fetching-'));
  try {
    return await use(staging);
  } finally {
    rmSync(staging, { recursive: true, force: true, maxRetries: 3 });
  }
}

function keep(input: FetchInput, program: string, name: string): FetchOutcome {
  if (!existsSync(program)) return { kind: 'failed', why: 'no program came out of it' };
  chmodSync(program, 0o755);
  const folder = mkdtempSync(join(input.cacheFolder, '.ready-'));
  renameSync(program, join(folder, PROGRAM));
  const target = join(input.cacheFolder, name);
  rmSync(target, { recursive: true, force: true });
  renameSync(folder, target);
  return { kind: 'fetched', path: join(target, PROGRAM) };
}

async function hasWarmModules(input: FetchInput): Promise<boolean> {
  const run = await runTool({
    ...input,
    title: 'asking Go for its module cache',
    command: 'go',
    args: ['env', 'GOMODCACHE'],
    toolEnvironment: childEnvironment(input.environment, true),
    timeoutMs: 30_000,
  });
  return (
    run.kind === 'done' &&
    existsSync(join(run.lastLine, 'github.com', 'temporalio', `cli@v${CLI_MODULE_VERSION}`))
  );
}

export interface ToolInput extends FetchInput {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly toolEnvironment: Record<string, string>;
  readonly timeoutMs: number;
}

export type ToolOutcome =
  | { readonly kind: 'done'; readonly lastLine: string }
  | { readonly kind: 'failed'; readonly why: string };

/** Runs a program that takes long, its last line shown while it does; never throws. */
export function runTool(input: ToolInput): Promise<ToolOutcome> {
  return new Promise(resolve => {
    const startedAtMs = systemClock.monotonicMs();
    // Not spawn's own `timeout`: that leaves a timer behind when the program is not there at all.
    const deadline = AbortSignal.timeout(input.timeoutMs);
    let lastLine = '';
    const child = spawn(input.command, input.args, {
      env: input.toolEnvironment,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: input.signal === undefined ? deadline : AbortSignal.any([deadline, input.signal]),
    });
    const remember = (chunk: Buffer): void => {
      lastLine = chunk.toString('utf8').trim().split(/\r?\n/).at(-1) ?? lastLine;
    };
    child.stdout.on('data', remember);
    child.stderr.on('data', remember);
    const ticking = setInterval(() => {
      const seconds = Math.round((systemClock.monotonicMs() - startedAtMs) / 1_000);
      input.reporter.progress(`${input.title}: ${seconds} s  ${lastLine}`);
    }, PROGRESS_EVERY_MS);
    const fail = (why: string): void => {
      clearInterval(ticking);
      resolve({ kind: 'failed', why });
    };
    child.once('error', error => {
      // Of starting a program: no file system was asked for anything.
      const code = String(codeOf(error));
      if (hasCode<SystemCode>(error, 'ENOENT')) fail(`"${input.command}" is not installed`);
      else if (deadline.aborted) fail(`not finished within ${input.timeoutMs / 60_000} minutes`);
      else fail(input.signal?.aborted === true ? 'called off' : `it cannot be started (${code})`);
    });
    child.once('close', (code, signal) => {
      if (code !== 0) fail(lastLine === '' ? `it ended with ${code ?? signal}` : lastLine);
      clearInterval(ticking);
      resolve({ kind: 'done', lastLine });
    });
  });
}

/** Removes what a killed fetch has left behind. Only for the holder of the cache's lock. */
export function removeLeftOvers(cacheFolder: string): void {
  for (const name of readdirSync(cacheFolder)) {
    if (/^\.(fetching|ready)-/.test(name)) {
      rmSync(join(cacheFolder, name), { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

function sdkVersion(): string {
  const manifest: unknown = require('@temporalio/worker/package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}

/** Sent as text, runs in its own process. The SDK downloads to start a server, which is ended at once. */
function downloadProgram(): void {
  const [worker = '', folder = '', version = ''] = process.argv.slice(-3);
  interface EphemeralServers {
    createEphemeralServer(options: object): Promise<object>;
    shutdownEphemeralServer(server: object): Promise<void>;
  }
  const { Runtime } = require(worker) as { Runtime: { instance(): EphemeralServers } };
  const options = {
    type: 'dev-server',
    exe: {
      type: 'cached-download',
      downloadDir: folder,
      version: 'default',
      ttl: 24 * 3_600_000,
      sdkName: 'sdk-typescript',
      sdkVersion: version,
    },
    ip: '127.0.0.1',
    port: null,
    ui: false,
    uiPort: null,
    namespace: 'default',
    dbFilename: null,
    log: { format: 'json', level: 'never' },
    extraArgs: [],
  };
  const runtime = Runtime.instance();
  runtime
    .createEphemeralServer(options)
    .then(server => runtime.shutdownEphemeralServer(server))
    .then(
      () => process.exit(0),
      error => {
        const text = error instanceof Error ? error.message : String(error);
        process.stderr.write(`${text.split(':').slice(0, 2).join(':').slice(0, 200)}\n`, () =>
          process.exit(1),
        );
      },
    );
}
