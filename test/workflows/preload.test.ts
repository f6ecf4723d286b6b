// What the runs of a thread have in common (workflows/preload.ts) is evaluated once and frozen by the SDK:
// what cannot stand to be frozen is named there, and nothing of one run may reach the next.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, '..', '..', 'workflows');
const PRELOAD = 'preload.ts';

const modules = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts') && name !== PRELOAD)
  .map(name => ({ name, text: readFileSync(join(FOLDER, name), 'utf8') }));
const preload = readFileSync(join(FOLDER, PRELOAD), 'utf8');

test('what exports schemas is named there', () => {
  const withSchemas = modules.filter(({ text }) => /^import \{ z \} from 'zod'/m.test(text));
  expect(withSchemas.length).toBeGreaterThan(10);
  const imported = [...preload.matchAll(/^import \* as (\w+) from '\.\/(.+)';/gm)];
  expect(imported.map(([, , path]) => `${path}.ts`).sort()).toEqual(
    withSchemas.map(({ name }) => name).sort(),
  );
  const listed = preload.slice(preload.indexOf('AS_THEY_ARE'));
  expect(imported.filter(([, name]) => !listed.includes(`  ${name},\n`))).toEqual([]);
});

// A constant is as good as none when it is a container that fills up, or a regular expression that remembers.
const KEPT =
  /^(?:export )?(?:let|var) .*|^(?:export )?const [^=]+= (?:new (?:Weak)?(?:Map|Set)\b[^(]*\(\)|\[\]|\/.*\/\w*[gy]\w*);|^ +static (?!readonly\b|async\b|\w+[(<]).*/gm;

test('no module keeps anything of a run', () => {
  const found = modules.flatMap(({ name, text }) => (text.match(KEPT) ?? []).map(line => `${name}: ${line}`));
  expect(found).toEqual([]);
});

test.each([
  'let count = 0;',
  'export let count = 0;',
  'const seen = new Map<string, number>();',
  'const seen = new Set();',
  'const all: string[] = [];',
  'const WORD = /a/g;',
  '  static count = 0;',
])('%s would be noticed', line => {
  expect(line).toMatch(new RegExp(KEPT.source, 'm'));
});
