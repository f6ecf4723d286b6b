import {
  type RegisterReceipt,
  writeRegisterCsv,
  writeRegisterWorkbook,
} from '../../../../activities/registers/receipt/register-receipt';
import { readSheet } from '../../../../activities/registers/sheet/read-sheet';
import { WRITTEN_ANEW } from '../../../../activities/registers/write/write-anew';
import { writeCsv } from '../../../../activities/registers/write/write-csv';
import { writeWorkbook } from '../../../../activities/registers/write/write-workbook';
import { receiptFacts } from './receipt-facts';

const HEADERS = ['File', 'Revision', 'Status'];
const ROWS = [['TR-0142'], HEADERS, ['a.pdf', 'P01', 'A4'], ['b.pdf', '0042', ''], ['c.pdf', '-', '+1']];

const receipt = (overrides: Partial<RegisterReceipt> = {}): RegisterReceipt => ({
  facts: receiptFacts(),
  headerRow: 1,
  headers: HEADERS,
  fileColumn: 0,
  results: [
    { row: 2, outcome: 'through', revision: 'R1' },
    { row: 3, outcome: 'held', reason: 'Status is missing.', whatToDo: 'Give one.', faultyColumns: [2] },
    { row: 4, outcome: 'set-apart', reason: '=1' },
  ],
  unlisted: [{ file: 'extra.pdf', outcome: 'held', reason: 'No row lists it.', whatToDo: 'Fill this row.' }],
  ...overrides,
});

const textsOf = async (bytes: Buffer, name: string) =>
  ((await readSheet(bytes, name)).grids[0]?.rows ?? []).map(row => row.map(({ text }) => text));

const workbook = () =>
  writeWorkbook({
    title: 'T',
    madeAt: new Date(0),
    sheets: [
      {
        name: 'Register',
        widths: [20, 9, 9],
        rows: ROWS.map(row => row.map(text => ({ text, look: 'text' as const }))),
      },
    ],
  });

/** Headers of a receipt, for it comes back as a register. */
const headersOf = (rows: readonly (readonly string[])[]) => rows[1] ?? [];

describe('writeRegisterWorkbook', () => {
  test('gives the register back with what became of each row', async () => {
    const { bytes, notCarried, cause } = await writeRegisterWorkbook(
      { bytes: await workbook(), sheetName: 'Register', rows: ROWS },
      receipt(),
    );
    expect(cause).toBeUndefined();
    expect(notCarried).toEqual([]);
    const rows = await textsOf(bytes, 'register.xlsx');
    expect(rows.map(row => row.slice(0, 8))).toEqual([
      ['', '', '', '', 'TR-0142'],
      ['Outcome', 'Reason', 'What to do', 'Revision id', 'File', 'Revision', 'Status', 'Receipt row'],
      ['Through', '', '', 'R1', 'a.pdf', 'P01', 'A4', 'tr-0142-k3f9a2 row 3'],
      ['Held', 'Status is missing.', 'Give one.', '', 'b.pdf', '0042', '', 'tr-0142-k3f9a2 row 4'],
      ['Set apart', '=1', '', '', 'c.pdf', '-', '+1', 'tr-0142-k3f9a2 row 5'],
      ['Held', 'No row lists it.', 'Fill this row.', '', 'extra.pdf', '', '', 'tr-0142-k3f9a2 not listed'],
    ]);
  });

  test('a receipt of a receipt has one set of our columns', async () => {
    const register = { bytes: await workbook(), sheetName: 'Register', rows: ROWS };
    const { bytes: first } = await writeRegisterWorkbook(register, receipt({ unlisted: [] }));
    const rows = await textsOf(first, 'register.xlsx');
    const again = receipt({ headers: headersOf(rows), fileColumn: 4, unlisted: [] });
    const { bytes } = await writeRegisterWorkbook({ bytes: first, sheetName: 'Register', rows }, again);
    expect(await textsOf(bytes, 'register.xlsx')).toEqual(rows);
  });

  test('a workbook that cannot be changed is written anew, and says so', async () => {
    const register = { bytes: Buffer.from('no workbook'), sheetName: 'Register', rows: ROWS };
    const { bytes, notCarried, cause } = await writeRegisterWorkbook(register, receipt());
    expect(cause).toBeDefined();
    expect(notCarried).toEqual([WRITTEN_ANEW]);
    const good = { bytes: await workbook(), sheetName: 'Register', rows: ROWS };
    const whole = await writeRegisterWorkbook(good, receipt());
    expect(await textsOf(bytes, 'register.xlsx')).toEqual(await textsOf(whole.bytes, 'register.xlsx'));
  });
});

describe('writeRegisterCsv', () => {
  test.each([
    { encoding: 'utf-8', bom: true, delimiter: ';', lineEnd: '\r\n' },
    { encoding: 'windows-1252', bom: false, delimiter: ';', lineEnd: '\r\n' },
    { encoding: 'utf-16le', bom: true, delimiter: '\t', lineEnd: '\r\n' },
    { encoding: 'utf-8', bom: false, delimiter: ',', lineEnd: '\n' },
  ] as const)('gives a CSV file back in its dialect %j', async dialect => {
    const rows = [...ROWS, ['dé.pdf', 'P01', 'x']];
    const came = await readSheet(writeCsv(rows, dialect).bytes, 'register.csv');
    expect(came.csv).toEqual(dialect);
    const { bytes } = writeRegisterCsv({ rows, dialect }, receipt());
    const back = await readSheet(bytes, 'register.csv');
    expect(back.csv).toEqual(dialect);
    const texts = back.grids[0]?.rows.map(row => row.map(({ text }) => text)) ?? [];
    expect(texts[4]?.slice(0, 7)).toEqual(['Set apart', "'=1", '', '', 'c.pdf', '-', '+1']);
    expect(texts.slice(0, 6).map(row => row[4])).toEqual(rows.map(row => row[0]));
  });
});
