import { unzipSync } from 'fflate';
import { readXlsx } from 'hucre/xlsx';
import {
  type PlannedSheet,
  type PlannedWorkbook,
  writeWorkbook,
} from '../../../../activities/registers/write/write-workbook';

const MADE_AT = new Date('2026-04-03T14:20:00Z');

const sheet = (overrides: Partial<PlannedSheet> = {}): PlannedSheet => ({
  name: 'Data',
  widths: [20, 30],
  rows: [
    [
      { text: 'File', look: 'header' },
      { text: 'Status', look: 'header' },
    ],
    [
      { text: 'a.pdf', look: 'text' },
      { text: '0042', look: 'text' },
    ],
  ],
  ...overrides,
});

const workbook = (...sheets: PlannedSheet[]): PlannedWorkbook => ({ title: 'T', madeAt: MADE_AT, sheets });

async function partOf(plan: PlannedWorkbook, name: string): Promise<string> {
  return Buffer.from(unzipSync(await writeWorkbook(plan))[name] ?? []).toString('utf8');
}

describe('writeWorkbook', () => {
  test('writes the same bytes for the same plan, whenever it is asked', async () => {
    const first = await writeWorkbook(workbook(sheet()));
    const clock = jest.useFakeTimers({ now: MADE_AT.getTime() + 86_400_000, doNotFake: ['nextTick'] });
    try {
      expect((await writeWorkbook(workbook(sheet()))).equals(first)).toBe(true);
    } finally {
      clock.useRealTimers();
    }
  });

  test.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '=HYPERLINK("http://x","y")',
    "=cmd|'/c calc'!A1",
    '0042',
    '1E5',
  ])('writes %j as text', async text => {
    const plan = workbook(sheet({ rows: [[{ text, look: 'text' }]] }));
    const [read] = (await readXlsx(await writeWorkbook(plan), { readStyles: true })).sheets;
    expect(read?.rows[0]?.[0]).toBe(text);
    expect(read?.cells?.get('0,0')).toMatchObject({ type: 'string', style: { numFmt: '@' } });
    expect(await partOf(plan, 'xl/worksheets/sheet1.xml')).not.toContain('<f');
  });

  test('has spare rows whose empty cells are text already', async () => {
    const [read] = (
      await readXlsx(await writeWorkbook(workbook(sheet({ spareRows: 3 }))), { readStyles: true })
    ).sheets;
    expect(read?.cells?.get('4,1')?.style?.numFmt).toBe('@');
    expect(read?.cells?.get('5,1')).toBeUndefined();
  });

  test('freezes what is to stay in sight and filters down to the last row', async () => {
    const plan = workbook(sheet({ frozenRows: 1, frozenColumns: 1, filterRow: 0, spareRows: 9 }));
    const [read] = (await readXlsx(await writeWorkbook(plan))).sheets;
    expect(read?.freezePane).toEqual({ rows: 1, columns: 1 });
    expect(read?.autoFilter?.range).toBe('A1:B11');
    // Some programs show a filter only where the workbook has this name.
    expect(await partOf(plan, 'xl/workbook.xml')).toContain('_xlnm._FilterDatabase');
  });

  test('points a drop-down at a named range, or holds its values', async () => {
    const at = { column: 1, fromRow: 1, toRow: 9, asks: true, title: 'x'.repeat(40), hint: 'y'.repeat(300) };
    const lists = [
      { ...at, source: { name: 'List_Status' } },
      { ...at, column: 0, asks: false, source: { values: ['A', 'B'] } },
    ];
    const names = [{ name: 'List_Status', sheet: "O'Neil", column: 0, fromRow: 0, toRow: 1 }];
    const plan = { ...workbook(sheet({ lists }), sheet({ name: "O'Neil" })), names };
    const read = await readXlsx(await writeWorkbook(plan));
    expect(read.sheets[0]?.dataValidations).toMatchObject([
      { type: 'list', range: 'B2:B10', formula1: 'List_Status', errorTitle: 'x'.repeat(32) },
      { type: 'list', range: 'A2:A10', values: ['A', 'B'] },
    ]);
    expect(read.namedRanges).toContainEqual({ name: 'List_Status', range: "'O''Neil'!$A$1:$A$2" });
  });
});
