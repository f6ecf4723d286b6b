// CONTRIBUTING.md draws the rooms as they are, imports go down that picture, tests lie in folders of the
// product, what the text names is there, no room is too full to be looked through, comments are no wider than
// a page, and the pages of the service name what is asked of it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';

const ROOT = join(__dirname, '..');
const ROLES = ['workflows', 'activities', 'workers', 'client'];
const MOST_THINGS = 20;
const MOST_COLUMNS = 110;
const SOURCE = /\.tsx?$/;
/** Also what Node runs as it stands: scripts, and what jest loads by itself. */
const CODE = /\.(?:[cm]?js|[cm]?tsx?)$/;
/** Packed into what the browser gets. */
const PAGE_MAY_KNOW =
  /^(preact(\/hooks)?|@preact\/signals|@tanstack\/virtual-core|tus-js-client|activities\/registers\/(words\/.+|choices|read-cell|read-date)|activities\/host\/fold-text)$/;

/** Folders of tests that no folder of the product stands behind. */
const MIRRORS_NOTHING: readonly string[] = [
  // Sheets that tests read.
  'activities/registers/sheet/fixtures',
  // The page as people use it, through all of its rooms.
  'client/console/browser',
];

/**
 * Rooms that know rooms inside them and are known by them. Between files there is no circle all the same
 * (lint): some files of such a room lie below its inner rooms, others above.
 */
const ABOVE_AND_BELOW: Readonly<Record<string, string>> = {
  workflows: 'contract.ts is what all workflows share; index.ts gathers them.',
  'workflows/ingest':
    'The contract and the state of a batch are what its stages work on; ingest-batch.ts calls them.',
  'activities/ingest':
    'What is asked and how uploads are looked at is shared; ingest-activities.ts puts all activities together.',
  'activities/service':
    'What an endpoint is, the errors and reasons are shared by all; service-client.ts is put together from the rooms.',
  'activities/share/receipt':
    'The sheet of held rows is made as the receipt is; settle-job.ts takes it away when that comes.',
  'activities/transfer':
    'The ports and the errors are shared by source, hashing and storage; send-file.ts uses all three.',
};

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

function isThere(path: string): boolean {
  return existsSync(join(ROOT, path));
}

interface Import {
  readonly from: string;
  readonly to: string;
}

function importsOf(folder: string): readonly Import[] {
  const names = readdirSync(join(ROOT, folder)).filter(name => SOURCE.test(name));
  return names.flatMap(name => {
    const text = readFileSync(join(ROOT, folder, name), 'utf8');
    return [...text.matchAll(/\bfrom '(\.[^']*)';$/gm)].map(([, path = '']) => {
      const place = posix.join(folder, path);
      const to =
        ['.ts', '.tsx', '/index.tsx'].map(ending => `${place}${ending}`).find(isThere) ?? `${place}/index.ts`;
      return { from: `${folder}/${name}`, to };
    });
  });
}

/**
 * The rooms side by side of which an import leaves one and enters the other; none for a room and one inside
 * it.
 */
function crossed({ from, to }: Import): readonly [string, string] | undefined {
  const [here, there] = [from, to].map(path => posix.dirname(path).split('/')) as [string[], string[]];
  const apart = here.findIndex((name, at) => name !== there[at]);
  if (apart < 0 || there[apart] === undefined) return undefined;
  return [here.slice(0, apart + 1).join('/'), there.slice(0, apart + 1).join('/')];
}

test('imports between rooms side by side go down the picture, never up', () => {
  const drawn = drawnFolders().map(({ path }) => path);
  const up = ROLES.flatMap(foldersFrom)
    .flatMap(importsOf)
    .filter(one => {
      const [here = '', there = ''] = crossed(one) ?? [];
      // Between the four roles lint holds the direction.
      return here.includes('/') && drawn.indexOf(here) > drawn.indexOf(there);
    });
  expect(up.map(({ from, to }) => `${from} knows ${to}`)).toEqual([]);
});

/** A pattern of `includes` in biome.json: `*` is part of one name, `**` is any number of folders. */
function isIncluded(path: string, pattern: string): boolean {
  const expression = pattern
    .replaceAll(/[.+]/g, '\\$&')
    .replaceAll('**', '\0')
    .replaceAll('*', '[^/]*')
    .replaceAll('\0', '.*');
  return new RegExp(`^${expression}$`).test(path);
}

