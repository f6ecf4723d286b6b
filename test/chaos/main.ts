// `npm run chaos`: faults of every kind against the built product, judged from the stand-in's log and the
// share. Exit code 1 when anything was found that must never be, or when nothing was tried.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Runtime } from '@temporalio/worker';
import { Command, InvalidArgumentError, Option } from 'commander';
import { BUILT_BUNDLE_PATH } from '../../workers/bundle';
import { createLogger } from '../../workers/logging';
import { installRuntime } from '../../workers/runtime-logging';
import { resolveTemporalCli } from '../../workers/temporal/temporal-cli';
import { reportTo, SILENT_REPORTER } from '../../workers/temporal/terminal-reporter';
import { startTestServer } from '../setup/temporal-server';
import type { ChaosPart, PartOptions, PartReport, PartResult } from './part';
import { runAsProcess } from './part-process';
import { runInTurns } from './part-turns';
import { PARTS } from './parts';
import { lookAgain, runAndLookAgain } from './second-look';
import { tellServerTroubles } from './server-troubles';
import { tellAgain } from './violations-again';

interface MainOptions {
  readonly long?: boolean;
  readonly seed: number;
  readonly only?: string | undefined;
  readonly atOnce: number;
  readonly json?: string;
  readonly record?: string;
  readonly oneByOne?: boolean;
  /** Of the suite that runs this part beside others. */
  readonly temporal?: string;
  /** Another one looks again, once this part has the machine for itself. */
  readonly once?: boolean;
}

const DIST = join(__dirname, '..', '..');
const MOST_SHOWN = 20;
/** Of the cases at one time, a part that runs beside others takes this part: the starts of all are work. */
const SHARE_BESIDE = 2;

const program = new Command('chaos')
  .description('Faults of every kind against the built product; the judge reads the service and the share.')
  .argument('[parts...]', `which parts; all by default (${PARTS.map(({ name }) => name).join(', ')})`)
  .option('--long', 'the long form, hours; without it the short one, minutes')
  .option('--seed <number>', 'the same seed asks for the same faults', toNumber, 1)
  .option('--only <text>', 'only cases whose name contains this')
  .option('--at-once <cases>', 'cases that run at one time', toNumber, 4 * availableParallelism())
  .option('--json <file>', 'write the results to this file as well')
  .option('--record <folder>', 'kill cases: note there what ended; broken off, go on with what is left')
  .option('--one-by-one', 'no part beside another; the long form never does otherwise')
  .addOption(new Option('--temporal <address>').hideHelp())
  .addOption(new Option('--once').hideHelp())
  .addHelpText(
    'after',
    `\nParts:\n${PARTS.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join('\n')}`,
  )
  .action(runParts);

async function runParts(names: readonly string[], options: MainOptions): Promise<void> {
  const unknown = names.filter(name => !PARTS.some(part => part.name === name));
  if (unknown.length > 0) throw new Error(`There is no part ${unknown.join(', ')}; see --help.`);
  const chosen = PARTS.filter(({ name }) => names.length === 0 || names.includes(name));
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-chaos-'));
  installRuntime(createLogger({ level: 'warn', file: join(folder, 'chaos.log') }));
  const reporter = options.temporal === undefined ? reportTo(process.stderr) : SILENT_REPORTER;
  const cli = await resolveTemporalCli({ reporter });
  const server =
    options.temporal === undefined ? await startTestServer({ cli: cli.path, folder }) : undefined;
  const address = options.temporal ?? server?.address ?? '';
  process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS = address;
  process.env.DRAWBRIDGE_TEST_TEMPORAL_CLI = cli.path;
  process.env.DRAWBRIDGE_TEST_BUNDLE = BUILT_BUNDLE_PATH;
  const isBeside = chosen.length > 1 && options.long !== true && options.oneByOne !== true;
  const reports: PartReport[] = [];
  const troubles: string[] = [];
  try {
    if (isBeside) {
      reports.push(
        ...(await runBesideEachOther(chosen, options, toPartOptions(options, cli.path, address), folder)),
      );
    } else {
      for (const part of chosen)
        reports.push(await report(part, options, toPartOptions(options, cli.path, address)));
    }
  } finally {
    if (server !== undefined) troubles.push(...tellServerTroubles(server.logFile));
    await server?.stop();
    // Its thread would keep the process alive when no part has used it.
    await Runtime.instance().shutdown();
    rmSync(folder, { recursive: true, force: true });
  }
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(reports, null, 2)}\n`);
  if (reports.some(({ cases, violations }) => cases === 0 || violations.length > 0)) process.exitCode = 1;
  if (options.temporal !== undefined) return;
  const violations = reports.reduce((sum, { violations: found }) => sum + found.length, 0);
  const cases = reports.reduce((sum, part) => sum + part.cases, 0);
  const told = [...troubles, ...tellAgain(reports)].map(line => `${line}\n`);
  process.stdout.write(`\n${told.join('')}${cases} cases, ${violations} violations\n`);
}

function toPartOptions(options: MainOptions, temporalCli: string, temporalAddress: string): PartOptions {
  return {
    form: options.long === true ? 'long' : 'short',
    seed: options.seed,
    dist: DIST,
    only: options.only,
    record: options.record,
    temporalAddress,
    temporalCli,
    atOnce: options.atOnce,
    say,
  };
}

/** What was late beside others is looked at again when all of them have ended. */
async function runBesideEachOther(
  chosen: readonly ChaosPart[],
  options: MainOptions,
  partOptions: PartOptions,
  folder: string,
): Promise<readonly PartReport[]> {
  const run = (part: ChaosPart, only = options.only) =>
    runBeside(part, { ...options, only }, folder, partOptions.temporalAddress);
  const first = await runInTurns(chosen, async part => ({ part, found: await run(part) }));
  const reports: PartReport[] = [];
  for (const { part, found } of first) {
    const seen = await lookAgain(found, part, partOptions, (again, { only }) => run(again, only));
    reports.push({ ...found, ...seen });
  }
  return reports;
}

async function runBeside(
  { name }: ChaosPart,
  { seed, only, record, atOnce }: MainOptions,
  folder: string,
  temporal: string,
): Promise<PartReport> {
  const mine = Math.ceil(atOnce / SHARE_BESIDE);
  const told = ['--once', '--temporal', temporal, '--seed', String(seed), '--at-once', String(mine)];
  return await runAsProcess({
    part: name,
    arguments: [
      ...told,
      ...(only === undefined ? [] : ['--only', only]),
      ...(record === undefined ? [] : ['--record', record]),
    ],
    program: __filename,
    folder,
    say,
  });
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function report(part: ChaosPart, { once }: MainOptions, options: PartOptions): Promise<PartReport> {
  say(`\n=== ${part.name}: ${part.about}`);
  const began = performance.now();
  const result = once === true ? await runPart(part, options) : await runAndLookAgain(part, options, runPart);
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
  // Node 20, left to end by itself after hundreds of child processes, can turn for ever
  // while it takes its handles down.
  .finally(() => process.exit());
