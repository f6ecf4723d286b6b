import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cell, Grid } from '../../../../activities/registers/sheet/grid';
import { readWorkbook } from '../../../../activities/registers/sheet/read-workbook';
import { SHEET_LIMITS } from '../../../../activities/registers/sheet/sheet-limits';
import { startCpuTimer } from '../../../setup/cpu-time';
import { partsOf, sheetDataOf, type WorkbookXml, workbookOf, zipOf } from '../workbook-of-parts';

const texts = (grid: Grid | undefined) => grid?.rows.map(row => row.map(({ text }) => text));
const read = async (xml: WorkbookXml): Promise<readonly Grid[]> =>
  readWorkbook(workbookOf(xml), SHEET_LIMITS);
const cellsOf = async (xml: WorkbookXml): Promise<readonly Cell[]> => (await read(xml))[0]?.rows[0] ?? [];

describe.each(['libreoffice.xlsx', 'libreoffice-1904.xlsx'])('a workbook saved by LibreOffice (%s)', name => {
  let grids: readonly Grid[];
  beforeAll(async () => {
    grids = await readWorkbook(readFileSync(join(__dirname, 'fixtures', name)), SHEET_LIMITS);
  });

  test('keeps leading zeros, text, dates of its epoch, stored values and blank rows', () => {
    expect(texts(grids[0])).toEqual([
      ['Transmittal TR-0142 – Höhenplan'],
      [],
      ['Doc No', 'Rev', 'Sheet', 'Weight', 'Date', 'Issued at', 'Title', 'Checked', 'File'],
      [
        '0042',
        'P01',
        '0042',
        '1234.5',
        '2026-04-03',
        '2026-04-03T14:30:00',
        'Grundriß & Ansicht, Ebene 1',
        'TRUE',
        'plans/0042.pdf',
      ],
      ['1-2', 'P02', '0043', '#DIV/0!', '03.04.2026', '', 'Plan 1-2', 'FALSE', 'plans/1-2.pdf'],
      [],
      [],
      ['1E5', '=not a formula', '0.1'],
    ]);
  });

  test('tells of each cell what it is', () => {
    expect(grids[0]?.rows[3]?.map(({ kind }) => kind)).toEqual([
      'text',
      'number',
      'number',
      'number',
      'date',
      'date',
      'text',
      'boolean',
      'text',
    ]);
    expect(grids[0]?.rows[4]?.map(({ kind }) => kind)).toEqual([
      'text',
      'number',
      'number',
      'error',
      'text',
      'empty',
      'text',
      'boolean',
      'text',
    ]);
  });

  test('tells names, hidden sheets and merged cells', () => {
    expect(grids.map(({ name: sheet, hidden }) => [sheet, hidden])).toEqual([
      ['Register', false],
      ['Lists', true],
    ]);
    expect(grids[0]?.merges).toEqual([{ fromRow: 0, fromColumn: 0, toRow: 0, toColumn: 8 }]);
  });
});

test('rich text, phonetic hints, escapes and kept blanks of shared texts are read as they are shown', async () => {
  const strings = [
    '<si><t xml:space="preserve"> two  blanks </t></si>',
    '<si><r><rPr><b/></rPr><t>bold</t></r><r><t xml:space="preserve"> and plain</t></r></si>',
    '<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si>',
    '<si><t>line_x000D_\nbreak &lt;&amp;&#x41;</t></si>',
  ].join('');
  const row = `<row r="1">${[0, 1, 2, 3].map(at => `<c t="s"><v>${at}</v></c>`).join('')}</row>`;
  expect((await cellsOf({ strings, sheets: [row] })).map(({ text }) => text)).toEqual([
    ' two  blanks ',
    'bold and plain',
    '東京',
    'line\r\nbreak <&A',
  ]);
});

