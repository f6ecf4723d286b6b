// A receipt that a person has corrected and saved where it came: exactly the rows that were set apart and are
// changed go on, from their files, whoever looks and wherever they die.
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeXlsx } from 'hucre/xlsx';
import { readSheet } from '../../../../../activities/registers/sheet/read-sheet';
import { writeCorrectedWorkbook } from '../../../../../activities/registers/write/corrected-register';
import { Seals } from '../../../../../activities/share/files/seals';
import { createNodeShareFs } from '../../../../../activities/share/files/share-fs';
import { finishedJobPaths } from '../../../../../activities/share/jobs/job-record';
import {
  listCorrections,
  writeCorrection,
} from '../../../../../activities/share/receipt/corrected/correction-record';
import type { SheetNews } from '../../../../../activities/share/receipt/sheet-news';
import { resolveLayout } from '../../../../../activities/share/resolve-layout';
import type { Share } from '../../../../../activities/share/share';
import { createFaultyFs, DyingFs } from '../../faulty-fs';
import { SHARE_KEY, type TestBed } from '../../share-test-bed';
import { writing } from '../mock-writing';
import { copySheetBed, createSheetBed, finishJob, listDrop } from '../sheet-test-bed';

jest.mock('../../../../../activities/registers/receipt/write-in-thread', () =>
  jest.requireActual('../mock-writing').writing.mock(),
);

let bed: TestBed;
let share: Share;

beforeEach(async () => {
  writing.isRegisterTooLarge = false;
  bed = await createSheetBed();
  share = await bed.open();
});

afterEach(async () => {
  await bed.remove();
});

/** Operations from one death to the next; with 1 it takes half a minute. */
const STEP = 17;

const REGISTER = 'File,Number,Type\n1.pdf,N-1,Plan\n2.pdf,N-2,Plam\nsub/3.pdf,N-3,Plam\nnone.pdf,N-4,Plan\n';
const SHEET = 'attention/A/receipt-register.csv';

async function dropAll(): Promise<void> {
  await bed.drop('A/register.csv', REGISTER);
  for (const name of ['1.pdf', '2.pdf', 'sub/3.pdf']) await bed.drop(`A/${name}`);
}

async function save(edit: (text: string) => string, sheet = SHEET): Promise<void> {
  const path = join(bed.root, sheet);
  // As programs save: a new file in the place of the other.
  await writeFile(`${path}.new`, edit(await readFile(path, 'utf8')));
  await rename(`${path}.new`, path);
}

/** Two looks: nothing is read at its first sight. */
async function look(on = share): Promise<SheetNews[]> {
  return [...(await on.takeUpCorrections()), ...(await on.takeUpCorrections())];
}

const mend = (text: string) => text.replaceAll('Plam', 'Plan');

test('takes up the rows that were changed, with their files, and nothing twice', async () => {
  await dropAll();
  await finishJob(share, ['1.pdf']);
  expect(await look()).toEqual([]);
  await save(text => mend(text.replace('N-1,', 'N-100,')));
  expect(await look()).toEqual([
    { kind: 'taken', path: SHEET, rows: 2 },
    {
      kind: 'told',
      path: SHEET,
      told: [expect.stringMatching(/^Row 2: what is done/)],
    },
  ]);
  expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/register.csv', 'A/sub/3.pdf']);
  expect(await bed.read('drop/A/register.csv')).toBe(
    'File,Number,Type\n2.pdf,N-2,Plan\nsub/3.pdf,N-3,Plan\n',
  );
  expect(await bed.read('attention/A/corrections.txt')).toContain('Row 2: what is done is not touched.');
  expect(await bed.list('.drawbridge/corrections')).toEqual([]);
  // The same sheet again, also by a watcher that knows nothing of it; then one that was corrected once more.
  expect(await look(await bed.open())).toEqual([]);
  await save(text => text.replace('N-2,', 'N-22,'));
  expect(await look()).toMatchObject([
    { kind: 'told', told: [expect.stringMatching(/^Row 3: a correction was/)] },
  ]);
  await finishJob(share, ['2.pdf', 'sub/3.pdf']);
  expect((await bed.list('done')).filter(name => name.endsWith('.pdf'))).toEqual([
    expect.stringMatching(/^A \(\d{4}-\d\d-\d\d\)\/2.pdf$/),
    expect.stringMatching(/^A \(\d{4}-\d\d-\d\d\)\/sub\/3.pdf$/),
    'A/1.pdf',
  ]);
});

