// What `npm ci` installs is what was looked at: every package of the lock file has its
// hash, and comes from a registry.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { useTemporaryFolder } from '../setup/temporary-folder';

const folder = useTemporaryFolder();

interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

const lock = JSON.parse(readFileSync(join(__dirname, '../../package-lock.json'), 'utf8')) as {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, Entry>>;
};
const entries = Object.entries(lock.packages).filter(([path]) => path !== '');

test('is of the form that has hashes', () => {
  expect(lock.lockfileVersion).toBe(3);
  expect(entries.length).toBeGreaterThan(300);
});

test('has a hash for every entry', () => {
  const bare = entries.filter(([, { integrity = '' }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity));
  expect(bare.map(([path]) => path)).toEqual([]);
});

test('takes nothing from a folder, a repository or an address without TLS', () => {
  const odd = entries.filter(
    ([, { link, resolved }]) => link === true || (resolved !== undefined && !resolved.startsWith('https://')),
  );
  expect(odd.map(([path]) => path)).toEqual([]);
});

/**
 * Runs scripts/complete-lock.mjs on a copy without the hash of `paths`, with a
 * registry that knows `known` of them.
 */
function complete(paths: readonly string[], known: readonly string[]) {
  const hashes = Object.fromEntries(
    known.map(path => [
      `${path.replace(/^.*node_modules\//, '')}@${lock.packages[path]?.version}`,
      lock.packages[path]?.integrity,
    ]),
  );
  const bare = Object.fromEntries(
    entries.flatMap(([path, { integrity, ...entry }]) =>
      paths.includes(path)
        ? [[path, entry]]
        : integrity === undefined
          ? []
          : [[path, { ...entry, integrity }]],
    ),
  );
  const file = join(folder(), 'package-lock.json');
  // Without what names further packages: only hashes are asked for here.
  for (const entry of Object.values(bare))
    delete (entry as { optionalDependencies?: unknown }).optionalDependencies;
  writeFileSync(file, JSON.stringify({ ...lock, packages: bare }));
  const npm = join(folder(), 'bin', 'npm');
  mkdirSync(dirname(npm));
  writeFileSync(
    npm,
    `#!${process.execPath}\nconst found = ${JSON.stringify(hashes)}[process.argv[4]];\n` +
      'if (process.argv[2] !== "view" || found === undefined) process.exit(1);\nconsole.log(JSON.stringify(found));\n',
    { mode: 0o755 },
  );
  const env = { ...process.env, PATH: [dirname(npm), process.env.PATH].join(delimiter) };
  const script = join(__dirname, '../../scripts/complete-lock.mjs');
  const { stdout, status } = spawnSync(process.execPath, [script, file], { encoding: 'utf8', env });
  return { stdout, status, packages: (JSON.parse(readFileSync(file, 'utf8')) as typeof lock).packages };
}

test('is given the hashes that the registry has; what it does not carry is named', () => {
  const [known = '', unknown = ''] = ['node_modules/zod', 'node_modules/@temporalio/worker'];
  const { stdout, status, packages } = complete([known, unknown], [known]);
  expect(packages[known]?.integrity).toBe(lock.packages[known]?.integrity);
  expect(packages[unknown]?.integrity).toBeUndefined();
  expect(stdout).toContain(`does not carry them:\n  ${unknown}\n`);
  expect(status).toBe(1);
});

test('is complete when the registry has them all', () => {
  const paths = ['node_modules/zod', 'node_modules/@temporalio/worker'];
  expect(complete(paths, paths)).toMatchObject({ status: 0, stdout: expect.stringContaining('is complete') });
});
