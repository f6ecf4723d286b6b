// The key that our files on shares are sealed with: the setting's, or one of this host's
// own, made when it is first needed.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { MisconfiguredError } from '../activities/service/errors';
import { makePrivateFile, readPrivateFile } from '../activities/service/private-file';
import { parseKey } from './config/config-secrets';

/** In the state folder, readable by its owner only. Hosts that share a share have the same one. */
export const SHARE_KEY_FILE = 'share-key';
const KEY_BYTES = 32;

export interface ShareKeyPlace {
  readonly stateDir: string;
  /** From the setting `shareKey`; then no file is looked for. */
  readonly shareKey?: Buffer | undefined;
}

/**
 * @throws MisconfiguredError when the file is a link, open to others, or holds no key. It is never
 * replaced: what it sealed would be lost.
 */
export async function readShareKey(place: ShareKeyPlace): Promise<Buffer> {
  const known = await findShareKey(place);
  if (known !== undefined) return known;
  const path = join(place.stateDir, SHARE_KEY_FILE);
  await makeKey(path);
  const made = await readKey(path);
  if (made === undefined) throw new Error(`The key of the shares could not be made: ${path}`);
  return made;
}

/** The key, if there is one; none is made. @throws MisconfiguredError as above. */
export async function findShareKey({ stateDir, shareKey }: ShareKeyPlace): Promise<Buffer | undefined> {
  return shareKey ?? (await readKey(join(stateDir, SHARE_KEY_FILE)));
}

async function makeKey(path: string): Promise<void> {
  await makePrivateFile(path, `${randomBytes(KEY_BYTES).toString('hex')}\n`);
}

async function readKey(path: string): Promise<Buffer | undefined> {
  const what = `the key of the shares, ${path},`;
  const text = await readPrivateFile(path, what);
  if (text === null) return undefined;
  const key = parseKey(text);
  if (key === undefined) {
    const why = 'holds no key (32 bytes, as 64 hexadecimal digits or base64)';
    throw new MisconfiguredError(`${what} ${why}`, { effect: 'not-sent' });
  }
  return key;
}