test.each([[true], [false]])(
  'go nowhere but to the drop folder, whatever stands in its place meanwhile (by descriptor: %s)',
  async byDescriptor => {
    await dropAll();
    await finishJob(share, ['1.pdf']);
    await save(mend);
    const [drop, aside, others] = ['drop', 'aside', 'others'].map(name => join(bed.root, name));
    await mkdir(others!);
    let isSwapped = false;
    const fs = createFaultyFs(
      async (operation, _, to) => {
        const isRegister = operation === 'rename' && /corrections\/[^/]+\/register\.csv$/.test(String(to));
        if (isSwapped || !isRegister) return;
        isSwapped = true;
        await rename(drop!, aside!);
        await symlink(others!, drop!);
      },
      { byDescriptor },
    );
    await look(await bed.open({}, { fs })).catch(() => undefined);
    expect(isSwapped).toBe(true);
    expect(await bed.list('others')).toEqual([]);
    await rm(drop!);
    await rename(aside!, drop!);
    await look(await bed.open());
    expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/register.csv', 'A/sub/3.pdf']);
    expect(await bed.list('.drawbridge/corrections')).toEqual([]);
  },
);

test('a file that is dragged back to the drop folder has its row where the sheet comes with it, as that says', async () => {
  await dropAll();
  await finishJob(share, ['1.pdf']);
  expect(await bed.read(SHEET)).toContain(
    'Mend it. A file that is dropped again needs a register that lists it, such as this sheet: alone it goes without its row.',
  );
  for (const name of ['2.pdf', 'receipt-register.csv']) {
    await bed.drop(`B/${name}`, await readFile(join(bed.root, 'attention/A', name)));
  }
  const job = await share.openJob('B', await share.readRegister('B', await listDrop(share)));
  expect(job.register).toMatchObject({ path: 'receipt-register.csv', pairs: [{ row: 3, path: '2.pdf' }] });
});

test('waits while the sheet is open in a program, and while its folder is in use in the drop folder', async () => {
  await dropAll();
  await finishJob(share, ['1.pdf']);
  await save(mend);
  await writeFile(join(bed.root, 'attention/A/.~lock.receipt-register.csv#'), '');
  expect(await look()).toMatchObject([{ kind: 'waits', why: 'it is open in a program' }]);
  await bed.drop('A/other.pdf');
  await rename(join(bed.root, 'attention/A/.~lock.receipt-register.csv#'), join(bed.root, 'closed'));
  expect(await look()).toMatchObject([{ kind: 'waits', why: expect.stringContaining('drop folder') }, {}]);
  expect(await bed.list('drop')).toEqual(['A/other.pdf']);
  await rename(join(bed.root, 'drop/A/other.pdf'), join(bed.root, 'elsewhere'));
  await bed.drop('A/Thumbs.db');
  expect(await (await bed.open()).takeUpCorrections()).toMatchObject([{ kind: 'taken', rows: 2 }]);
  expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/Thumbs.db', 'A/register.csv', 'A/sub/3.pdf']);
});

