// `npm run bench`: measures on this machine, against the stand-in, and prints one table. Exit code 1 when a
// figure is missed. `npm run bench -- batches` measures only what is named (transfer, batches, memory, drop):
// counts mean something on a busy machine, too, speeds do not.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { BUILT_BUNDLE_PATH } from '../../workers/bundle';
import { createLogger } from '../../workers/logging';
import { installRuntime } from '../../workers/runtime-logging';
import { startEmbeddedTemporal } from '../../workers/temporal/embedded-temporal';
import { registerSearchAttributes } from '../../workers/temporal/search-attributes';
import { resolveTemporalCli } from '../../workers/temporal/temporal-cli';
import { reportTo } from '../../workers/temporal/terminal-reporter';
import { findFreePorts } from '../setup/free-port';
import { benchBatches } from './batch-bench';
import { atLeast, atMost, type Figure, renderFigures } from './figures';
import { benchMemory } from './memory-bench';
import { benchTransfer } from './transfer-bench';
import { benchWatcher } from './watcher-bench';

async function main(): Promise<void> {
  const reporter = reportTo(process.stderr);
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-bench-'));
  const cli = await resolveTemporalCli({ reporter });
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
  try {
    const connection = await Connection.connect({ address: server.address });
    await registerSearchAttributes(connection, 'default');
    await connection.close();
    const figures: Figure[] = [];
    for (const [name, bench] of chooseBenches(process.argv.slice(2))) {
      process.stderr.write(`Measuring: ${name} ...\n`);
      figures.push(...(await bench()));
    }
    process.stdout.write(`\n${renderFigures(figures)}\n`);
    if (figures.some(({ isReached }) => !isReached)) process.exitCode = 1;
  } finally {
    await server.stop();
  }
}

const BENCHES = [
  ['transfer', benchSpeed],
  ['batches', benchBatches],
  ['memory', benchMemory],
  ['drop', benchDrop],
] as const;

/** All, unless some are named. */
function chooseBenches(names: readonly string[]) {
  const known: readonly string[] = BENCHES.map(([name]) => name);
  const unknown = names.filter(name => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`No such measurement: ${unknown.join(', ')}. There is: ${known.join(', ')}`);
  return BENCHES.filter(([name]) => names.length === 0 || names.includes(name));
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

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
