// `drawbridge register template`: the workbook for people, from the fields of a project of the stand-in.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cellAt, type Grid } from '../../../activities/registers/sheet/grid';
import { readSheet } from '../../../activities/registers/sheet/read-sheet';
import { main } from '../../../client/main';
import { DEFAULT_COMPANY_ID, DEFAULT_CREDENTIALS, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { type Sandbox, startSandbox } from '../../sandbox/server';
import { usePrinted } from '../../setup/printed';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();
let sandbox: Sandbox;
const printed = usePrinted();

beforeAll(async () => {
  sandbox = await startSandbox({ settings: { limits: null } });
  process.env.DRAWBRIDGE_CLIENT_SECRET = DEFAULT_CREDENTIALS.clientSecret;
});
afterAll(async () => {
  delete process.env.DRAWBRIDGE_CLIENT_SECRET;
  await sandbox.close();
});

const at = (...parts: string[]) => join(folder(), ...parts);

async function template(...args: string[]): Promise<number> {
  const service = {
    environment: 'sandbox',
    baseUrl: sandbox.apiUrl,
    authUrl: sandbox.authUrl,
    clientId: DEFAULT_CREDENTIALS.clientId,
    allowInsecureLoopback: true,
  };
  const project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };
  const share = {
    name: 'tender',
    folder: at('share'),
    project,
    fileNamePattern: '^(?<Number>[^_]+)_(?<Revision>[^.]+)',
    defaults: { Discipline: 'Structural' },
  };
  writeFileSync(at('drawbridge.json'), JSON.stringify({ service, shares: [share] }));
  const all = ['--data-dir', folder(), '--config', at('drawbridge.json'), 'register', 'template', ...args];
  return await main(all, 'drawbridge');
}

async function dataOf(file: string): Promise<Grid> {
  const grid = (await readSheet(readFileSync(file), file)).grids.find(({ name }) => name === 'Data');
  if (grid === undefined) throw new Error('there is no sheet Data');
  return grid;
}

test('has the fields of the project, what they require, and one row a file', async () => {
  mkdirSync(at('Package A'));
  for (const name of ['0042_P1.pdf', '0007_P1.pdf']) writeFileSync(at('Package A', name), name);
  const made = at('Package A', 'register.xlsx');
  expect(await template('--files', at('Package A'), '--type', 'dwg', '-o', made)).toBe(0);
  expect(printed.text).toContain('2 rows');
  const data = await dataOf(made);
  const texts = (row: number) =>
    new Map(data.rows[1]?.map(({ text }, column) => [text, cellAt(data, row, column).text]));
  expect(texts(0).get('File')).toBe('required');
  expect(texts(0).get('Discipline')).toBe('optional: else Structural');
  expect(texts(0).get('Name')).toBe('optional: else the name of the file');
  expect(
    [2, 3].map(row => ['File', 'Type', 'Number', 'Revision'].map(header => texts(row).get(header))),
  ).toEqual([
    ['0007_P1.pdf', 'Drawing', '0007', 'P1'],
    ['0042_P1.pdf', 'Drawing', '0042', 'P1'],
  ]);
  expect([...texts(0).keys()].filter(header => /workflow/i.test(header))).toEqual([]);
});

test('asks the stand-in of a running Drawbridge where no service is configured', async () => {
  const run = (): Promise<number> =>
    main(['--data-dir', folder(), 'register', 'template', '-o', at('new.xlsx')], 'drawbridge');
  expect(await run()).toBe(2);
  expect(printed.text).toContain('No service is configured, and no stand-in runs here.');
  mkdirSync(at('state'));
  const { apiUrl, authUrl, storageUrl, controlUrl } = sandbox;
  writeFileSync(
    at('state', 'stand-in-addresses.json'),
    JSON.stringify({ apiUrl, authUrl, storageUrl, controlUrl }),
  );
  expect(await run()).toBe(0);
  expect((await dataOf(at('new.xlsx'))).rows[1]?.[0]?.text).toBe('File');
});

test('writes over nothing unless told to', async () => {
  writeFileSync(at('mine.xlsx'), 'filled');
  expect(await template('-o', at('mine.xlsx'))).toBe(2);
  expect(printed.text).toContain(
    'is there already. It was left as it is: name another one with -o, or give --force',
  );
  expect(readFileSync(at('mine.xlsx'), 'utf8')).toBe('filled');
  expect(await template('-o', at('mine.xlsx'), '--force')).toBe(0);
  expect((await dataOf(at('mine.xlsx'))).rows[1]?.[0]?.text).toBe('File');
  expect(readdirSync(folder()).filter(name => name.includes('.part'))).toEqual([]);
});

test('a type that is none, or may not be given any more, is told with the nearest; nothing is made', async () => {
  expect(await template('--type', 'Drawin', '-o', at('new.xlsx'))).toBe(2);
  expect(printed.text).toContain(
    '"Drawin" is no type of the project that may be given. Nearest: Drawing (DWG)',
  );
  expect(await template('--type', 'Model', '-o', at('new.xlsx'))).toBe(2);
  expect(await template('-o', at('new.csv'))).toBe(2);
  expect(readdirSync(folder())).not.toContain('new.xlsx');
});
