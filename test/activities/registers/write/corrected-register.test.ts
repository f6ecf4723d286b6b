// What we write of corrected rows is read back as what it was, with no question that was not asked before.
import fc from 'fast-check';
import { type RegisterField, readCell } from '../../../../activities/registers/read-cell';
import { kindOf, listKinds } from '../../../../activities/registers/sheet/cell-kinds';
import { type Cell, EMPTY_CELL } from '../../../../activities/registers/sheet/grid';
import { readSheet } from '../../../../activities/registers/sheet/read-sheet';
import { numberShownAs, showNumber, toShownCell } from '../../../../activities/registers/sheet/shown-value';
import { writeCorrectedWorkbook } from '../../../../activities/registers/write/corrected-register';
import { writeCsv } from '../../../../activities/registers/write/write-csv';

const FIELDS = (['text', 'number', 'date', 'one-of', 'many-of'] as const).map(
  (takes): RegisterField => ({ name: takes, label: takes, takes, isIdentity: true }),
);
const readings = (cell: Cell) => FIELDS.map(field => readCell(cell, field, { emptyWord: '-' }));

const formats = fc.constantFrom(
  '',
  'General',
  '0',
  '0000',
  '0.00',
  '0.000',
  '#,##0.00',
  '0%',
  '0.00E+00',
  '"P"00',
  '@',
);
const values = fc.oneof(
  fc.integer({ min: -100_000, max: 100_000 }).map(value => value / 1000),
  fc.integer(),
  fc.double({ noNaN: true, min: -1e20, max: 1e20 }),
);
const numbers = fc
  .tuple(values, formats)
  .map(([value, format]) => toShownCell({ kind: 'number', value, format }));
const dates = fc
  .date({ min: new Date('1950-01-01'), max: new Date('2150-01-01'), noInvalidDate: true })
  .chain(at =>
    fc
      .constantFrom('yyyy-mm-dd hh:mm', 'dd.mm.yyyy', 'hh:mm')
      .map(format => toShownCell({ kind: 'date', value: at.getTime(), format })),
  );
const booleans = fc.boolean().map(value => toShownCell({ kind: 'boolean', value }));
const texts = fc
  .constantFrom('2.500', '1,234', '0042', '03/04/2026', '3 April 2026', 'heavy', 'a; b', '-', '=1', '1e5')
  .map((text): Cell => ({ text, kind: 'text' }));

const kinds = fc.oneof(numbers, dates, booleans, texts);

test.each([
  ['1.234', 1.234, '0.000'],
  ['0042', 42, '0000'],
  ['-2.50', -2.5, '0.00'],
  ['100000000000000000000', 1e20, '0'.repeat(21)],
  ['P01', 1, '"P"00'],
  ['-P12', -12, '"P"00'],
  ['12 Blatt', 12, '00" Blatt"'],
])('%s is a number that is shown so', (text, value, format) => {
  expect(numberShownAs(text)).toEqual({ value, format });
  expect(showNumber(value, format)).toBe(text);
});

test.each(['', 'Blatt', '12-34', '1,5', '1e5', 'A1-2', '3 "x"', '-0', '12345678901234567.5'])(
  '%j is text alone',
  text => {
    expect(numberShownAs(text)).toBeUndefined();
  },
);

test.each(['1899-12-31', '1900-02-28', '1900-03-01', '9999-12-31T23:59:59', '00:00:01'])(
  '%s is a date or time that is shown so',
  async text => {
    const bytes = await writeCorrectedWorkbook({
      title: 'Corrected',
      headers: ['Date'],
      rows: [[text]],
      kinds: [{ dates: [0] }],
    });
    const { grids } = await readSheet(bytes, 'register.xlsx');
    expect(grids[0]?.rows[1]).toEqual([{ text, kind: 'date' }]);
  },
);

test('what is no truth value after all, as with a blank behind it, is a text', async () => {
  const row = ['TRUE', 'TRUE ', 'FALSE'];
  const bytes = await writeCorrectedWorkbook({
    title: 'Corrected',
    headers: ['A', 'B', 'C'],
    rows: [row],
    kinds: [{ booleans: [0, 1, 2] }],
  });
  const { grids } = await readSheet(bytes, 'register.xlsx');
  expect(grids[0]?.rows[1]?.map(({ text, kind }) => [text.trim(), kind])).toEqual([
    ['TRUE', 'boolean'],
    ['TRUE', 'text'],
    ['FALSE', 'boolean'],
  ]);
});

test('a workbook that we wrote is read as the values that it was written of', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(kinds, { minLength: 1, maxLength: 8 }), async row => {
      const bytes = await writeCorrectedWorkbook({
        title: 'Corrected',
        headers: ['File', ...row.map((_, at) => `Column ${at}`)],
        rows: [['a.pdf', ...row.map(({ text }) => text)]],
        kinds: [listKinds(row.map((cell, at) => [at + 1, kindOf(cell)]))],
      });
      const { grids } = await readSheet(bytes, 'register.xlsx');
      for (const [at, cell] of row.entries()) {
        const read = grids[0]?.rows[1]?.[at + 1] ?? EMPTY_CELL;
        expect(read.text).toBe(cell.text);
        // What could be no number, such as 12-34, is a text.
        if (cell.kind !== 'number' || numberShownAs(cell.text) !== undefined)
          expect(readings(read)).toEqual(readings(cell));
      }
    }),
    { numRuns: 40 },
  );
});

test('so is a CSV, whose cells are texts before and after', async () => {
  const dialect = { encoding: 'utf-8', bom: false, delimiter: ';', lineEnd: '\n' } as const;
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 8 }), async row => {
      const { bytes } = writeCsv([['File', ...row.map(({ text }) => text)]], dialect);
      const { grids } = await readSheet(bytes, 'register.csv');
      expect(grids[0]?.rows[0]?.slice(1).map(readings)).toEqual(row.map(readings));
    }),
    { numRuns: 40 },
  );
});