test('every file of the four roles is under a rule of lint that says what it may not import', () => {
  const { overrides } = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8')) as {
    readonly overrides: readonly { readonly includes: readonly string[]; readonly linter: object }[];
  };
  const patterns = overrides
    .filter(({ linter }) => JSON.stringify(linter).includes('"noRestrictedImports"'))
    .flatMap(({ includes }) => includes)
    .filter(pattern => !pattern.startsWith('!'));
  const files = ROLES.flatMap(foldersFrom).flatMap(folder =>
    readdirSync(join(ROOT, folder))
      .filter(name => SOURCE.test(name))
      .map(name => `${folder}/${name}`),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter(path => !patterns.some(pattern => isIncluded(path, pattern)))).toEqual([]);
});

test('docs/rooms.md draws the arrows between the roles, and no other', () => {
  const between = ROLES.flatMap(foldersFrom)
    .flatMap(importsOf)
    .map(({ from, to }) => [from, to].map(path => path.split('/')[0]))
    .filter(([here, there]) => here !== there && ROLES.includes(there ?? ''));
  const text = readFileSync(join(ROOT, 'docs/rooms.md'), 'utf8');
  const [, table = ''] = /^## Between the roles$(.*?)^## /ms.exec(text) ?? [''];
  const drawn = [...table.matchAll(/^\| ([a-z]+) \| ([a-z]+) \| .{10,} \|$/gm)];
  expect(drawn.map(([, from, to]) => `${from} > ${to}`).sort()).toEqual(
    [...new Set(between.map(roles => roles.join(' > ')))].sort(),
  );
});

/**
 * Between folders directly below a role, as docs/rooms.md counts them: `from > to`.
 * @param withFiles a file directly below the role is a room as well.
 */
function arrowsOf(role: string, withFiles = false): readonly string[] {
  const roomOf = (path: string) => {
    const [room = '', ...inside] = path.slice(role.length + 1).split('/');
    if (!path.startsWith(`${role}/`) || (inside.length === 0 && !withFiles)) return undefined;
    return room.replace(SOURCE, '');
  };
  const arrows = foldersFrom(role)
    .flatMap(importsOf)
    .map(({ from, to }) => [roomOf(from), roomOf(to)])
    .filter(([here, there]) => here !== undefined && there !== undefined && here !== there)
    .map(rooms => rooms.join(' > '));
  return [...new Set(arrows)].sort();
}

const WITH_ARROWS = [...ROLES, 'activities/share', 'activities/service'];

test.each(WITH_ARROWS)(
  'docs/rooms.md says of each arrow between rooms of %s why it is there, and of no other',
  role => {
    const text = readFileSync(join(ROOT, 'docs/rooms.md'), 'utf8');
    const [, table = ''] = new RegExp(`^## ${role}$(.*?)(?=^## |$(?![\\s\\S]))`, 'ms').exec(text) ?? [''];
    const rows = [...table.matchAll(/^\| ([a-z-]+) \| ([a-z-]+) \| (.+) \|$/gm)];
    expect(rows.map(([, from, to]) => `${from} > ${to}`).sort()).toEqual(arrowsOf(role));
    expect(rows.filter(([, , , why = '']) => why.length < 10)).toEqual([]);
  },
);

test.each(WITH_ARROWS)(
  'docs/rooms.md tells how many arrows %s has now, beside those before and those that were planned',
  role => {
    const text = readFileSync(join(ROOT, 'docs/rooms.md'), 'utf8');
    const row = new RegExp(`^\\| ${role} \\| ((?:\\d+ \\| ){4})([a-z, -]+) \\| (\\d+) \\|$`, 'm').exec(text);
    const [, counted = '', since = '', withFiles] = row ?? [];
    const [before, planned, now, without] = counted.split(' | ').map(Number);
    expect(before).toBeGreaterThan(planned ?? 0);
    const came = since === 'none' ? [] : since.split(', ');
    expect(came.filter(room => !isThere(`${role}/${room}`))).toEqual([]);
    const arrows = arrowsOf(role);
    const ofThePlan = arrows.filter(arrow => !arrow.split(' > ').some(room => came.includes(room)));
    expect([now, without, Number(withFiles)]).toEqual([
      arrows.length,
      ofThePlan.length,
      arrowsOf(role, true).length,
    ]);
  },
);

