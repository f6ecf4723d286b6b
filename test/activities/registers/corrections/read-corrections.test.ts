import fc from 'fast-check';
import {
  type Corrections,
  type ReceiptNow,
  type ReceiptRowNow,
  readCorrections,
} from '../../../../activities/registers/corrections/read-corrections';
import { findRegister } from '../../../../activities/registers/find-register';
import { writeRegisterCsv } from '../../../../activities/registers/receipt/register-receipt';
import type { Cell, SheetFile } from '../../../../activities/registers/sheet/grid';
import { readSheet } from '../../../../activities/registers/sheet/read-sheet';
import { writeCsv } from '../../../../activities/registers/write/write-csv';
import { gridOf } from '../grid-of-texts';
import { receiptFacts } from '../receipt/receipt-facts';

const ROWS = [
  ['File', 'Number', 'Type', 'Notes'],
  ['a.pdf', '0042', 'Drawing', ''],
  ['b.pdf', '0043', 'Drwaing', 'theirs'],
  ['c.pdf', '0044', 'Plan', ''],
  ['gone.pdf', '0045', 'Plan', ''],
  ['twice.pdf', '1', '', ''],
];
const JOB = receiptFacts().jobId;
const STATES: readonly ReceiptRowNow[] = [
  { row: 2, path: 'a.pdf', state: 'done' },
  { row: 3, path: 'b.pdf', state: 'open' },
  { row: 4, path: 'c.pdf', state: 'taken' },
  { row: 5, state: 'no-file' },
  { path: '-extra.pdf', state: 'open' },
];

const CSV = { delimiter: ',' as const, lineEnd: '\r\n' as const, encoding: 'utf-8' as const, bom: false };

/** The receipt as a person gets it: its own writer and its own reader. */
async function receiptRows(): Promise<string[][]> {
  const { bytes } = writeRegisterCsv(
    { rows: ROWS, dialect: CSV },
    {
      facts: receiptFacts(),
      headerRow: 0,
      headers: ROWS[0]!,
      fileColumn: 0,
      results: [1, 2, 3, 4].map(row => ({ row, outcome: 'set-apart' as const, reason: '=x' })),
      unlisted: [{ file: '-extra.pdf', outcome: 'held' }],
    },
  );
  const { grids } = await readSheet(bytes, 'receipt-register.csv');
  return grids[0]!.rows.map(row => row.map(({ text }) => text));
}

const sheetOf = (rows: readonly (readonly string[])[]): SheetFile => ({
  format: 'csv',
  grids: [gridOf(rows)],
});

function receipt(rows = STATES): ReceiptNow {
  const words = { fields: [{ name: 'number', label: 'Number' }], isComplete: false, synonyms: {} };
  const finding = findRegister(sheetOf(ROWS), true, words);
  if (finding.kind !== 'register') throw new Error('no register');
  return { jobId: JOB, register: finding.register, rows };
}

/** Ours stand in front: four of them. */
const AT = { file: 4, number: 5, type: 6, notes: 7, mark: 8 };

async function afterEdit(edit: (rows: string[][]) => void): Promise<Corrections> {
  const rows = await receiptRows();
  edit(rows);
  return readCorrections(receipt(), sheetOf(rows));
}

const toldOf = (found: Corrections) => (found.kind === 'refused' ? found.text : found.told.join('\n'));

test('a receipt as it came corrects nothing, and there is nothing to tell', async () => {
  expect(await afterEdit(() => undefined)).toEqual({
    kind: 'read',
    headers: ROWS[0],
    rows: [],
    told: [],
  });
});

test('takes the row that was changed, with its own columns and its exact file', async () => {
  const found = await afterEdit(rows => {
    rows[2]![AT.type] = 'Drawing';
    rows[0]!.push('Weight');
    rows[2]![rows[0]!.length - 1] = '12';
  });
  expect(found).toEqual({
    kind: 'read',
    headers: [...ROWS[0]!, 'Weight'],
    rows: [
      {
        number: 3,
        path: 'b.pdf',
        cells: ['b.pdf', '0043', 'Drawing', 'theirs', '12'],
        changed: [2, 4],
        reason: "'=x",
      },
    ],
    told: [],
  });
});

test('a date and a truth value are told from texts', async () => {
  const rows = await receiptRows();
  rows[0]!.push('Issued', 'Final');
  const at = rows[0]!.length - 2;
  rows[2]![at] = '2026-02-01';
  rows[2]![at + 1] = 'TRUE';
  const sheet = sheetOf(rows);
  const kinds = { '2026-02-01': 'date', TRUE: 'boolean' } as const;
  const toKind = (cell: Cell): Cell => ({
    ...cell,
    kind: kinds[cell.text as keyof typeof kinds] ?? cell.kind,
  });
  const grids = sheet.grids.map(grid => ({ ...grid, rows: grid.rows.map(row => row.map(toKind)) }));
  expect(readCorrections(receipt(), { ...sheet, grids })).toMatchObject({
    rows: [{ changed: [4, 5], dates: [4], booleans: [5] }],
  });
});

