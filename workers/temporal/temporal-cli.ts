// Finds a Temporal CLI: named, on PATH, cached, downloaded, or built. Says which
// one it took, and why not another.

import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../activities/host/error-code';
import { type HeldLock, waitForLock } from '../../activities/host/process-lock';
import {
  buildTemporalCli,
  CLI_MODULE_VERSION,
  downloadTemporalCli,
  type FetchInput,
  OUTDATED_FOLDER,
  removeLeftOvers,
} from './temporal-cli-fetch';
import { probeTemporalCli } from './temporal-cli-probe';
import { type Reporter, SILENT_REPORTER } from './terminal-reporter';

const PROGRAM = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

export type TemporalCliOrigin = 'TEMPORAL_CLI' | 'PATH' | 'cache' | 'download' | 'build';

export interface TemporalCli {
  readonly path: string;
  readonly origin: TemporalCliOrigin;
  readonly cliVersion: string;
  readonly serverVersion: string;
}

export interface ResolveTemporalCliInput {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly reporter?: Reporter;
  readonly signal?: AbortSignal;
}

/** No Temporal CLI could be had; the message says what was tried and what to install. */
class NoTemporalCliError extends Error {
  readonly code = 'NO_TEMPORAL_CLI';

  constructor(tried: readonly string[]) {
    super(
      [
        'No Temporal server can be started, for there is no Temporal CLI. Tried:',
        ...tried.map(line => `  - ${line}`),
        'Do one of these:',
        '  - install the Temporal CLI (https://docs.temporal.io/cli) so that "temporal" is on PATH, or set TEMPORAL_CLI to it;',
        `  - install Go 1.25 or newer (https://go.dev/dl), with which version ${CLI_MODULE_VERSION} is built here;`,
        '  - use a Temporal server that runs elsewhere: set TEMPORAL_ADDRESS.',
      ].join('\n'),
    );
    this.name = 'NoTemporalCliError';
  }
}

/**
 * The first usable CLI, in the order named, on PATH, cached, downloaded, built. Throws NoTemporalCliError, or
 * the signal's reason where its fetching was called off.
 */
export async function resolveTemporalCli(input: ResolveTemporalCliInput = {}): Promise<TemporalCli> {
  const environment = input.environment ?? process.env;
  const reporter = input.reporter ?? SILENT_REPORTER;
  const tried: string[] = [];
  const take = (path: string, origin: TemporalCliOrigin) =>
    tryCandidate({ path, origin, environment, reporter, tried });

  const named = environment.TEMPORAL_CLI ?? '';
  const found =
    (named === '' ? undefined : await take(named, 'TEMPORAL_CLI')) ??
    (await firstOf(findOnPath(environment), path => take(path, 'PATH')));
  if (found !== undefined) return found;
  if (named === '') tried.push('TEMPORAL_CLI is not set');
  if (!tried.some(line => line.startsWith('PATH'))) tried.push('PATH has no "temporal"');

  const cacheFolder = temporalCacheFolder(environment);
  mkdirSync(cacheFolder, { recursive: true });
  const fromCache = () => firstOf(listCached(cacheFolder), path => take(path, 'cache'));
  const cached = await fromCache();
  if (cached !== undefined) return cached;
  tried.push(`the cache (${cacheFolder}) has none`);

  const lock = await lockCache(cacheFolder, reporter, input.signal);
  try {
    removeLeftOvers(cacheFolder);
    // Another process may have finished while we waited.
    const meanwhile = await fromCache();
    if (meanwhile !== undefined) return meanwhile;
    const fetching: FetchInput = { cacheFolder, environment, reporter, signal: input.signal };
    // What the SDK downloads it runs at once, and nobody has compared it by then.
    const mayDownload = (environment.TEMPORAL_CLI_SHA256 ?? '') === '';
    if (!mayDownload) {
      const why = 'nothing is downloaded, for the SDK would run it before its checksum can be compared';
      tried.push(why);
      reporter.say(`Temporal CLI: ${why}`);
    }
    for (const [origin, fetch] of [
      ...(mayDownload ? [['download', downloadTemporalCli] as const] : []),
      ['build', buildTemporalCli] as const,
    ]) {
      const outcome = await fetch(fetching);
      if (outcome.kind === 'failed') {
        input.signal?.throwIfAborted();
        tried.push(`${origin}: ${outcome.why}`);
        reporter.say(`Temporal CLI: ${origin} did not work: ${outcome.why}`);
        continue;
      }
      const taken = await take(outcome.path, origin);
      if (taken !== undefined) return taken;
    }
    const outdated = await firstOf(listOutdated(cacheFolder), path => take(path, 'cache'));
    if (outdated !== undefined) return outdated;
  } finally {
    await lock.release();
  }
  throw new NoTemporalCliError(tried);
}

