// The bugs that the chaos suite puts in can still be put in: their places are looked for in the text that the
// compiler makes of the sources as they are now, so that a build from before cannot hide that one is gone.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { putIn } from '../mutate/bug';
import { NEIGHBOUR_BUGS } from './neighbour-bugs';
import { LATE } from './second-look';
import { BUGS } from './seeded-bugs';

const ROOT = join(__dirname, '..', '..');
const TSC = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
const EDITS = [
  ...BUGS,
  ...NEIGHBOUR_BUGS.flatMap(({ name, edits }) => edits.map(edit => ({ name, ...edit }))),
];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'drawbridge-seeded-'));
  compile([...new Set(EDITS.map(({ file }) => join(ROOT, file.replace(/\.js$/, '.ts'))))]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('what each replaces stands in its file exactly once', () => {
  const stale = EDITS.filter(edit => putIn(built(edit.file), edit) === undefined);
  expect(stale.map(({ name, file, from }) => `${name}\n  ${file}\n  ${from}`)).toEqual([]);
});

/** The compiler binds such names: one that is not there ends the run, which is another bug than meant. */
test('what each puts in names only modules that its file imports', () => {
  const unbound = EDITS.flatMap(({ name, file, to }) =>
    (to.match(/\b\w+_\d+\b(?=\.)/g) ?? [])
      .filter(module => !built(file).includes(`const ${module} = `))
      .map(module => `${name}: ${module}`),
  );
  expect(unbound).toEqual([]);
});

test('what must tell is something that the suite can say, and not how long it took', () => {
  const said = readdirSync(__dirname)
    .filter(name => /\.ts$/.test(name) && !/-bugs\.ts$|\.test\.ts$/.test(name))
    .map(name => readFileSync(join(__dirname, name), 'utf8'));
  const unsaid = [...BUGS, ...NEIGHBOUR_BUGS].flatMap(({ name, tells }) =>
    tells
      .filter(invariant => invariant === LATE || !said.some(text => text.includes(`'${invariant}'`)))
      .map(invariant => `${name}: ${invariant}`),
  );
  expect(unsaid).toEqual([]);
});

/** These files alone, as the build compiles them, without a look at their types: within a second. */
function compile(files: readonly string[]): void {
  const project = join(folder, 'tsconfig.json');
  const compilerOptions = {
    rootDir: ROOT,
    outDir: folder,
    noCheck: true,
    noResolve: true,
    types: [],
    incremental: false,
  };
  writeFileSync(
    project,
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: [], files }),
  );
  execFileSync(process.execPath, [TSC, '--project', project], { stdio: 'inherit' });
}

function built(file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}
