// Files that a command makes where a person says: whole or not at all, and over nothing that is there.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { codeOf } from '../../activities/host/error-code';
import { createNodeShareFs } from '../../activities/share/files/share-fs';
import { writeOnce, writeOver } from '../../activities/share/files/write-whole';
import { CliError, EXIT_CODES } from './cli-error';

const NAME_ANOTHER = 'name another one';

/**
 * @param remedy what may be done about it.
 * @throws CliError when something has this name.
 */
export async function requireFree(output: string, remedy = NAME_ANOTHER): Promise<void> {
  const isFree = await stat(output).then(
    () => false,
    () => true,
  );
  if (!isFree) throw isThereAlready(output, remedy);
}

/** On disk when it returns. @throws CliError when something has this name, unless that is to be replaced. */
export async function writeOutput(
  output: string,
  bytes: Buffer,
  { isForced = false }: { readonly isForced?: boolean } = {},
): Promise<void> {
  const [fs, path] = [createNodeShareFs(), resolve(output)];
  const isWritten = await (isForced ? writeOver(fs, path, bytes) : writeOnce(fs, path, bytes)).catch(
    error => {
      throw new CliError(`${output} cannot be written (${String(codeOf(error))}).`, EXIT_CODES.usage, error);
    },
  );
  if (isWritten === false) throw isThereAlready(output, NAME_ANOTHER);
}

function isThereAlready(output: string, remedy: string): CliError {
  return new CliError(`${output} is there already. It was left as it is: ${remedy}.`, EXIT_CODES.usage);
}
