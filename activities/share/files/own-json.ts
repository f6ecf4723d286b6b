// Reads our own JSON files from a share: strict and versioned. A bad file is an
// error that names it, never a crash.
import type { z } from 'zod';
import { codeOf } from '../../host/error-code';
import { isBusy, isGone, isPassing } from '../../host/file-trouble';
import { ShareError, toShareError } from './share-error';
import type { ShareFs } from './share-fs';

/** Far above what 100 documents need. */
const MAX_BYTES = 16 * 1024 ** 2;

/**
 * @param label how messages name the file, relative to the share.
 * @returns undefined when the file is not there.
 * @throws ShareError `batch-damaged` when it is not what it should be; `unreadable-now` when it
 * cannot be opened for the moment.
 */
export async function readOwnJson<T>(
  fs: ShareFs,
  path: string,
  label: string,
  schema: z.ZodType<T>,
): Promise<{ readonly value: T; readonly bytes: Buffer } | undefined> {
  let bytes: Buffer;
  try {
    bytes = await fs.read(path, MAX_BYTES);
  } catch (error) {
    if (isGone(error)) return undefined;
    // A scanner, a backup or a lack of handles passes: what is there and cannot be read now is not damaged.
    const code = isPassing(error) || isBusy(error) ? 'unreadable-now' : 'batch-damaged';
    throw (
      toShareError(error) ??
      new ShareError(code, `${label} cannot be read (${codeOf(error) ?? 'unknown error'}).`, error)
    );
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new ShareError('batch-damaged', `${label} is not JSON.`, error);
  }
  const result = schema.safeParse(parsed);
  if (!result.success) {
    const issue = result.error.issues[0];
    const where = issue === undefined ? '' : ` (${issue.path.join('.') || 'whole file'}: ${issue.message})`;
    throw new ShareError('batch-damaged', `${label} is not a file of this version of Drawbridge${where}.`);
  }
  return { value: result.data, bytes };
}
