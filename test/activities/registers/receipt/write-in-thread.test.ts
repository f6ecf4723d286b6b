import { writePlainWorkbook } from '../../../../activities/registers/receipt/plain-receipt';
import { writeRegisterCsv } from '../../../../activities/registers/receipt/register-receipt';
import { writeInThread } from '../../../../activities/registers/receipt/write-in-thread';
import { SHEET_LIMITS } from '../../../../activities/registers/sheet/sheet-limits';
import { receiptFacts } from './receipt-facts';

const RESULTS = [{ path: 'a.pdf', outcome: 'through' as const }];
const TASK = { kind: 'plain-workbook' as const, facts: receiptFacts(), results: RESULTS };

test('a sheet comes out of the thread as it does here, and the process goes on meanwhile', async () => {
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 1);
  const bytes = await writeInThread(TASK);
  clearInterval(counting);
  expect(bytes.equals(await writePlainWorkbook(receiptFacts(), RESULTS))).toBe(true);
  expect(turns).toBeGreaterThan(5);
});

test('what takes too long is ended; the process is not', async () => {
  await expect(writeInThread(TASK, { ...SHEET_LIMITS, writeMs: 1 })).rejects.toMatchObject({
    code: 'too-large',
    message: expect.stringContaining('written within'),
  });
});

test('a register of texts goes through it as well', async () => {
  const dialect = { encoding: 'utf-8', bom: false, delimiter: ';', lineEnd: '\n' } as const;
  const register = { rows: [['File'], ['a.pdf']], dialect };
  const receipt = {
    facts: receiptFacts(),
    headerRow: 0,
    headers: ['File'],
    fileColumn: 0,
    results: [{ row: 1, outcome: 'through' as const }],
    unlisted: [],
  };
  const bytes = await writeInThread({ kind: 'register-csv', register, receipt });
  expect(bytes.equals(writeRegisterCsv(register, receipt).bytes)).toBe(true);
});
