// Rows that a person has sent anew by hand, and sheets that are given by hand: the way of a corrected sheet
// that was saved on the share, at once and with an answer.
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from '../../../../../activities/host/clock';
import { readSheet } from '../../../../../activities/registers/sheet/read-sheet';
import { Seals } from '../../../../../activities/share/files/seals';
import { createNodeShareFs } from '../../../../../activities/share/files/share-fs';
import { finishedJobPaths } from '../../../../../activities/share/jobs/job-record';
import {
  listCorrections,
  writeCorrection,
} from '../../../../../activities/share/receipt/corrected/correction-record';
import { resolveLayout } from '../../../../../activities/share/resolve-layout';
import type { Share } from '../../../../../activities/share/share';
import { createFaultyFs, fsError } from '../../faulty-fs';
import { SHARE_KEY, submitted, type TestBed } from '../../share-test-bed';
import { beginJob, createSheetBed, finishJob } from '../sheet-test-bed';

let bed: TestBed;
let share: Share;
let jobId: string;

const REGISTER = 'File,Number,Type\n1.pdf,N-1,Plan\n2.pdf,N-2,Plam\nsub/3.pdf,N-3,Plam\n';

beforeEach(async () => {
  bed = await createSheetBed();
  share = await bed.open();
  await bed.drop('A/register.csv', REGISTER);
  for (const name of ['1.pdf', '2.pdf', 'sub/3.pdf']) await bed.drop(`A/${name}`);
  await finishJob(share, ['1.pdf']);
  const [apart] = (await share.setApart()).files;
  jobId = (await share.readBatch(apart!.batchId)).manifest.job!.id;
});
afterEach(async () => {
  await bed.remove();
});

test('rows go to the drop folder again with a register of these rows, and other values where they were given', async () => {
  expect(await share.readColumns(jobId)).toMatchObject({
    headers: ['File', 'Number', 'Type'],
    fileAt: 0,
    rows: [
      { path: 'A/2.pdf', cells: ['2.pdf', 'N-2', 'Plam'] },
      { path: 'A/sub/3.pdf', cells: ['sub/3.pdf', 'N-3', 'Plam'] },
    ],
  });
  const wanted = [
    { path: 'A/2.pdf', values: { Type: 'Plan', File: 'other.pdf' } },
    { path: 'A/sub/3.pdf', values: { Status: '=A4' } },
    { path: 'A/1.pdf', values: {} },
  ];
  expect(await share.sendAgain(jobId, { wanted, by: 'A. Novák' })).toMatchObject([
    { kind: 'taken', rows: 2 },
    { kind: 'told', told: ['"A/1.pdf" is none of those that were set apart.'] },
  ]);
  expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/register.csv', 'A/sub/3.pdf']);
  expect(await bed.read('drop/A/register.csv')).toBe(
    'File,Number,Type,Status\n2.pdf,N-2,Plan,\nsub/3.pdf,N-3,Plam,=A4\n',
  );
  // They lie there no more: a second person is told.
  expect((await share.setApart()).files).toEqual([]);
  expect(await share.sendAgain(jobId, { wanted: wanted.slice(0, 1), by: 'J. Okafor' })).toMatchObject([
    { kind: 'told', told: [expect.stringContaining('does not lie here any more')] },
  ]);
});

