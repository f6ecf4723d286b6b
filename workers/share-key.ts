// The key that our files on shares are sealed with: the setting's, or one of this host's
// own, made when it is first needed.

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { troubleOf } from '../activities/host/file-trouble';
import { makePrivateFile } from '../activities/service/private-file';
import { parseKey } from './config/config-secrets';

/** In the state folder, readable by its owner only. Hosts that share a share have the same one. */
export const SHARE_KEY_FILE = 'share-key';
const KEY_BYTES = 32;
const MAX_BYTES = 1_000;

export interface ShareKeyPlace {
  readonly stateDir: string;
  /** From the setting `shareKey`; then no file is looked for. */
  readonly shareKey?: Buffer | undefined;
}

class ShareKeyError extends Error {
  override readonly name = 'ShareKeyError';
  readonly code = 'share-key';
}

/**
 * @throws ShareKeyError when the file is a link, open to others, or holds no key. It is never
 * replaced: what it sealed would be lost.
 */
export async function readShareKey(place: ShareKeyPlace): Promise<Buffer> {
  const known = await findShareKey(place);
  if (known !== undefined) return known;
  const path = join(place.stateDir, SHARE_KEY_FILE);
  await makeKey(path);
  const made = await readKey(path);
  if (made === undefined) throw new ShareKeyError(`The key of the shares could not be made: ${path}`);
  return made;
}

/** The same without making one. */
export async function findShareKey({ stateDir, shareKey }: ShareKeyPlace): Promise<Buffer | undefined> {
  return shareKey ?? (await readKey(join(stateDir, SHARE_KEY_FILE)));
}

async function makeKey(path: string): Promise<void> {
  await makePrivateFile(path, `${randomBytes(KEY_BYTES).toString('hex')}\n`);
}

async function readKey(path: string): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch(error => {
    if (troubleOf(error) === 'gone') return undefined;
    if (troubleOf(error) === 'link') throw unusableKey(path, 'is a symbolic link');
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw unusableKey(path, 'is no regular file');
    if (process.getuid !== undefined) {
      if ((stats.mode & 0o077) !== 0) throw unusableKey(path, 'can be read by others; set its mode to 0600');
      if (stats.uid !== process.getuid()) throw unusableKey(path, 'belongs to another user');
    }
    const key = stats.size > MAX_BYTES ? undefined : parseKey(await file.readFile('utf8'));
    if (key === undefined)
      throw unusableKey(path, 'holds no key (32 bytes, as 64 hexadecimal digits or base64)');
    return key;
  } finally {
    await file.close();
  }
}

function unusableKey(path: string, why: string): ShareKeyError {
  return new ShareKeyError(`The key of the shares, ${path}, ${why}.`);
}
