// CONTRIBUTING.md draws the rooms as they are, none of them is too full to be looked through, and
// comments are no wider than a page.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(__dirname, '..');
const ROLES = ['workflows', 'activities', 'workers', 'client'];
const MOST_THINGS = 20;
const MOST_COLUMNS = 110;

function foldersFrom(folder: string): readonly string[] {
  const inner = readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true });
  const paths = inner.filter(entry => entry.isDirectory()).map(entry => join(entry.parentPath, entry.name));
  return [folder, ...paths.map(path => relative(ROOT, path).replaceAll('\\', '/'))];
}

/** The picture's lines are `  name/   what is in it`, two blanks deeper for what is inside. */
function drawnFolders(): readonly { readonly path: string; readonly says: string }[] {
  const [, picture = ''] = /^## The rooms$.*?^```text\n(.*?)^```$/ms.exec(
    readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8'),
  ) ?? [''];
  const above: string[] = [];
  return [...picture.matchAll(/^( *)(\S+)\/ +(.*)$/gm)].map(([, indent = '', name = '', says = '']) => {
    above.length = indent.length / 2;
    above.push(name);
    return { path: above.join('/'), says };
  });
}

test('every room is drawn, with a line that says what it is for, and nothing else is', () => {
  const drawn = drawnFolders();
  expect(drawn.map(({ path }) => path).sort()).toEqual(ROLES.flatMap(foldersFrom).sort());
  expect(drawn.filter(({ says }) => says.length < 10)).toEqual([]);
});

test('no room has more in it than somebody looks through', () => {
  const full = ROLES.flatMap(foldersFrom).filter(
    folder => readdirSync(join(ROOT, folder)).length > MOST_THINGS,
  );
  expect(full).toEqual([]);
});

test('a comment can be read without turning the head: at most 110 columns', () => {
  const wide = ROLES.flatMap(foldersFrom).flatMap(folder =>
    readdirSync(join(ROOT, folder))
      .filter(name => name.endsWith('.ts'))
      .flatMap(name =>
        readFileSync(join(ROOT, folder, name), 'utf8')
          .split('\n')
          .filter(line => /^\s*(?:\/\/|\/\*|\*)/.test(line) && line.length > MOST_COLUMNS)
          .map(line => `${folder}/${name}: ${line.trim()}`),
      ),
  );
  expect(wide).toEqual([]);
});