test('what the writer prefixes and addresses from the root is read all the same', async () => {
  const sheet =
    '<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>A-1</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>';
  const rels =
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId10" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/worksheet" Target="/xl/worksheets/sheet1.xml"/></Relationships>';
  const parts = { 'xl/worksheets/sheet1.xml': sheet, 'xl/_rels/workbook.xml.rels': rels };
  expect(await cellsOf({ parts })).toEqual([{ text: 'A-1', kind: 'text' }]);
});

test('a formula counts with its stored value; one that was never computed is an error', async () => {
  const row =
    '<row r="1"><c t="str"><f>A9</f><v>A-1</v></c><c><f>1+1</f><v>2</v></c><c><f>1+1</f></c><c t="e"><f>NA()</f><v>#N/A</v></c><c t="b"><f>TRUE()</f><v>1</v></c><c t="str"><f>""</f><v></v></c></row>';
  expect(await cellsOf({ sheets: [row] })).toEqual([
    { text: 'A-1', kind: 'text' },
    { text: '2', kind: 'number' },
    { text: 'a formula that was never computed', kind: 'error' },
    { text: '#N/A', kind: 'error' },
    { text: 'TRUE', kind: 'boolean' },
  ]);
});

test('macros, links and references to other files are not even looked at', async () => {
  const parts = {
    'xl/vbaProject.bin': 'macro',
    'xl/externalLinks/externalLink1.xml': '<<< no XML >>>',
    'xl/worksheets/_rels/sheet1.xml.rels': '<<< no XML >>>',
    'xl/drawings/drawing1.xml': '<<< no XML >>>',
  };
  const row =
    '<row r="1"><c t="str"><f>[1]Other!A1</f><v>stored</v></c><c t="str"><f>HYPERLINK("http://example.com/")</f><v>link</v></c></row>';
  expect((await cellsOf({ sheets: [row], parts })).map(({ text }) => text)).toEqual(['stored', 'link']);
});

test('cells that are only painted count for nothing, as programs paint them down to row 1,000', async () => {
  const painted = Array.from(
    { length: 999 },
    (_, at) => `<row r="${at + 2}"><c r="A${at + 2}" s="1"/><c r="Z${at + 2}" s="1"/></row>`,
  );
  const sheet = `<row r="1"><c r="A1" s="1" t="s"><v>0</v></c></row>${painted.join('')}`;
  const bytes = workbookOf({ sheets: [sheet], strings: '<si><t>A-1</t></si>', formats: ['0'] });
  const [grid] = await readWorkbook(bytes, { ...SHEET_LIMITS, rows: 1, columns: 1, cells: 1 });
  expect(texts(grid)).toEqual([['A-1']]);
});

test('a workbook that has lost a sheet is not read as if it never had it', async () => {
  const { 'xl/worksheets/sheet2.xml': lost, ...parts } = partsOf({ sheets: [sheetDataOf([['a']]), ''] });
  expect(lost).toBeDefined();
  await expect(readWorkbook(zipOf(parts), SHEET_LIMITS)).rejects.toMatchObject({ code: 'torn' });
});

test('broken XML is not read with scraps of it in the cells', async () => {
  const strings = '<si><t>File</t></si><si><t xml:sp<ace="preserve">A-5.pdf</t></si>';
  await expect(read({ sheets: ['<row><c t="s"><v>1</v></c></row>'], strings })).rejects.toMatchObject({
    code: 'torn',
  });
});

test('a text that is lost is not read as an empty one', async () => {
  const sheets = ['<row><c t="s"><v>1</v></c></row>'];
  await expect(read({ sheets, strings: '<si><t>File</t></si>' })).rejects.toMatchObject({ code: 'torn' });
  expect((await read({ sheets, strings: '<si><t>a</t></si><si/>' }))[0]?.rows).toEqual([]);
});

