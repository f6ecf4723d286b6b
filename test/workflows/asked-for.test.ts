// What workflows ask for, and nothing else, is kept for them: whatever stands in workflows/*/decide/ some
// workflow decides by, and every activity that workers register some workflow calls. So the path of a
// decision tells that replay is bound by it (docs/changing-workflows.md). Names of types do not count.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type ModuleItem, parseSync } from '@swc/core';
import { createServiceActivities, createShareActivities } from '../../activities/create-activities';

const ROOT = join(__dirname, '..', '..');
const DECISIONS = /^workflows\/[^/]+\/decide\//;

const sources = readdirSync(join(ROOT, 'workflows'), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts'))
  .map(name => `workflows/${name.replaceAll('\\', '/')}`)
  .map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

/** One value at the top of a file (or a statement without a name), and what it says, as `file name`. */
interface Value {
  readonly place: string;
  readonly isExported: boolean;
  readonly says: readonly string[];
}

interface Node {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly expression?: unknown;
}

/** Names in what runs: no types, and neither `.name` of an object nor its keys. */
function namesIn(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(namesIn);
  const { type, ...parts } = node as Node;
  if (type === 'Identifier') return [String(parts.value)];
  // `x as const`, `x satisfies Type`: the value is of what runs.
  if (typeof type === 'string' && type.startsWith('Ts')) return namesIn(parts.expression);
  return Object.entries(parts).flatMap(([part, inner]) => {
    const isName = (inner as Node | null)?.type === 'Identifier';
    return isName && (part === 'property' || part === 'key') ? [] : namesIn(inner);
  });
}

function valuesOf({ path, text }: (typeof sources)[number]): readonly Value[] {
  const { body } = parseSync(text, { syntax: 'typescript', target: 'es2023' });
  const known = new Map<string, string>();
  for (const statement of body) {
    if (statement.type !== 'ImportDeclaration' || statement.typeOnly) continue;
    const { value: from } = statement.source;
    if (!from.startsWith('.')) continue;
    const file = `${posix.join(posix.dirname(path), from)}.ts`;
    for (const one of statement.specifiers) {
      if (one.type !== 'ImportSpecifier' || one.isTypeOnly) continue;
      known.set(one.local.value, `${file} ${(one.imported ?? one.local).value}`);
    }
  }
  const parts = body.flatMap(partsOf);
  for (const { name } of parts) known.set(name, `${path} ${name}`);
  return parts.map(({ name, isExported, node }) => ({
    place: `${path} ${name}`,
    isExported,
    says: namesIn(node).flatMap(said => (said === name ? [] : (known.get(said) ?? []))),
  }));
}

function partsOf(
  statement: ModuleItem,
): readonly { readonly name: string; readonly isExported: boolean; readonly node: unknown }[] {
  const isExported = statement.type === 'ExportDeclaration';
  const node = isExported ? statement.declaration : statement;
  switch (node.type) {
    case 'ImportDeclaration':
    case 'TsInterfaceDeclaration':
    case 'TsTypeAliasDeclaration':
      return [];
    case 'VariableDeclaration':
      return node.declarations.map(each => ({
        name: each.id.type === 'Identifier' ? each.id.value : '',
        isExported,
        node: each,
      }));
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return [{ name: node.identifier.value, isExported, node }];
    default:
      return [{ name: '', isExported, node }];
  }
}

test('whatever stands in workflows/*/decide/ is what some workflow decides by', () => {
  const values = sources.flatMap(valuesOf);
  const exported = values.filter(({ place, isExported }) => isExported && DECISIONS.test(place));
  expect(exported.length).toBeGreaterThan(60);
  const saidBy = new Map(values.map(({ place, says }) => [place, says]));
  const bound = new Set(values.map(({ place }) => place).filter(place => !DECISIONS.test(place)));
  // What is added on the way is looked at, too.
  for (const place of bound) for (const said of saidBy.get(place) ?? []) bound.add(said);
  expect(exported.map(({ place }) => place).filter(place => !bound.has(place))).toEqual([]);
});

test('every workflow that clients and workers name to Temporal, also in a query, is there', () => {
  const [index] = sources.filter(({ path }) => path === 'workflows/index.ts');
  const exported = new Set(index?.text.match(/\w+Workflow\b/g));
  const named = ['client', 'workers']
    .flatMap(role =>
      readdirSync(join(ROOT, role), { recursive: true, encoding: 'utf8' }).map(name => `${role}/${name}`),
    )
    .filter(path => path.endsWith('.ts'))
    .flatMap(path =>
      [
        ...readFileSync(join(ROOT, path), 'utf8').matchAll(/'([a-z]\w*Workflow)'|WorkflowType !?= '(\w*)'/g),
      ].map(([, word, type]) => ({ path, name: word ?? type ?? '' })),
    );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ name }) => !exported.has(name))).toEqual([]);
});

test('every activity that a worker registers is asked for by some workflow', () => {
  // They are made, never called.
  const draining = new AbortController().signal;
  const registered = [
    createServiceActivities({ draining } as never),
    createShareActivities({ draining, share: {}, engine: {} } as never),
  ].flatMap(Object.keys);
  expect(registered.length).toBeGreaterThan(60);
  const asked = new Set(
    sources.flatMap(({ text }) => [...text.matchAll(/\.\s*(\w+)\(/g)].map(([, name]) => name)),
  );
  expect(registered.filter(name => !asked.has(name))).toEqual([]);
});