test('a number is what was typed as one; what stands as it stood is what it was, whatever a program made of it', async () => {
  const rows = await receiptRows();
  rows[0]!.push('Weight');
  rows[2]![rows[0]!.length - 1] = '1.234';
  const sheet = sheetOf(rows);
  const as =
    (kind: 'text' | 'number', ...texts: string[]) =>
    (cell: Cell) =>
      texts.includes(cell.text) ? { ...cell, kind } : cell;
  const withKinds = (kinds: (cell: Cell) => Cell): SheetFile => ({
    ...sheet,
    grids: sheet.grids.map(grid => ({ ...grid, rows: grid.rows.map(row => row.map(kinds)) })),
  });
  const saved = withKinds(as('number', '0043', '1.234'));
  expect(readCorrections(receipt(), saved)).toMatchObject({ rows: [{ changed: [4], numbers: [4] }] });
  const now = receipt();
  const register = now.register!;
  const numbered = register.rows.map(row => ({ ...row, cells: row.cells.map(as('number', '0043')) }));
  const before = { ...now, register: { ...register, rows: numbered } };
  expect(readCorrections(before, sheet)).toMatchObject({ rows: [{ changed: [4], numbers: [1] }] });
});

describe('a CSV that a spreadsheet program has saved', () => {
  test('has numbers otherwise, and they are no corrections: beside one, the old text counts', async () => {
    const found = await afterEdit(rows => {
      rows[1]![AT.number] = '42';
      rows[2]![AT.number] = '43';
      rows[2]![AT.type] = 'Drawing';
      rows[3]![AT.number] = '44';
    });
    expect(found).toMatchObject({
      rows: [{ number: 3, cells: ['b.pdf', '0043', 'Drawing', 'theirs'], changed: [2] }],
      told: [
        `Row 3, column F: "43" counts as the "0043" that stood there, for a spreadsheet program writes numbers of a CSV so by itself. If it is really to change, type '="43" into the cell, with the apostrophe in front.`,
      ],
    });
  });

  test('corrects nothing where nothing else was changed', async () => {
    const found = await afterEdit(rows => {
      rows[2]![AT.number] = '43';
    });
    expect(found).toMatchObject({ rows: [], told: [expect.stringContaining('"43" counts as the "0043"')] });
  });

  test('another number is a correction as it stands, and so are zeros that no program adds', async () => {
    const found = await afterEdit(rows => {
      rows[2]![AT.number] = '00043';
      rows[6]![AT.number] = '7';
    });
    expect(found).toMatchObject({
      rows: [
        { cells: ['b.pdf', '00043', 'Drwaing', 'theirs'], changed: [1] },
        { cells: ['-extra.pdf', '7', '', ''], changed: [1] },
      ],
      told: [],
    });
  });

  test('a number that is kept as a text in it is meant', async () => {
    const rows = await receiptRows();
    rows[2]![AT.number] = '="43"';
    const { bytes } = writeCsv(rows, CSV);
    const found = readCorrections(receipt(), await readSheet(bytes, 'receipt-register.csv'));
    expect(found).toMatchObject({ rows: [{ cells: ['b.pdf', '43', 'Drwaing', 'theirs'] }], told: [] });
  });

  test('a correction that was taken up, and one that the sheet shows as such, are as they were, too', async () => {
    const rows = await receiptRows();
    rows[2]![AT.number] = '50';
    const said = new Map([
      ['File', 'b.pdf'],
      ['Number', '0050'],
      ['Type', 'Drwaing'],
      ['Notes', 'theirs'],
    ]);
    const taken = { row: 3, path: 'b.pdf', state: 'taken' as const, taken: said };
    expect(readCorrections(receipt(STATES.with(1, taken)), sheetOf(rows))).toMatchObject({
      rows: [],
      told: [],
    });
    rows[2]![AT.mark] = `${JOB} row 3 corrected 1`;
    const held = { row: 3, path: 'b.pdf', state: 'open' as const, steps: [{ said, shows: said }] };
    expect(readCorrections(receipt(STATES.with(1, held)), sheetOf(rows))).toMatchObject({
      rows: [],
      told: [expect.stringContaining('"50" counts as the "0050"')],
      isOutdated: true,
    });
  });

  test('a file, and a row that is about none, are known as well', async () => {
    const register = [
      ['File', 'Number'],
      ['0042', '1.10'],
      ['see below', '0043'],
    ];
    const words = { fields: [], isComplete: false, synonyms: {} };
    const finding = findRegister(sheetOf(register), true, words);
    if (finding.kind !== 'register') throw new Error('no register');
    const now = {
      jobId: JOB,
      register: finding.register,
      rows: [{ row: 2, path: '0042.pdf', state: 'open' }],
    } as const;
    const saved = [
      ['File', 'Number', 'Receipt row'],
      ['42', '2', `${JOB} row 2`],
      ['see below', '43', ''],
    ];
    expect(readCorrections(now, sheetOf(saved))).toMatchObject({
      rows: [{ path: '0042.pdf', changed: [1] }],
      told: [expect.stringContaining('Row 2, column A: "42" counts as the "0042"')],
    });
  });

  test('in a workbook a text stays what was typed, so that it is a correction', async () => {
    const rows = await receiptRows();
    rows[2]![AT.number] = '43';
    const found = readCorrections(receipt(), { ...sheetOf(rows), format: 'xlsx' });
    expect(found).toMatchObject({ rows: [{ changed: [1] }], told: [] });
  });
});

