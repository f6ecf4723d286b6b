import fc from 'fast-check';
import { readSheet, sheetFormatOf } from '../../../../activities/registers/sheet/read-sheet';
import { SHEET_LIMITS } from '../../../../activities/registers/sheet/sheet-limits';
import { partsOf, sheetDataOf, workbookOf, zipOf } from '../workbook-of-parts';

const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const WORKBOOK = workbookOf({
  sheets: [
    sheetDataOf([
      ['Doc No', 'File'],
      ['A-1', 'a.pdf'],
    ]),
    '',
  ],
  strings: '<si><t>x</t></si>',
  formats: ['0000'],
});
const CSV = Buffer.from('Doc No;File\r\nA-1;"a;b.pdf"\r\nÄ;ö\r\n');

test.each([
  ['Register.XLSX', 'xlsx'],
  ['a/b.c/list.csv', 'csv'],
  ['register.xlsm', undefined],
  ['register', undefined],
  ['folder.csv/x', undefined],
])('the ending of %s promises %s', (name, format) => {
  expect(sheetFormatOf(name)).toBe(format);
});

test.each([
  ['nothing at all', Buffer.alloc(0), 'r.xlsx', 'empty', /no content/],
  [
    'a workbook with a password',
    Buffer.concat([OLE, Buffer.from('EncryptedPackage', 'utf16le')]),
    'r.xlsx',
    'encrypted',
    /password/,
  ],
  ['a workbook of the old kind', Buffer.concat([OLE, Buffer.alloc(600)]), 'r.xlsx', 'wrong-kind', /\.xls\)/],
  [
    'a workbook of the old kind named .csv',
    Buffer.concat([OLE, Buffer.alloc(600)]),
    'r.csv',
    'wrong-kind',
    /\.xls\)/,
  ],
  ['a workbook named .csv', WORKBOOK, 'r.csv', 'wrong-kind', /named \.csv/],
  ['a CSV named .xlsx', CSV, 'r.xlsx', 'wrong-kind', /named \.xlsx/],
  ['a web page named .xlsx', Buffer.from('<html><table>'), 'r.xlsx', 'wrong-kind', /named \.xlsx/],
  ['a workbook with macros by its name', WORKBOOK, 'r.xlsm', 'wrong-kind', /\.xlsx or \.csv/],
  ['a binary workbook', zipOf({ 'xl/workbook.bin': 'x' }), 'r.xlsx', 'wrong-kind', /\.xlsb/],
  [
    'an OpenDocument sheet',
    zipOf({ 'content.xml': '', 'META-INF/manifest.xml': '' }),
    'r.xlsx',
    'wrong-kind',
    /\.ods/,
  ],
  ['an archive of drawings', zipOf({ 'A-1.pdf': 'x' }), 'r.xlsx', 'wrong-kind', /archive/],
  [
    'a text document',
    zipOf({ '[Content_Types].xml': '', 'word/document.xml': '' }),
    'r.xlsx',
    'wrong-kind',
    /archive/,
  ],
  ['half a workbook', WORKBOOK.subarray(0, WORKBOOK.length / 2), 'r.xlsx', 'torn', /not whole/],
  ['the room for a workbook', Buffer.alloc(5_000), 'r.xlsx', 'torn', /not whole/],
  ['the room for a CSV', Buffer.alloc(5_000), 'r.csv', 'torn', /not whole/],
  [
    'XML that ends in the middle',
    workbookOf({ parts: { 'xl/workbook.xml': '<workbook><sheets' } }),
    'r.xlsx',
    'torn',
    /not whole/,
  ],
  [
    'a sheet that ends in the middle',
    workbookOf({ parts: { 'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row><c><v>1</v></c></row>' } }),
    'r.xlsx',
    'torn',
    /not whole/,
  ],
  [
    'a workbook without sheets',
    workbookOf({ parts: { 'xl/workbook.xml': '<workbook><sheets/></workbook>' } }),
    'r.xlsx',
    'empty',
    /no sheet with cells/,
  ],
  [
    'a sheet that is not there',
    zipOf({ '[Content_Types].xml': '<a/>', 'xl/workbook.xml': '<a/>' }),
    'r.xlsx',
    'torn',
    /not whole/,
  ],
  [
    'a list of sheets whose tags never end',
    workbookOf({ parts: { 'xl/workbook.xml': `<workbook>${'<sheet '.repeat(100_000)}` } }),
    'r.xlsx',
    'torn',
    /not whole/,
  ],
])('%s is told in a sentence', async (_, bytes, name, code, says) => {
  await expect(readSheet(bytes, name)).rejects.toMatchObject({
    name: 'SheetError',
    code,
    message: expect.stringMatching(says),
  });
});

