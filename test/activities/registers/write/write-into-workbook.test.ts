import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import type { Cell, Sheet, WriteOptions, WriteSheet } from 'hucre';
import { openXlsx, writeXlsx } from 'hucre/xlsx';
import type { AddedRow, Additions } from '../../../../activities/registers/write/additions';
import { addToWorkbook } from '../../../../activities/registers/write/write-into-workbook';
import type { PlannedSheet } from '../../../../activities/registers/write/write-workbook';

const MADE_AT = new Date('2026-04-03T14:20:00Z');

const cells = (entries: Record<string, Partial<Cell>>): Map<string, Partial<Cell>> =>
  new Map(Object.entries(entries));

const register = (overrides: Partial<WriteSheet> = {}): WriteSheet => ({
  name: 'Register',
  columns: [{ width: 31 }, { width: 44.5 }, { hidden: true }],
  rows: [
    ['File', 'Title', 'Status'],
    ['a.pdf', '0042', 'A4'],
    ['b.pdf', '_x005F_x0041_', null],
    ['c.pdf', 'three', 'A4'],
  ],
  ...overrides,
});

async function workbook(sheets: WriteSheet[], more: Partial<WriteOptions> = {}): Promise<Uint8Array> {
  return await writeXlsx({ sheets, ...more });
}

const row = (word: string, overrides: Partial<AddedRow> = {}): AddedRow => ({
  front: [word, `why ${word}`],
  back: [`mark ${word}`],
  tone: 'waits',
  ...overrides,
});

const additions = (overrides: Partial<Additions> = {}): Additions => ({
  headerRow: 0,
  front: [
    { header: 'Outcome', width: 13 },
    { header: 'Reason', width: 46, wraps: true },
  ],
  back: [{ header: 'Receipt row', width: 20 }],
  rows: new Map([
    [1, row('Through', { tone: 'well' })],
    [2, row('Held', { spots: [2], back: ['mark Held'] })],
  ]),
  below: [],
  outdated: [],
  ...overrides,
});

const about = (notCarried: readonly string[]): PlannedSheet => ({
  name: 'About this receipt',
  widths: [40],
  rows: notCarried.map(text => [{ text, look: 'text' }]),
});

async function edit(bytes: Uint8Array, added = additions()) {
  const written = await addToWorkbook(bytes, 'Register', added, about, MADE_AT);
  const { sheets, namedRanges } = await openXlsx(written.bytes, { readStyles: true });
  return { ...written, sheet: sheets[0] as Sheet, sheets, namedRanges };
}

