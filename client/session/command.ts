// What the command files share: their form, and the checks of option values.
import { type Command, InvalidArgumentError } from 'commander';

import { toPrintable } from '../../workers/temporal/terminal-reporter';

import type { GlobalOptions } from './command-config';

/** Adds one command to the program. `command` is how commands are called here, for hints. */
export type AddCommand = (program: Command, globals: () => GlobalOptions, command: string) => void;

/** Adds the options that say which project is meant (choose-project.ts). */
export function withProjectOptions(command: Command): Command {
  return command
    .option('--share <name>', 'the project of this share')
    .option('--company <id>', 'company id, with --project')
    .option('--project <id>', 'project id, with --company');
}

/** A whole number from 1 to 65535. */
export function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidArgumentError('a port from 1 to 65535');
  return port;
}

/** The first of four ports in a row, all of which must exist. */
export function firstOfFourPorts(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_532)
    throw new InvalidArgumentError('a port from 1 to 65532, since the three after it are used, too');
  return port;
}

/** A number above zero. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('a number above 0');
  return value;
}

/** A whole number from 1 to 1000. */
export function rowCount(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 1_000)
    throw new InvalidArgumentError('a number from 1 to 1000');
  return value;
}

/** Writes a line for the person or program that called. */
export function print(line: string): void {
  process.stdout.write(`${toPrintable(line)}\n`);
}