test('while the folder is in use the files stay where people have them, and a note says for what they wait', async () => {
  const note = 'attention/A/corrections.txt';
  await dropAll();
  await finishJob(share, ['1.pdf']);
  await bed.drop('A/other.pdf');
  await writeFile(join(bed.root, note), 'of a person');
  await save(mend);
  expect(await look()).toMatchObject([{ kind: 'waits' }]);
  const waiting = ['2.pdf', 'corrections (2).txt', 'corrections.txt', 'sub/3.pdf'];
  expect(await bed.list('attention/A')).toEqual(expect.arrayContaining(waiting));
  const told = 'attention/A/receipt-register.csv waits.\r\nSomething else lies in the drop folder under A: ';
  expect(await bed.read('attention/A/corrections (2).txt')).toContain(told);
  // Another watcher tells the same, once; what is corrected meanwhile is told of.
  expect(await look(await bed.open())).toMatchObject([{ kind: 'waits' }, { kind: 'waits' }]);
  await save(text => text.replace('N-2,', 'N-22,'));
  expect((await look()).filter(({ kind }) => kind === 'told')).toMatchObject([
    { told: [expect.stringMatching(/^Row 3: a correction was taken up before/)] },
  ]);
  expect(await bed.list('attention/A')).not.toContain('corrections (4).txt');
  await rename(join(bed.root, 'drop/A/other.pdf'), join(bed.root, 'elsewhere'));
  expect(await share.takeUpCorrections()).toMatchObject([{ kind: 'taken', rows: 2 }]);
  expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/register.csv', 'A/sub/3.pdf']);
  expect(await bed.read(note)).toBe('of a person');
  const notes = (await bed.list('attention/A')).filter(name => name.startsWith('corrections'));
  expect(await Promise.all(notes.map(name => bed.read(`attention/A/${name}`)))).not.toContainEqual(
    expect.stringContaining('waits'),
  );
});

test('what is dropped while the files are fetched is waited for, and they go when it has gone', async () => {
  await dropAll();
  await finishJob(share, ['1.pdf']);
  await save(mend);
  const fs = createFaultyFs(async (operation, _, to) => {
    if (operation === 'rename' && `${to}`.includes(' taken')) await bed.drop('A/other.pdf');
  });
  expect(await look(await bed.open({}, { fs }))).toMatchObject([{ kind: 'waits' }]);
  expect(await bed.list('drop')).toEqual(['A/other.pdf']);
  expect(await bed.list('attention/A')).toContain('corrections.txt');
  await rm(join(bed.root, 'drop/A'), { recursive: true });
  expect(await share.takeUpCorrections()).toMatchObject([{ kind: 'taken', rows: 2 }]);
  expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/register.csv', 'A/sub/3.pdf']);
  expect(await bed.list('attention/A')).not.toContain('corrections.txt');
});

test('a file that is another one than was set apart, or is gone, is told of and left', async () => {
  await dropAll();
  await finishJob(share, ['1.pdf']);
  await writeFile(join(bed.root, 'attention/A/2.pdf'), 'of a stranger');
  await rename(join(bed.root, 'attention/A/sub/3.pdf'), join(bed.root, 'taken away'));
  await save(mend);
  expect(await look()).toMatchObject([
    {
      kind: 'told',
      told: [
        expect.stringContaining('Row 3: "2.pdf" is another file than the one that was set apart.'),
        expect.stringContaining('Row 4: its file "sub/3.pdf" does not lie here any more.'),
      ],
    },
  ]);
  expect(await bed.list('drop')).toEqual([]);
  expect(await bed.read('attention/A/2.pdf')).toBe('of a stranger');
  // Once it is the right one, the next save takes it up.
  await writeFile(join(bed.root, 'attention/A/2.pdf'), 'content of A/2.pdf');
  await save(text => text.replace('N-2,', 'N-22,'));
  expect(await look()).toEqual([{ kind: 'taken', path: SHEET, rows: 1 }]);
  expect(await bed.list('.drawbridge/corrections')).toEqual([]);
});

