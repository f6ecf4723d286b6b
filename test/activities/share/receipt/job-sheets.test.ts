// What a job's sheets say, by what is handed to the thread that writes them.
import { findRegister } from '../../../../activities/registers/find-register';
import { FRONT_COLUMNS, listBackColumns } from '../../../../activities/registers/receipt/receipt-columns';
import type { SheetTask } from '../../../../activities/registers/receipt/write-in-thread';
import { readSheet } from '../../../../activities/registers/sheet/read-sheet';
import { SheetError } from '../../../../activities/registers/sheet/sheet-error';
import type { Receipt, ReceiptRow } from '../../../../activities/share/batch/kept-receipt';
import {
  makeJobSheet,
  makeSheetToCorrect,
  type ReadRegister,
} from '../../../../activities/share/receipt/job-sheets';

const tasks: SheetTask[] = [];
let fails = 0;
jest.mock('../../../../activities/registers/receipt/write-in-thread', () => ({
  writeInThread: async (task: SheetTask) => {
    tasks.push(task);
    if (fails-- > 0) throw new SheetError('torn', 'no');
    return Buffer.from(task.kind);
  },
}));

beforeEach(() => {
  tasks.length = 0;
  fails = 0;
});

const PROJECT = { companyId: '1', projectId: '2' };
const record = {
  version: 1 as const,
  jobId: 'abc',
  name: 'A',
  folder: 'A',
  place: 'A (2026-04-03)',
  share: 'tender',
  project: PROJECT,
  createdAt: '2026-04-03T09:00:00.000Z',
};

const file = (path: string, more: Partial<ReceiptRow> = {}): ReceiptRow => ({
  index: 0,
  path: `A/${path}`,
  outcome: 'submitted',
  revisionId: 'R1',
  paired: 'certain',
  stored: [],
  notes: [],
  sizeBytes: 1,
  ...more,
});

const receipt = (...files: ReceiptRow[]): Receipt => ({
  version: 1,
  batchId: 'b',
  share: 'tender',
  project: PROJECT,
  manifestSha256: 'x',
  claimedAt: '2026-04-03T09:00:00.000Z',
  writtenAt: '2026-04-03T10:00:00.000Z',
  final: true,
  files,
});

async function registerOf(text: string, notThere: ReadRegister['notThere'] = []): Promise<ReadRegister> {
  const bytes = Buffer.from(text);
  const sheet = await readSheet(bytes, 'Register.csv');
  const words = { fields: [{ name: 'status', label: 'Status' }], isComplete: false, synonyms: {} };
  const found = findRegister(sheet, true, words);
  if (found.kind !== 'register') throw new Error('it is no register');
  return { path: 'Register.csv', sha256: 'y', bytes, file: sheet, register: found.register, notThere };
}

const make = (receipts: readonly Receipt[], register?: ReadRegister) =>
  makeJobSheet({ record, ignored: ['Thumbs.db'], receipts, register, zone: 'Europe/Berlin' });

test('without a register: one row a file, below the folder of the job', async () => {
  const apart = { code: 'x', text: 'It is wrong.', fix: 'Mend it.' };
  const sheet = await make([
    receipt(file('sub/a.pdf'), file('b.pdf', { outcome: 'set-apart', reason: apart })),
    receipt(file('c.pdf', { revisionId: null })),
  ]);
  expect(sheet).toEqual({ name: 'receipt.xlsx', bytes: Buffer.from('plain-workbook') });
  expect(tasks).toMatchObject([
    {
      kind: 'plain-workbook',
      facts: {
        jobName: 'A (2026-04-03)',
        tally: { through: 2, 'set-apart': 1 },
        writtenAt: '2026-04-03T10:00:00.000Z',
        ignored: ['Thumbs.db'],
      },
      results: [
        { path: 'sub/a.pdf', outcome: 'through', revision: 'R1' },
        { path: 'b.pdf', outcome: 'set-apart', reason: 'It is wrong.', whatToDo: 'Mend it.' },
        { path: 'c.pdf', outcome: 'through', notes: [expect.stringContaining('was lost')] },
      ],
    },
  ]);
});

test('with a register: each row what became of its file, and rows for what it does not list', async () => {
  const register = await registerOf('Title;\nFile;Status\na.pdf;A4\nb.pdf;x\ngone.pdf;A4\n', [
    { row: 5, file: 'gone.pdf', text: 'Row 5 lists it.' },
  ]);
  const wrong = { code: 'register-row', text: 'In "Register.csv": Row 4, column B: "x" is none.', fix: '' };
  const from = [{ label: 'Status', value: 'A4', from: 'row B' }];
  const sheet = await make(
    [
      receipt(file('b.pdf', { row: 4, outcome: 'set-apart', reason: wrong })),
      receipt(file('a.pdf', { row: 3, stored: from }), file('new.pdf')),
    ],
    register,
  );
  expect(sheet).toEqual({ name: 'receipt-Register.csv', bytes: Buffer.from('register-csv') });
  expect(tasks).toMatchObject([
    {
      kind: 'register-csv',
      register: { dialect: { delimiter: ';' }, rows: [['Title'], ['File', 'Status'], {}, {}, {}] },
      receipt: {
        headerRow: 1,
        fileColumn: 0,
        facts: { tally: { through: 2, 'set-apart': 2 }, register: { sha256: 'y' } },
        results: [
          { row: 3, outcome: 'set-apart', faultyColumns: [1] },
          { row: 2, outcome: 'through', values: [{ from: 'register row 3, column B' }] },
          { row: 4, outcome: 'set-apart', reason: 'Listed, not there. Row 5 lists it.' },
        ],
        unlisted: [{ file: 'new.pdf', outcome: 'through' }],
      },
    },
  ]);
});

test('a number that its sender keeps as a text in a CSV goes back as it came', async () => {
  const register = await registerOf('File;Status\na.pdf;="0042"\n');
  await make([receipt(file('a.pdf', { row: 2 }))], register);
  expect(tasks).toMatchObject([
    {
      register: {
        rows: [
          ['File', 'Status'],
          ['a.pdf', '="0042"'],
        ],
      },
    },
  ]);
});

test('a register that cannot be written gives way to a workbook, and that to nothing', async () => {
  const register = await registerOf('File;Status\na.pdf;A4\n');
  fails = 1;
  expect((await make([receipt(file('a.pdf', { row: 2 }))], register))?.name).toBe('receipt.xlsx');
  fails = 2;
  const receipts = [receipt(file('a.pdf', { row: 2 }))];
  expect(await make(receipts, register)).toBeUndefined();
  // Held rows are not corrected in a workbook without their columns.
  fails = 1;
  expect(await makeSheetToCorrect({ record, ignored: [], receipts, register, zone: 'UTC' })).toBeUndefined();
});

test('a receipt that comes back is a register without our columns', async () => {
  const headers = [...FRONT_COLUMNS, { header: 'File' }, { header: 'Rev' }, ...listBackColumns('UTC')];
  const text = `${headers.map(({ header }) => header).join(';')}\nThrough;;;R1;a.pdf;P02\n`;
  const words = { fields: [{ name: 'revision', label: 'Rev' }], isComplete: true, synonyms: {} };
  const found = findRegister(await readSheet(Buffer.from(text), 'register.csv'), true, words);
  expect(found).toMatchObject({ kind: 'register', register: { faults: [], notices: [] } });
  const columns = found.kind === 'register' ? found.register.columns : [];
  expect(columns.filter(({ meaning }) => meaning.kind !== 'other').map(({ header }) => header)).toEqual([
    'File',
    'Rev',
  ]);
});
