// `drawbridge check` without a service: what names and patterns alone tell.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HashPool } from '../../../activities/transfer/hashing/hash-file';
import { main } from '../../../client/main';
import { previewName, UNKNOWN_PROJECT } from '../../../client/session/preview-names';
import { standInShare } from '../../../client/session/stand-in';
import { usePrinted } from '../../setup/printed';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();
const printed = usePrinted();

const SERVICE = {
  baseUrl: 'https://api.example.com',
  authUrl: 'https://login.example.com',
  clientId: 'client',
  clientSecret: { env: 'NO_SUCH_VARIABLE_HERE' },
};

async function check(share: object, ...args: string[]): Promise<number> {
  return await checkWith({ service: SERVICE }, share, ...args);
}

async function checkWith(settings: object, share: object, ...args: string[]): Promise<number> {
  const config = join(folder(), 'drawbridge.json');
  const project = { companyId: '1', projectId: '2' };
  const shares = [{ name: 'tender', folder: './share', project, ...share }];
  writeFileSync(config, JSON.stringify({ ...settings, shares }));
  return await main(['--config', config, 'check', ...args], 'drawbridge');
}

function put(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(folder(), path)), { recursive: true });
    writeFileSync(join(folder(), path), path);
  }
}

const rowOf = (text: string) => printed.text.split('\n').find(line => line.startsWith(text));

test('what lies in the drop folder, by its names; nothing is made there', async () => {
  put('share/drop/W-001.pdf', 'share/drop/Package A/W-002.dwg', 'share/drop/.DS_Store', 'share/done/old.pdf');
  expect(await check({}, '--offline')).toBe(0);
  expect(rowOf('W-001.pdf')).toMatch(/W-001 +W-001\|application\/pdf +documentName: stem/);
  expect(rowOf('Package A/W-002.dwg')).toMatch(/ W-002 +W-002\|image\/vnd\.dwg /);
  expect(printed.text).not.toMatch(/DS_Store|old\.pdf/);
  expect(printed.text).toContain('The service was not asked');
  expect(readdirSync(join(folder(), 'share')).sort()).toEqual(['done', 'drop']);
});

test('a name that a pattern gives counts more, and files of one document are named together', async () => {
  const share = {
    fileNamePattern: '^(?<Name>[A-Z]-\\d+)_(?<Revision>[^.]+)',
    folderPattern: '^(?<Type>[^/]+)',
    documentName: 'file',
  };
  expect(await check(share, '--offline', '--json', 'Drawing/A-1_P1.pdf', 'A-1_P2.pdf', 'letter.pdf')).toBe(0);
  expect(JSON.parse(printed.text)).toEqual({
    share: 'tender',
    documentName: 'file',
    askedService: false,
    files: [
      {
        path: 'A-1_P2.pdf',
        nameFrom: 'pattern',
        name: 'A-1',
        matches: 'A-1|application/pdf',
        values: { Name: 'A-1', Revision: 'P2' },
      },
      {
        path: 'Drawing/A-1_P1.pdf',
        nameFrom: 'pattern',
        name: 'A-1',
        matches: 'A-1|application/pdf',
        values: { Type: 'Drawing', Name: 'A-1', Revision: 'P1' },
      },
      {
        path: 'letter.pdf',
        nameFrom: 'documentName',
        name: 'letter.pdf',
        matches: 'letter.pdf|application/pdf',
        values: {},
      },
    ],
  });
  printed.clear();
  await check(share, '--offline', 'Drawing/A-1_P1.pdf', 'A-1_P2.pdf', 'letter.pdf');
  expect(printed.text).toContain('Revisions of one document: A-1_P2.pdf, Drawing/A-1_P1.pdf.');
});

test('files and folders from elsewhere are named as they would be in the drop folder', async () => {
  put('elsewhere/Package B/one.pdf', 'elsewhere/two.pdf');
  const files = ['Package B', 'two.pdf'].map(name => join(folder(), 'elsewhere', name));
  expect(await check({}, '--offline', ...files)).toBe(0);
  expect(rowOf('Package B/one.pdf')).toContain('one|application/pdf');
  expect(rowOf('two.pdf')).toContain('two|application/pdf');
  printed.clear();
  expect(await check({}, '--offline', '/no/such/file.pdf')).toBe(2);
  expect(printed.text).toMatch(/no file \/no\/such\/file\.pdf/);
});

test.each(['plans/Pakage A', 'plans/Package 1.2/'])(
  'one name that is nowhere and looks like no file is a folder that was mistyped: %s',
  async name => {
    const nameFor = async (...args: string[]) => await checkWith({}, {}, ...args, '--share', 'tender');
    expect(await nameFor(name)).toBe(2);
    expect(printed.text).toContain(`There is no folder ${name}`);
    // Files to come, and one that is there.
    expect(await nameFor(name.replace(/\/$/, ''), '--offline')).toBe(0);
    expect(await nameFor('plans/W-001.pdf')).toBe(0);
    put('LICENCE');
    expect(await nameFor(join(folder(), 'LICENCE'))).toBe(0);
  },
);

test('what the project itself names is not foretold', () => {
  const naming = { id: '1', qualifiers: [], required: [], allowDuplicateRevisions: true };
  const rules = { ...UNKNOWN_PROJECT, requirements: [{ ...naming, scrapedFieldIds: [] }] };
  const share = standInShare('/share');
  expect(previewName(share, 'SH-ALD-DWG-0042-C.pdf', rules)).toMatchObject({
    nameFrom: 'naming-standard',
    name: null,
    matches: null,
  });
  // A name that people give counts more than the project's own.
  const named = { ...share, fileNamePattern: '^(?<name>[^.]+)' };
  expect(previewName(named, 'W-001.pdf', rules)).toMatchObject({ nameFrom: 'pattern', name: 'W-001' });
});

test('a secret that cannot be read is a fault of the configuration, unless nobody is asked', async () => {
  expect(await check({}, 'W-001.pdf')).toBe(2);
  expect(printed.text).toContain('NO_SUCH_VARIABLE_HERE');
});

test.each([
  ['a register.csv', 'out.xlsx', 'csv'],
  ['a register.csv', 'out.txt', 'csv'],
  ['no register', 'out.csv', 'xlsx'],
])(
  'the result of a folder with %s is not called %s: refused before a file is hashed or anything is asked',
  async (register, output, format) => {
    put('A/1.pdf');
    if (register === 'a register.csv')
      writeFileSync(join(folder(), 'A/register.csv'), 'File,Number\n1.pdf,N-1\n');
    process.env.NO_SUCH_VARIABLE_HERE = 'secret';
    const hashed = jest.spyOn(HashPool.prototype, 'hashFile');
    try {
      const args = ['-o', join(folder(), output), join(folder(), 'A')];
      expect(await check({}, ...args)).toBe(2);
    } finally {
      delete process.env.NO_SUCH_VARIABLE_HERE;
    }
    expect(printed.text).toContain(`The result is a ${format} file: name it so`);
    expect(hashed).not.toHaveBeenCalled();
  },
);