test('a file that no row lists is taken once its row is filled', async () => {
  const found = await afterEdit(rows => {
    rows.at(-1)![AT.number] = '0099';
  });
  expect(found).toMatchObject({
    rows: [{ number: 7, path: '-extra.pdf', cells: ['-extra.pdf', '0099', '', ''], changed: [1] }],
  });
});

const put = (at: number, column: number, text: string) => (rows: string[][]) => {
  rows.splice(at, 1, rows[at]!.with(column, text));
};
const add = (row: (rows: string[][]) => string[]) => (rows: string[][]) => {
  rows.push(row(rows));
};
const without = (column: number) => (rows: string[][]) => {
  for (const row of rows) row.splice(column, 1);
};
const marks = (text: string) => (rows: string[][]) => {
  for (const row of rows.slice(1)) row[AT.mark] = text;
};

const marked = (rows: string[][]) => {
  put(2, AT.mark, 'other row 3')(rows);
  put(2, AT.type, 'Drawing')(rows);
};

test.each<[string, (rows: string[][]) => void, string]>([
  ['a done row', put(1, AT.number, '142'), 'Row 2: what is done is not touched.'],
  ['a row taken before', put(3, AT.number, '142'), 'Row 4: a correction was taken up before.'],
  ['a row whose file never came', put(4, AT.number, '142'), 'Row 5: the file never came'],
  ['another file', put(2, AT.file, 'x.pdf'), 'Row 3: another file is named than before.'],
  ['a row twice', add(rows => rows[2]!.with(AT.type, 'Drawing')), 'Row 8: more than one of them is'],
  ['a row of nobody', add(() => ['', '', '', '', 'new.pdf', '7']), 'Row 8: not from this receipt'],
  ['a row of another job', marked, 'Row 3: not from this receipt'],
  ['a column that is gone', without(AT.number), 'no column "Number"'],
  ['the marks gone', without(AT.mark), 'no column "Receipt row"'],
  ['no mark left', marks(''), '"Receipt row" is empty'],
  ['other marks', marks('x row 2'), 'of another job'],
])('%s is told, and corrects nothing', async (_, edit, told) => {
  const found = await afterEdit(rows => {
    edit(rows);
  });
  if (found.kind === 'read') expect(found.rows).toEqual([]);
  expect(toldOf(found)).toContain(told);
});

test('a formula without a value is no correction', async () => {
  const rows = await receiptRows();
  const grid = gridOf(rows);
  const cells = grid.rows.map((row, at) =>
    at === 2
      ? row.map((cell, column) => (column === AT.type ? { text: '#N/A', kind: 'error' as const } : cell))
      : row,
  );
  const found = readCorrections(receipt(), { format: 'xlsx', grids: [{ ...grid, rows: cells }] });
  expect(found).toMatchObject({
    rows: [],
    told: [expect.stringContaining('Row 3, column G: The cell shows #N/A.')],
  });
});

test('a column of formulas without values in thousands of rows is told in a page, each short', async () => {
  const columns = Array.from({ length: 60 }, (_, at) => `Column ${at}`);
  const rows = [['File', ...columns], ...Array.from({ length: 300 }, (_, at) => [`${at}.pdf`])];
  const finding = findRegister(sheetOf(rows), true, { fields: [], isComplete: false, synonyms: {} });
  if (finding.kind !== 'register') throw new Error('no register');
  const now = rows.slice(1).map(([path = ''], at) => ({ row: at + 2, path, state: 'open' as const }));
  const grid = gridOf(
    rows.map((row, at) => [row[0] ?? '', at === 0 ? 'Receipt row' : `${JOB} row ${at + 1}`, ...columns]),
  );
  const cells = grid.rows.map((row, at) =>
    row.map((cell, column) =>
      at > 0 && column > 1 ? { text: '#N/A'.repeat(8_000), kind: 'error' as const } : cell,
    ),
  );
  const found = readCorrections(
    { jobId: JOB, register: finding.register, rows: now },
    { format: 'xlsx', grids: [{ ...grid, rows: cells }] },
  );
  if (found.kind !== 'read') throw new Error(found.text);
  expect(found.told).toHaveLength(101);
  expect(found.told.at(-1)).toBe('17900 further cells show an error.');
  expect(Math.max(...found.told.map(({ length }) => length))).toBeLessThan(200);
});

