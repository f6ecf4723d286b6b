// What `npm ci` installs is what was looked at: every package of the lock file has its hash, and comes from a registry.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

const lock = JSON.parse(readFileSync(join(__dirname, '../../package-lock.json'), 'utf8')) as {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, Entry>>;
};
const entries = Object.entries(lock.packages).filter(([path]) => path !== '');

it('is of the form that has hashes', () => {
  expect(lock.lockfileVersion).toBe(3);
  expect(entries.length).toBeGreaterThan(300);
});

it('has a hash for every entry', () => {
  const bare = entries.filter(([, { integrity = '' }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity));
  expect(bare.filter(([, entry]) => !isOfOtherPlatform(entry)).map(([path]) => path)).toEqual([]);
});

/**
 * Native parts of tools for platforms that a registry may not carry (scripts/complete-lock.mjs): named with their exact
 * version and never installed on the platforms that are tested and deployed, Linux with glibc on x64 and arm64.
 */
function isOfOtherPlatform({ optional, os = [], cpu = [], libc = [], version = '' }: Entry): boolean {
  const isOurs =
    os.includes('linux') && !libc.includes('musl') && cpu.some(each => each === 'x64' || each === 'arm64');
  return optional === true && os.length > 0 && cpu.length > 0 && /^\d+\.\d+\.\d+$/.test(version) && !isOurs;
}

it('takes nothing from a folder, a repository or an address without TLS', () => {
  const odd = entries.filter(
    ([, { link, resolved }]) => link === true || (resolved !== undefined && !resolved.startsWith('https://')),
  );
  expect(odd.map(([path]) => path)).toEqual([]);
});
