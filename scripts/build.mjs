// Compiles to dist/, bundles the workflows, and packs what runs in the browser: each only when its sources
// are newer than what is there.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.built');
const FOLDERS = ['workflows', 'activities', 'workers', 'client', 'test'];
/** What a command runs: tests that have changed are built when something is built that needs them. */
export const PROGRAM_FOLDERS = ['workflows', 'activities', 'workers', 'client', 'test/sandbox'];
const PAGE = 'client/console/page';
const PAGE_DIST = join(DIST, PAGE);
const PAGE_STAMP = join(DIST, '.built-page');
/** What of ours the page has in it besides itself. */
const PAGE_FOLDERS = [PAGE, 'activities/registers/words'];
const FILES = ['tsconfig.json', 'package-lock.json', 'scripts/build.mjs'];

/**
 * Brings dist/ up to date. Throws when the compiler or the bundler refuses.
 * @param folders where nothing is newer than what is there, nothing is built; else all is.
 */
export function build({ quiet = false, folders = FOLDERS } = {}) {
  const isProgram = name => name.endsWith('.ts');
  buildWhenNewer('Drawbridge', STAMP, folders, isProgram, quiet, () => {
    run([typescriptCompiler(), '--project', ROOT]);
    run([join(DIST, 'workers', 'bundle.js')]);
  });
  buildForBrowser({ quiet });
}

/** What the browser gets alone: `node scripts/build.mjs --page`. */
function buildForBrowser({ quiet }) {
  buildWhenNewer('its page', PAGE_STAMP, PAGE_FOLDERS, () => true, quiet, buildPage);
}

function buildWhenNewer(what, stamp, folders, counts, quiet, make) {
  const newest = Math.max(...FILES.map(modifiedAt), ...folders.map(folder => newestIn(folder, counts)));
  if (existsSync(stamp) && statSync(stamp).mtimeMs > newest) return;
  if (!quiet) process.stderr.write(`Building ${what} ...\n`);
  const startedAt = new Date();
  make();
  mkdirSync(DIST, { recursive: true });
  writeFileSync(stamp, `${startedAt.toISOString()}\n`);
  // Dated by the beginning: what was saved while building is newer.
  utimesSync(stamp, startedAt, startedAt);
}

/** One script, one style sheet and the fonts, each with its content's hash in its name. */
function buildPage() {
  // Loaded when there is something to build: otherwise it would be a part of every command's start.
  const { buildSync, stop } = createRequire(import.meta.url)('esbuild');
  const { metafile } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: [`${PAGE}/main.tsx`],
    outdir: PAGE_DIST,
    tsconfig: `${PAGE}/tsconfig.json`,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    // None in this order is older than `light-dark()`, which nothing replaces.
    supported: { nesting: true },
    entryNames: '[name]-[hash]',
    assetNames: 'fonts/[name]-[hash]',
    loader: { '.woff2': 'file' },
    legalComments: 'eof',
    metafile: true,
    logLevel: 'warning',
  });
  // Its helper process would stay for as long as whatever was built for runs.
  void stop();
  const made = Object.keys(metafile.outputs).map(path => path.slice(`dist/${PAGE}/`.length));
  const nameOf = ending => made.find(name => name.startsWith('main-') && name.endsWith(ending));
  const html = readFileSync(join(ROOT, PAGE, 'index.html'), 'utf8')
    .replace('main.css', nameOf('.css'))
    .replace('main.js', nameOf('.js'));
  writeFileSync(join(PAGE_DIST, 'index.html'), html);
  // What earlier builds left; the compiler puts .js of its own beside, for tests of what is pure.
  for (const name of readdirSync(PAGE_DIST))
    if (/^main-.*\.(?:js|css|br|gz)$/.test(name) && !made.includes(name)) rmSync(join(PAGE_DIST, name));
  packForServing(made.filter(name => /\.(?:js|css)$/.test(name)));
}

/** As page-files.ts reads it: packing as small as can be takes a second, which a start has not. */
function packForServing(names) {
  for (const name of names) {
    const plain = readFileSync(join(PAGE_DIST, name));
    writeFileSync(join(PAGE_DIST, `${name}.br`), brotliCompressSync(plain));
    writeFileSync(join(PAGE_DIST, `${name}.gz`), gzipSync(plain));
  }
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

function newestIn(folder, counts) {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return Math.max(0, ...names.filter(counts).map(name => modifiedAt(join(folder, name))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    if (process.argv.includes('--page')) buildForBrowser({ quiet: true });
    else build();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
