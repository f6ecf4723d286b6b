// What the page says stands in two lists, one of the server and one of the browser: no sentence stands where
// it is used. By the syntax of the files, so that a new one is noticed wherever it is written.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from '@swc/core';

const CONSOLE = join(__dirname, '..', '..', '..', 'client', 'console');
/** The lists themselves, and the words of the interface, which engineers read. */
const LISTS = ['texts/', 'page/shell/texts/', 'page/shell/texts.ts', 'contract/', 'serve/open-api.ts'];
/** Before anybody can open the page: a command line, and what it says of its settings. */
const COMMAND = ['console-command.ts', 'console.ts', 'access/create-access.ts', 'access/users-file.ts'];

/** Errors that are told to no reader of the page: they are logged, or end the command. */
const LOGGED = new Set(['Error', 'CliError', 'NotKnownError', 'TypeError', 'RangeError']);
/** Calls whose texts go to logs, to numbers and to the browser. */
const FOR_ENGINEERS = new Set(['matches', 'info', 'warn', 'error', 'debug', 'gauge', 'readPrivateFile']);
/** What else is for them: how runs are called in Temporal's own page. */
const PROPERTIES = new Set(['staticSummary']);
/** Of an element: for the browser. */
const ATTRIBUTES = /^(?:class|d|viewBox|style|points|transform)$/;
/** Two words, one after the other; those of a class name are joined. */
const SENTENCE = /(?<![-\p{L}])\p{L}{2,}[,;:]? \p{L}{2,}(?![-\p{L}])/u;
/** What no sentence has: headers, queries and what goes over the wire. */
const WIRE = /[={}\\]/;
/** Words of registers, of an answer to machines, and of errors that are logged. */
const OTHERS = new Set(['document number', 'drawing number', 'not ready', 'an address', "the page's key"]);

type Node = { readonly type: string } & Readonly<Record<string, unknown>>;

function sentencesIn(path: string, source: string): readonly string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    else if (isNode(value)) {
      if (isForOthers(value)) return;
      const text = textOf(value);
      if (text !== undefined && SENTENCE.test(text) && !WIRE.test(text) && !OTHERS.has(text.trim()))
        found.push(`${path}: ${text.trim()}`);
      visit(Object.values(value));
    } else if (typeof value === 'object' && value !== null) visit(Object.values(value));
  };
  visit(parseSync(source, { syntax: 'typescript', tsx: path.endsWith('.tsx'), target: 'es2022' }).body);
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

function textOf(node: Node): string | undefined {
  if (node.type === 'StringLiteral' || node.type === 'JSXText') return String(node.value);
  if (node.type !== 'TemplateLiteral') return undefined;
  return (node.quasis as { readonly raw: string }[]).map(({ raw }) => raw).join('…');
}

/** Of `a.b.c`: the last one. */
function nameOf(node: unknown): string {
  const { type, value, property, name } = node as Node;
  if (type === 'MemberExpression') return nameOf(property);
  if (type === 'OptionalChainingExpression') return nameOf((node as { readonly base: Node }).base);
  if (type === 'JSXNamespacedName') return `${nameOf((node as Node).namespace)}-`;
  return String(value ?? name ?? '');
}

function isForOthers(node: Node): boolean {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'TsTypeAliasDeclaration':
    case 'TsInterfaceDeclaration':
      return true;
    case 'NewExpression':
      return LOGGED.has(nameOf(node.callee));
    case 'CallExpression':
      return FOR_ENGINEERS.has(nameOf(node.callee));
    case 'KeyValueProperty':
      return PROPERTIES.has(nameOf(node.key));
    case 'JSXAttribute':
      return ATTRIBUTES.test(nameOf(node.name));
    default:
      return false;
  }
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map(entry => relative(CONSOLE, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter(path => ![...LISTS, ...COMMAND].some(one => path === one || path.startsWith(one)));
}

test('no sentence stands outside of the lists', () => {
  const paths = filesBelow(CONSOLE);
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.flatMap(path => sentencesIn(path, readFileSync(join(CONSOLE, path), 'utf8')))).toEqual([]);
});

test.each([
  ['a problem', 'throw new ConsoleProblem(404, "There is no such job here.");'],
  ['a template', `const told = { why: \`The share \${name} is away.\` };`],
  ['an element', 'const drawn = <p>Nothing is set apart.</p>;'],
  ['an attribute', 'const drawn = <p aria-label="Set apart" />;'],
])('one in %s is found', (_of, source) => {
  expect(sentencesIn('of.tsx', source)).toHaveLength(1);
});

test.each([
  ['a log', 'logger.warn({ event: "x" }, "The users cannot be read anew");'],
  ['an error of ours', 'throw new Error("The answer is not as the contract says");'],
  ['a class', 'const drawn = <p class="way is-open" />;'],
])('one in %s is not meant', (_of, source) => {
  expect(sentencesIn('of.tsx', source)).toEqual([]);
});