describe('addToWorkbook', () => {
  test('has the same rows in the same order, ours around them', async () => {
    const { sheet } = await edit(await workbook([register()]));
    expect(sheet.rows).toEqual([
      ['Outcome', 'Reason', 'File', 'Title', 'Status', 'Receipt row'],
      ['Through', 'why Through', 'a.pdf', '0042', 'A4', 'mark Through'],
      ['Held', 'why Held', 'b.pdf', '_x0041_', null, 'mark Held'],
      ['', '', 'c.pdf', 'three', 'A4', ''].map(text => (text === '' ? null : text)),
    ]);
  });

  test('keeps widths, notes, hidden columns, links, fills and other sheets', async () => {
    const own = { fill: { type: 'pattern', pattern: 'solid', fgColor: { rgb: '123456' } } } as const;
    const bytes = await workbook([
      register({
        cells: cells({
          '1,1': { comment: { author: 'Jo', text: 'Check' }, style: own },
          '1,0': { hyperlink: { target: 'https://example.org/a?b=1&c=2' } },
        }),
      }),
      { name: 'Notes', rows: [['Please read']], columns: [{ width: 70 }] },
      { name: 'Lists', rows: [['x']], hidden: true },
    ]);
    const { sheet, sheets, notCarried } = await edit(bytes);
    expect(notCarried).toEqual([]);
    expect(sheet.columns?.slice(0, 5)).toMatchObject([
      { width: 13 },
      { width: 46 },
      { width: 31 },
      { width: 44.5 },
      { hidden: true },
    ]);
    expect(sheet.cells?.get('1,3')).toMatchObject({ comment: { text: 'Check' }, style: own });
    expect(sheet.cells?.get('1,2')?.hyperlink?.target).toBe('https://example.org/a?b=1&c=2');
    expect(sheets.map(({ name, hidden }) => [name, hidden ?? false])).toEqual([
      ['Register', false],
      ['Notes', false],
      ['Lists', true],
      ['About this receipt', false],
    ]);
    expect(sheets[1]?.columns?.[0]?.width).toBe(70);
  });

  test('colours rows by outcome, and the cell that a row waits for stronger', async () => {
    const { sheet } = await edit(await workbook([register()]));
    const ground = (key: string) => JSON.stringify(sheet.cells?.get(key)?.style?.fill);
    expect(ground('1,0')).toContain('E7F4ED');
    expect(ground('1,2')).toContain('E7F4ED');
    expect(ground('2,2')).toContain('FDF3DF');
    expect(ground('2,4')).toContain('F7CF80');
    expect(ground('3,2')).toBeUndefined();
    // It is empty, and waits for somebody to type 0042 into it.
    expect(sheet.cells?.get('2,4')?.style?.numFmt).toBe('@');
  });

  test('a marked cell that holds a text takes what is typed over it as text; numbers and formats of people stay', async () => {
    const typed = { '1,1': { style: { numFmt: '0.00' } }, '2,1': { value: 42, type: 'number' } } as const;
    const spots = [0, 1, 2];
    const rows = new Map([1, 2].map(at => [at, row('Held', { spots })]));
    const { sheet } = await edit(await workbook([register({ cells: cells(typed) })]), additions({ rows }));
    const formatAt = (key: string) => sheet.cells?.get(key)?.style?.numFmt ?? 'General';
    expect(['1,2', '1,3', '1,4', '2,2', '2,3'].map(formatAt)).toEqual(['@', '0.00', '@', '@', 'General']);
  });

  test('a cell that holds a text and is not marked keeps its format', async () => {
    const { sheet } = await edit(await workbook([register()]));
    expect(sheet.cells?.get('2,2')?.style?.numFmt ?? 'General').toBe('General');
  });

  test('freezes the header, filters all columns and shows rows that were hidden', async () => {
    const rowDefs = new Map([[2, { hidden: true, height: 9 }]]);
    const long = row('Held', { front: ['Held', 'word '.repeat(40)] });
    const { sheet, namedRanges } = await edit(
      await workbook([register({ rowDefs, autoFilter: { range: 'A1:C4' } })]),
      additions({ rows: new Map([[2, long]]) }),
    );
    expect(sheet.freezePane).toEqual({ rows: 1 });
    expect(sheet.autoFilter?.range).toBe('A1:F4');
    expect(namedRanges?.filter(({ name }) => name === '_xlnm._FilterDatabase')).toHaveLength(1);
    expect(sheet.rowDefs?.get(2)?.hidden).toBeUndefined();
    expect(sheet.rowDefs?.get(2)?.height).toBe(75);
  });

  test('moves what points at moved columns', async () => {
    const { sheet, sheets, namedRanges } = await edit(
      await workbook(
        [
          register({
            dataValidations: [{ type: 'list', range: 'C2:C9', formula1: '$B$2:$B$4' }],
            conditionalRules: [{ type: 'expression', priority: 1, range: 'A2:C9', formula: '$C2="A4"' }],
            merges: [{ startRow: 3, startCol: 0, endRow: 3, endCol: 1 }],
          }),
          {
            name: 'Other',
            rows: [['x']],
            dataValidations: [{ type: 'list', range: 'A1', formula1: 'Register!$A$2:$A$4' }],
          },
        ],
        { namedRanges: [{ name: 'Revs', range: 'Register!$C$2:$C$4' }] },
      ),
    );
    expect(sheet.dataValidations).toMatchObject([{ range: 'E2:E9', formula1: '$D$2:$D$4' }]);
    expect(sheet.conditionalRules).toMatchObject([{ range: 'C2:E9', formula: '$E2="A4"' }]);
    expect(sheet.merges).toEqual([{ startRow: 3, startCol: 2, endRow: 3, endCol: 3 }]);
    expect(sheets[1]?.dataValidations).toMatchObject([{ formula1: 'Register!$C$2:$C$4' }]);
    expect(namedRanges).toContainEqual({ name: 'Revs', range: 'Register!$E$2:$E$4' });
  });

  test('moves drop-downs and formats that cover several ranges, and drops those of columns that are gone', async () => {
    const list = (range: string) => ({ type: 'list' as const, range, values: ['x'] });
    const rule = { type: 'expression' as const, priority: 1, range: 'A2:A5 C2', formula: 'TRUE' };
    const bytes = await workbook([
      register({ dataValidations: [list('A2:A4 C2:C4 B9'), list('A2')], conditionalRules: [rule] }),
    ]);
    const { sheet } = await edit(bytes, additions({ outdated: [0] }));
    expect(sheet.dataValidations?.map(({ range }) => range)).toEqual(['D2:D4 C9']);
    expect(sheet.conditionalRules?.map(({ range }) => range)).toEqual(['D2']);
  });

  test('formulas of the sheet, and those that look at it, become their values, and that is told', async () => {
    const formula = (text: string, formulaResult: number): Partial<Cell> => ({
      value: null,
      type: 'formula',
      formula: text,
      formulaResult,
    });
    const { sheets, notCarried } = await edit(
      await workbook([
        register({ cells: cells({ '3,1': formula('LEN(A4)', 5) }) }),
        {
          name: 'Sums',
          rows: [[null, null]],
          cells: cells({ '0,0': formula('SUM(Register!B4)', 7), '0,1': formula('1+1', 2) }),
        },
      ]),
    );
    expect(sheets[0]?.rows[3]?.[3]).toBe(5);
    expect(sheets[0]?.cells?.get('3,3')?.formula).toBeUndefined();
    expect(sheets[1]?.cells?.get('0,0')?.formula).toBeUndefined();
    expect(sheets[1]?.cells?.get('0,1')?.formula).toBe('1+1');
    expect(notCarried).toEqual(['2 formulas stand as the values that they had.']);
    expect(sheets[2]?.rows).toEqual([['2 formulas stand as the values that they had.']]);
  });

  test('texts of ours that look like formulas are texts', async () => {
    const hostile = row('=1+1', { front: ['=1+1', '=HYPERLINK("x")'], back: ['+1'] });
    const { bytes } = await edit(await workbook([register()]), additions({ rows: new Map([[1, hostile]]) }));
    expect(strFromU8(unzipSync(bytes)['xl/worksheets/sheet1.xml'] ?? new Uint8Array())).not.toContain('<f');
  });

  test('rows that the sheet did not have stand below the last text, above rows that only have a style', async () => {
    const styled = cells({ '9,0': { value: null, type: 'empty', style: { numFmt: '@' } } });
    const below = [{ ...row('Held'), column: 0, text: 'extra/=d.pdf' }];
    const { sheet } = await edit(await workbook([register({ cells: styled })]), additions({ below }));
    expect(sheet.rows[4]).toEqual(['Held', 'why Held', 'extra/=d.pdf', null, null, 'mark Held']);
  });

  test('a receipt that comes back gets no second set of columns, and its colours are renewed', async () => {
    const first = await edit(await workbook([register()]));
    const again = additions({ outdated: [0, 1, 5], rows: new Map([[2, row('Through', { tone: 'well' })]]) });
    const { sheet, sheets } = await edit(first.bytes, again);
    expect(sheet.rows[0]).toEqual(['Outcome', 'Reason', 'File', 'Title', 'Status', 'Receipt row']);
    expect(sheet.rows[2]).toEqual(['Through', 'why Through', 'b.pdf', '_x0041_', null, 'mark Through']);
    expect(JSON.stringify(sheet.cells?.get('2,4')?.style?.fill)).toContain('E7F4ED');
    expect(sheets.map(({ name }) => name)).toEqual(['Register', 'About this receipt']);
  });

  test('drop-downs that Excel keeps in an extension live on', async () => {
    const parts = unzipSync(await workbook([register(), { name: 'Lists', rows: [['A4']] }]));
    const path = 'xl/worksheets/sheet1.xml';
    const extension =
      '<extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}" xmlns:x14="x14"><x14:dataValidations count="1" xmlns:xm="xm">' +
      '<x14:dataValidation type="list" allowBlank="1" showErrorMessage="1"><x14:formula1><xm:f>Lists!$A$1:$A$9</xm:f></x14:formula1>' +
      '<xm:sqref>C2:C9 B2</xm:sqref></x14:dataValidation></x14:dataValidations></ext></extLst></worksheet>';
    parts[path] = strToU8(strFromU8(parts[path] ?? new Uint8Array()).replace('</worksheet>', extension));
    const { sheet, notCarried } = await edit(zipSync(parts));
    expect(sheet.dataValidations).toMatchObject([
      { type: 'list', range: 'E2:E9 D2', formula1: 'Lists!$A$1:$A$9', allowBlank: true },
    ]);
    expect(notCarried).toEqual([]);
  });

  test('macros and what else is lost are told', async () => {
    const parts = unzipSync(await workbook([register()]));
    const path = 'xl/worksheets/sheet1.xml';
    const view = '<customSheetViews><customSheetView guid="x"/></customSheetViews></worksheet>';
    parts[path] = strToU8(strFromU8(parts[path] ?? new Uint8Array()).replace('</worksheet>', view));
    const { bytes, notCarried } = await edit(zipSync({ ...parts, 'xl/vbaProject.bin': strToU8('macro') }));
    expect(notCarried).toEqual(['Not carried over: saved views, macros.']);
    expect(Object.keys(unzipSync(bytes))).not.toContain('xl/vbaProject.bin');
  });

  test('is the same for the same workbook, whenever it is asked', async () => {
    const bytes = await workbook([register()]);
    const first = await edit(bytes);
    expect((await edit(bytes)).bytes.equals(first.bytes)).toBe(true);
  });

  test('refuses a sheet that is not there', async () => {
    await expect(
      addToWorkbook(await workbook([register()]), 'Other', additions(), about, MADE_AT),
    ).rejects.toThrow('no sheet "Other"');
  });
});
