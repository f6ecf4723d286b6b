// CONTRIBUTING.md draws the rooms as they are, and none of them is too full to be looked through.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(__dirname, '..');
const ROLES = ['workflows', 'activities', 'workers', 'client'];
const MOST_THINGS = 20;

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