test('a sheet that is only a chart is passed over', async () => {
  const rels =
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId10" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/chartsheet" Target="chartsheets/sheet1.xml"/><Relationship Id="rId11" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet2.xml"/></Relationships>';
  const grids = await read({
    sheets: ['', sheetDataOf([['A-1']])],
    parts: { 'xl/_rels/workbook.xml.rels': rels },
  });
  expect(grids.map(({ name, rows }) => [name, rows.length])).toEqual([['Sheet 2', 1]]);
});

const STRINGS = `<si><t>a</t></si><si><t>b</t></si><si><t>${'c'.repeat(6_000)}</t></si>`;

test.each([
  ['a small limit of rows', { rows: 2 }, sheetDataOf([['a'], ['b'], ['c']]), 'more than 2 rows'],
  ['a small limit of columns', { columns: 2 }, sheetDataOf([['a', 'b', 'c']]), 'more than 2 columns'],
  ['a small limit of cells', { cells: 2 }, sheetDataOf([['a', 'b', 'c']]), 'more than 2 filled cells'],
  [
    'texts that cells share, for each of them',
    { unpackedBytes: 10_000 },
    '<row><c t="s"><v>2</v></c><c t="s"><v>2</v></c></row>',
    'more text than is allowed',
  ],
  ['cells that are far apart', { cells: 2 }, sheetDataOf([['a', ...Array(10).fill(''), 'b']]), 'far apart'],
  ['a small limit of text', { cellLength: 2 }, sheetDataOf([['abc']]), 'more than 2 characters'],
  ['a small limit of sheets', { sheets: 0 }, '', 'more than 0 sheets'],
  ['a small limit of shared texts', { sharedStrings: 1 }, '', 'more than 1 different texts'],
  ['a small limit of unpacked bytes', { unpackedBytes: 500 }, '', 'more memory'],
  ['a small limit of parts', { parts: 3 }, '', 'has 7 parts'],
])('%s is kept, in a sentence', async (_, limit, sheet, says) => {
  const bytes = workbookOf({ sheets: [sheet], strings: STRINGS });
  await expect(readWorkbook(bytes, { ...SHEET_LIMITS, ...limit })).rejects.toMatchObject({
    name: 'SheetError',
    code: 'too-large',
    message: expect.stringContaining(says),
  });
});

test('a format that is longer than any program has it is none', async () => {
  const formats = [`0${' '.repeat(50_000)}x`, '0000'];
  const cells = Array.from({ length: 20 }, () => '<c s="1"><v>42</v></c>').join('');
  const cpuMs = startCpuTimer();
  const [first, ...others] = await cellsOf({
    sheets: [`<row><c s="2"><v>42</v></c>${cells}</row>`],
    formats,
  });
  expect(cpuMs()).toBeLessThan(5_000);
  expect([first?.text, new Set(others.map(({ text }) => text))]).toEqual(['0042', new Set(['42'])]);
});

test('cells that are merged downwards are filled in each of their rows', async () => {
  const xml = {
    sheets: [sheetDataOf([['a'], ['b'], ['c']])],
    behind: '<mergeCells count="1"><mergeCell ref="C1:C1000"/></mergeCells>',
  };
  const limits = { ...SHEET_LIMITS, cells: 4 };
  await expect(readWorkbook(workbookOf(xml), limits)).rejects.toMatchObject({ code: 'too-large' });
  expect(await readWorkbook(workbookOf(xml), { ...limits, cells: 5 })).toHaveLength(1);
});

test.each([
  [
    'a last cell in every row',
    { sheets: [Array.from({ length: 5_000 }, (_, row) => `<row><c r="XFD${row + 1}"/></row>`).join('')] },
    64,
  ],
  [
    'columns that are set up over and over',
    { before: `<cols>${'<col min="1" max="16384" width="9"/>'.repeat(200_000)}</cols>` },
    64,
  ],
])('%s ends at the limits of memory and time', async (_, xml, heapMb) => {
  const limits = { ...SHEET_LIMITS, heapMb, readMs: 600 };
  await expect(readWorkbook(workbookOf(xml), limits)).rejects.toMatchObject({ code: 'too-large' });
});