test('a file of 200 MB is not read at all', async () => {
  await expect(
    readSheet(Buffer.alloc(200), 'r.csv', { ...SHEET_LIMITS, packedBytes: 100 }),
  ).rejects.toMatchObject({
    code: 'too-large',
  });
});

test('a bomb of zeros ends at the limit, whatever it says of its size', async () => {
  const bomb = zipOf({ ...partsOf({}), 'xl/sharedStrings.xml': Buffer.alloc(2 * 1024 * 1024) });
  const limits = { ...SHEET_LIMITS, unpackedBytes: 1024 * 1024 };
  await expect(readSheet(bomb, 'r.xlsx', limits)).rejects.toMatchObject({ code: 'too-large' });
  const central = bomb.lastIndexOf('xl/sharedStrings.xml') - 46;
  const lying = Buffer.from(bomb);
  lying.writeUInt32LE(10, central + 24);
  await expect(readSheet(lying, 'r.xlsx', limits)).rejects.toMatchObject({ code: 'torn' });
});

/** Some bytes of a sheet changed, left out or put in. */
const damage = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    bytes: fc.uint8Array({ maxLength: 4 }),
    drops: fc.nat({ max: 4 }),
  }),
  { minLength: 1, maxLength: 3 },
);
type Damage = typeof damage extends fc.Arbitrary<infer D> ? D : never;

const damaged = (bytes: Buffer, wounds: Damage): Buffer =>
  wounds.reduce((all, { at, bytes: put, drops }) => {
    const place = Math.floor(at * all.length);
    return Buffer.concat([all.subarray(0, place), put, all.subarray(place + drops)]);
  }, bytes);

const readsOrTells = async (bytes: Buffer, name: string): Promise<string> => {
  try {
    const { grids } = await readSheet(bytes, name, { ...SHEET_LIMITS, readMs: 20_000 });
    return `${grids.length} sheets`;
  } catch (error) {
    expect(error).toMatchObject({ name: 'SheetError' });
    return 'told';
  }
};

test('a damaged workbook gives a grid or an error of ours, never another', async () => {
  await fc.assert(
    fc.asyncProperty(damage, async wounds => {
      await readsOrTells(damaged(WORKBOOK, wounds), 'r.xlsx');
    }),
    { numRuns: 150, seed: 7 },
  );
});

test('a workbook whose XML was damaged before it was packed gives a grid or an error of ours', async () => {
  const parts = partsOf({
    sheets: ['<row r="1"><c r="A1" s="1"><v>42</v></c><c r="B1" t="s"><v>0</v></c></row>'],
    strings: '<si><t>x</t></si>',
    formats: ['0000'],
    behind: '<mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells>',
  });
  const names = Object.keys(parts);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), damage, async (name, wounds) => {
      const changed = damaged(Buffer.from(parts[name] ?? ''), wounds);
      await readsOrTells(zipOf({ ...parts, [name]: changed }), 'r.xlsx');
    }),
    { numRuns: 6, seed: 7 },
  );
});

test('a damaged CSV gives a grid or an error of ours, never another', async () => {
  await fc.assert(
    fc.asyncProperty(damage, async wounds => {
      await readsOrTells(damaged(CSV, wounds), 'r.csv');
    }),
    { numRuns: 300, seed: 7 },
  );
});