describe('what is larger than a register may be', () => {
  test('is told of each row and cell at once, and no such row is taken', async () => {
    const found = await afterEdit(rows => {
      rows[0]!.push('Weight', 'Colour', 'Size', 'Area', 'Volume');
      const from = rows[0]!.length - 5;
      for (const at of [2, 6]) while (rows[at]!.length < rows[0]!.length) rows[at]!.push('');
      rows[2]![from] = 'x'.repeat(2_001);
      rows[2]![from + 1] = 'y'.repeat(30_000);
      for (let at = 0; at < 5; at += 1) rows[6]![from + at] = 'z'.repeat(2_000);
    });
    expect(found).toMatchObject({
      kind: 'read',
      rows: [],
      told: [
        'Row 3, column P: The cell has more than 2000 characters. Shorten it.',
        'Row 3, column Q: The cell has more than 2000 characters. Shorten it.',
        'Row 7 has more than 8192 bytes of text in all. Shorten its cells.',
      ],
    });
  });

  test('of thousands of such cells some are named', async () => {
    const paths = Array.from({ length: 300 }, (_, at) => `${at}.pdf`);
    const finding = findRegister(sheetOf([['File', 'Type'], ...paths.map(path => [path])]), true, {
      fields: [],
      isComplete: false,
      synonyms: {},
    });
    if (finding.kind !== 'register') throw new Error('no register');
    const rows = paths.map((path, at) => [path, 'x'.repeat(2_001), `${JOB} row ${at + 2}`]);
    const now = paths.map((path, at) => ({ row: at + 2, path, state: 'open' as const }));
    const found = readCorrections(
      { jobId: JOB, register: finding.register, rows: now },
      sheetOf([['File', 'Type', 'Receipt row'], ...rows]),
    );
    if (found.kind !== 'read') throw new Error(found.text);
    expect(found.told).toHaveLength(101);
    expect(found.told.at(-1)).toBe('200 further cells or rows are too long.');
  });

  test.each([
    [97, 'x', 'The sheet has 101 columns besides those of the receipt, and more than 100 are not read.'],
    [1, 'x'.repeat(2_001), 'Row 1, column P: The cell has more than 2000 characters. Shorten it.'],
    [50, 'x'.repeat(200), 'Row 1 has more than 8192 bytes of text in all. Shorten its cells.'],
  ])('is told of %s headers', async (more, header, told) => {
    const found = await afterEdit(rows => {
      for (let at = 0; at < more; at += 1) rows[0]!.push(`${header}${at}`.slice(-2_001));
      rows[2]![AT.type] = 'Drawing';
    });
    expect(found).toMatchObject({ kind: 'refused' });
    expect(toldOf(found)).toContain(told);
  });
});

test('of hundreds of columns that are gone some are named', async () => {
  const columns = Array.from({ length: 300 }, (_, at) => `A column of a long name ${at}`);
  const finding = findRegister(sheetOf([['File', ...columns], ['a.pdf']]), true, {
    fields: [],
    isComplete: false,
    synonyms: {},
  });
  if (finding.kind !== 'register') throw new Error('no register');
  const sheet = sheetOf([
    ['File', 'Receipt row'],
    ['a.pdf', `${JOB} row 2`],
  ]);
  const found = readCorrections({ jobId: JOB, register: finding.register, rows: [] }, sheet);
  expect(toldOf(found)).toMatch(/no columns "A column of a long name 0", .* and 280 more any more\./);
});

test('whatever is sorted, deleted, or put in front: the same rows are taken, each once', async () => {
  const came = await receiptRows();
  const [header = [], ...body] = came;
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(body, { minLength: body.length, maxLength: body.length }),
      fc.nat({ max: 3 }),
      fc.boolean(),
      async (order, without, isChanged) => {
        const rows = [header, ...order]
          .map(row => (isChanged && row[AT.file] === 'b.pdf' ? row.with(AT.type, 'Drawing') : row))
          .map(row => row.toSpliced(without, 1));
        const found = readCorrections(receipt(), {
          format: 'xlsx',
          grids: [gridOf([]), gridOf([['A title'], ...rows])],
        });
        expect(found).toMatchObject({ kind: 'read', told: [] });
        expect(found.kind === 'read' ? found.rows.map(({ path }) => path) : []).toEqual(
          isChanged ? ['b.pdf'] : [],
        );
      },
    ),
    { numRuns: 100 },
  );
});
