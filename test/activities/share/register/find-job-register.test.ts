import { compileRegisterNames } from '../../../../activities/registers/register-name';
import { lockedSheet, tooLargeSheet } from '../../../../activities/registers/sheet/sheet-error';
import {
  countsAmong,
  findJobRegister,
  nameRegister,
} from '../../../../activities/share/register/find-job-register';
import { partsOf, sheetDataOf, zipOf } from '../../registers/workbook-of-parts';

const LIST = 'File,Title\na.pdf,Plan\n';

/** Contents by path; an error is thrown when it is opened. */
async function find(files: Readonly<Record<string, string | Buffer | Error>>, name = 'Job') {
  const opened: string[] = [];
  const found = await findJobRegister({
    name,
    paths: Object.keys(files),
    isNamed: compileRegisterNames(),
    synonyms: {},
    open: async (path, mostBytes) => {
      opened.push(path);
      const content = files[path];
      if (content === undefined || content instanceof Error) throw content ?? new Error(path);
      if (content.length > mostBytes) throw tooLargeSheet('The sheet has more');
      return Buffer.from(content as Buffer);
    },
  });
  return { found, opened };
}

describe('the register of a job', () => {
  test('is the sheet that is called so, with its rows and their files', async () => {
    const { found } = await find({ 'Register.csv': LIST, 'a.pdf': '', 'b.pdf': '' });
    expect(found).toMatchObject({
      kind: 'register',
      path: 'Register.csv',
      matches: { pairs: [{ row: 2, path: 'a.pdf' }], unlisted: ['b.pdf'] },
    });
  });

  test('is a sheet with a column for files and a field, whatever its name', async () => {
    expect((await find({ 'issue 7.csv': LIST, 'a.pdf': '' })).found).toMatchObject({ path: 'issue 7.csv' });
  });

  test('that is named goes before one that only looks like one', async () => {
    const { found, opened } = await find({ 'issue 7.csv': LIST, 'register.csv': LIST, 'a.pdf': '' });
    expect(found).toMatchObject({ kind: 'register', path: 'register.csv' });
    expect(opened).toEqual(['register.csv']);
  });

  test('is the one that can be read as such, of several that are called so', async () => {
    const { found } = await find({
      'Transmittal.csv': 'To,From\nme,you\n',
      'register.csv': LIST,
      'a.pdf': '',
    });
    expect(found).toMatchObject({ kind: 'register', path: 'register.csv' });
    expect(found.kind === 'register' && found.looks.get('Transmittal.csv')).toMatch(/no column that says/);
  });

  test('is looked for near the top of the folder first', async () => {
    const files = { 'old/register.csv': LIST, 'register.csv': LIST, 'a.pdf': '' };
    expect((await find(files)).found).toMatchObject({ kind: 'register', path: 'register.csv' });
  });
});

test('what may be a register is known by its path alone, and one that is named counts before all others', () => {
  const isNamed = compileRegisterNames();
  const [named, deep, beside, ...others] = [
    'register.csv',
    'deep/Register.xlsm',
    'TR-0142.xlsx',
    'deep/TR-0142.xlsx',
    'a.pdf',
  ].map(path => countsAmong(isNamed, path));
  expect([deep, ...others]).toEqual([named, 0, 0]);
  expect([beside! > 5, named! - beside! > 5]).toEqual([true, true]);
});

describe('a sheet that is no register', () => {
  test('is a document, and says so where somebody may have meant one', async () => {
    const { found } = await find({ 'names.csv': 'File,Colour\na.pdf,red\n', 'a.pdf': '' });
    expect(found).toMatchObject({ kind: 'none' });
    expect(found.kind === 'none' && found.looks.get('names.csv')).toMatch(/no column of it is a field/);
  });

  test('is one that says nothing of what came with it', async () => {
    const { found } = await find({ 'drawings.csv': 'File,Title\nelsewhere.pdf,x\n', 'a.pdf': '' });
    expect(found.kind === 'none' && found.looks.get('drawings.csv')).toMatch(/none of its rows/);
  });

  test.each([
    ['cannot be read', { 'calc.xlsx': 'no workbook', 'a.pdf': '' }],
    ['has nothing of a register', { 'calc.csv': 'x,y\n1,2\n', 'a.pdf': '' }],
    [
      'is too large to be looked into',
      { 'calc.csv': `File,Title\n${'a.pdf,x\n'.repeat(300_000)}`, 'a.pdf': '' },
    ],
    ['lies deeper', { 'deep/list.csv': LIST, 'a.pdf': '' }],
  ])('is one that %s', async (_, files) => {
    expect((await find(files)).found).toEqual({ kind: 'none', looks: new Map() });
  });

  test('a folder of many sheets is not opened sheet by sheet', async () => {
    const files = Object.fromEntries([1, 2, 3, 4, 5, 6].map(at => [`calc ${at}.csv`, LIST]));
    expect(await find(files)).toEqual({ found: { kind: 'none', looks: new Map() }, opened: [] });
  });
});

