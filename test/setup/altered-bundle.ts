// A build of the workflows with one place of it changed, as a developer might change it.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface Change {
  /** Stands in the bundle exactly once. */
  readonly from: string;
  readonly to: string;
}

/** Writes the changed bundle into `folder`; answers its path. */
export function alterBundle(codePath: string, folder: string, name: string, change: Change): string {
  const code = readFileSync(codePath, 'utf8');
  if (code.split(change.from).length !== 2) throw new Error(`Not exactly once in the bundle: ${change.from}`);
  const path = join(folder, `${name}-${basename(codePath)}`);
  writeFileSync(
    path,
    code.replace(change.from, () => change.to),
  );
  return path;
}