test('a room and one inside it know each other only where it is said why', () => {
  const arrows = new Set(
    ROLES.flatMap(foldersFrom)
      .flatMap(importsOf)
      .map(({ from, to }) => `${posix.dirname(from)} > ${posix.dirname(to)}`),
  );
  const bothWays = ROLES.flatMap(foldersFrom).filter(outer =>
    foldersFrom(outer).some(
      inner => inner !== outer && arrows.has(`${inner} > ${outer}`) && arrows.has(`${outer} > ${inner}`),
    ),
  );
  expect(bothWays.sort()).toEqual(Object.keys(ABOVE_AND_BELOW).sort());
});

test('the page knows the server by the types of its contract alone, and nothing that runs elsewhere', () => {
  const page = foldersFrom('client/console/page');
  const known = page
    .flatMap(folder => readdirSync(join(ROOT, folder)).map(name => `${folder}/${name}`))
    .filter(path => SOURCE.test(path))
    .flatMap(path =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^(?:import|export) ([^;]*?)from '([^']+)';$/gm)]
        .map(([, what = '', from = '']) => ({
          what,
          to: from.startsWith('.') ? posix.join(posix.dirname(path), from) : from,
        }))
        .filter(({ to }) => !to.startsWith('client/console/page/'))
        .filter(
          ({ what, to }) => !(what.startsWith('type ') && /^(client\/console\/contract\/|tus-js)/.test(to)),
        )
        .filter(({ to }) => !PAGE_MAY_KNOW.test(to))
        .map(({ to }) => `${path} knows ${to}`),
    );
  expect(known).toEqual([]);
});

test('of test/, what people start needs the stand-in alone: a start builds nothing because of other tests', () => {
  const looksAt = /PROGRAM_FOLDERS = \[(.*)\];/.exec(readFileSync(join(ROOT, 'scripts/build.mjs'), 'utf8'));
  const folders = (looksAt?.[1] ?? '').split(', ').map(name => name.slice(1, -1));
  expect(folders).toEqual([...ROLES, 'test/sandbox']);
  const unseen = folders
    .flatMap(foldersFrom)
    .flatMap(importsOf)
    .filter(({ from, to }) => !from.endsWith('.test.ts') && !folders.some(one => to.startsWith(`${one}/`)));
  expect(unseen).toEqual([]);
});

test('each question of "Where to look" has one folder, and a file in it', () => {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const [, table = ''] = /^## Where to look$(.*?)^## /ms.exec(text) ?? [''];
  const answers = [...table.matchAll(/^\| .+\? \| `(.+?)\/` \| `(.+?)`/gm)].map(
    ([, folder, file]) => `${folder}/${file}`,
  );
  expect(answers).toHaveLength(6);
  expect(answers.filter(path => !existsSync(join(ROOT, path)))).toEqual([]);
});

/** Need not be there: what recipes make. */
const MADE_BY_RECIPES = {
  paths: [
    'client/console/contract/ledgers.ts',
    'client/console/ledgers/ledgers.ts',
    'ledgers.css',
    'page/shell/texts/ledgers.ts',
    'page/views/ledgers/index.tsx',
    'test/client/console/ledgers/ledgers.test.ts',
    'test/histories/release-before/',
    'test/workflows/users/count-roles.test.ts',
    'texts/ledgers.ts',
    'workflows/users/count-roles.ts',
  ],
  words: [
    'addXCommand',
    'countRolesWorkflow',
    'createLedgers',
    // Of Temporal, for the last step of a change.
    'deprecatePatch',
    'ledgersRoutes',
    'ledgersView',
  ],
};
const PATH = /^[\w.-]*(?:\/[\w.-]*)+$|^[\w.-]+\.(?:tsx?|css|md|json|cjs)$/;
const COMMAND = /^(?:npm|npx|git|DRAWBRIDGE_\w+=1) /;

