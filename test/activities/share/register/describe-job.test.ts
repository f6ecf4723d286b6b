import { compileRegisterNames } from '../../../../activities/registers/register-name';
import type { Cell } from '../../../../activities/registers/sheet/grid';
import { DocumentWords } from '../../../../activities/share/drop/document-words';
import {
  describeEntries,
  describeOrder,
  describeRegister,
  orderByRows,
} from '../../../../activities/share/register/describe-job';
import { findJobRegister } from '../../../../activities/share/register/find-job-register';
import { startCpuTimer } from '../../../setup/cpu-time';

const WORDS = new DocumentWords({ emptyWord: '-' });

async function found(csv: string, ...paths: string[]) {
  return await foundBy({}, csv, ...paths);
}

async function foundBy(synonyms: Readonly<Record<string, string>>, csv: string, ...paths: string[]) {
  const job = await findJobRegister({
    name: 'Job',
    paths: ['register.csv', ...paths],
    isNamed: compileRegisterNames(),
    synonyms,
    open: async () => Buffer.from(csv),
  });
  if (job.kind !== 'register') throw new Error(job.kind);
  return job;
}

const entriesOf = async (csv: string, ...paths: string[]) =>
  Object.fromEntries(describeEntries(await found(csv, ...paths), 0));

test('each file gets its row, with texts as they are and columns that are no fields', async () => {
  expect(await entriesOf('File,Number,Note\na.pdf,0042,x\n', 'a.pdf')).toEqual({
    'a.pdf': { register: 0, row: { number: 2, cells: ['a.pdf', '0042', 'x'] } },
  });
});

test('what a workbook has as a date, a truth value or a number that it shows otherwise is kept with the row', async () => {
  const job = await found('File,Rev,Number,Sheets,Title\na.pdf,x,y,z,t\n', 'a.pdf');
  const cells: readonly Cell[] = [
    { text: 'a.pdf', kind: 'text' },
    { text: '2026-02-01', kind: 'date' },
    { text: 'TRUE', kind: 'boolean' },
    { text: '12 m', kind: 'number', plain: '12' },
    { text: '200000', kind: 'number', isShownOtherwise: true },
  ];
  const register = { ...job.register, rows: [{ number: 2, cells }] };
  expect(describeEntries({ ...job, register }, 0).get('a.pdf')?.row).toEqual({
    number: 2,
    cells: ['a.pdf', '2026-02-01', 'TRUE', '12 m', '200000'],
    numbers: [3],
    otherwise: [4],
    dates: [1],
    booleans: [2],
    plain: { 3: '12' },
  });
});

test('a file without a row is under the register all the same', async () => {
  expect(await entriesOf('File,Number\na.pdf,1\n', 'a.pdf', 'b.pdf')).toMatchObject({
    'b.pdf': { register: 0 },
  });
});

test('a file of two rows, and files that one row could mean, have none, and say why', async () => {
  const csv = 'File,Number\na.pdf,1\nA.PDF,2\nb,3\n';
  const entries = await entriesOf(csv, 'a.pdf', 'b.pdf', 'b.dwg');
  expect(entries['a.pdf']).toEqual({
    register: 0,
    faults: ['Rows 2 and 3 are both about this file. Keep one of them.'],
  });
  const either = [
    'Row 4 could mean "b.pdf" and "b.dwg". Write the whole name of its file, or give one of them another name.',
  ];
  expect(entries['b.pdf']).toEqual({ register: 0, faults: either });
  expect(entries['b.dwg']).toEqual({ register: 0, faults: either });
});

test('rows that could each mean any of thousands of files name some, and take a moment', async () => {
  const paths = Array.from({ length: 2_000 }, (_, at) => `${at}/plan.pdf`);
  const csv = `File,Number\n${paths.map((_, at) => `plan.pdf,${at}\n`).join('')}`;
  const job = await found(csv, ...paths);
  const cpuMs = startCpuTimer();
  const entries = describeEntries(job, 0);
  expect(cpuMs()).toBeLessThan(1_000);
  expect(entries.get('1999/plan.pdf')?.faults).toEqual([
    expect.stringMatching(/^Row 2 could mean "0\/plan\.pdf", .* and 1980 more\. Write the whole name/),
  ]);
});

