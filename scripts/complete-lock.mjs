// Completes package-lock.json after a change of dependencies made against a registry that carries only some platforms'
// packages: `npm ci` refuses a lock without an entry for every optional package, also for those of other platforms.
// Adds what is missing (exact versions, from the packages that name them) and touches nothing else. `npm run lock`.
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('../package-lock.json', import.meta.url);
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

if (added.length > 0) {
  lock.packages = Object.fromEntries(
    Object.entries(packages).sort(([left], [right]) => left.localeCompare(right, 'en')),
  );
  writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
}
console.log(added.length === 0 ? 'package-lock.json is complete.' : `Added: ${added.join(', ')}`);

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
