// The files of the product as they are written, for tests of what all of them keep to.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

export interface Source {
  /** From the root, with forward slashes: `activities/host/clock.ts`. */
  readonly path: string;
  readonly text: string;
}

/** All of these roles, what the browser runs included. */
export function sourcesOf(
  ...roles: readonly ('workflows' | 'activities' | 'workers' | 'client')[]
): Source[] {
  return roles.flatMap(role =>
    readdirSync(join(ROOT, role), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.tsx?$/.test(name))
      .map(name => `${role}/${name.replaceAll('\\', '/')}`)
      .map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })),
  );
}

/** The lines of these files in which `words` stand, as `path: line`, comments left out. */
export function linesWith(sources: readonly Source[], words: RegExp): string[] {
  return sources.flatMap(({ path, text }) =>
    text
      .split('\n')
      .filter(line => !/^\s*(?:\/\/|\/\*|\*)/.test(line) && words.test(line))
      .map(line => `${path}: ${line.trim()}`),
  );
}
