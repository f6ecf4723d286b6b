// A folder of which rows are held: its sheet lies in attention/, a person corrects it there, and exactly
// those rows are answered for, whoever looks and wherever they die.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../../../activities/host/clock';
import { readSheet } from '../../../../../activities/registers/sheet/read-sheet';
import { writeCorrectedWorkbook } from '../../../../../activities/registers/write/corrected-register';
import { Seals } from '../../../../../activities/share/files/seals';
import { createNodeShareFs } from '../../../../../activities/share/files/share-fs';
import { openJobPaths } from '../../../../../activities/share/jobs/job-record';
import type { HeldBatches } from '../../../../../activities/share/receipt/held/held-batches';
import {
  noteAnswered,
  noteSaved,
  readHeldMarks,
} from '../../../../../activities/share/receipt/held/held-marks';
import type { SheetNews } from '../../../../../activities/share/receipt/sheet-news';
import { resolveLayout } from '../../../../../activities/share/resolve-layout';
import type { Share } from '../../../../../activities/share/share';
import { answerManyInput } from '../../../../../workflows/ingest/answer-contract';
import type { HeldDocument } from '../../../../../workflows/ingest/ingest-contract';
import { createFaultyFs, DyingFs } from '../../faulty-fs';
import { SHARE_KEY, submitted, type TestBed } from '../../share-test-bed';
import { FakeHeldRun } from '../held-run';
import { writing } from '../mock-writing';
import { beginJob, copySheetBed, createSheetBed, listDrop } from '../sheet-test-bed';

/** Operations from one death to the next. */
const STEP = 37;
const SHEET = 'attention/A/to-correct-register.csv';
const NOTE = 'attention/A/corrections.txt';
const REGISTER = 'File,Number,Type,Remark\n1.pdf,N-1,Plan,a\n2.pdf,N-2,Plam,b\nsub/3.pdf,N-3,Plam,c\n';

function whyNot(values: Readonly<Record<string, string | readonly string[]>>): string | undefined {
  const unknown = Object.keys(values).find(name => !['Number', 'Type'].includes(name));
  if (unknown !== undefined) return `The project has no field "${unknown}" that can be set.`;
  const isWrong = (values.Type?.length ?? 0) > 0 && values.Type !== 'Plan';
  return isWrong ? `"${values.Type}" for "Type" is none.` : undefined;
}

jest.mock('../../../../../activities/registers/receipt/write-in-thread', () =>
  jest.requireActual('../mock-writing').writing.mock(),
);

let bed: TestBed;
let share: Share;
let batches: FakeHeldRun;

beforeEach(async () => {
  writing.isRegisterTooLarge = false;
  bed = await createSheetBed();
  batches = new FakeHeldRun(whyNot);
  share = await bed.open();
});

afterEach(async () => {
  await bed.remove();
});

/** The folder A is claimed and settled so far: 1.pdf is a revision, and all others are held. */
async function hold(
  question: HeldDocument['question'] = 'missing-values',
  register: string | false = REGISTER,
) {
  if (register !== false) await bed.drop('A/register.csv', register);
  for (const name of ['1.pdf', '2.pdf', 'sub/3.pdf']) await bed.drop(`A/${name}`);
  const { job, batchId, manifest } = await beginJob(share);
  batches.held = manifest.files.flatMap(({ index, path, entry }): HeldDocument[] => {
    if (path === 'A/1.pdf') return [];
    const reason = {
      code: 'x',
      text: `Row ${entry?.row?.number}, column C: "Plam" is none.`,
      fix: 'Mend it.',
    };
    const missing = question === 'missing-values' ? ['Type'] : [];
    return [{ index, path, question, reason, missing, sinceMs: 0, untilMs: 1 }];
  });
  const settle = async (final: boolean) => {
    const isHeld = (file: { readonly path: string }) => batches.held.some(({ path }) => path === file.path);
    const ended = manifest.files.filter(file => final || !isHeld(file));
    const outcomes = ended.map(({ index }) => submitted(index));
    const held = final ? [] : batches.held;
    await share.settleUp(batchId, outcomes, { final, held });
  };
  await settle(false);
  await share.closeJob(job);
  return { jobId: job.jobId, settle };
}

/** Nothing is read at its first sight, and what was answered is shown a round later. */
async function look(on = share, rounds = 3): Promise<SheetNews[]> {
  const news: SheetNews[] = [];
  for (let round = 0; round < rounds; round += 1) news.push(...(await on.takeUpHeld(batches)));
  return news;
}