describe('a row of which a revision may be there', () => {
  const REMARKED = 'File,Number,Rev,Remarks,Action\n1.pdf,N-1,P1,,\n2.pdf,N-2,P1,,\nsub/3.pdf,N-3,P1,,send\n';

  async function endWith(code: string, register = REMARKED): Promise<void> {
    await bed.drop('A/register.csv', register);
    for (const name of ['1.pdf', '2.pdf', 'sub/3.pdf']) await bed.drop(`A/${name}`);
    await finishJob(share, ['1.pdf'], code);
  }

  const remark = (text: string) => text.replace('2.pdf,N-2,P1,,', '2.pdf,N-2,P1,"found in service, ok",');

  test.each(['perhaps-submitted', 'taken-by-a-person', 'UNKNOWN_FAILURE', 'set-apart-by-person'])(
    'is not sent again by what somebody notes beside it: %s',
    async code => {
      await endWith(code);
      await save(remark);
      const told = [expect.stringMatching(/^Row 3: a revision may be there already.* write "send" for it/)];
      expect(await look()).toEqual([{ kind: 'told', path: SHEET, told }]);
      expect(await bed.list('drop')).toEqual([]);
      expect(await bed.read('attention/A/corrections.txt')).toContain(
        'Row 3: a revision may be there already',
      );
      // The same word for a row that had it before anything was sent is nobody's look.
      await save(text => text.replace('3.pdf,N-3,P1,,', '3.pdf,N-3,P1,ok,'));
      expect(await look()).toMatchObject([
        {
          kind: 'told',
          told: [expect.stringMatching(/^Row 4: .*the "send" in its column "Action" is from/)],
        },
      ]);
      await save(text => text.replace('"found in service, ok",', '"found in service, ok",Send '));
      expect(await look()).toEqual([{ kind: 'taken', path: SHEET, rows: 1 }]);
      expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/register.csv']);
    },
  );

  test('is not sent again by a sheet that is given on the page, either', async () => {
    await endWith('perhaps-submitted');
    const bytes = Buffer.from(remark(await bed.read(SHEET)));
    expect((await share.takeUpGiven('mine.csv', bytes))?.news).toMatchObject([{ kind: 'told' }]);
    expect(await bed.list('drop')).toEqual([]);
  });

  test('goes with another revision, where the service has this one', async () => {
    await endWith('DUPLICATE_REVISION');
    await save(remark);
    expect(await look()).toMatchObject([
      { kind: 'told', told: [expect.stringMatching(/^Row 3: the service has this revision already/)] },
    ]);
    await save(text => text.replace('2.pdf,N-2,P1,', '2.pdf,N-2,P2,'));
    expect(await look()).toEqual([{ kind: 'taken', path: SHEET, rows: 1 }]);
    expect(await bed.read('drop/A/register.csv')).toContain('2.pdf,N-2,P2,"found in service, ok",');
  });

  test.each([
    ['Number', REMARKED],
    ['Name', REMARKED.replace('Number', 'Name')],
  ])('and as the revision of another document, by its %s', async (field, register) => {
    await endWith('DUPLICATE_REVISION', register);
    await save(remark);
    expect(await look()).toMatchObject([{ kind: 'told', told: [expect.stringContaining(field)] }]);
    await save(text => text.replace('2.pdf,N-2,', '2.pdf,N-22,'));
    expect(await look()).toEqual([{ kind: 'taken', path: SHEET, rows: 1 }]);
    expect(await bed.read('drop/A/register.csv')).toContain('2.pdf,N-22,P1,"found in service, ok",');
  });

  test('by what the project calls its revision, too', async () => {
    const askFields = async () => [{ name: 'revision', label: 'Index' }];
    share = await bed.open({}, { askFields });
    await endWith('DUPLICATE_REVISION', REMARKED.replace('Rev', 'Index'));
    await save(text => text.replace('2.pdf,N-2,P1,', '2.pdf,N-2,P2,'));
    expect(await look()).toEqual([{ kind: 'taken', path: SHEET, rows: 1 }]);
    expect(await bed.read('drop/A/register.csv')).toContain('2.pdf,N-2,P2,');
  });

  test('but not by a column that is not read, beside the one that is', async () => {
    const register = 'File,Revision,Rev\n1.pdf,P1,\n2.pdf,P1,\nsub/3.pdf,P1,\n';
    await endWith('DUPLICATE_REVISION', register);
    await save(text => text.replace('2.pdf,P1,', '2.pdf,P1,P2'));
    expect(await look()).toMatchObject([{ kind: 'told' }]);
    expect(await bed.list('drop')).toEqual([]);
  });

  test('stays where somebody writes that it is to stay set apart, whatever was wrong with it', async () => {
    await endWith('unknown-value');
    await save(text => text.replace('2.pdf,N-2,P1,,', '2.pdf,N-2,P1,not needed,set apart'));
    expect(await look()).toMatchObject([
      { kind: 'told', told: [expect.stringMatching(/^Row 3: "set apart" was written/)] },
    ]);
    expect(await bed.list('drop')).toEqual([]);
  });
});

