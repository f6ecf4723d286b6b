// Which version of Drawbridge this is.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function ownVersion(): string {
  let folder = __dirname;
  // The folder above differs between the sources and dist/.
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return version;
}