test.each([
  [
    'a cell',
    `File,Title\na.pdf,${'x'.repeat(2_001)}\n`,
    'Row 2, column B: The cell has more than 2000 characters. Shorten it.',
  ],
  [
    'a row',
    `File,${'T,'.repeat(8)}\na.pdf,${'é'.repeat(700)},${`${'é'.repeat(700)},`.repeat(7)}\n`,
    'Row 2 has more than 8192 bytes of text in all. Shorten its cells.',
  ],
])('%s that is too long to travel is a fault of its row', async (_, csv, text) => {
  expect(await entriesOf(csv, 'a.pdf')).toEqual({ 'a.pdf': { register: 0, faults: [text] } });
});

test('the register keeps its headers, and says what it lists that did not come', async () => {
  const register = describeRegister(
    await found('File,Number\na.pdf,1\nb-1.pdf,2\n,3\n', 'a.pdf', 'b-2.pdf'),
    'Job/register.csv',
  );
  expect(register).toMatchObject({ path: 'Job/register.csv', sizeBytes: 33, headers: ['File', 'Number'] });
  expect(register.notThere).toEqual([
    {
      row: 3,
      file: 'b-1.pdf',
      text: 'Row 3 of "register.csv" lists "b-1.pdf", which did not come with it. Nearest: "b-2.pdf".',
    },
  ]);
  expect(register.notices).toEqual(['The register names no file in row 4, so that these say nothing.']);
});

test('number and revision of the row order the document, whatever its name says', async () => {
  const job = await found('File,Doc No,Rev\na.pdf,0042,P01\nb.pdf,-,\n', 'a.pdf', 'b.pdf');
  expect([...describeOrder(job, WORDS)]).toEqual([
    ['a.pdf', { number: '0042', revision: 'P01' }],
    ['b.pdf', {}],
  ]);
});

test('the Name of the row does so, too, under its own header and under one of the share’s words', async () => {
  const csv = 'File,Name,Rev\nscan1.pdf, A-101 ,P01\nscan2.pdf,-,P02\n';
  expect([...describeOrder(await found(csv, 'scan1.pdf', 'scan2.pdf'), WORDS)]).toEqual([
    ['scan1.pdf', { name: 'A-101', revision: 'P01' }],
    ['scan2.pdf', { revision: 'P02' }],
  ]);
  const worded = await foundBy({ Plan: 'Name' }, 'File,Plan,Rev\nscan1.pdf,A-101,P01\n', 'scan1.pdf');
  expect(describeOrder(worded, new DocumentWords({ synonyms: { Plan: 'Name' } })).get('scan1.pdf')).toEqual({
    name: 'A-101',
    revision: 'P01',
  });
});

test.each([
  [{ Name: 'File' }, 'Name,Rev\nscan1.pdf,P01\n'],
  [{ Name: 'Title' }, 'File,Name,Rev\nscan1.pdf,Ground floor,P01\n'],
])(
  'a column Name that stands for something else by the share’s words %j orders nothing',
  async (synonyms, csv) => {
    const job = await foundBy(synonyms, csv, 'scan1.pdf');
    const words = new DocumentWords({ synonyms });
    expect(describeOrder(job, words).get('scan1.pdf')).toEqual({ revision: 'P01' });
  },
);

test('nothing is ordered by what is asked about, or says in whatever case that it stays empty', async () => {
  const job = await found('File,Name,Number,Rev\na.pdf,x,y,z\nb.pdf,x,y,z\n', 'a.pdf', 'b.pdf');
  const row = (number: number, ...cells: readonly Cell[]) => ({ number, cells });
  const rows = [
    row(
      2,
      { text: 'a.pdf', kind: 'text' },
      { text: '#REF!', kind: 'error' },
      { text: '200000', kind: 'number', isShownOtherwise: true },
      { text: '2026-02-01', kind: 'date' },
    ),
    row(
      3,
      { text: 'b.pdf', kind: 'text' },
      { text: 'None', kind: 'text' },
      { text: '42', kind: 'number' },
      { text: 'P01', kind: 'text' },
    ),
  ];
  expect([
    ...describeOrder(
      { ...job, register: { ...job.register, rows } },
      new DocumentWords({ emptyWord: 'none' }),
    ),
  ]).toEqual([
    ['a.pdf', {}],
    ['b.pdf', { number: '42', revision: 'P01' }],
  ]);
});

test('files go in the order of their rows, then as people count', async () => {
  const paths = ['c.pdf', 'a-10.pdf', 'a-2.pdf', 'b.pdf'];
  const entries = describeEntries(await found('File,Number\nc.pdf,1\nb.pdf,2\n', ...paths), 0);
  expect(orderByRows(paths, entries)).toEqual(['c.pdf', 'b.pdf', 'a-2.pdf', 'a-10.pdf']);
});
