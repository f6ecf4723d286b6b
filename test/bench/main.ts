// `npm run bench`: measures on this machine, against the stand-in, and prints one table. Exit code 1 when a
// figure is missed. `npm run bench -- batches` measures only what is named (transfer, batches, memory, drop,
// page, uploads, ledger, beside): counts mean something on a busy machine, too, speeds do not. `page-short` is
// the page with 200 jobs.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { BUILT_BUNDLE_PATH } from '../../workers/bundle';
import { createLogger } from '../../workers/logging';
import { installRuntime } from '../../workers/runtime-logging';
import { type EmbeddedTemporal, startEmbeddedTemporal } from '../../workers/temporal/embedded-temporal';
import { registerSearchAttributes } from '../../workers/temporal/search-attributes';
import { resolveTemporalCli } from '../../workers/temporal/temporal-cli';
import { reportTo } from '../../workers/temporal/terminal-reporter';
import { findFreePorts } from '../setup/free-port';
import { benchBatches } from './batch-bench';
import { benchBeside } from './beside-bench';
import { atLeast, atMost, type Figure, renderFigures } from './figures';
import { benchLedger } from './ledger-bench';
import { benchMemory } from './memory-bench';
import { benchPage } from './page/page-bench';
import { benchTransfer } from './transfer-bench';
import { benchUploads } from './upload-bench';
import { benchWatcher } from './watcher-bench';

async function main(): Promise<void> {
  const chosen = chooseBenches(process.argv.slice(2));
  const server = chosen.some(([, , needs]) => needs === 'temporal') ? await startTemporal() : undefined;
  try {
    const figures: Figure[] = [];
    for (const [name, bench] of chosen) {
      process.stderr.write(`Measuring: ${name} ...\n`);
      figures.push(...(await bench()));
    }
    process.stdout.write(`\n${renderFigures(figures)}\n`);
    if (figures.some(({ isReached }) => !isReached)) process.exitCode = 1;
  } finally {
    await server?.stop();
  }
}

async function startTemporal(): Promise<EmbeddedTemporal> {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-bench-'));
  const cli = await resolveTemporalCli({ reporter: reportTo(process.stderr) });
  const [port = 0] = await findFreePorts(1);
  installRuntime(createLogger({ level: 'warn', file: join(folder, 'bench.log') }));
  const server = await startEmbeddedTemporal({
    cli: cli.path,
    port,
    logFile: join(folder, 'temporal.log'),
    logLevel: 'warn',
  });
  process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS = server.address;
  process.env.DRAWBRIDGE_TEST_BUNDLE = BUILT_BUNDLE_PATH;
  const connection = await Connection.connect({ address: server.address });
  await registerSearchAttributes(connection, 'default');
  await connection.close();
  return server;
}

/** What each needs besides this machine. */
const BENCHES = [
  ['transfer', benchSpeed, 'nothing'],
  ['batches', benchBatches, 'temporal'],
  ['memory', benchMemory, 'temporal'],
  ['drop', benchDrop, 'temporal'],
  ['page', () => benchPage({ jobs: 10_000, turns: 100 }), 'temporal'],
  ['page-short', () => benchPage({ jobs: 200, turns: 20 }), 'temporal'],
  ['uploads', benchUploads, 'nothing'],
  ['ledger', benchLedger, 'nothing'],
  ['beside', benchBeside, 'temporal'],
] as const;
/** Part of another one: measured when it is named. */
const ONLY_NAMED: readonly string[] = ['page-short'];

/** All, unless some are named. */
function chooseBenches(names: readonly string[]) {
  const known: readonly string[] = BENCHES.map(([name]) => name);
  const unknown = names.filter(name => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`No such measurement: ${unknown.join(', ')}. There is: ${known.join(', ')}`);
  return BENCHES.filter(([name]) => (names.length === 0 ? !ONLY_NAMED.includes(name) : names.includes(name)));
}

async function benchDrop(): Promise<Figure[]> {
  const { files, firstClaimMs, claimsPerSecond, peakRssMiB } = await benchWatcher();
  return [
    atMost(`first claim of a drop of ${files} files`, firstClaimMs / 1_000, 5, ' s', 1),
    atLeast('claims a second', claimsPerSecond, 1_000, '', 0),
    atMost('peak memory of the watcher', peakRssMiB, 200, ' MiB', 0),
  ];
}

async function benchSpeed(): Promise<Figure[]> {
  const figures = await benchTransfer();
  return [
    atLeast('11 x 100 MiB with SHA-256, speed over `openssl; curl -Z`', figures.ratio, 1),
    atLeast('the same, MiB a second (for information)', figures.engineMebibytesPerSecond, 0, ' MiB/s', 0),
    {
      what: 'event loop p99 while sending (for information)',
      measured: `${figures.eventLoopP99Ms.toFixed(1)} ms`,
      reach: '<= 15 ms',
      isReached: true,
    },
  ];
}

main()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  })
  // What Temporal's library began does not end by itself where no worker was made.
  .finally(() => process.exit());
