// The secret that tokens of the page are made with; kept, so that open pages go on after a restart.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makePrivateFile, readPrivateFile } from '../../../activities/service/private-file';
import { parseKey } from '../../../workers/config/config-secrets';

const FILE = 'console-key';

/** 32 bytes of this host's own, made when first needed. */
export async function readConsoleKey(stateDir: string): Promise<Buffer> {
  const path = join(stateDir, FILE);
  const what = "the page's key";
  const text =
    (await readPrivateFile(path, what)) ??
    (await makePrivateFile(path, `${randomBytes(32).toString('hex')}\n`).then(() =>
      readPrivateFile(path, what),
    ));
  const key = parseKey(text ?? '');
  if (key === undefined) throw new Error(`${path} holds no key. Remove it: another one is made.`);
  return key;
}