test('the receipt in done/ does as well', async () => {
  await dropAll();
  await finishJob(share, ['1.pdf']);
  await save(mend, SHEET.replace('attention', 'done'));
  expect(await look()).toEqual([{ kind: 'taken', path: SHEET.replace('attention', 'done'), rows: 2 }]);
});

test('a sheet of another job, or a torn one, does nothing and says so', async () => {
  await dropAll();
  await finishJob(share, ['1.pdf']);
  await save(text => mend(text).replaceAll(/[0-9a-f]{20} row/g, `${'0'.repeat(20)} row`));
  expect(await look()).toMatchObject([
    { kind: 'told', told: [expect.stringContaining('receipt of another job')] },
  ]);
  await save(() => 'a,"b');
  expect(await look()).toMatchObject([{ kind: 'told', told: [expect.stringContaining('quotation mark')] }]);
  expect(await bed.list('drop')).toEqual([]);
});

test('beyond as many as are kept, a sheet is refused in words, and nothing is lost or written over', async () => {
  await dropAll();
  await finishJob(share, ['1.pdf']);
  const [apart] = (await share.setApart()).files;
  const { id } = (await share.readBatch(apart!.batchId)).manifest.job!;
  const layout = await resolveLayout(bed.config, createNodeShareFs(), new Seals(SHARE_KEY), 'all');
  const jobPaths = finishedJobPaths(layout, id);
  const long = 'x'.repeat(32_767);
  for (let at = 0; at < 200; at += 1) {
    const sheetSha256 = at.toString(16).padStart(64, '0');
    const rows = at === 0 ? [{ number: 9, path: 'z.pdf', sha256: sheetSha256, cells: [long] }] : [];
    const told = [`${at}`];
    const record = { version: 1 as const, jobId: id, sheet: 'A', sheetSha256, headers: ['File'], rows, told };
    await writeCorrection(layout, jobPaths, record);
  }
  await save(mend);
  const news = [
    { kind: 'told', path: SHEET, told: [expect.stringMatching(/^Nothing of it is taken up: as many/)] },
  ];
  expect(await look()).toEqual(news);
  expect(await bed.read('attention/A/corrections.txt')).toContain('as many corrections as are kept');
  expect(await look(await bed.open())).toEqual(news);
  const wanted = [{ path: 'A/2.pdf', values: {} }];
  expect(await share.sendAgain(id, { wanted, by: 'A. Novák' })).toMatchObject([
    { kind: 'told', told: news[0]!.told },
  ]);
  const kept = await listCorrections(layout, jobPaths, () => undefined);
  expect([kept.length, kept[0]?.rows[0]?.cells]).toEqual([200, [long]]);
  expect(await bed.list('drop')).toEqual([]);
  expect(await bed.list('attention/A')).toEqual(expect.arrayContaining(['2.pdf', 'sub/3.pdf']));
});

test('a row that is larger than one of a register is told of, and its file stays', async () => {
  await dropAll();
  await finishJob(share, ['1.pdf']);
  await save(text => mend(text).replace('N-2,', `${'N'.repeat(2_001)},`));
  expect(await look()).toEqual([
    { kind: 'taken', path: SHEET, rows: 1 },
    {
      kind: 'told',
      path: SHEET,
      told: [expect.stringMatching(/^Row 3, column \w: The cell has more than 2000/)],
    },
  ]);
  expect(await bed.list('drop')).toEqual(['A/register.csv', 'A/sub/3.pdf']);
});

test('of several watchers at once one takes it up', async () => {
  await dropAll();
  await finishJob(share, ['1.pdf']);
  await save(mend);
  const others = await Promise.all([bed.open(), bed.open(), bed.open()]);
  for (const each of others) await each.takeUpCorrections();
  await Promise.all(others.map(each => each.takeUpCorrections()));
  expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/register.csv', 'A/sub/3.pdf']);
  expect(await bed.list('.drawbridge/corrections')).toEqual([]);
  expect(await bed.list('attention/A')).not.toContain('corrections.txt');
});

