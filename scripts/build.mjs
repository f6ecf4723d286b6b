// Compiles to dist/ and bundles the workflows, each only when its sources are newer than what is there.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.built');
const FOLDERS = ['workflows', 'activities', 'workers', 'client', 'test'];
const FILES = ['tsconfig.json', 'package-lock.json', 'scripts/build.mjs'];

/** Brings dist/ up to date. Throws when the compiler or the bundler refuses. */
export function build({ quiet = false } = {}) {
  const newest = Math.max(...FILES.map(modifiedAt), ...FOLDERS.map(newestIn));
  if (existsSync(STAMP) && modifiedAt('dist/.built') > newest) return;
  if (!quiet) process.stderr.write('Building ...\n');
  const startedAt = new Date();
  run([typescriptCompiler(), '--project', ROOT]);
  run([join(DIST, 'workers', 'bundle.js')]);
  mkdirSync(DIST, { recursive: true });
  writeFileSync(STAMP, `${startedAt.toISOString()}\n`);
  // Dated by the beginning: what was saved while building is newer.
  utimesSync(STAMP, startedAt, startedAt);
}

function typescriptCompiler() {
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
}

/** Says nothing unless it fails: then all that the tool said. */
function run(args) {
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
  const { status, error, signal, stdout, stderr } = spawnSync(process.execPath, args, options);
  if (status === 0) return;
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`);
  throw new Error(`Building failed (${error?.message ?? signal ?? `exit code ${status}`}).`);
}

function modifiedAt(file) {
  return statSync(join(ROOT, file)).mtimeMs;
}

function newestIn(folder) {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return Math.max(
    0,
    ...names.filter(name => name.endsWith('.ts')).map(name => modifiedAt(join(folder, name))),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    build();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
