// Files that a command makes where a person says: whole or not at all, and over nothing that is there.
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf } from '../../activities/host/error-code';
import { CliError, EXIT_CODES } from './cli-error';

/** @throws CliError when something has this name. */
export async function requireFree(output: string): Promise<void> {
  const isFree = await stat(output).then(
    () => false,
    () => true,
  );
  if (!isFree) throw isThereAlready(output);
}

/** Whole or not at all. */
export async function writeOutput(output: string, bytes: Buffer, isForced: boolean): Promise<void> {
  try {
    if (!isForced) {
      await writeFile(output, bytes, { flag: 'wx' });
      return;
    }
    const partial = join(dirname(resolve(output)), `.${basename(output)}.${process.pid}.part`);
    try {
      await writeFile(partial, bytes, { flag: 'wx' });
      await rename(partial, output);
    } finally {
      await rm(partial, { force: true });
    }
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw isThereAlready(output);
    throw new CliError(`${output} cannot be written (${String(codeOf(error))}).`, EXIT_CODES.usage, error);
  }
}

function isThereAlready(output: string): CliError {
  return new CliError(
    `${output} is there already, perhaps filled. Name another one with -o, or give --force.`,
    EXIT_CODES.usage,
  );
}