/** Saved by a spreadsheet program. */
async function saveWorkbook(path: string, edit: (rows: string[][]) => string[][]): Promise<void> {
  const { grids } = await readSheet(await readFile(join(bed.root, path)), path);
  const [headers = [], ...rows] = edit(grids[0]!.rows.map(row => row.map(({ text }) => text)));
  const bytes = await writeCorrectedWorkbook({ title: 'saved', headers, rows });
  await writeFile(join(bed.root, path), bytes);
}

describe('numbers of a workbook', () => {
  const WORKBOOK = 'attention/A/receipt-register.xlsx';
  const readDropped = async () => {
    const { grids } = await readSheet(await readFile(join(bed.root, 'drop/A/register.xlsx')), 'a.xlsx');
    return grids[0]!.rows;
  };

  beforeEach(async () => {
    const rows = [
      ['File', 'Number', 'Type', 'Weight', 'Remark'],
      ['1.pdf', 'N-1', 'Plan', 1, ''],
      ['2.pdf', 'N-2', 'Plam', 1.234, '1.234'],
    ];
    await bed.drop('A/register.xlsx', Buffer.from(await writeXlsx({ sheets: [{ name: 'Register', rows }] })));
    for (const name of ['1.pdf', '2.pdf']) await bed.drop(`A/${name}`);
    await finishJob(share, ['1.pdf']);
  });

  const AS_THEY_WERE = [
    { text: '1.234', kind: 'number' },
    { text: '1.234', kind: 'text' },
  ];

  test('are what they were where nobody touched them, also when all was saved as text', async () => {
    await saveWorkbook(WORKBOOK, rows => rows.map(row => row.map(mend)));
    expect(await look()).toMatchObject([{ kind: 'taken', rows: 1 }]);
    const [, row] = await readDropped();
    expect(row?.slice(2)).toEqual([{ text: 'Plan', kind: 'text' }, ...AS_THEY_WERE]);
  });

  test('are what they were in a row that is sent again by hand', async () => {
    const [apart] = (await share.setApart()).files;
    const jobId = (await share.readBatch(apart!.batchId)).manifest.job!.id;
    const wanted = [{ path: 'A/2.pdf', values: { Type: 'Plan', Weight: '1.234' } }];
    await share.sendAgain(jobId, { wanted, by: 'A. Novák' });
    const [, row] = await readDropped();
    expect(row?.slice(2)).toEqual([{ text: 'Plan', kind: 'text' }, ...AS_THEY_WERE]);
  });
});

test('what a program made of a text, a date or a number that the sheet shows otherwise, stays so in the new register, touched or not', async () => {
  const register = await writeCorrectedWorkbook({
    title: 'register',
    headers: ['File', 'Type', 'Revision', 'Issued', 'Final'],
    rows: [
      ['1.pdf', 'Plan', 'A', '', ''],
      ['2.pdf', 'Plam', '2026-02-01', '2026-04-03T14:30:00', 'TRUE'],
    ],
    kinds: [{}, { dates: [2, 3], booleans: [4] }],
  });
  await bed.drop('A/register.xlsx', register);
  for (const name of ['1.pdf', '2.pdf']) await bed.drop(`A/${name}`);
  await finishJob(share, ['1.pdf']);
  const path = 'attention/A/receipt-register.xlsx';
  const { grids } = await readSheet(await readFile(join(bed.root, path)), path);
  const [headers = [], ...saved] = grids[0]!.rows.map(row => row.map(({ text }) => text));
  const at = headers.indexOf('Revision');
  const number = headers.indexOf('Final');
  const retype = (row: string[]) => row.map(mend).with(at, '2026-03-01').with(number, '200000');
  const bytes = await writeCorrectedWorkbook({
    title: 'saved',
    headers,
    rows: saved.map(row => (row.includes('2.pdf') ? retype(row) : row)),
    kinds: saved.map(row => (row.includes('2.pdf') ? { dates: [at], otherwise: [number] } : {})),
  });
  await writeFile(join(bed.root, path), bytes);
  expect(await look()).toMatchObject([{ kind: 'taken', rows: 1 }]);
  const dropped = await readSheet(await readFile(join(bed.root, 'drop/A/register.xlsx')), 'a.xlsx');
  expect(dropped.grids[0]!.rows[1]?.slice(1)).toEqual([
    { text: 'Plan', kind: 'text' },
    { text: '2026-03-01', kind: 'date' },
    { text: '2026-04-03T14:30:00', kind: 'date' },
    { text: '200000', kind: 'number', isShownOtherwise: true },
  ]);
});