describe('a path under which two batches of the job have set a file apart', () => {
  const reason = { code: 'x', text: 'It is wrong.', fix: 'Mend it.' };
  const first = { wanted: [{ path: 'A/1.pdf', values: {} }], by: 'A. Novák' };

  beforeEach(async () => {
    await bed.remove();
    bed = await createSheetBed();
    share = await bed.open();
  });

  /** @returns its files that lie there now. */
  async function setApart(dropped: Readonly<Record<string, string>>, isLast = false) {
    for (const [path, text] of Object.entries(dropped)) await bed.drop(path, text);
    const { job, batchId, manifest } = await beginJob(share);
    jobId = job.jobId;
    if (isLast) await share.closeJob(job);
    const outcomes = manifest.files.map(({ index }) => ({ index, kind: 'set-apart' as const, reason }));
    await share.settleUp(batchId, outcomes, { final: true });
    if (isLast) await share.settleJob(jobId);
    return (await share.setApart()).files;
  }

  test('goes where it is one file that came back, also beside another one called "1 (2).pdf"', async () => {
    const files = await setApart({ 'A/1.pdf': 'one', 'A/1 (2).pdf': 'another' });
    await share.takeUpAgain(files.find(({ path }) => path === 'A/1.pdf')!);
    await setApart({}, true);
    expect(await share.sendAgain(jobId, first)).toMatchObject([{ kind: 'taken', rows: 1 }]);
    expect(await bed.read('drop/A/1.pdf')).toBe('one');
  });

  test('is told where the later one lies, also beside another one called "1 (2).pdf"', async () => {
    await setApart({ 'A/1.pdf': 'one', 'A/1 (2).pdf': 'another' });
    await setApart({ 'A/1.pdf': 'the later one' }, true);
    expect(await share.sendAgain(jobId, first)).toMatchObject([
      { kind: 'told', told: [expect.stringContaining('lie there as "1.pdf" and "1 (3).pdf"')] },
    ]);
    expect(await bed.list('drop')).toEqual([]);
  });

  test('is told of each later one by the name under which that one lies', async () => {
    await setApart({ 'A/1.pdf': 'one', 'A/1 (2).pdf': 'another' });
    const [second] = await setApartAlso('the second');
    const [third] = await setApartAlso('the third one', true);
    const again = async ({ batchId, index }: { readonly batchId: string; readonly index: number }) =>
      await share.sendAgain(jobId, { ...first, wanted: [{ path: 'A/1.pdf', batchId, index, values: {} }] });
    expect(await bed.read('attention/A/1 (4).pdf')).toBe('the third one');
    expect(await again(second!)).toMatchObject([{ told: [expect.stringContaining('and "1 (3).pdf"')] }]);
    expect(await again(third!)).toMatchObject([{ told: [expect.stringContaining('and "1 (4).pdf"')] }]);
    // Where the second one has gone, the third one still lies under its own name.
    await rm(join(bed.root, 'attention/A/1 (3).pdf'));
    expect(await again(third!)).toMatchObject([{ told: [expect.stringContaining('and "1 (4).pdf"')] }]);
  });

  async function setApartAlso(text: string, isLast = false) {
    const before = new Set((await share.setApart()).files.map(({ batchId }) => batchId));
    const files = await setApart({ 'A/1.pdf': text }, isLast);
    return files.filter(({ batchId }) => !before.has(batchId));
  }
});

test('what was asked for a row goes first while that waits, and the row goes with nothing else', async () => {
  await bed.drop('A/other.pdf');
  const again = async (path: string, Type: string, by: string) =>
    await share.sendAgain(jobId, { wanted: [{ path, values: { Type } }], by });
  const why = 'something else is in the drop folder under A';
  expect(await again('A/2.pdf', 'Plan', 'A. Novák')).toMatchObject([{ kind: 'waits', why }]);
  for (let round = 0; round < 2; round += 1) {
    expect(await again('A/2.pdf', 'Plam', 'J. Okafor')).toMatchObject([
      {
        kind: 'waits',
        why: 'what was asked for before is still on its way, and nothing else goes beside it (What A. Novák sent again)',
        wanted: [{ path: 'A/2.pdf' }],
      },
    ]);
  }
  expect(await again('A/sub/3.pdf', 'Plan', 'J. Okafor')).toMatchObject([{ kind: 'waits', why }]);
  await rename(join(bed.root, 'drop/A'), join(bed.root, 'claimed'));
  const registers: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    await share.takeUpCorrections();
    registers.push(await bed.read('drop/A/register.csv').catch(() => ''));
    await rm(join(bed.root, 'drop/A'), { recursive: true, force: true });
  }
  const rows = registers.flatMap(text => text.split('\n')).filter(text => text.includes('.pdf'));
  expect(rows.sort()).toEqual(['2.pdf,N-2,Plan', 'sub/3.pdf,N-3,Plan']);
});

test('values that are more than a row of a register may hold are refused, and the file stays', async () => {
  const columns = Object.fromEntries(Array.from({ length: 98 }, (_, at) => [`Column ${at}`, 'x']));
  const again = async (values: Record<string, string>) => {
    const news = await share.sendAgain(jobId, { wanted: [{ path: 'A/2.pdf', values }], by: 'A. Novák' });
    return news!.flatMap(({ kind, told = [] }) => [kind, ...told]);
  };
  expect(await again({ Type: 'x'.repeat(2_001) })).toEqual([
    'told',
    'Row 3, column C: The cell has more than 2000 characters. Shorten it.',
  ]);
  expect(await again(columns)).toEqual([
    'told',
    'With what was added there are more than 100 columns. Drop the files with a register.',
  ]);
  expect(await bed.list('drop')).toEqual([]);
  expect(await again({ Type: 'Plan' })).toEqual(['taken']);
});

