// Which tests run without everything else: those of one room, and those that need
// no server (`npm run test:unit`).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const { isLong } = createRequire(import.meta.url)('../test/setup/longest-first.cjs');
const ROLES = ['workflows', 'activities', 'workers', 'client'];
const IMPORT = /^(?:import|export)\s(?!type\b)[^;]*?from '([^']+)'/gms;
/** What a test takes that global-setup.ts has started: the Temporal server, and the bundled workflows. */
const SET_BY_SETUP = /process\.env\.DRAWBRIDGE_TEST_/;
/** Whoever imports one of these serves, starts processes or runs workflows: no matter of milliseconds. */
const SLOW =
  /^(node:(child_process|http|net|worker_threads)|fastify|undici|@temporalio\/(worker|testing|client))$/;

const known = new Map();

/** Names of rooms, each with its folders in the product: a room may be in two roles, as `ingest` is. */
export function listRooms() {
  const rooms = new Map(ROLES.map(role => [role, [role]]));
  for (const role of ROLES) {
    for (const folder of foldersBelow(role)) {
      const name = posix.basename(folder);
      rooms.set(name, [...(rooms.get(name) ?? []), folder]);
    }
  }
  return rooms;
}

/**
 * Tests mirror the product: those of a room lie below the same path in test/.
 * Undefined when there is no such room.
 */
export function testsOfRoom(room) {
  const folders = listRooms().get(room) ?? (foldersBelow('.').includes(room) ? [room] : undefined);
  return folders?.flatMap(folder => listTests().filter(test => test.startsWith(`test/${folder}/`)));
}

/** Tests that neither serve nor start anything, and are not long for another reason. */
export function listUnitTests() {
  return listTests().filter(test => !isLong(test) && !reaches(test, isSlow));
}

/** Whether any of them takes what test/setup/global-setup.ts has started. */
export function needTemporal(tests) {
  return tests.some(test => reaches(test, ({ text }) => SET_BY_SETUP.test(text)));
}

function isSlow({ text, imports }) {
  return SET_BY_SETUP.test(text) || imports.some(name => SLOW.test(name));
}

/**
 * Whether the test, or anything of test/ that it imports, is like that. The product itself is not looked at.
 */
function reaches(test, isLikeThat) {
  const seen = new Set([test]);
  for (const path of seen) {
    const file = readImports(path);
    if (isLikeThat(file)) return true;
    for (const name of file.imports) {
      const target = posix.join(posix.dirname(path), name);
      if (!name.startsWith('.') || !target.startsWith('test/')) continue;
      const next = [`${target}.ts`, `${target}/index.ts`].find(each => existsSync(join(ROOT, each)));
      if (next !== undefined) seen.add(next);
    }
  }
  return false;
}

function readImports(path) {
  if (!known.has(path)) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    known.set(path, { text, imports: [...text.matchAll(IMPORT)].map(([, name]) => name) });
  }
  return known.get(path);
}

function listTests() {
  return readdirSync(join(ROOT, 'test'), { recursive: true })
    .map(path => posix.join('test', path.replaceAll('\\', '/')))
    .filter(path => path.endsWith('.test.ts'));
}

function foldersBelow(folder) {
  if (folder === '.') return ROLES.flatMap(role => [role, ...foldersBelow(role)]);
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => posix.join(entry.parentPath.slice(ROOT.length + 1).replaceAll('\\', '/'), entry.name));
}