/** What stands in backticks, without the picture, commands by themselves and the words of the field. */
function namedInText(): readonly string[] {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
    .replaceAll(/^ *```.*?^ *```$/gms, '')
    .replace(/^## Words$.*?(?=^## )/ms, '');
  return [...new Set([...text.matchAll(/`([^`\n]+)`/g)].map(([, named = '']) => named))];
}

test('every path that is named here is there, or made by a recipe', () => {
  const known = ['activities', 'client', 'docs', 'scripts', 'test', 'workers', 'workflows'].flatMap(top => [
    top,
    ...readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' }).map(name => `${top}/${name}`),
  ]);
  const paths = [...known, ...readdirSync(ROOT)].map(path => `/${path.replaceAll('\\', '/')}`);
  const named = namedInText().filter(name => PATH.test(name));
  expect(named.length).toBeGreaterThan(100);
  // From the root, or from the room that a recipe has just spoken of.
  const isThereOrMade = (name: string) =>
    MADE_BY_RECIPES.paths.includes(name) || paths.some(path => path.endsWith(`/${name.replace(/\/$/, '')}`));
  expect(named.filter(name => !isThereOrMade(name))).toEqual([]);
});

test('every name of code that is told here stands in the code, or is made by a recipe', () => {
  const told = namedInText()
    .filter(named => !PATH.test(named) && !COMMAND.test(named) && !/^(?:DRAWBRIDGE)?_/.test(named))
    .flatMap(named => named.match(/[A-Za-z]\w{2,}/g) ?? []);
  expect(told).toContain('everyAnswer');
  const missing = new Set(told);
  for (const word of MADE_BY_RECIPES.words) missing.delete(word);
  for (const folder of [...ROLES, 'scripts', 'test'].flatMap(foldersFrom))
    for (const name of readdirSync(join(ROOT, folder))) {
      const path = join(ROOT, folder, name);
      // Names that stand in this file alone are those of no code.
      if (!CODE.test(name) || path === __filename) continue;
      const text = readFileSync(path, 'utf8');
      for (const word of missing) if (new RegExp(`\\b${word}\\b`).test(text)) missing.delete(word);
    }
  expect([...missing]).toEqual([]);
});

test('no room has more in it than somebody looks through', () => {
  const full = ROLES.flatMap(foldersFrom).filter(
    folder => readdirSync(join(ROOT, folder)).length > MOST_THINGS,
  );
  expect(full).toEqual([]);
});

test('the tests of a room lie in the folder of its name', () => {
  const apart = ROLES.flatMap(role => foldersFrom(`test/${role}`))
    .map(folder => folder.slice('test/'.length))
    .filter(folder => !existsSync(join(ROOT, folder)));
  expect(apart.sort()).toEqual(MIRRORS_NOTHING);
});

test('a comment can be read without turning the head: at most 110 columns', () => {
  // Histories are data, some of it with text that begins as a comment does.
  const folders = [...ROLES, 'scripts', 'test'].flatMap(foldersFrom);
  const written = folders.filter(folder => !folder.startsWith('test/histories'));
  const wide = written.flatMap(folder =>
    readdirSync(join(ROOT, folder))
      .filter(name => CODE.test(name))
      .flatMap(name =>
        readFileSync(join(ROOT, folder, name), 'utf8')
          .split('\n')
          .filter(line => /^\s*(?:\/\/|\/\*|\*)/.test(line) && line.length > MOST_COLUMNS)
          .map(line => `${folder}/${name}: ${line.trim()}`),
      ),
  );
  expect(wide).toEqual([]);
});

test('no page has a placeholder left in it, to be filled when something has been measured', () => {
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`);
  const pages = [...docs, 'CHANGELOG.md', 'CONTRIBUTING.md', 'README.md'];
  const left = pages.flatMap(page =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/@[A-Z][A-Z0-9_]*@/g)].map(
      ([placeholder]) => `${page}: ${placeholder}`,
    ),
  );
  expect(left).toEqual([]);
});

/** What the files below a folder say in these words: the first group of each. */
function namesIn(folder: string, words: RegExp): readonly string[] {
  return foldersFrom(folder)
    .flatMap(each => readdirSync(join(ROOT, each)).map(name => `${each}/${name}`))
    .filter(path => SOURCE.test(path))
    .flatMap(path =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(words)].map(([, name = '']) => name),
    );
}

test('docs/service-*.md name each operation of the service, and each activity that a workflow asks it by', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter(name => /^service-.*\.md$/.test(name));
  const told = pages.map(name => readFileSync(join(ROOT, 'docs', name), 'utf8')).join('\n');
  const operations = namesIn('activities/service/endpoints', /^export const (\w+): Endpoint</gm);
  const activities = namesIn('workflows', /\bcalls\.service\.(\w+)\(/gi);
  expect(operations.length).toBeGreaterThan(40);
  expect(activities.length).toBeGreaterThan(40);
  expect([...operations, ...activities].filter(name => !told.includes(`\`${name}\``))).toEqual([]);
});
