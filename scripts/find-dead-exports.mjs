// Part of `npm run check`: finds what is exported and needed by nobody. Of the product that is also what
// only tests import: dead code with a test. Two things are let be, for they are of use to whoever reads or
// tests a file: a type that its own file uses, in what it exports; and a part of the product that its own
// file uses and a test checks by itself.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const { parseSync } = createRequire(import.meta.url)('@swc/core');

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDERS = ['workflows', 'activities', 'workers', 'client', 'test'];
/** What the page's server and browser agree on: whoever writes either takes from it what they need. */
const AGREED = 'client/console/contract/';
/** Found by path or by name rather than by an import: by Temporal, and by jest. */
const ENTRIES = [
  'workflows/index.ts',
  'test/setup/global-setup.ts',
  'test/setup/global-teardown.ts',
  'test/setup/command-recorder.ts',
  'test/chaos/fast-clock-workflows.ts',
  'test/end-to-end/webhook-workflows.ts',
  'client/console/page/main.tsx',
];
const EVERYTHING = '*';

const files = new Map(FOLDERS.flatMap(listSources).map(path => [path, readSource(path)]));
const uses = collectUses();
const dead = [...files].flatMap(([path, source]) => findDead(path, source));
for (const line of dead) console.log(line);
if (dead.length > 0) {
  console.log(
    `${dead.length} exports that nobody needs: delete them, or their \`export\` where the file itself needs them.`,
  );
  process.exitCode = 1;
}

function listSources(folder) {
  return (
    readdirSync(join(ROOT, folder), { recursive: true })
      .map(path => posix.join(folder, path.replaceAll('\\', '/')))
      // Type tests are compiled and never run: nobody imports them.
      .filter(path => /\.tsx?$/.test(path) && !path.endsWith('.test-d.ts'))
  );
}

/** What a file exports, what it imports from where, and how often it says each name. */
function readSource(path) {
  const { body } = parseSync(readFileSync(join(ROOT, path), 'utf8'), {
    syntax: 'typescript',
    tsx: path.endsWith('.tsx'),
    target: 'es2023',
  });
  const source = { exported: [], imported: [], mentions: new Map() };
  for (const statement of body) readStatement(statement, source);
  const named = new Set();
  walk(body, node => {
    if (node.type === 'Identifier')
      source.mentions.set(node.value, (source.mentions.get(node.value) ?? 0) + 1);
    const loaded = loadedLater(node);
    if (loaded !== undefined) {
      source.imported.push({ from: loaded.from.argument.value, name: loaded.name });
      named.add(loaded.from);
    }
    if (node.type === 'TsImportType' && !named.has(node))
      source.imported.push({ from: node.argument.value, name: EVERYTHING });
    if (node.type === 'CallExpression' && node.callee.type === 'Import')
      source.imported.push({ from: node.arguments[0].expression.value, name: EVERYTHING });
  });
  return source;
}

/**
 * `(require('./file') as typeof import('./file')).name`, which is loaded when it is needed: file and name.
 */
function loadedLater({ type, object, property }) {
  if (type !== 'MemberExpression' || property.type !== 'Identifier') return undefined;
  const from = object.expression?.typeAnnotation?.exprName;
  return from?.type === 'TsImportType' ? { from, name: property.value } : undefined;
}

function readStatement(statement, { exported, imported }) {
  const from = statement.source?.value;
  switch (statement.type) {
    case 'ImportDeclaration':
      for (const specifier of statement.specifiers) imported.push({ from, name: importedName(specifier) });
      break;
    case 'ExportAllDeclaration':
      imported.push({ from, name: EVERYTHING });
      break;
    case 'ExportNamedDeclaration':
      for (const { orig, exported: as } of statement.specifiers) {
        exported.push({ name: (as ?? orig).value, local: orig.value, isType: statement.typeOnly });
        if (from !== undefined) imported.push({ from, name: orig.value });
      }
      break;
    case 'ExportDeclaration':
      exported.push(...declaredNames(statement.declaration));
      break;
    case 'ExportDefaultDeclaration':
    case 'ExportDefaultExpression':
      exported.push({ name: 'default', local: 'default', isType: false });
      break;
    default:
  }
}

function importedName(specifier) {
  if (specifier.type === 'ImportNamespaceSpecifier') return EVERYTHING;
  if (specifier.type === 'ImportDefaultSpecifier') return 'default';
  return (specifier.imported ?? specifier.local).value;
}

function declaredNames(declaration) {
  if (declaration.type === 'VariableDeclaration') {
    // Patterns, `export const { one, other } = ...`, stand nowhere; one that came
    // would be named as `undefined`.
    return declaration.declarations.map(({ id }) => ({ name: id.value, local: id.value, isType: false }));
  }
  const name = (declaration.identifier ?? declaration.id).value;
  const isType = ['TsInterfaceDeclaration', 'TsTypeAliasDeclaration'].includes(declaration.type);
  return [{ name, local: name, isType }];
}

function walk(node, visit) {
  if (Array.isArray(node)) for (const each of node) walk(each, visit);
  else if (typeof node === 'object' && node !== null) {
    if (typeof node.type === 'string') visit(node);
    for (const each of Object.values(node)) if (typeof each === 'object') walk(each, visit);
  }
}

/** By file and name: whether a part of the product imports it, and whether a test does. */
function collectUses() {
  const found = new Map(ENTRIES.map(path => [`${path} ${EVERYTHING}`, 'product']));
  const note = (path, name, user) => {
    const key = `${path} ${name}`;
    if (found.get(key) !== 'product') found.set(key, user);
  };
  for (const [path, { imported }] of files)
    for (const { from, name } of imported) {
      const target = resolve(path, from);
      if (target !== undefined) note(target, name, isTest(path) ? 'test' : 'product');
    }
  for (const script of readdirSync(join(ROOT, 'scripts')))
    for (const [, names, target] of readFileSync(join(ROOT, 'scripts', script), 'utf8').matchAll(
      /\{([^{}]*)\} = require\('\.\.\/dist\/([^']+)\.js'\)/g,
    ))
      for (const name of names.split(',')) note(`${target}.ts`, name.trim(), 'product');
  return found;
}

function resolve(path, from) {
  if (typeof from !== 'string' || !from.startsWith('.')) return undefined;
  const base = posix.join(posix.dirname(path), from);
  return [`${base}.ts`, `${base}.tsx`, `${base}/index.ts`, `${base}/index.tsx`, base].find(candidate =>
    files.has(candidate),
  );
}

function isTest(path) {
  return path.startsWith('test/');
}

function findDead(path, { exported, mentions }) {
  if (path.startsWith(AGREED)) return [];
  return exported.flatMap(({ name, local, isType }) => {
    const users = [uses.get(`${path} ${name}`), uses.get(`${path} ${EVERYTHING}`)];
    if (users.includes('product') || (isTest(path) && users.includes('test'))) return [];
    const isUsedHere = (mentions.get(local) ?? 0) > 1;
    if (isUsedHere && (isType || users.includes('test'))) return [];
    return [`${path}: ${name} ${users.includes('test') ? 'is needed by tests only' : 'is imported nowhere'}`];
  });
}
