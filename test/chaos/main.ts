// `npm run chaos`: faults of every kind against the built product, judged from the stand-in's log and the share.
// Exit code 1 when anything was found that must never be, or when nothing was tried.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Runtime } from '@temporalio/worker';
import { Command, InvalidArgumentError } from 'commander';
import { BUILT_BUNDLE_PATH } from '../../workers/bundle';
import { startEmbeddedTemporal } from '../../workers/embedded-temporal';
import { createLogger } from '../../workers/logging';
import { installRuntime } from '../../workers/runtime-logging';
import { resolveTemporalCli } from '../../workers/temporal-cli';
import { reportTo } from '../../workers/terminal-reporter';
import { findFreePorts } from '../setup/free-port';
import type { ChaosPart, PartOptions, PartResult } from './part';
import { PARTS } from './parts';
import { runAndLookAgain } from './second-look';
import { tellAgain } from './violations-again';

interface MainOptions {
  readonly long?: boolean;
  readonly seed: number;
  readonly only?: string;
  readonly atOnce: number;
  readonly json?: string;
}

interface PartReport extends PartResult {
  readonly part: string;
  readonly seconds: number;
}

const DIST = join(__dirname, '..', '..');
const MOST_SHOWN = 20;

const program = new Command('chaos')
  .description('Faults of every kind against the built product; the judge reads the service and the share.')
  .argument('[parts...]', `which parts; all by default (${PARTS.map(({ name }) => name).join(', ')})`)
  .option('--long', 'the long form, hours; without it the short one, minutes')
  .option('--seed <number>', 'the same seed asks for the same faults', toNumber, 1)
  .option('--only <text>', 'only cases whose name contains this')
  .option('--at-once <cases>', 'cases that run at one time', toNumber, 4 * availableParallelism())
  .option('--json <file>', 'write the results to this file as well')
  .addHelpText(
    'after',
    `\nParts:\n${PARTS.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join('\n')}`,
  )
  .action(runParts);

async function runParts(names: readonly string[], options: MainOptions): Promise<void> {
  const unknown = names.filter(name => !PARTS.some(part => part.name === name));
  if (unknown.length > 0) throw new Error(`There is no part ${unknown.join(', ')}; see --help.`);
  const chosen = PARTS.filter(({ name }) => names.length === 0 || names.includes(name));
  const reporter = reportTo(process.stderr);
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-chaos-'));
  const cli = await resolveTemporalCli({ reporter });
  const [port = 0] = await findFreePorts(1);
  installRuntime(createLogger({ level: 'warn', file: join(folder, 'chaos.log') }));
  const server = await startEmbeddedTemporal({
    cli: cli.path,
    port,
    logFile: join(folder, 'temporal.log'),
    logLevel: 'warn',
  });
  process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS = server.address;
  process.env.DRAWBRIDGE_TEST_TEMPORAL_CLI = cli.path;
  process.env.DRAWBRIDGE_TEST_BUNDLE = BUILT_BUNDLE_PATH;
  const reports: PartReport[] = [];
  try {
    for (const part of chosen) {
      process.stderr.write(`\n=== ${part.name}: ${part.about}\n`);
      reports.push(
        await report(part, {
          form: options.long === true ? 'long' : 'short',
          seed: options.seed,
          dist: DIST,
          only: options.only,
          temporalAddress: server.address,
          temporalCli: cli.path,
          atOnce: options.atOnce,
          say: line => process.stderr.write(`${line}\n`),
        }),
      );
    }
  } finally {
    await server.stop();
    // Its thread would keep the process alive when no part has used it.
    await Runtime.instance().shutdown();
    rmSync(folder, { recursive: true, force: true });
  }
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(reports, null, 2)}\n`);
  const violations = reports.reduce((sum, { violations: found }) => sum + found.length, 0);
  const cases = reports.reduce((sum, part) => sum + part.cases, 0);
  const told = tellAgain(reports).map(line => `${line}\n`);
  process.stdout.write(`\n${told.join('')}${cases} cases, ${violations} violations\n`);
  if (violations > 0 || reports.some(part => part.cases === 0)) process.exitCode = 1;
}

async function report(part: ChaosPart, options: PartOptions): Promise<PartReport> {
  const began = performance.now();
  const result = await runAndLookAgain(part, options, runPart);
  const seconds = Math.round((performance.now() - began) / 1_000);
  const { cases, violations, figures, tables } = result;
  const lines = [
    `${part.name}: ${cases} cases, ${violations.length} violations, ${seconds} s`,
    ...Object.entries(figures).map(([name, value]) => `  ${name}: ${value}`),
    ...violations
      .slice(0, MOST_SHOWN)
      .map(found => `  VIOLATION ${found.invariant} [${found.case}]: ${found.what}`),
    ...(tables ?? []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return { part: part.name, seconds, ...result };
}

/** A part that cannot be run is a violation like any other: silence proves nothing. */
async function runPart(part: ChaosPart, options: PartOptions): Promise<PartResult> {
  try {
    return await part.run(options);
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { cases: 0, violations: [{ invariant: 'the part runs', case: part.name, what }], figures: {} };
  }
}

function toNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1 on');
  return value;
}

program
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  })
  // Node 20, left to end by itself after hundreds of child processes, can turn for ever while it takes its handles down.
  .finally(() => process.exit());
