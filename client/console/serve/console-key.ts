// What the server of the page seals with; kept, so that pages that are open go on after a restart.
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