async function save(edit: (text: string) => string): Promise<void> {
  const path = join(bed.root, SHEET);
  await writeFile(`${path}.new`, edit(await readFile(path, 'utf8')));
  await rename(`${path}.new`, path);
}

test('the sheet comes while rows are held, is answered row by row, and goes with the receipt', async () => {
  const { jobId, settle } = await hold();
  expect(await look()).toEqual([]);
  const sheet = await bed.read(SHEET);
  expect(sheet).toMatch(/^Through,.*,1\.pdf,N-1,Plan,a/m);
  expect(sheet).toMatch(/^Held,"Row 3, column C: ""Plam"" is none\.","Correct this row here.*,2\.pdf,/m);

  await save(text => text.replace('2.pdf,N-2,Plam,b', '2.pdf,N-2,Plan,b').replace('Plam,c', 'Plom,c'));
  expect(await look()).toMatchObject([
    { kind: 'answered', path: SHEET, rows: 1 },
    { kind: 'told', path: SHEET, told: ['Row 4: "Plom" for "Type" is none.'] },
  ]);
  expect(batches.answers).toEqual([
    [
      { documents: ['A/2.pdf'], values: { Type: 'Plan' } },
      { documents: ['A/sub/3.pdf'], values: { Type: 'Plom' } },
    ],
  ]);
  expect(await bed.read(NOTE)).toContain('Row 4: "Plom" for "Type" is none.');
  // 2.pdf is on its way: what was saved stays until all of the job stands still.
  expect(await bed.read(SHEET)).toContain('Plom');
  expect(await look(await bed.open())).toEqual([]);
  await save(text => text.replace('Plom', 'Plan'));
  await look();
  expect(batches.answers).toHaveLength(1);

  await settle(true);
  await share.settleJob(jobId);
  expect(await bed.list('attention/A')).toEqual(['to-correct-register.csv']);
});

test('a cell that is emptied, and one that says "leave it empty", are answers, too', async () => {
  await hold();
  await look();
  await save(text => text.replace('N-2,Plam,b', 'N-2,,b').replace('N-3,Plam,c', 'N-3,-,c'));
  expect(await look()).toMatchObject([{ kind: 'answered', path: SHEET, rows: 2 }]);
  expect(batches.answers).toEqual([
    [
      { documents: ['A/2.pdf'], values: { Type: '' } },
      { documents: ['A/sub/3.pdf'], values: { Type: [] } },
    ],
  ]);
});

test('what was refused is told in the sheet made anew, and a cured one goes', async () => {
  const { jobId, settle } = await hold();
  await look();
  await save(text => text.replaceAll('Plam', 'Plom'));
  await look();
  expect(await bed.read(SHEET)).toContain('The correction was not taken: ""Plom"" for ""Type"" is none.');
  expect(await look(await bed.open())).toEqual([]);
  await save(text => text.replaceAll(',Plom,', ',Plan,'));
  expect(await look()).toMatchObject([{ kind: 'answered', rows: 2 }]);
  await settle(true);
  await share.settleJob(jobId);
  expect(await bed.list('attention')).toEqual([]);
});

test('beyond as many as are kept, a sheet is refused in words, and stays with all that was typed into it', async () => {
  const { jobId } = await hold();
  await look();
  const layout = await resolveLayout(bed.config, createNodeShareFs(), new Seals(SHARE_KEY), 'all');
  const paths = openJobPaths(layout, jobId);
  for (let at = 0; at < 200; at += 1) {
    const sha256 = at.toString(16).padStart(64, '0');
    const record = { version: 1 as const, jobId, sheet: 'A', sha256, at: new Date(at).toISOString() };
    await noteSaved(layout, paths, { ...record, headers: [], rows: [], told: [] });
    await noteAnswered(layout, paths, { version: 1, sha256, refused: [] });
  }
  await save(text => text.replaceAll('Plam', 'Plan'));
  const told = [expect.stringMatching(/^Nothing of it is taken up: as many/)];
  expect(await look()).toEqual([{ kind: 'told', path: SHEET, told }]);
  expect(await look(await bed.open())).toEqual([{ kind: 'told', path: SHEET, told }]);
  expect(batches.answers).toEqual([]);
  expect(await bed.read(SHEET)).toContain('2.pdf,N-2,Plan');
  expect(await bed.read(NOTE)).toContain('as many corrections as are kept');
  expect((await readHeldMarks(layout, paths, () => undefined)).saved).toHaveLength(200);
});

test('columns that are none of the project are left out, and what is done is not touched', async () => {
  await hold();
  await look();
  await save(text => text.replace('N-1,', 'N-9,').replace('Plam,b', 'Plan,mine'));
  expect(await look()).toMatchObject([
    { kind: 'answered', rows: 1 },
    { kind: 'told', told: [expect.stringMatching(/^Row 2: what is done is not touched/)] },
  ]);
  expect(batches.answers.map(([each]) => each?.values)).toEqual([
    { Type: 'Plan', Remark: 'mine' },
    { Type: 'Plan' },
  ]);
});

test('what does not wait for a value goes by the word for it, or is told of', async () => {
  await hold('duplicate');
  await look();
  const withAction = (line: string) => {
    if (line === '') return line;
    return `${line},${line.includes('2.pdf') ? 'send' : line.startsWith('Outcome') ? 'Action' : ''}`;
  };
  await save(text => text.replace('Plam,c', 'Plan,c').split(/\r?\n/).map(withAction).join('\n'));
  expect(await look()).toMatchObject([
    { kind: 'answered', rows: 1 },
    { kind: 'told', told: [expect.stringMatching(/^Row 4: it does not wait for a value/)] },
  ]);
  expect(batches.answers).toEqual([[{ documents: ['A/2.pdf'], decision: 'retry' }]]);
});

test.each<HeldDocument['question']>(['duplicate', 'missing-values', 'overtaken'])(
  'a row that is held as "%s" is set apart by the words for it, whatever else was changed in it',
  async question => {
    await hold(question);
    await look();
    const withAction = (line: string) => {
      if (line === '') return line;
      return `${line},${line.startsWith('Held') ? 'Set apart' : line.startsWith('Outcome') ? 'Action' : ''}`;
    };
    await save(text => text.replace('Plam,c', 'Plan,c').split(/\r?\n/).map(withAction).join('\n'));
    expect(await look()).toMatchObject([{ kind: 'answered', rows: 2 }]);
    expect(batches.answers).toEqual([
      [
        { documents: ['A/2.pdf'], decision: 'set-apart' },
        { documents: ['A/sub/3.pdf'], decision: 'set-apart' },
      ],
    ]);
  },
);

describe('of a saved sheet of which not all was taken up', () => {
  const addAction = (is: (line: string) => boolean) => (text: string) =>
    text
      .split(/\r?\n/)
      .map(line =>
        line === '' ? '' : `${line},${line.startsWith('Outcome') ? 'Action' : is(line) ? 'send' : ''}`,
      )
      .join('\n');
  const names = async () => (await bed.list('attention/A')).filter(name => !name.startsWith('receipt'));

  test('nobody has a second one beside it, and none stays when the last row is cured', async () => {
    const { jobId, settle } = await hold('duplicate');
    await look();
    await save(text => addAction(line => line.includes('2.pdf'))(text.replace('Plam,c', 'Plan,c')));
    const saved = await bed.read(SHEET);
    expect(await look()).toMatchObject([{ kind: 'answered', rows: 1 }, { kind: 'told' }]);
    await settle(false);
    expect(await look()).toEqual([]);
    expect(await names()).toEqual(['corrections.txt', 'to-correct-register.csv']);
    expect(await bed.read(SHEET)).toMatch(/^Through,.*,2\.pdf,/m);
    // What was typed and not taken up is not lost.
    const own = join('.drawbridge/jobs', jobId, 'held');
    const [kept = ''] = (await bed.list(own)).filter(name => name.endsWith('.csv'));
    expect(await bed.read(join(own, kept))).toBe(saved);
    await settle(true);
    await share.settleJob(jobId);
    expect(await bed.list('attention')).toEqual([]);
  });

  test('it stays the only one while nothing of it was, with all that was typed into it', async () => {
    const { jobId, settle } = await hold('duplicate');
    await look();
    await save(text => text.replace('Plam,c', 'Plan,c'));
    expect(await look()).toMatchObject([{ kind: 'told' }]);
    expect(await look(await bed.open())).toEqual([]);
    expect(await names()).toEqual(['corrections.txt', 'to-correct-register.csv']);
    await save(addAction(line => line.includes('3.pdf')));
    expect(await look()).toMatchObject([{ kind: 'answered', rows: 1 }]);
    expect(batches.answers.at(-1)).toEqual([
      { documents: ['A/sub/3.pdf'], values: { Type: 'Plan' }, decision: 'retry' },
    ]);
    await settle(true);
    await share.settleJob(jobId);
    expect(await bed.list('attention')).toEqual([]);
  });

  test('the note of it comes beside an earlier one that is open in a program, and both go in the end', async () => {
    const { jobId, settle } = await hold('duplicate');
    await look();
    await save(text => text.replace('Plam,c', 'Plan,c'));
    await look();
    const before = await bed.read(NOTE);
    const lock = join(bed.root, 'attention/A/.~lock.corrections.txt#');
    await writeFile(lock, '');
    await save(text => text.replace('Plam,b', 'Plan,b'));
    const news = await look();
    expect(news).toMatchObject([{ kind: 'told' }]);
    expect(await bed.read(NOTE)).toBe(before);
    expect(await bed.read('attention/A/corrections (2).txt')).toContain(news[0]!.told![0]);
    await rm(lock);
    await settle(true);
    await share.settleJob(jobId);
    expect(await bed.list('attention')).toEqual([]);
  });

  test('what is no sheet of this job stays where a person has put it', async () => {
    const { jobId, settle } = await hold();
    await look();
    await save(() => 'Outcome,File\r\nmine,2.pdf\r\n');
    expect(await look()).toMatchObject([{ kind: 'told' }]);
    expect(await names()).toEqual([
      'corrections.txt',
      'to-correct-register (2).csv',
      'to-correct-register.csv',
    ]);
    await settle(true);
    await share.settleJob(jobId);
    expect(await names()).toEqual(['to-correct-register.csv']);
  });
});

test('what a heading means is for the worker to say: a field of the project may be called as another one usually is', async () => {
  const register = 'File,Type,Document Type\n1.pdf,Plan,A\n2.pdf,Plam,A\nsub/3.pdf,Plam,A\n';
  await hold('missing-values', register);
  await look();
  await save(text => text.replace('2.pdf,Plam,A', '2.pdf,Plan,B').replace('3.pdf,Plam,A', '3.pdf,Plam,B'));
  await look();
  expect(batches.answers[0]).toEqual([
    { documents: ['A/2.pdf'], values: { Type: 'Plan', 'Document Type': 'B' } },
    { documents: ['A/sub/3.pdf'], values: { 'Document Type': 'B' } },
  ]);
});

test('what seems to be double goes as its row says by then, never as it was before the row was corrected', async () => {
  await hold('duplicate');
  await look();
  const withAction = (line: string) => {
    if (line === '') return line;
    return `${line},${line.startsWith('Held') ? 'send' : line.startsWith('Outcome') ? 'Action' : ''}`;
  };
  const correct = (text: string) => text.replace('N-2,Plam,b', 'N-22,Plam,b').replace('Plam,c', 'Plam,mine');
  await save(text => correct(text).split(/\r?\n/).map(withAction).join('\n'));
  expect(await look()).toMatchObject([{ kind: 'answered', rows: 2 }]);
  expect(batches.answers).toEqual([
    [
      { documents: ['A/2.pdf'], values: { Number: 'N-22' }, decision: 'retry' },
      { documents: ['A/sub/3.pdf'], values: { Remark: 'mine' }, decision: 'retry' },
    ],
    [{ documents: ['A/sub/3.pdf'], decision: 'retry' }],
  ]);
});

test('a copy of it that is dropped by itself is taken up as well, and goes with the receipt', async () => {
  const { jobId, settle } = await hold();
  await look();
  const sheet = await bed.read(SHEET);
  await bed.drop('mine.csv', sheet.replaceAll('Plam', 'Plan'));
  const dropped = async () => {
    const entry = await share.look({ path: 'mine.csv' });
    return await share.takeUpDropped([entry!], true);
  };
  expect(await dropped()).toMatchObject([{ movedTo: 'attention/A/dropped-mine.csv' }]);
  expect(await look()).toMatchObject([{ kind: 'answered', path: 'attention/A/dropped-mine.csv', rows: 2 }]);
  // As it came: not a word of it is to be taken up, and the person is told.
  await bed.drop('mine.csv', sheet);
  await dropped();
  expect(await bed.read(NOTE)).toMatch(/^drop\/mine\.csv was read\..*nothing to do/s);
  expect(await look()).toEqual([]);
  await settle(true);
  await share.settleJob(jobId);
  expect([await bed.list('drop'), await bed.list('attention')]).toEqual([[], []]);
});

test('a copy that comes when the job has its receipt is read as the receipt would be', async () => {
  const { jobId, settle } = await hold();
  await look();
  const sheet = await bed.read(SHEET);
  await settle(true);
  await share.settleJob(jobId);
  await bed.drop('late.csv', sheet.replaceAll('Plam', 'Plan'));
  await share.takeUpDropped([(await share.look({ path: 'late.csv' }))!], true);
  const news = [...(await share.takeUpCorrections()), ...(await share.takeUpCorrections())];
  expect(news).toMatchObject([
    { kind: 'told', told: [expect.stringMatching(/^Rows 3 and 4: what is done/)] },
  ]);
});

test('where no sheet can be made of the register, none of another shape is put, and a note says so', async () => {
  writing.isRegisterTooLarge = true;
  const { settle, jobId } = await hold();
  const path = 'attention/A/to-correct-register.csv';
  const news = await look();
  expect(news).toEqual([{ kind: 'told', path, told: [expect.stringContaining('Answer on the page')] }]);
  expect(await bed.list('attention/A')).toEqual(['corrections.txt', 'receipt-so-far.csv']);
  expect(await bed.read(NOTE)).toContain(`${path} could not be made.`);
  // Once it can be made the note is gone, as it is when nothing is held any more.
  writing.isRegisterTooLarge = false;
  await look(await bed.open());
  expect(await bed.list('attention/A')).toEqual(['receipt-so-far.csv', 'to-correct-register.csv']);
  await settle(true);
  await share.settleJob(jobId);
  expect(await bed.list('attention')).toEqual([]);
});

describe('of a folder without a register', () => {
  const PLAIN = 'attention/A/to-correct.xlsx';
  const readRows = async () => {
    const { grids } = await readSheet(await readFile(join(bed.root, PLAIN)), PLAIN);
    return grids[0]!.rows.map(row => row.map(({ text }) => text));
  };
  const saveRows = async ([headers = [], ...rows]: string[][]) => {
    const bytes = await writeCorrectedWorkbook({ title: 'saved', headers, rows });
    await writeFile(join(bed.root, PLAIN), bytes);
  };

  test('a number that was typed as one is answered as one, also one that the sheet shows otherwise', async () => {
    await hold('missing-values', false);
    await look();
    const [headers = [], ...rows] = await readRows();
    const at = headers.indexOf('Type');
    const typed = (row: string[]) =>
      row.includes('2.pdf') ? '2.500' : row.includes('3.pdf') ? '200000' : '';
    const filled = rows.map(row => row.with(at, typed(row)));
    const kinds = rows.map(row => (row.includes('2.pdf') ? { numbers: [at] } : { otherwise: [at] }));
    const bytes = await writeCorrectedWorkbook({ title: 'saved', headers, rows: filled, kinds });
    await writeFile(join(bed.root, PLAIN), bytes);
    await look();
    expect(batches.answers[0]).toEqual([
      { documents: ['A/2.pdf'], values: { Type: '2.500' }, numbers: ['Type'] },
      { documents: ['A/sub/3.pdf'], values: { Type: '200000' }, otherwise: ['Type'] },
    ]);
    expect(answerManyInput.safeParse({ answers: batches.answers[0], inCells: true }).success).toBe(true);
  });

  test('a date and a truth value that a program made of a text are answered as such', async () => {
    await hold('missing-values', false);
    await look();
    const [headers = [], ...rows] = await readRows();
    const file = headers.indexOf('File');
    const at = headers.indexOf('Type');
    const cells = new Map([
      ['2.pdf', { text: '2026-02-01', kinds: { dates: [at] } }],
      ['3.pdf', { text: 'TRUE', kinds: { booleans: [at] } }],
    ]);
    const cellOf = (row: string[]) => cells.get(row[file]!);
    const bytes = await writeCorrectedWorkbook({
      title: 'saved',
      headers,
      rows: rows.map(row => row.with(at, cellOf(row)?.text ?? row[at]!)),
      kinds: rows.map(row => cellOf(row)?.kinds ?? {}),
    });
    await writeFile(join(bed.root, PLAIN), bytes);
    await look();
    expect(batches.answers[0]).toEqual([
      { documents: ['A/2.pdf'], values: { Type: '2026-02-01' }, dates: ['Type'] },
      { documents: ['A/sub/3.pdf'], values: { Type: 'TRUE' }, booleans: ['Type'] },
    ]);
  });

  test('the sheet has a row for each document and a column for what is missing', async () => {
    const { jobId } = await hold('missing-values', false);
    expect(await look()).toEqual([]);
    const rows = await readRows();
    expect(rows.map(row => [row[0], ...row.slice(4, 8)])).toEqual([
      ['Outcome', 'File', 'Folder', 'Type', 'Receipt row'],
      ['Held', '2.pdf', '', '', jobId],
      ['Held', '3.pdf', 'sub', '', jobId],
      ['Through', '1.pdf', '', '', jobId],
    ]);
    const type = (row: string[]) => (row[5] === 'sub' ? 'Plom' : 'Plan');
    await saveRows(rows.map((row, at) => (at === 0 ? row : row.with(6, type(row)))));
    expect(await look()).toMatchObject([
      { kind: 'answered', path: PLAIN, rows: 1 },
      {
        kind: 'told',
        told: [expect.stringMatching(/^Row 4: what is done/), 'Row 3: "Plom" for "Type" is none.'],
      },
    ]);
    expect(batches.answers).toEqual([
      [
        { documents: ['A/2.pdf'], values: { Type: 'Plan' } },
        { documents: ['A/sub/3.pdf'], values: { Type: 'Plom' } },
      ],
    ]);
  });

  test('what seems to be double goes by the word for it, and the sheet with the receipt', async () => {
    const { jobId, settle } = await hold('duplicate', false);
    await look();
    const rows = await readRows();
    expect(rows[0]?.slice(4, 7)).toEqual(['File', 'Folder', 'Action']);
    await saveRows(rows.map(row => (row[0] === 'Held' ? row.with(6, 'send') : row)));
    expect(await look()).toMatchObject([{ kind: 'answered', rows: 2 }]);
    expect(batches.answers[0]?.[0]).toEqual({ documents: ['A/2.pdf'], decision: 'retry' });
    await settle(true);
    await share.settleJob(jobId);
    expect(await bed.list('attention')).toEqual([]);
  });
});

test('a job that stands as it stood costs one look for each batch that is held, and what comes is seen', async () => {
  const names = ['1.pdf', '2.pdf', '3.pdf', '4.pdf'];
  for (const name of names) await bed.drop(`A/${name}`);
  const entries = await listDrop(share);
  const job = await share.openJob('A', {});
  const ids: string[] = [];
  for (const entry of entries) {
    const { batch } = await share.claim([entry], { job });
    ids.push((await share.writeManifest(batch!)).batchId!);
  }
  await share.closeJob(job);
  const [one = '', ...others] = ids;
  const reason = { code: 'x', text: 'No type.', fix: 'Mend it.' };
  const held = {
    index: 0,
    question: 'missing-values' as const,
    reason,
    missing: ['Type'],
    sinceMs: 0,
    untilMs: 1,
  };
  batches.held = [{ ...held, path: 'A/1.pdf' }];
  await share.settleUp(one, [], { final: false, held: batches.held });

  const done: string[] = [];
  let nowMs = 0;
  const watching = await bed.open(
    {},
    {
      fs: createFaultyFs((operation, path) => void done.push(`${operation} ${path}`)),
      clock: { ...systemClock, monotonicMs: () => nowMs },
    },
  );
  const round = async () => {
    done.length = 0;
    await watching.takeUpHeld(batches);
    return done.filter(each => ids.some(id => each.includes(id)));
  };
  const [last = '', ...ended] = others;
  for (const id of ended) await share.settleUp(id, [submitted(0)], { final: true });
  await round();
  expect((await round()).filter(each => each.includes('finished'))).toEqual([]);
  await share.settleUp(last, [submitted(0)], { final: true });
  await round();
  expect(await bed.list('attention/A')).toEqual(['receipt-so-far.csv', 'to-correct.xlsx']);
  expect(await round()).toEqual([
    `look ${join(bed.root, '.drawbridge/batches', one, 'receipt-so-far.json')}`,
  ]);
  // It is asked for again all the same, and then what has ended is read, no manifest with it.
  nowMs = 60_000;
  const asked = await round();
  expect(ids.filter(id => asked.some(each => each.startsWith('read ') && each.includes(id)))).toEqual(ids);
  expect(asked.filter(each => each.endsWith('batch.json'))).toEqual([]);
  // What another look shows is not waited for.
  await share.settleUp(one, [submitted(0)], { final: true });
  batches.held = [];
  await round();
  expect(await bed.list('attention/A')).toEqual([]);
});

test('while nobody answers it waits, and is answered later', async () => {
  await hold();
  await look();
  await save(text => text.replaceAll('Plam', 'Plan'));
  batches.isAway = true;
  await look();
  batches.isAway = false;
  expect(await look(await bed.open())).toMatchObject([{ kind: 'answered', rows: 2 }]);
});

describe('of a sheet whose answers did not come to their end', () => {
  const OVERTAKEN = { code: 'overtaken', text: 'A later revision went first.', fix: 'Say "retry".' };
  /** The run has carried what was answered, and asks for something else by now. */
  const ask = (
    question: HeldDocument['question'],
    reason: HeldDocument['reason'],
    before: HeldDocument[],
  ) => {
    batches.held = before.map(held => ({ ...held, question, reason, sinceMs: Date.now() + 1 }));
  };
  const isOtherwise = (row: number) =>
    expect.stringMatching(`^Row ${row}: Something else is asked of it by now`);
  const withSend = (text: string) =>
    text
      .split(/\r?\n/)
      .map(line => {
        if (line === '') return line;
        return `${line},${line.startsWith('Outcome') ? 'Action' : line.startsWith('Held') ? 'send' : ''}`;
      })
      .join('\n');

  test('what was taken before a kill does not go through the doubt that comes next, and people are told', async () => {
    const { settle } = await hold('duplicate');
    const before = batches.held;
    await look();
    await save(withSend);
    const dying = createFaultyFs((_, ...paths) => {
      if (paths.some(path => String(path).endsWith('.answered.json'))) throw new Error('killed');
    });
    await look(await bed.open({}, { fs: dying }), 2).catch(() => undefined);
    expect(batches.answers).toHaveLength(1);

    ask('overtaken', OVERTAKEN, before);
    await settle(false);
    const told = [3, 4].map(isOtherwise);
    expect(await look(await bed.open())).toEqual([{ kind: 'told', path: SHEET, told }]);
    expect(batches.answers).toHaveLength(1);
    expect(await bed.read(NOTE)).toContain('Row 3: Something else is asked of it by now');
    // The sheet that is made anew asks what is asked now, and the word is to be said anew.
    expect(await bed.read(SHEET)).toMatch(
      /^Held,"The correction was not taken: .* It waits: A later revision went first\.",.*,2\.pdf,N-2,Plam,b,,/m,
    );
    expect(await look(await bed.open())).toEqual([]);
    expect(batches.answers).toHaveLength(1);
  });

  test('what was said for a doubt is said anew for the next one, in the new sheet alone, and its values go along', async () => {
    const { settle } = await hold('duplicate');
    const before = batches.held;
    await look();
    await save(text => withSend(text.replace('2.pdf,N-2,', '2.pdf,N-22,')));
    const mine = await bed.read(SHEET);
    const isLate = async () => Promise.reject(new Error('nobody answers'));
    for (let round = 0; round < 3; round += 1)
      await share.takeUpHeld({ ask: async () => await batches.ask(), answer: isLate });
    ask('duplicate', { code: 'y', text: 'It was sent before.', fix: '' }, before);
    await settle(false);
    expect(await look()).toMatchObject([{ kind: 'told' }]);
    expect(batches.answers).toEqual([]);
    // A copy of the old one has nothing of what is asked now, also where it does not tell what was asked.
    const untold = mine.replace(/^Held,"(?:[^"]|"")*"/gm, 'Held,');
    expect(untold).not.toBe(mine);
    await bed.drop('mine.csv', untold.replace('1.pdf,N-1', '1.pdf,N-9'));
    await share.takeUpDropped([(await share.look({ path: 'mine.csv' }))!], true);
    await look();
    expect(batches.answers).toEqual([]);
    await save(text => text.replace(/(2\.pdf,N-22,Plam,b,)/, '$1send'));
    expect(await look()).toMatchObject([{ kind: 'answered', rows: 1 }]);
    expect(batches.answers).toEqual([
      [{ documents: ['A/2.pdf'], values: { Number: 'N-22' }, decision: 'retry' }],
    ]);
  });

  test('the word for the doubt that a sheet shows is no word for one that came since, and that is shown then', async () => {
    const { settle } = await hold('duplicate');
    const before = batches.held;
    await look();
    const shown = await bed.read(SHEET);
    // Somebody has answered on the page meanwhile, and the next doubt came; a person has the sheet open.
    ask('duplicate', { code: 'y', text: 'It was sent before.', fix: '' }, before);
    await settle(false);
    await save(() => withSend(shown.replace('2.pdf,N-2,', '2.pdf,N-22,')));
    expect(await look()).toMatchObject([{ kind: 'told', told: [3, 4].map(isOtherwise) }]);
    expect(batches.answers).toEqual([]);
    expect(await bed.read(SHEET)).toMatch(/^Held,.* It was sent before\..*,2\.pdf,N-22,Plam,b,,/m);
    await save(text => text.replace(/(2\.pdf,N-22,Plam,b,)/, '$1send'));
    expect(await look()).toMatchObject([{ kind: 'answered', rows: 1 }]);
    expect(batches.answers).toHaveLength(1);
  });

  test('a reason that a program wrote with other signs is the same one, and where it was taken out nothing tells', async () => {
    await hold('duplicate');
    await look();
    const signs = (text: string) =>
      text.replace('Row 3, column C: ""Plam"" is none.', 'Row 3,  column C: “Plam” is none');
    const without = (text: string) => text.replace('"Row 4, column C: ""Plam"" is none."', '');
    await save(text => withSend(without(signs(text))));
    expect(await bed.read(SHEET)).toMatch(/^Held,"Row 3, {2}column C: “Plam” is none".*\r?\nHeld,,/m);
    expect(await look()).toMatchObject([{ kind: 'answered', rows: 2 }]);
  });

  test('a batch that has answered is not answered again while another one of the sheet cannot be asked', async () => {
    for (const name of ['1.pdf', '2.pdf']) await bed.drop(`A/${name}`);
    const entries = await listDrop(share);
    const job = await share.openJob('A', {});
    const [heldOf, sent] = [new Map<string, HeldDocument>(), [] as string[]];
    const reason = { code: 'x', text: 'No type.', fix: 'Mend it.' };
    for (const entry of entries) {
      const { batch } = await share.claim([entry], { job });
      const batchId = (await share.writeManifest(batch!)).batchId!;
      const [{ path = '' } = {}] = (await share.readBatch(batchId)).manifest.files;
      const held = { index: 0, path, question: 'missing-values' as const, reason, sinceMs: 0, untilMs: 1 };
      heldOf.set(batchId, { ...held, missing: ['Type'] });
      await share.settleUp(batchId, [], { final: false, held: [heldOf.get(batchId)!] });
    }
    await share.closeJob(job);
    const [first = '', second = ''] = heldOf.keys();
    let isAway = true;
    const runs: HeldBatches = {
      ask: async ({ batchId }) => ({ held: [heldOf.get(batchId)!], inLine: [] }),
      answer: async ({ batchId }, { answers }) => {
        if (batchId === second && isAway) throw new Error('nobody answers');
        sent.push(batchId);
        const documents = answers.map(({ documents: [name] }) => String(name));
        return { taken: [], refused: documents.map(document => ({ document, why: 'It is none.' })) };
      },
    };
    const round = async (on: Share) => [await on.takeUpHeld(runs), await on.takeUpHeld(runs)].flat();
    await round(share);
    const sheet = join(bed.root, 'attention/A/to-correct.xlsx');
    const [headers = [], ...rows] = (await readSheet(await readFile(sheet), sheet)).grids[0]!.rows.map(row =>
      row.map(({ text }) => text),
    );
    const filled = rows.map(row => row.with(headers.indexOf('Type'), 'Plan'));
    await writeFile(sheet, await writeCorrectedWorkbook({ title: 'saved', headers, rows: filled }));
    await round(share);
    expect(sent).toEqual([first]);
    expect((await round(await bed.open())).map(({ kind }) => kind)).toEqual(['waits', 'waits']);
    expect(sent).toEqual([first]);
    isAway = false;
    expect(await round(await bed.open())).toMatchObject([
      { kind: 'told', told: ['Row 2: It is none.', 'Row 3: It is none.'] },
    ]);
    expect(sent).toEqual([first, second]);
  });
});