describe('of a folder without a register', () => {
  const PLAIN = 'attention/A/receipt.xlsx';
  /** A column of a person's own, behind all of ours. */
  const withType = (type: (row: string[]) => string) => (rows: string[][]) =>
    rows.map((row, at) => {
      // Cells at the end that are empty are not read.
      const missing = Array.from({ length: (rows[0]?.length ?? 0) - row.length }, () => '');
      return [...row, ...missing, at === 0 ? 'Type' : type(row)];
    });
  const typeOfTwo = withType(row => (row[4] === '1.pdf' ? '' : 'Plan'));

  beforeEach(async () => {
    for (const name of ['1.pdf', '2.pdf', 'sub/3.pdf', 'sub/2.pdf']) await bed.drop(`A/${name}`);
  });

  test('a column that is added corrects the rows that it is filled in for', async () => {
    await finishJob(share, ['1.pdf']);
    expect(await look()).toEqual([]);
    await saveWorkbook(
      PLAIN,
      withType(row => (row[4] === '3.pdf' || row[5] === '' ? 'Plan' : '')),
    );
    expect(await look()).toEqual([
      { kind: 'taken', path: PLAIN, rows: 2 },
      { kind: 'told', path: PLAIN, told: [expect.stringMatching(/what is done is not touched/)] },
    ]);
    expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/register.xlsx', 'A/sub/3.pdf']);
    const { grids } = await readSheet(await readFile(join(bed.root, 'drop/A/register.xlsx')), 'a.xlsx');
    expect(grids[0]!.rows.map(row => row.map(({ text }) => text))).toEqual([
      ['File', 'Type'],
      ['2.pdf', 'Plan'],
      ['sub/3.pdf', 'Plan'],
    ]);
    expect(await look(await bed.open())).toEqual([]);
  });

  test('what people have dropped under our names is no sheet of ours', async () => {
    await bed.drop('A/receipt.xlsx', 'a document');
    await bed.drop('A/receipt-1.csv', 'a,b\n');
    await finishJob(share, ['1.pdf']);
    expect(await look()).toEqual([]);
    expect(await bed.list('attention/A')).not.toContain('corrections.txt');
  });

  test('its register has a name that the share knows; where none does, it is said', async () => {
    const words = (pattern: string) => bed.open({ register: { pattern } });
    await finishJob(share, ['1.pdf']);
    await saveWorkbook(PLAIN, typeOfTwo);
    expect(await look(await words('^MDR'))).toMatchObject([
      { kind: 'told', told: [expect.stringContaining('had no register')] },
    ]);
    await saveWorkbook(PLAIN, rows => [...rows, []]);
    expect(await look(await words('^transmittal'))).toMatchObject([{ kind: 'taken', rows: 3 }]);
    expect(await bed.list('drop')).toContain('A/transmittal.xlsx');
  });
});

describe('where no receipt could be made of the register', () => {
  const PLAIN = 'attention/A/receipt.xlsx';
  const NO_COLUMNS = expect.stringMatching(/columns of the register.*correct the register and drop it again/);
  const withType = (rows: string[][]) =>
    rows.map((row, at) => [...row, ...Array(30 - row.length).fill(''), at === 0 ? 'Type' : 'Plan']);

  beforeEach(async () => {
    await dropAll();
    writing.isRegisterTooLarge = true;
    await finishJob(share, ['1.pdf']);
  });

  test('the plain one does not offer itself, and says what to do to whoever corrects it', async () => {
    const { grids } = await readSheet(await readFile(join(bed.root, PLAIN)), PLAIN);
    const said = grids[0]!.rows.flatMap(row => row.map(({ text }) => text)).join('\n');
    expect(said).toContain('A file that is dropped again needs a register that lists it: alone');
    expect(await look()).toEqual([]);
    await saveWorkbook(PLAIN, withType);
    expect(await look()).toEqual([{ kind: 'told', path: PLAIN, told: [NO_COLUMNS] }]);
    expect(await bed.read('attention/A/corrections.txt')).toContain('correct the register and drop it again');
    expect(await look(await bed.open())).toEqual([]);
    expect(await bed.list('drop')).toEqual([]);
  });

  test('what has the name, and no row of ours, is none of ours', async () => {
    const bytes = await writeXlsx({ sheets: [{ name: 'Coffee', rows: [['Price'], [3.4]] }] });
    await writeFile(join(bed.root, 'attention/A/receipt (2).xlsx'), bytes);
    expect(await look()).toEqual([]);
    expect(await bed.list('attention/A')).not.toContain('corrections.txt');
  });
});