describe('a register that cannot be used', () => {
  test.each([
    ['no column for the file', { 'register.csv': 'Title\nPlan\n' }, /no column that says which file/],
    [
      'two columns for the file',
      { 'register.csv': 'File,File name,Title\na.pdf,a.pdf,x\n' },
      /both give the file/,
    ],
    ['no rows', { 'register.csv': 'File,Title\n' }, /a header but no rows/],
    ['nothing in it', { 'register.csv': '' }, /has no content/],
    ['101 columns', { 'register.csv': `File,${'x,'.repeat(99)}Title\na.pdf\n` }, /more than 100 columns/],
    ['a neighbour', { 'register.csv': LIST, 'Register 2.csv': LIST }, /could each be the register/],
    [
      'a neighbour that only looks like one',
      { 'one.csv': LIST, 'two.csv': LIST },
      /could each be the register/,
    ],
  ])('has %s', async (_, files, text) => {
    const { found } = await find({ ...files, 'a.pdf': '' });
    expect(found).toMatchObject({ kind: 'faulty', text: expect.stringMatching(text), mayPass: false });
  });

  test('lies beside one that cannot be opened, which could be the register as well', async () => {
    const locked = { 'register.csv': LIST, 'Register 2.csv': lockedSheet(), 'a.pdf': '' };
    expect((await find(locked)).found).toMatchObject({
      kind: 'faulty',
      path: 'Register 2.csv',
      mayPass: true,
    });
    const torn = { 'register.csv': LIST, 'Register 2.xlsx': 'no workbook', 'a.pdf': '' };
    expect((await find(torn)).found).toMatchObject({
      kind: 'faulty',
      text: expect.stringMatching(/could each/),
    });
  });

  test('may pass when somebody has it open', async () => {
    const { found } = await find({ 'register.csv': lockedSheet(), 'a.pdf': '' });
    expect(found).toMatchObject({ kind: 'faulty', path: 'register.csv', mayPass: true });
  });

  test.each(['xlsm', 'xls', 'xlsb', 'ods', 'TSV'])('is a .%s, and is not even opened', async ending => {
    const path = `Register.${ending}`;
    const { found, opened } = await find({ [path]: 'x', 'list.csv': LIST, 'a.pdf': '' });
    expect(found).toMatchObject({
      kind: 'faulty',
      path,
      text: 'A register has to be .xlsx or .csv. Open this one, and save it as .xlsx. If it is no register, give it another name.',
      mayPass: false,
    });
    expect(opened).toEqual([]);
    expect((await find({ [path]: 'x', 'a.pdf': '' }, '')).found).toMatchObject({ kind: 'faulty', path });
  });

  test('is one of another kind that lies nearer to the top than an older one', async () => {
    const files = { 'old/register.csv': LIST, 'Register.xls': 'x', 'a.pdf': '' };
    expect((await find(files)).found).toMatchObject({ kind: 'faulty', path: 'Register.xls' });
  });

  test('is none where one of another kind lies beside one that can be read', async () => {
    const files = { 'Register.xls': 'x', 'register.csv': LIST, 'a.pdf': '' };
    expect((await find(files)).found).toMatchObject({ kind: 'register', path: 'register.csv' });
  });

  test('is told from a share that is away', async () => {
    await expect(find({ 'register.csv': new Error('EIO') })).rejects.toThrow('EIO');
  });
});

describe('a workbook with several sheets that are registers', () => {
  const sheetsOf = (first: readonly string[], second: readonly string[]) =>
    partsOf({
      sheets: [first, second].map(files =>
        sheetDataOf([['File', 'Title'], ...files.map(file => [file, 'x'])]),
      ),
    });
  const register = (first: readonly string[], second: readonly string[]) => zipOf(sheetsOf(first, second));
  const BOTH =
    'The sheets "Sheet 1" and "Sheet 2" both list "a.pdf". Keep one of them: hide or delete the other.';

  test.each(['register.xlsx', 'issues.xlsx'])('%s cannot be used where two list one file', async path => {
    for (const other of ['a.pdf', 'A', 'Job/a.pdf']) {
      const bytes = register(['b.pdf', 'a.pdf'], ['c.pdf', other]);
      const { found } = await find({ [path]: bytes, 'a.pdf': '', 'b.pdf': '' });
      expect(found).toEqual({ kind: 'faulty', path, text: BOTH, mayPass: false });
    }
  });

  test('cannot be used where the other one lists the file twice', async () => {
    const bytes = register(['a.pdf'], ['a.pdf', 'a.pdf']);
    expect((await find({ 'register.xlsx': bytes, 'a.pdf': '' })).found).toMatchObject({ text: BOTH });
  });

  test('can be used where the other one is hidden, or lists other files', async () => {
    const parts = sheetsOf(['a.pdf'], ['a.pdf']);
    const workbook = parts['xl/workbook.xml']?.replace('sheetId="1"', 'sheetId="1" state="hidden"') ?? '';
    const hidden = zipOf({ ...parts, 'xl/workbook.xml': workbook });
    expect((await find({ 'register.xlsx': hidden, 'a.pdf': '' })).found).toMatchObject({
      kind: 'register',
      register: { sheet: 'Sheet 2', notices: [] },
    });
    const apart = register(['a.pdf', 'c.pdf'], ['b.pdf', 'c.pdf']);
    expect((await find({ 'register.xlsx': apart, 'a.pdf': '', 'b.pdf': '' })).found).toMatchObject({
      kind: 'register',
      register: { sheet: 'Sheet 1', notices: [{ text: expect.stringMatching(/^Only the sheet/) }] },
    });
  });
});

test('a register is called by its name alone', () => {
  expect(nameRegister('Job/register.xlsx')).toBe('"register.xlsx"');
});