test('answers once and the same, whichever operation on the share was the last one', async () => {
  await hold();
  const { held } = batches;
  await look();
  await save(text => text.replace('N-1,', 'N-9,').replaceAll('Plam,b', 'Plan,b'));
  const prepared = bed;
  const begin = async () => {
    bed = await copySheetBed(prepared);
    batches = new FakeHeldRun(whyNot);
    batches.held = held;
  };
  const state = async () => ({
    answers: batches.answers,
    held: batches.held.map(({ path }) => path),
    attention: (await bed.list('attention/A')).filter(name => !name.startsWith('.tmp-')),
    note: await bed.read(NOTE),
  });
  try {
    await begin();
    const whole = new DyingFs(Number.POSITIVE_INFINITY);
    await look(await bed.open({}, { fs: whole.fs }));
    const expected = await state();
    expect(expected.answers).toHaveLength(1);
    for (let dieAt = 1; dieAt <= whole.count; dieAt += STEP) {
      await bed.remove();
      await begin();
      const dying = new DyingFs(dieAt);
      await bed
        .open({}, { fs: dying.fs })
        .then(look)
        .catch(() => undefined);
      await look(await bed.open());
      expect([dieAt, await state()]).toEqual([dieAt, expected]);
    }
  } finally {
    await prepared.remove();
  }
});
