// `npm run cluster`: the parts of docker-compose.temporal.yml without Docker, 20 batches
// through them, and three kills.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { listenForEnding } from '../../client/session/ending';
import { toTable } from '../../client/session/terminal-text';
import { type Reporter, reportTo } from '../../workers/temporal/terminal-reporter';
import { DEFAULT_CREDENTIALS } from '../sandbox/defaults';
import { DrawbridgeParts, STAND_IN_PORTS } from './drawbridge-parts';
import { Drill, type DrillResult, type Moment, untilWatched } from './drill';
import { provideCluster } from './provide-cluster';
import type { SupervisedProcess } from './supervised-process';
import type { TemporalCluster } from './temporal-cluster';
import { type Check, judgeCluster } from './verdict';

const DIST = resolve(__dirname, '..', '..');
const KILLS = 3;

interface Flags {
  readonly batches: number;
  readonly files: number;
  readonly workers: number;
  readonly away: number;
  readonly stay?: true;
  readonly keep?: true;
  readonly dataDir?: string;
}

interface Cluster {
  readonly folder: string;
  readonly share: string;
  readonly temporal: TemporalCluster;
  readonly parts: DrawbridgeParts;
}

async function main(): Promise<void> {
  const flags = parseFlags();
  const ending = listenForEnding();
  const reporter = reportTo(process.stderr);
  const folder = makeFolder(flags);
  let cluster: Cluster | undefined;
  try {
    cluster = await assemble(flags, folder, reporter, ending.signal);
    await startCluster(cluster, reporter);
    if (flags.stay === true) await stay(cluster, ending.signal);
    else process.exitCode = (await runDrill(cluster, flags, ending.signal)) ? 0 : 1;
  } catch (error: unknown) {
    if (!ending.signal.aborted) throw error;
    reporter.say('Ending ...');
    process.exitCode = flags.stay === true ? 0 : 130;
  } finally {
    await cluster?.parts.stop();
    await cluster?.temporal.stop();
    if (flags.keep === true || flags.dataDir !== undefined) reporter.say(`Kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    ending.dispose();
  }
}

function parseFlags(): Flags {
  return new Command('cluster')
    .description(
      'Temporal with PostgreSQL, three workers and a watcher as processes; batches go through while parts are killed.',
    )
    .option('--batches <count>', 'batches that go through', toCount, 20)
    .option('--files <count>', 'files of a batch, at most 99', toCount, 10)
    .option('--workers <count>', 'workers', toCount, 3)
    .option('--away <seconds>', 'how long Temporal and its database stay away', toCount, 5)
    .option('--stay', 'drop and kill nothing; stay until Ctrl-C, for a look')
    .option('--keep', 'keep the folder with share, logs and databases')
    .option('--data-dir <folder>', 'use this new folder, and keep it')
    .parse()
    .opts<Flags>();
}

function makeFolder(flags: Flags): string {
  const folder = resolve(flags.dataDir ?? mkdtempSync(join(tmpdir(), 'drawbridge-cluster-')));
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty; the cluster begins anew.`);
  mkdirSync(join(folder, 'logs'));
  // PostgreSQL runs as another user when we are root; its own folder inside is closed to everybody else.
  chmodSync(folder, 0o711);
  return folder;
}

async function assemble(
  flags: Flags,
  folder: string,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<Cluster> {
  const needs = { environment: process.env, reporter, signal };
  const { temporal, compose, ports } = await provideCluster(folder, needs, STAND_IN_PORTS);
  const share = join(folder, 'share');
  const logs = join(folder, 'logs');
  const parts = new DrawbridgeParts({
    compose,
    dist: DIST,
    folder,
    logs,
    share,
    temporalAddress: temporal.address,
    ports,
    workers: flags.workers,
    filesPerBatch: flags.files,
  });
  return { folder, share, temporal, parts };
}

async function startCluster({ temporal, parts, folder }: Cluster, reporter: Reporter): Promise<void> {
  reporter.say(`Starting in ${folder}`);
  await temporal.start();
  reporter.say(`Temporal answers at ${temporal.address}`);
  await parts.start();
  reporter.say(`Running: the stand-in, ${parts.workers.map(({ name }) => name).join(', ')}, watcher`);
}

async function stay({ temporal, parts, share, folder }: Cluster, signal: AbortSignal): Promise<void> {
  await untilWatched(share, signal);
  const rows = [
    ['Drop files here', join(share, 'drop')],
    ['Temporal', `${temporal.address} (TEMPORAL_ADDRESS=${temporal.address} npm run drawbridge -- status)`],
    ['Temporal UI', 'none: the server has none by itself; the compose file has'],
    ['Stand-in control', parts.controlUrl],
    ['Logs', join(folder, 'logs')],
    ...[...parts.workers, parts.watcher, temporal.server, temporal.postgresql.process].map(part => [
      part.name,
      `process ${part.pid}`,
    ]),
  ];
  process.stdout.write(`${toTable(rows)}\nCtrl-C ends all of it.\n`);
  await new Promise<void>(resolvePromise => {
    signal.addEventListener('abort', () => resolvePromise(), { once: true });
  });
}

async function runDrill(cluster: Cluster, flags: Flags, signal: AbortSignal): Promise<boolean> {
  const { temporal, parts, share } = cluster;
  process.stdout.write('\n    TIME  FINISHED  OPEN  WHAT\n');
  const drill = new Drill({
    temporal,
    parts,
    share,
    batches: flags.batches,
    filesPerBatch: flags.files,
    awayMs: flags.away * 1_000,
    signal,
    say: moment => process.stdout.write(`${describeMoment(moment)}\n`),
  });
  const result = await drill.run();
  // It may be run again at any time, also by a cluster that is full of work.
  for (const service of ['temporal-schema', 'temporal-namespace'] as const) await temporal.setUp(service);
  const { checks, violations } = await judgeCluster({
    temporalAddress: temporal.address,
    control: parts.control,
    share,
    dropped: result.dropped,
    batches: flags.batches,
  });
  const all = [...checks, ...checksOfProcesses(cluster, result)];
  const rows = all.map(({ what, found, isGood }) => [toMark(isGood), what, found]);
  process.stdout.write(`\n${toTable([['', 'CHECK', 'FOUND'], ...rows])}\n`);
  for (const line of violations) process.stdout.write(`VIOLATION ${line}\n`);
  const failed = all.filter(({ isGood }) => isGood === false).length;
  const passed = all.filter(({ isGood }) => isGood === true).length;
  process.stdout.write(`\n${passed} passed, ${failed} failed, ${result.seconds} s\n`);
  return failed === 0;
}

function toMark(isGood: boolean | undefined): string {
  if (isGood === undefined) return '';
  return isGood ? 'ok' : 'FAIL';
}

function checksOfProcesses({ parts, temporal }: Cluster, { killsInTheMiddle }: DrillResult): Check[] {
  const product = [...parts.workers, parts.watcher];
  const restarts = product.reduce((sum, part) => sum + part.restarts, 0);
  return [
    {
      what: 'kills that struck while batches were under way',
      found: `${killsInTheMiddle} of ${KILLS}`,
      isGood: killsInTheMiddle === KILLS,
    },
    {
      what: 'workers and watcher that ended by themselves',
      found: `${restarts}`,
      isGood: restarts === 0,
    },
    {
      what: 'batches called stopped by the watcher',
      found: `${linesWith([parts.watcher], '"event":"batch-stopped"')}`,
      isGood: linesWith([parts.watcher], '"event":"batch-stopped"') === 0,
    },
    {
      what: 'lines of their logs with the client secret',
      found: `${linesWith(product, DEFAULT_CREDENTIALS.clientSecret)}`,
      isGood: linesWith(product, DEFAULT_CREDENTIALS.clientSecret) === 0,
    },
    {
      what: 'times the Temporal server ended by itself',
      found: `${temporal.server.restarts}`,
      isGood: undefined,
    },
  ];
}

function linesWith(parts: readonly SupervisedProcess[], text: string): number {
  const lines = parts.flatMap(({ logFile }) => readFileSync(logFile, 'utf8').split('\n'));
  return lines.filter(line => line.includes(text)).length;
}

function describeMoment({ atMs, what, finished, open, note }: Moment): string {
  const seconds = `${(atMs / 1_000).toFixed(1)} s`;
  const more = note === '' ? '' : ` (${note})`;
  return `${seconds.padStart(8)}  ${String(finished).padStart(8)}  ${String(open).padStart(4)}  ${what}${more}`;
}

function toCount(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 99) {
    throw new InvalidArgumentError('a whole number from 1 to 99');
  }
  return value;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
