// `npm run bench`: measures on this machine, against the stand-in, and prints one table. Exit code 1 when a
// figure is missed, or a part could not be measured. `npm run bench -- PART ...` measures only what is named,
// `-- all` every part: counts mean something on a busy machine, too, speeds do not. With `--record FILE` what
// is measured is kept beside what was measured before, and the table of all of it printed; `npm run bench --
// table --record FILE` prints it alone. What `all` finds measured on this build in its record, it leaves out,
// so it can be broken off and gone on with.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Connection } from '@temporalio/client';
import { BUILT_BUNDLE_PATH } from '../../workers/bundle';
import { createLogger } from '../../workers/logging';
import { installRuntime } from '../../workers/runtime-logging';
import { registerSearchAttributes } from '../../workers/temporal/search-attributes';
import { resolveTemporalCli } from '../../workers/temporal/temporal-cli';
import { reportTo } from '../../workers/temporal/terminal-reporter';
import { fingerprintOf } from '../chaos/kill-record';
import { provideCluster } from '../cluster/provide-cluster';
import { findFreePorts } from '../setup/free-port';
import { startTestServer, type TestServer } from '../setup/temporal-server';
import { completeTable, type Figure, isMeasured, isSame, partsOfOthers, renderFigures } from './figures';
import { PARTS, type Part } from './parts';
import { TEMPORAL_METRICS } from './temporal-metrics';

const TABLE = 'table';
const ALL = 'all';
const DIST = join(__dirname, '..', '..');

async function main(): Promise<void> {
  const { positionals: names, values } = parseArgs({
    allowPositionals: true,
    options: { record: { type: 'string' } },
  });
  const build = fingerprintOf(DIST, []);
  let figures: readonly Figure[] = readRecord(values.record);
  const chosen = chooseParts(names, figures, build);
  const kept = names.includes(ALL) ? PARTS.filter(part => !chosen.includes(part)) : [];
  if (kept.length > 0) say(`Measured on this build already: ${kept.map(({ name }) => name).join(', ')}`);
  const needed = new Set(chosen.map(({ needs }) => needs));
  const folder = needed.has('temporal') || needed.has('cluster') ? await prepareRuntime() : '';
  let server = needed.has('temporal') ? await startTemporal(folder) : undefined;
  const failed: string[] = [];
  try {
    for (const { name, needs, run } of chosen) {
      say(`Measuring: ${name} ...`);
      const beganMs = performance.now();
      if (needs === 'alone') {
        await server?.stop();
        server = undefined;
      }
      try {
        const found = needs === 'cluster' ? await onCluster(join(folder, 'cluster'), run) : await run();
        const measured = found.map(figure => ({ part: name, ...figure, build }));
        figures = [
          ...figures.filter(one => one.part !== name && !measured.some(other => isSame(one, other))),
          ...measured,
        ];
      } catch (error) {
        // What the others find is worth having all the same.
        say(describe(error));
        failed.push(name);
      }
      say(`  ${Math.round((performance.now() - beganMs) / 1_000)} s`);
      if (values.record !== undefined)
        writeFileSync(values.record, `${JSON.stringify(figures, undefined, 1)}\n`);
    }
  } finally {
    await server?.stop();
  }
  const isWhole = names.length === 0 || names.includes(ALL) || values.record !== undefined;
  process.stdout.write(`\n${renderFigures(isWhole ? completeTable(figures) : figures)}\n`);
  const others = partsOfOthers(figures, build);
  if (others.length > 0) process.stdout.write(`Measured on another build: ${others.join(', ')}\n`);
  if (failed.length > 0) process.stdout.write(`Ended with an error, see above: ${failed.join(', ')}\n`);
  if (failed.length > 0 || figures.some(({ verdict }) => verdict === 'MISSED')) process.exitCode = 1;
}

function readRecord(file: string | undefined): readonly Figure[] {
  if (file === undefined || !existsSync(file)) return [];
  return JSON.parse(readFileSync(file, 'utf8')) as readonly Figure[];
}

/** @returns the folder for logs and databases. */
async function prepareRuntime(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-bench-'));
  // PostgreSQL runs as another user when we are root; its own folder inside is closed to everybody else.
  chmodSync(folder, 0o711);
  const [metricsPort = 0] = await findFreePorts(1);
  TEMPORAL_METRICS.address = `127.0.0.1:${metricsPort}`;
  installRuntime(createLogger({ level: 'warn', file: join(folder, 'bench.log') }), TEMPORAL_METRICS);
  process.env.DRAWBRIDGE_TEST_BUNDLE = BUILT_BUNDLE_PATH;
  return folder;
}

async function startTemporal(folder: string): Promise<TestServer> {
  const cli = await resolveTemporalCli({ reporter: reportTo(process.stderr) });
  const server = await startTestServer({ cli: cli.path, folder });
  process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS = server.address;
  process.env.DRAWBRIDGE_TEST_TEMPORAL_CLI = cli.path;
  const connection = await Connection.connect({ address: server.address });
  await registerSearchAttributes(connection, 'default');
  await connection.close();
  return server;
}

/**
 * Measures on PostgreSQL and the Temporal server of docker-compose.temporal.yml, which are there for this
 * alone.
 */
async function onCluster(folder: string, run: Part['run']): Promise<readonly Figure[]> {
  const usual = process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS;
  mkdirSync(join(folder, 'logs'), { recursive: true });
  chmodSync(folder, 0o711);
  const { signal } = new AbortController();
  const needs = { environment: process.env, reporter: reportTo(process.stderr), signal };
  const { temporal } = await provideCluster(folder, needs, 2);
  try {
    await temporal.start();
    process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS = temporal.address;
    return await run(temporal);
  } finally {
    if (usual === undefined) delete process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS;
    else process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS = usual;
    await temporal.stop();
  }
}

/** Those that are not too long, unless some are named. */
function chooseParts(names: readonly string[], figures: readonly Figure[], build: string): readonly Part[] {
  const known: readonly string[] = [...PARTS.map(({ name }) => name), ALL, TABLE];
  const unknown = names.filter(name => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`No such measurement: ${unknown.join(', ')}. There is: ${known.join(', ')}`);
  if (names.length === 0) return PARTS.filter(({ isOnlyNamed = false }) => !isOnlyNamed);
  const isAll = names.includes(ALL);
  return PARTS.filter(({ name }) => names.includes(name) || (isAll && !isMeasured(figures, name, build)));
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

main()
  .catch((error: unknown) => {
    say(describe(error));
    process.exitCode = 1;
  })
  // What Temporal's library began does not end by itself where no worker was made.
  .finally(() => process.exit());
