// Completes package-lock.json after a change of dependencies made against a registry that carries only some
// platforms' packages: `npm ci` refuses a lock without an entry for every optional package, also for those of
// other platforms. Adds what is missing (exact versions, from the packages that name them), asks the registry
// for the hash of every entry that has none, and touches nothing else. What the registry does not carry is
// named, and the exit code is 1: run it again where a whole registry is reached. `npm run lock`.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = process.argv[2] ?? new URL('../package-lock.json', import.meta.url);
const HASH = /^sha512-[A-Za-z0-9+/]{86}==$/;
const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'];

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const { packages } = lock;
const added = [];

for (const [path, entry] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isThere(path, name)) continue;
    if (!/^\d+\.\d+\.\d+/.test(version))
      throw new Error(`${name}: ${version} is no exact version; complete it by hand`);
    packages[`node_modules/${name}`] = toEntry(name, version, entry.dev === true);
    added.push(name);
  }
}

const without = Object.entries(packages).filter(
  ([path, entry]) => path !== '' && !HASH.test(entry.integrity),
);
for (const [path, entry] of without) packages[path] = withHash(path, entry);
const bare = without.filter(([path]) => !HASH.test(packages[path].integrity)).map(([path]) => path);

if (added.length > 0 || bare.length < without.length) {
  lock.packages = Object.fromEntries(
    Object.entries(packages).sort(([left], [right]) => left.localeCompare(right, 'en')),
  );
  writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
}
if (added.length > 0) console.log(`Added: ${added.join(', ')}`);
if (bare.length < without.length) console.log(`Hashes added: ${without.length - bare.length}`);
if (bare.length > 0)
  console.log(`Without a hash, for this registry does not carry them:\n  ${bare.join('\n  ')}`);
else console.log('package-lock.json is complete.');
process.exitCode = bare.length > 0 ? 1 : 0;

/**
 * The entry with the hash that the registry has for exactly this version, in the place where npm writes it.
 */
function withHash(path, entry) {
  const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const args = ['view', '--json', `${name}@${entry.version}`, 'dist.integrity'];
  const { stdout, status } = spawnSync('npm', args, {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const integrity = status === 0 && stdout.trim() !== '' ? JSON.parse(stdout) : undefined;
  if (!HASH.test(integrity)) return entry;
  const { version, resolved, ...rest } = entry;
  return { version, ...(resolved === undefined ? {} : { resolved }), integrity, ...rest };
}

/** Whether the lock has the package where Node would find it from `path`. */
function isThere(path, name) {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`] !== undefined) return true;
    if (at === '') return false;
  }
}

function toEntry(name, version, isDev) {
  const words = name.split('/').at(-1).split('-');
  const system = SYSTEMS.find(each => words.includes(each));
  const processor = PROCESSORS.find(each => words.includes(each));
  if (system === undefined || processor === undefined) throw new Error(`${name}: which platform is it for?`);
  const libc = words.some(word => word.startsWith('musl')) ? 'musl' : 'glibc';
  return {
    version,
    cpu: [processor],
    ...(isDev ? { dev: true } : {}),
    ...(system === 'linux' ? { libc: [libc] } : {}),
    optional: true,
    os: [system],
  };
}