/** Two that take turns, one operation each; the first is ahead by so many. */
class Turns {
  readonly #done = [0, 0];
  readonly #ended = [false, false];
  readonly #ahead: number;
  #waiting: (() => void)[] = [];

  constructor(ahead: number) {
    this.#ahead = ahead;
  }

  async take(who: 0 | 1): Promise<void> {
    while (!this.#isTurnOf(who)) await new Promise<void>(resolve => this.#waiting.push(resolve));
    this.#done[who]! += 1;
    this.#wake();
  }

  end(who: 0 | 1): void {
    this.#ended[who] = true;
    this.#wake();
  }

  #isTurnOf(who: 0 | 1): boolean {
    const [first = 0, second = 0] = this.#done;
    if (this.#ended[1 - who]) return true;
    return who === 0 ? first <= second + this.#ahead : second + this.#ahead < first;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }
}

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  'two people send the same rows at one time, one of them %d operations ahead: each file goes once',
  async ahead => {
    const turns = new Turns(ahead);
    const wanted = [
      { path: 'A/2.pdf', values: {} },
      { path: 'A/sub/3.pdf', values: {} },
    ];
    let claims = 0;
    // As a watcher has it, which takes all that has come.
    const claim = async () => {
      claims += 1;
      await rename(join(bed.root, 'drop/A'), join(bed.root, `claimed/${claims}`)).catch(() => undefined);
    };
    await mkdir(join(bed.root, 'claimed'));
    const send = async (who: 0 | 1) => {
      let isOpen = false;
      const fs = createFaultyFs(async () => {
        if (isOpen) await turns.take(who);
      });
      const one = await bed.open({}, { fs });
      isOpen = true;
      await one.sendAgain(jobId, { wanted, by: `person ${who}` }).finally(() => turns.end(who));
      await claim();
    };
    await Promise.all([send(0), send(1)]);
    await share.takeUpCorrections();
    await claim();
    const names = (await bed.list('claimed')).filter(name => name.endsWith('.pdf'));
    expect(names.map(name => name.slice(name.indexOf('/') + 1)).sort()).toEqual(['2.pdf', 'sub/3.pdf']);
    expect(await bed.list('.drawbridge/corrections')).toEqual([]);
    expect((await share.setApart()).files).toEqual([]);
  },
);

test('that a row went as it was asked is not told where it went meanwhile as another one asked', async () => {
  const by = 'A. Novák';
  const steps: string[] = [];
  const fs = createFaultyFs(async (operation, ...paths) => {
    const step = `${operation} ${paths.map(path => String(path).split('/').at(-1)).join(' ')}`;
    if (steps.length === 0 && step.startsWith(`makeFolders .drawbridge ${jobId} `)) {
      steps.push('decided');
      await share.sendAgain(jobId, { wanted: [{ path: 'A/2.pdf', values: {} }], by: 'resume' });
    }
    if (steps.length === 1 && step === 'syncFolder corrections') {
      steps.push('recorded');
      expect(await share.takeUpCorrections()).toMatchObject([{ kind: 'told' }]);
    }
  });
  const page = await bed.open({}, { fs });
  const wanted = [{ path: 'A/2.pdf', values: { Type: 'Plan' } }];
  expect(await page.sendAgain(jobId, { wanted, by })).toMatchObject([
    { kind: 'gone', wanted, told: [expect.stringMatching(/^Row 3: "2.pdf" does not lie there any more: /)] },
  ]);
  expect(steps).toEqual(['decided', 'recorded']);
  expect(await bed.read('drop/A/register.csv')).toContain('2.pdf,N-2,Plam');
  expect(await bed.read('attention/A/corrections.txt')).toContain('"2.pdf" does not lie here any more');
});

test('what one had taken that died goes on, whatever has come to its old place since', async () => {
  let hasDied = false;
  const fs = createFaultyFs((operation, from) => {
    hasDied ||= operation === 'link' && String(from).includes(' taken/');
    if (hasDied) throw fsError('DEAD');
  });
  const one = await bed.open({}, { fs });
  const asked = { wanted: [{ path: 'A/2.pdf', values: {} }], by: 'A. Novák' };
  await expect(one.sendAgain(jobId, asked)).rejects.toMatchObject({ code: 'DEAD' });
  await bed.drop('../attention/A/2.pdf', 'of a person');
  const after = await bed.open();
  expect(await after.takeUpCorrections()).toMatchObject([{ kind: 'taken', rows: 1 }]);
  expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/register.csv']);
  expect(await bed.read('drop/A/2.pdf')).toBe('content of A/2.pdf');
  expect(await bed.read('attention/A/2.pdf')).toBe('of a person');
  expect(await bed.list('.drawbridge/corrections')).toEqual([]);
});

describe('a file that no row of the register lists', () => {
  const wanted = ['A/sub/3.pdf', 'A/x.pdf'].map(path => ({ path, values: {} }));
  let left: string;

  beforeEach(async () => {
    await bed.remove();
    bed = await createSheetBed();
    share = await bed.open();
    // The second of those set apart: counted like a row, it would have the number of the third row.
    await bed.drop('A/register.csv', 'File,Number,Type\n1.pdf,N-1,Plan\nsub/3.pdf,N-3,Plam\n');
    for (const name of ['1.pdf', 'sub/3.pdf', 'x.pdf']) await bed.drop(`A/${name}`);
    await finishJob(share, ['1.pdf']);
    const [apart] = (await share.setApart()).files;
    jobId = (await share.readBatch(apart!.batchId)).manifest.job!.id;
    // A person has changed the one that a row lists.
    await bed.drop('../attention/A/sub/3.pdf', 'of a person');
    left = '';
  });

  /** Sends both, and dies when it has taken the one that no row lists. */
  async function dieAfterTaking(): Promise<void> {
    let hasDied = false;
    const fs = createFaultyFs((operation, from) => {
      if (operation === 'link' && String(from).includes(' taken/')) {
        hasDied = true;
        left = String(from);
      }
      if (hasDied) throw fsError('DEAD');
    });
    const one = await bed.open({}, { fs });
    await expect(one.sendAgain(jobId, { wanted, by: 'A. Novák' })).rejects.toThrow('DEAD');
  }

  async function expectEachInItsPlace(): Promise<void> {
    expect(await (await bed.open()).takeUpCorrections()).toMatchObject([
      { kind: 'taken', rows: 1 },
      { kind: 'told', told: [expect.stringContaining('"sub/3.pdf" is another file')] },
    ]);
    expect(await bed.list('drop')).toEqual(['A/register.csv', 'A/x.pdf']);
    expect(await bed.read('drop/A/x.pdf')).toBe('content of A/x.pdf');
    expect(await bed.read('drop/A/register.csv')).toBe('File,Number,Type\nx.pdf,,\n');
    expect(await bed.read('attention/A/sub/3.pdf')).toBe('of a person');
    expect(await bed.list('.drawbridge/corrections')).toEqual([]);
  }

  test('never goes as the file of a row, whatever dies when it was taken', async () => {
    await dieAfterTaking();
    await expectEachInItsPlace();
  });

  test('has a number of its own in what people are told', async () => {
    await rename(join(bed.root, 'attention/A/x.pdf'), join(bed.root, 'x.pdf'));
    expect(await share.sendAgain(jobId, { wanted, by: 'A. Novák' })).toMatchObject([
      { told: [expect.stringMatching(/^Row 3: "sub/), expect.stringMatching(/^Row 4: its file "x/)] },
    ]);
  });

  test('goes as itself also where an earlier version has recorded and taken it by the number of a row', async () => {
    await dieAfterTaking();
    const layout = await resolveLayout(bed.config, createNodeShareFs(), new Seals(SHARE_KEY), 'all');
    const paths = finishedJobPaths(layout, jobId);
    const [recorded] = await listCorrections(layout, paths, () => undefined);
    await rm(join(paths.folder, 'corrections'), { recursive: true });
    const rows = recorded!.rows.map(row => ({ ...row, number: 3 }));
    await writeCorrection(layout, paths, { ...recorded!, rows });
    await rename(left, join(dirname(left), `3-${'a'.repeat(16)}`));
    await expectEachInItsPlace();
  });
});

test('a sheet that is given by hand is kept where it would have been saved, and read at once, and once', async () => {
  const made = (await share.makeReceiptNow(jobId, 'sheet'))!;
  expect(made.name).toBe('receipt-register.csv');
  const bytes = Buffer.from(made.bytes.toString().replaceAll('Plam', 'Plan'));
  expect(await share.takeUpGiven('mine.csv', bytes)).toMatchObject({
    job: 'A',
    jobId,
    path: 'attention/A/dropped-mine.csv',
    news: [{ kind: 'taken', rows: 2 }],
  });
  expect(await readFile(join(bed.root, 'attention/A/dropped-mine.csv'))).toEqual(bytes);
  expect(await bed.list('drop')).toEqual(['A/2.pdf', 'A/register.csv', 'A/sub/3.pdf']);
  expect((await share.takeUpGiven('mine.csv', bytes))?.news).toMatchObject([
    { kind: 'told', told: [expect.stringContaining('read before')] },
  ]);
  expect([...(await share.takeUpCorrections()), ...(await share.takeUpCorrections())]).toEqual([]);
});

test('of a sheet that another process brings on its way meanwhile it is not told that nothing was taken', async () => {
  const made = (await share.makeReceiptNow(jobId, 'sheet'))!;
  let isRecorded = false;
  const fs = createFaultyFs(async (operation, path) => {
    if (isRecorded || operation !== 'syncFolder' || !String(path).endsWith(`/${jobId}/corrections`)) return;
    isRecorded = true;
    expect(await share.takeUpCorrections()).toMatchObject([{ kind: 'taken', rows: 2 }]);
  });
  const page = await bed.open({}, { fs });
  const bytes = Buffer.from(made.bytes.toString().replaceAll('Plam', 'Plan'));
  expect((await page.takeUpGiven('mine.csv', bytes))?.news).toMatchObject([
    { kind: 'waits', why: expect.stringContaining('another process is bringing it on its way') },
  ]);
  expect(isRecorded).toBe(true);
});

test('a sheet of no job here is not taken, and what is none is said to be none', async () => {
  expect(await share.takeUpGiven('mine.csv', Buffer.from('A,B\n1,2\n'))).toBeUndefined();
  await expect(share.takeUpGiven('mine.xlsx', Buffer.from('nothing'))).rejects.toThrow(
    /sheet|workbook|file/i,
  );
  expect(await bed.list('attention')).not.toContain('A/dropped-mine.csv');
});

test('the receipt is made from what is sealed, whatever people wrote into theirs', async () => {
  const csv = (await share.makeReceiptNow(jobId, 'csv'))!;
  expect(csv.name).toBe('receipt.csv');
  expect(csv.bytes.toString()).toBe(await bed.read('attention/A/receipt.csv'));
  const sheet = await share.makeReceiptNow(jobId, 'sheet');
  expect((await readSheet(sheet!.bytes, sheet!.name)).grids).toHaveLength(1);
  expect(await share.makeReceiptNow('0'.repeat(20), 'csv')).toBeUndefined();
});

test('each row of a register has its outcome, also where more files did not come than a receipt names', async () => {
  const rows = Array.from({ length: 1_101 }, (_, at) => `${at}.pdf`);
  await bed.drop('A/register.csv', `File,Number,Type\n${rows.map(name => `${name},N,Plan\n`).join('')}`);
  await bed.drop('A/0.pdf');
  const { job, batchId } = await beginJob(share);
  await share.closeJob(job);
  await share.settleUp(batchId, [submitted(0)], { final: true });
  const sheet = (await share.makeReceiptNow(job.jobId, 'sheet'))!;
  expect(sheet.bytes.toString().match(/Listed, not there/g)).toHaveLength(1_100);
  expect(sheet.bytes.toString()).toBe(await bed.read(`done/${job.place}/${sheet.name}`));
});

test('of a job on its way it tells what is known by now', async () => {
  await bed.drop('A/4.pdf');
  const { job } = await beginJob(share);
  const csv = (await share.makeReceiptNow(job.jobId, 'csv'))!;
  expect(csv.name).toBe('receipt-so-far.csv');
  expect(csv.bytes.toString()).toMatch(/4\.pdf.*still under way/);
  expect((await share.makeReceiptNow(job.jobId, 'sheet'))?.name).toBe('receipt.xlsx');
});

test('of a job on its way it has the time of its share', async () => {
  const clock = { ...systemClock, wallMs: () => Date.parse('2020-01-31T09:30:00Z') };
  const other = await bed.open({ timeZone: 'UTC' }, { clock });
  await bed.drop('A/4.pdf');
  const { job } = await beginJob(other);
  const sheet = (await other.makeReceiptNow(job.jobId, 'sheet'))!;
  const { grids } = await readSheet(sheet.bytes, sheet.name);
  expect(JSON.stringify(grids)).toContain('2020-01-31 09:30');
});

test('of a job on its way no file is said to be missing that still lies in the drop folder', async () => {
  await bed.drop('A/register.csv', 'File,Number,Type\n4.pdf,N-4,Plan\n5.pdf,N-5,Plan\n');
  await bed.drop('A/4.pdf');
  const { job } = await beginJob(share);
  await bed.drop('A/5.pdf');
  const sheet = (await share.makeReceiptNow(job.jobId, 'sheet'))!;
  expect(sheet.name).toBe('receipt-register so far.csv');
  expect(sheet.bytes.toString()).toMatch(/On the way.*4\.pdf/);
  expect(sheet.bytes.toString()).not.toContain('not there');
});
