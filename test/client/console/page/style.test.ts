// All style sheets of the page are one: what a view defines must be its own.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = join(__dirname, '..', '..', '..', '..', 'client', 'console', 'page');

/** The classes of each selector in the sheets below a folder. */
function selectorsBelow(folder: string): readonly (readonly string[])[] {
  const sheets = readdirSync(join(PAGE, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.css'))
    .map(name => readFileSync(join(PAGE, folder, name), 'utf8').replaceAll(/\/\*.*?\*\//gs, ''));
  return sheets
    .flatMap(sheet => [...sheet.matchAll(/(?:^|[{};])\s*([^{};@]+)\{/g)])
    .flatMap(([, selectors = '']) => selectors.split(/,(?![^(]*\))/))
    .map(selector => [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, one = '']) => one))
    .filter(classes => classes.length > 0);
}

const ofAll = ['style', 'parts', 'frame'].flatMap(selectorsBelow);
/** What stands first is a thing of its own; what stands behind may be how it looks. */
const shared = new Set(ofAll.map(([first]) => first));
const known = new Set(ofAll.flat());
const views = readdirSync(join(PAGE, 'views'), { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => [name, selectorsBelow(join('views', name))] as const);

test('no two views define the same class, and none defines one of all views anew', () => {
  const owners = new Map<string, Set<string>>();
  const anew: string[] = [];
  for (const [view, selectors] of views)
    for (const classes of selectors) {
      for (const one of classes.filter(each => !known.has(each)))
        owners.set(one, (owners.get(one) ?? new Set()).add(view));
      if (classes.every(one => shared.has(one))) anew.push(`${view}: .${classes.join(' .')}`);
    }
  expect(anew).toEqual([]);
  expect([...owners].filter(([, of]) => of.size > 1)).toEqual([]);
  expect(owners.size).toBeGreaterThan(50);
});
