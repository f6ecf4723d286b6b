import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCsv } from '../../../../activities/registers/sheet/read-csv';
import { SHEET_LIMITS } from '../../../../activities/registers/sheet/sheet-limits';

const ROWS = [
  ['Transmittal TR-0142 – Höhenplan'],
  [],
  ['Doc No', 'Rev', 'Sheet', 'Weight', 'Date', 'Issued at', 'Title', 'Checked', 'File'],
];

const read = async (content: string | Buffer, limits = {}) => {
  const { grid, csv } = await readCsv(Buffer.from(content), { ...SHEET_LIMITS, ...limits });
  return { rows: grid.rows.map(row => row.map(({ text }) => text)), csv, grid };
};
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

test.each([
  ['libreoffice-utf-8.csv', { encoding: 'utf-8', bom: false, delimiter: ',', lineEnd: '\n' }],
  ['libreoffice-utf-16.csv', { encoding: 'utf-16le', bom: true, delimiter: '\t', lineEnd: '\n' }],
  ['libreoffice-windows-1252.csv', { encoding: 'windows-1252', bom: false, delimiter: ';', lineEnd: '\n' }],
])('%s, saved by LibreOffice, is read and its dialect told', async (name, dialect) => {
  const { rows, csv } = await read(readFileSync(join(__dirname, 'fixtures', name)));
  expect(rows.slice(0, 3)).toEqual(ROWS);
  expect(rows[3]?.slice(0, 2)).toEqual(['0042', 'P01']);
  expect(rows[4]?.[0]).toBe('1-2');
  expect(rows.at(-1)?.slice(0, 2)).toEqual(['1E5', '=not a formula']);
  expect(csv).toEqual(dialect);
});

const TEXT = 'Doc No;Title\r\n0042;Größe € “x”\r\n';

test.each([
  ['utf-8', false, Buffer.from(TEXT)],
  ['utf-8', true, Buffer.from(`\uFEFF${TEXT}`)],
  ['utf-16le', true, Buffer.from(`\uFEFF${TEXT}`, 'utf16le')],
  ['utf-16le', false, Buffer.from(TEXT, 'utf16le')],
  ['utf-16be', true, utf16be(`\uFEFF${TEXT}`)],
  ['utf-16be', false, utf16be(TEXT)],
  [
    'windows-1252',
    false,
    Buffer.from(TEXT.replace('€', '\x80').replace('“', '\x93').replace('”', '\x94'), 'latin1'),
  ],
])('%s with a byte order mark: %p', async (encoding, bom, bytes) => {
  const { rows, csv } = await read(bytes);
  expect(rows).toEqual([
    ['Doc No', 'Title'],
    ['0042', 'Größe € “x”'],
  ]);
  expect(csv).toEqual({ encoding, bom, delimiter: ';', lineEnd: '\r\n' });
});

test.each([
  ['a comma, with decimal commas in quotation marks', 'a,b\n1,"2,5"\n', ','],
  ['a semicolon, with decimal commas', 'a;b\n1,5;2,5\n3,5;4,5\n', ';'],
  ['a semicolon, with titles that have commas', 'No;Title\nA;Plan, level 1, north\nB;Roof\n', ';'],
  ['a tab, with titles that have both', 'No\tTitle\nA\tPlan, a; b\nB\tRoof; c, d\n', '\t'],
  ['a comma below lines of titles', 'TR-0142; final\n\nNo,Title\nA,b\nB,c\n', ','],
  ['what its first line says', 'sep=;\nNo,x;Title\nA,b;c\n', ';'],
  ['a comma where there is one column alone', 'File\na.pdf\n', ','],
])('cells are parted by %s', async (_, text, delimiter) => {
  expect((await read(text)).csv.delimiter).toBe(delimiter);
});

test.each([
  ['\r\n', '"a\nb",c\r\n1,2'],
  ['\n', 'a,b\n1,2'],
  ['\r', 'a,b\r1,2'],
  ['\r\n', 'a,b'],
] as const)('line ends are told: %j', async (lineEnd, text) => {
  expect((await read(text)).csv.lineEnd).toBe(lineEnd);
});

test('cells stay text, quoted ones whole; blank rows keep their numbers', async () => {
  const { rows, grid } = await read(
    'sep=,\r\nNo,Title\r\n\r\n="0042","two\r\nlines ""x"""\r\n1E5,6" pipe\r\n , \r\n,,,\r\n',
  );
  expect(rows).toEqual([['No', 'Title'], [], ['0042', 'two\r\nlines "x"'], ['1E5', '6" pipe']]);
  expect(grid.rows[2]?.[0]).toEqual({ text: '0042', kind: 'text', written: '="0042"' });
});

test.each([
  ['a quotation mark that is never closed', 'a,b\n1,"2\n3,4\n', 'bad-csv'],
  ['half a character at its end', Buffer.from('a,Größe é').subarray(0, -1), 'torn'],
  ['half a unit of UTF-16', Buffer.from(`\uFEFF${TEXT}`, 'utf16le').subarray(0, -1), 'torn'],
  [
    'two encodings',
    Buffer.concat([Buffer.from('a,Größe, Höhe\n'), Buffer.from([0xe9, 0x0a])]),
    'bad-encoding',
  ],
  ['bytes that no encoding has', Buffer.from([0x61, 0x81, 0x0a]), 'bad-encoding'],
  ['what is no text', Buffer.from('%PDF-1.7\n\x00\x01\x02'), 'wrong-kind'],
])('%s is told', async (_, content, code) => {
  await expect(read(content)).rejects.toMatchObject({ name: 'SheetError', code });
});

test.each([
  ['rows', 'a\nb\nc\n', 'more than 2 rows'],
  ['columns', 'a,b,c\n', 'more than 2 columns'],
  ['cellLength', 'abc\n', 'more than 2 characters'],
])('a small limit of %s is kept', async (limit, text, says) => {
  await expect(read(text, { [limit]: 2 })).rejects.toMatchObject({
    code: 'too-large',
    message: expect.stringContaining(says),
  });
});

test.each([
  ['nothing but empty rows', '\n'.repeat(20_000)],
  ['a row of nothing but cells', ';'.repeat(20_000)],
  ['nothing but quotation marks', '"'.repeat(20_001)],
  ['an endless cell', 'x'.repeat(20_000)],
])('%s end at the limits', async (_, text) => {
  const limits = { rows: 1_000, columns: 100, cellLength: 1_000 };
  await expect(read(text, limits)).rejects.toMatchObject({ name: 'SheetError' });
});

test('blanks around quotation marks are none of the cell, those within them are', async () => {
  const { rows } = await read('File, Rev,Title\r\na.pdf, "01",\t"x, ""y"" "\r\nb.pdf, 6" pipe,z\r\n');
  expect(rows).toEqual([
    ['File', 'Rev', 'Title'],
    ['a.pdf', '01', 'x, "y" '],
    ['b.pdf', '6" pipe', 'z'],
  ]);
  expect((await read('a\t\t "01"\t\t\n\t\tb\n\n c\r')).rows).toEqual([
    ['a', '', '01'],
    ['', '', 'b'],
    [],
    ['c'],
  ]);
});

test('a cell that only begins with a quoted word is read as it stands', async () => {
  const { rows } = await read('File;Title\r\na.pdf;"Haus A" Grundriss\r\nb.pdf; "A" and "B"\r\n');
  expect(rows).toEqual([
    ['File', 'Title'],
    ['a.pdf', '"Haus A" Grundriss'],
    ['b.pdf', '"A" and "B"'],
  ]);
});
