#!/usr/bin/env node
// The command line.
import { hasCode } from '../activities/host/error-code';
import type { SystemCode } from '../activities/host/file-trouble';
import '../workers/process-limits';

import * as modules from 'node:module';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';

import { toPrintable } from '../workers/temporal/terminal-reporter';
import { COMMANDS } from './command-list';
import { EXIT_CODES, exitCodeOf } from './session/cli-error';
import type { GlobalOptions } from './session/command-config';

const EXIT_CODE_HELP = `
Exit codes: 0 done; 1 failed; 2 wrong usage or configuration; 3 another run has this data;
4 done, but documents are set apart or something waits for a person; 5 no Temporal server; 130 ended at once.
Every setting can also be given in the environment, for example DRAWBRIDGE_SERVICE__BASE_URL.`;

/**
 * The command line, ready to parse. `command` is how it is called here, for hints. Only commands that `args`
 * names are loaded; of the others, the program knows name, description and arguments.
 */
export function createProgram(args: readonly string[], command: string): Command {
  const program = new Command('drawbridge')
    .description('Carries documents from a shared folder into a construction document-management service.')
    .option('--config <file>', 'configuration (default: DRAWBRIDGE_CONFIG, then drawbridge.json)')
    .option('--data-dir <folder>', 'where state lives (default: drawbridge-data)')
    .option('--service <address>', 'address of the service instead of the configured one')
    .option('--auth <address>', 'its authentication address')
    .option('--client-id <id>', 'its client id; the secret comes from DRAWBRIDGE_CLIENT_SECRET')
    .option('--verbose', 'show stacks of errors')
    .addHelpText('after', EXIT_CODE_HELP)
    // The options of a command that is not loaded are not known: none are hinted at.
    .configureHelp({ subcommandTerm: one => `${one.name()} ${one.usage()}`.replace(' [options]', '') })
    .showSuggestionAfterError()
    .exitOverride();
  const globals = (): GlobalOptions => program.opts();
  for (const { name, description, takes = {}, load } of COMMANDS) {
    const declared = program.command(name).description(description);
    for (const [argument, meaning] of Object.entries(takes)) declared.argument(argument, meaning);
    if (args.includes(name)) load()(declared, globals, command);
  }
  // A command must not end the process where things still have to be stopped.
  for (const each of program.commands) {
    each.exitOverride();
    for (const inner of each.commands) inner.exitOverride();
  }
  return program;
}

/** Parses and runs; returns the exit code for the process. */
export async function main(args: readonly string[], command: string): Promise<number> {
  const program = createProgram(args, command);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return Number(process.exitCode ?? EXIT_CODES.done);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
    const isVerbose = program.opts<GlobalOptions>().verbose === true;
    process.stderr.write(`${toPrintable(describe(error, isVerbose))}\n`);
    return exitCodeOf(error);
  }
}

function describe(error: unknown, isVerbose: boolean): string {
  if (!(error instanceof Error)) return String(error);
  if (isVerbose) return error.stack ?? error.message;
  const isExpected = 'code' in error;
  return isExpected ? error.message : `${error.name}: ${error.message} (--verbose shows more)`;
}

/**
 * Ends the process quietly when the reader of our output has gone (`| head`, `| true`): that is no error.
 * Other errors of the stream are thrown.
 */
export function endWithReader(
  stream: Pick<NodeJS.WriteStream, 'on' | 'listenerCount'>,
  end: () => void = () => process.exit(),
): void {
  stream.on('error', error => {
    // A long-running command listens for errors itself, and goes on without its output.
    const isAlone = stream.listenerCount('error') === 1;
    if (isAlone && !hasCode<SystemCode>(error, 'EPIPE')) throw error;
    if (isAlone) end();
  });
}

/** For a process that is one command and nothing else. */
export function prepareProcess(): void {
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  // From Node 22 on: compiled code is kept and read again. It lies beside the programs: whoever could forge
  // it there could change the programs as well. Where we may not write, nothing is kept.
  (modules as { enableCompileCache?: (folder: string) => unknown }).enableCompileCache?.(
    join(__dirname, '..', '.compiled'),
  );
}

/**
 * Ends the process once all its output is written; otherwise a pipe that is read slowly would lose the rest.
 * It does not wait for what a library may have left open: everything of ours has ended by now.
 */
export async function endProcess(code: number): Promise<never> {
  const streams = [process.stdout, process.stderr];
  await Promise.all(streams.map(stream => new Promise(resolve => stream.write('', resolve))));
  process.exit(code);
}

if (require.main === module) {
  prepareProcess();
  void main(process.argv.slice(2), 'npm run --silent drawbridge --').then(endProcess);
}