describe('a sheet from which corrections are not read', () => {
  const tellsOf = (path: string, text: string) => [
    { kind: 'told', path, told: [expect.stringContaining(text)] },
  ];

  beforeEach(async () => {
    await dropAll();
    await finishJob(share, ['1.pdf']);
  });

  test.each(['attention/A/receipt.csv', 'done/A/receipt.csv'])(
    '%s, once it is not as we wrote it, names the one to correct',
    async csv => {
      expect(await look()).toEqual([]);
      await save(mend, csv);
      expect(await look(await bed.open())).toEqual(tellsOf(csv, `Correct "${SHEET}", and save that.`));
      expect(await bed.read('attention/A/corrections.txt')).toContain(`Correct "${SHEET}"`);
      await save(text => `${text}\r\n`, csv);
      expect(await look(await bed.open())).toEqual([]);
    },
  );

  test.each(['receipt-register.ods', 'receipt-register.xlsm', 'receipt.ods'])('%s says so', async name => {
    await writeFile(join(bed.root, 'attention/A', name), 'PK of a program');
    const path = `attention/A/${name}`;
    expect(await look()).toEqual(tellsOf(path, `Save it as .xlsx, or correct "${SHEET}", and save that.`));
    expect(await look(await bed.open())).toEqual([]);
    await rm(join(bed.root, SHEET));
    await writeFile(join(bed.root, 'done/A/receipt-other.ods'), 'PK of another');
    expect(await look()).toEqual(
      tellsOf('done/A/receipt-other.ods', 'or correct "done/A/receipt-register.csv"'),
    );
  });

  test('a document that is called like one is none', async () => {
    for (const name of ['register.csv', 'receipt-1.ods', 'receipt.csv', '2.pdf'])
      await bed.drop(`A/${name}`, REGISTER);
    await finishJob(share, ['2.pdf']);
    expect(await look()).toEqual([]);
  });
});

test.each([
  ['by one rename', true],
  ['into an emptied folder', false],
])('is one and the same whichever operation on the share was the last one: %s', async (_, isFree) => {
  await dropAll();
  await finishJob(share, ['1.pdf']);
  if (isFree) await rm(join(bed.root, 'drop/A'), { recursive: true });
  await save(text => mend(text.replace('N-1,', 'N-100,')));
  const prepared = bed;
  const state = async () => {
    const names = [
      await bed.list('drop'),
      await bed.list('attention'),
      await bed.list('.drawbridge/corrections'),
    ];
    return names.map(each => each.filter(name => !/^\.tmp-/.test(name)));
  };
  const begin = async () => {
    bed = await copySheetBed(prepared);
  };
  try {
    await begin();
    const whole = new DyingFs(Number.POSITIVE_INFINITY);
    await look(await bed.open({}, { fs: whole.fs }));
    const expected = await state();
    expect(expected[0]).toHaveLength(3);
    for (let dieAt = isFree ? 1 : 3; dieAt <= whole.count; dieAt += STEP) {
      await bed.remove();
      await begin();
      const dying = new DyingFs(dieAt);
      await bed
        .open({}, { fs: dying.fs })
        .then(look)
        .catch(() => undefined);
      await look(await bed.open());
      expect([dieAt, ...(await state())]).toEqual([dieAt, ...expected]);
    }
  } finally {
    await prepared.remove();
  }
});
