// Files that a command makes where a person says: whole or not at all, and over nothing that is there.
import { randomUUID } from 'node:crypto';
import { constants, copyFile, link, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf } from '../../activities/host/error-code';
import { isTaken } from '../../activities/host/file-trouble';
import { isLinkUnsupported } from '../../activities/share/files/write-whole';
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
  const partial = join(dirname(resolve(output)), `.${basename(output)}.${randomUUID().slice(0, 8)}.part`);
  try {
    await writeFile(partial, bytes, { flag: 'wx', flush: true });
    await (isForced ? rename(partial, output) : putOnce(partial, output));
  } catch (error) {
    if (isTaken(error)) throw isThereAlready(output, NAME_ANOTHER);
    throw new CliError(`${output} cannot be written (${String(codeOf(error))}).`, EXIT_CODES.usage, error);
  } finally {
    await rm(partial, { force: true });
  }
}

async function putOnce(partial: string, output: string): Promise<void> {
  await link(partial, output).catch(async error => {
    if (!isLinkUnsupported(error)) throw error;
    await copyFile(partial, output, constants.COPYFILE_EXCL);
  });
}

function isThereAlready(output: string, remedy: string): CliError {
  return new CliError(`${output} is there already. It was left as it is: ${remedy}.`, EXIT_CODES.usage);
}