/** Outside of the repository, shared by all checkouts of one user. */
export function temporalCacheFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const base = environment.XDG_CACHE_HOME ?? '';
  return join(isAbsolute(base) ? base : join(homedir(), '.cache'), 'drawbridge');
}

interface Candidate {
  readonly path: string;
  readonly origin: TemporalCliOrigin;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly reporter: Reporter;
  readonly tried: string[];
}

async function tryCandidate(candidate: Candidate): Promise<TemporalCli | undefined> {
  const { path, origin, environment, reporter, tried } = candidate;
  // Its checksum is compared before it is run for the first time: what was fetched may be anybody's.
  const stranger = await findStranger(path, environment.TEMPORAL_CLI_SHA256 ?? '');
  const outcome = stranger ?? (await probeTemporalCli(path, environment));
  if (outcome.kind === 'unusable') {
    const line = `${origin}: ${path}: ${outcome.why}`;
    tried.push(line);
    reporter.say(`Temporal CLI: ${line}`);
    return undefined;
  }
  const { cliVersion, serverVersion } = outcome;
  reporter.say(
    `Temporal CLI: ${path} (${describeOrigin(origin)}), version ${cliVersion}, server ${serverVersion}`,
  );
  return { path, origin, cliVersion, serverVersion };
}

/** Why this is not the program that has the expected SHA-256; undefined if it is, or none is expected. */
async function findStranger(
  path: string,
  expected: string,
): Promise<{ readonly kind: 'unusable'; readonly why: string } | undefined> {
  if (expected === '') return undefined;
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    return { kind: 'unusable', why: `it cannot be read (${String(codeOf(error))})` };
  }
  const found = hash.digest('hex');
  if (found === expected.trim().toLowerCase()) return undefined;
  return { kind: 'unusable', why: `its SHA-256 is ${found}, and TEMPORAL_CLI_SHA256 names another` };
}

function describeOrigin(origin: TemporalCliOrigin): string {
  const words: Record<TemporalCliOrigin, string> = {
    TEMPORAL_CLI: 'named by TEMPORAL_CLI',
    PATH: 'found on PATH',
    cache: 'from the cache',
    download: 'downloaded now',
    build: 'built now',
  };
  return words[origin];
}

function findOnPath(environment: Readonly<Record<string, string | undefined>>): string[] {
  const folders = (environment.PATH ?? '').split(delimiter).filter(folder => isAbsolute(folder));
  return [...new Set(folders)].flatMap(folder => {
    try {
      return readdirSync(folder).includes(PROGRAM) ? [join(folder, PROGRAM)] : [];
    } catch {
      return [];
    }
  });
}

function listCached(cacheFolder: string): string[] {
  const folders = readdirSync(cacheFolder).filter(
    name => name.startsWith('temporal-') && name !== OUTDATED_FOLDER,
  );
  return folders
    .sort((left, right) => right.localeCompare(left, 'en', { numeric: true }))
    .map(name => join(cacheFolder, name, PROGRAM));
}

/** Better than none, where neither a download nor a build works. */
function listOutdated(cacheFolder: string): string[] {
  const program = join(cacheFolder, OUTDATED_FOLDER, PROGRAM);
  return existsSync(program) ? [program] : [];
}

async function firstOf<T>(
  paths: readonly string[],
  take: (path: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const path of paths) {
    const taken = await take(path);
    if (taken !== undefined) return taken;
  }
  return undefined;
}

async function lockCache(
  cacheFolder: string,
  reporter: Reporter,
  signal: AbortSignal | undefined,
): Promise<HeldLock> {
  const onWait = (owner: string) => reporter.say(`Temporal CLI: ${owner} is fetching one; waiting for it`);
  return await waitForLock(join(cacheFolder, 'fetch-lock'), { signal, onWait });
}
