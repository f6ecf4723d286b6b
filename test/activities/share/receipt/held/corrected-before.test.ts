// Rows that are held once more after a person has corrected them: the sheet made anew shows what was typed,
// and nothing but what is changed in that is answered.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSheet } from '../../../../../activities/registers/sheet/read-sheet';
import { writeCorrectedWorkbook } from '../../../../../activities/registers/write/corrected-register';
import type { SheetNews } from '../../../../../activities/share/receipt/sheet-news';
import type { Share } from '../../../../../activities/share/share';
import { ASK_AGAIN } from '../../../../../workflows/ingest/decide/ask-again';
import type { HeldDocument } from '../../../../../workflows/ingest/ingest-contract';
import { submitted, type TestBed } from '../../share-test-bed';
import { FakeHeldRun } from '../held-run';
import { beginJob, createSheetBed } from '../sheet-test-bed';

const CSV = 'register.csv';
const REGISTER = 'File,Number,Rev,Type\n1.pdf,N-1,A,Plan\n2.pdf,N-2,A,Plam\nsub/3.pdf,N-3,A,Plam\n';
const ROWS = REGISTER.trim()
  .split('\n')
  .map(line => line.split(','));

function whyNot({ Type: type = 'Plan' }: Readonly<Record<string, unknown>>): string | undefined {
  return type === 'Plan' || type === 'Elevation' ? undefined : `"${type}" is none.`;
}

let bed: TestBed;
let share: Share;
let batches: FakeHeldRun;

beforeEach(async () => {
  bed = await createSheetBed();
  batches = new FakeHeldRun(whyNot);
  share = await bed.open();
});

afterEach(async () => {
  await bed.remove();
});

/** Of the folder A 1.pdf is a revision, and the others are held. */
async function hold(register: string | undefined, bytes: Buffer | string = REGISTER) {
  if (register !== undefined) await bed.drop(`A/${register}`, bytes);
  for (const name of ['1.pdf', '2.pdf', 'sub/3.pdf']) await bed.drop(`A/${name}`);
  const { job, batchId, manifest } = await beginJob(share);
  /** As the run has it from now on. */
  const again = async (
    paths: readonly string[],
    question: HeldDocument['question'] = 'missing-values',
    fix = 'Mend it.',
  ) => {
    batches.held = manifest.files.flatMap(({ index, path }): HeldDocument[] => {
      const reason = { code: 'x', text: 'It wants something.', fix };
      if (!paths.includes(path)) return [];
      return [{ index, path, question, reason, missing: ['Type'], sinceMs: 0, untilMs: 1 }];
    });
    const ended = manifest.files.filter(({ path }) => !paths.includes(path));
    await share.settleUp(
      batchId,
      ended.map(({ index }) => submitted(index)),
      { final: false, held: batches.held },
    );
  };
  await again(['A/2.pdf', 'A/sub/3.pdf']);
  await share.closeJob(job);
  await look();
  return { jobId: job.jobId, again };
}

/** Nothing is read at its first sight, and what was answered is shown a round later. */
async function look(): Promise<SheetNews[]> {
  const news: SheetNews[] = [];
  for (let round = 0; round < 4; round += 1) news.push(...(await share.takeUpHeld(batches)));
  return news;
}

describe('in a CSV', () => {
  const SHEET = 'attention/A/to-correct-register.csv';
  const save = async (edit: (text: string) => string) => {
    const path = join(bed.root, SHEET);
    const [before, after] = [await readFile(path, 'utf8'), edit(await readFile(path, 'utf8'))];
    expect(after).not.toBe(before);
    await writeFile(`${path}.new`, after);
    await rename(`${path}.new`, path);
  };
  /** With a column Action that says this of 2.pdf. */
  const withAction = (word: string) => (text: string) =>
    text
      .split(/\r?\n/)
      .map(line => {
        if (line === '') return line;
        return `${line},${line.startsWith('Outcome') ? 'Action' : line.includes('2.pdf') ? word : ''}`;
      })
      .join('\n');

  test('a valid cell beside a wrong one stays in the sheet, and goes when the wrong one is mended', async () => {
    const { jobId } = await hold(CSV);
    await save(text => text.replace('N-2,A,Plam', 'N-2,B,Plom'));
    const saved = await bed.read(SHEET);
    await look();
    expect(await bed.read(SHEET)).toMatch(/^Held,"The correction was not taken.*,2\.pdf,N-2,B,Plom,/m);
    // The file of the person is not gone.
    const own = join('.drawbridge/jobs', jobId, 'held');
    const [kept = ''] = (await bed.list(own)).filter(name => name.endsWith('.csv'));
    expect(await bed.read(join(own, kept))).toBe(saved);
    await save(text => text.replace('N-2,B,Plom', 'N-2,B,Plan'));
    expect(await look()).toMatchObject([{ kind: 'answered', rows: 1 }]);
    expect(batches.answers.flat().at(-1)).toEqual({
      documents: ['A/2.pdf'],
      values: { Rev: 'B', Type: 'Plan' },
    });
  });

  test('what was taken up is shown when the row is held again, and only what is changed in that is answered', async () => {
    const { again } = await hold(CSV);
    await save(text => text.replace('N-2,A,Plam', 'N-2,B,Plan'));
    await look();
    await again(['A/2.pdf']);
    expect(await look()).toEqual([]);
    expect(await bed.read(SHEET)).toMatch(/^Held,.*,2\.pdf,N-2,B,Plan,\S+ row 3 corrected 1,/m);
    await save(text => text.replace('N-2,B,Plan', 'N-2,A,Plan'));
    expect(await look()).toMatchObject([{ kind: 'answered', rows: 1 }]);
    expect(batches.answers.flat().at(-1)).toEqual({ documents: ['A/2.pdf'], values: { Rev: 'A' } });
    await again(['A/2.pdf']);
    await look();
    await save(text => text.replace('N-2,A,Plan', 'N-2,A,Elevation'));
    await look();
    expect(batches.answers.flat().at(-1)).toEqual({ documents: ['A/2.pdf'], values: { Type: 'Elevation' } });
  });

  test('the word that lets a row go is said anew for each doubt, and an old copy does not say it twice', async () => {
    const { again } = await hold(CSV);
    await again(['A/2.pdf'], 'duplicate');
    await look();
    const before = await bed.read(SHEET);
    await save(withAction('send'));
    await look();
    await again(['A/2.pdf'], 'duplicate');
    await look();
    expect(await bed.read(SHEET)).toMatch(/,Rev,Type,Action,Receipt row,/);
    await bed.drop('mine.csv', withAction('send')(before).replace('1.pdf,N-1', '1.pdf,N-9'));
    await share.takeUpDropped([(await share.look({ path: 'mine.csv' }))!], true);
    await look();
    expect(batches.answers.flat()).toHaveLength(1);
    await save(text => text.replace(/(2\.pdf,N-2,A,Plam,),/, '$1send,'));
    await look();
    expect(batches.answers.flat().slice(1)).toEqual([{ documents: ['A/2.pdf'], decision: 'retry' }]);
  });

  test('a copy with an earlier correction in it does not write that once more', async () => {
    const { again } = await hold(CSV);
    await save(text => text.replace('N-2,A,Plam', 'N-2,B,Plan'));
    const mine = await bed.read(SHEET);
    await look();
    await again(['A/2.pdf']);
    await look();
    await bed.drop('mine.csv', mine.replace('N-2,B,Plan', 'N-2,B,Elevation'));
    await share.takeUpDropped([(await share.look({ path: 'mine.csv' }))!], true);
    await look();
    expect(batches.answers.flat().at(-1)).toEqual({ documents: ['A/2.pdf'], values: { Type: 'Elevation' } });
  });

  test('a copy from before a correction takes nothing of it back, which is said', async () => {
    const { again } = await hold(CSV);
    const old = await bed.read(SHEET);
    await save(text => text.replace('N-2,A,Plam', 'N-2,B,Plan'));
    await look();
    await again(['A/2.pdf', 'A/sub/3.pdf']);
    await look();
    const shown = await bed.read(SHEET);
    await save(() => old.replace('N-3,A,Plam', 'N-3,A,Plan'));
    expect(await look()).toMatchObject([
      { kind: 'answered', rows: 1 },
      { kind: 'told', told: [expect.stringMatching(/^Row 3: some of it is as it was before a correction/)] },
    ]);
    expect(batches.answers.flat().at(-1)).toEqual({ documents: ['A/sub/3.pdf'], values: { Type: 'Plan' } });
    await again(['A/2.pdf']);
    await look();
    await save(() => `${old}\r\n`);
    expect(await look()).toMatchObject([{ kind: 'told' }]);
    expect(await bed.read(SHEET)).toContain('2.pdf,N-2,B,Plan');
    expect(shown).toContain('2.pdf,N-2,B,Plan');
  });

  test('what the service did not take in the end counts as not taken up', async () => {
    const { again } = await hold(CSV);
    await save(text => text.replace('N-2,A,Plam', 'N-2,B,Plan'));
    await look();
    await again(['A/2.pdf'], 'missing-values', ASK_AGAIN);
    await look();
    await save(text => text.replace('N-2,B,Plan', 'N-2,B,Elevation'));
    await look();
    expect(batches.answers.flat().at(-1)).toEqual({
      documents: ['A/2.pdf'],
      values: { Rev: 'B', Type: 'Elevation' },
    });
  });

  describe('after the service refused what the run had taken up', () => {
    const refuse = async () => {
      const { again } = await hold(CSV);
      await save(text => text.replace('N-2,A,Plam', 'N-2,B,Plan'));
      await look();
      await again(['A/2.pdf'], 'missing-values', ASK_AGAIN);
      await look();
      return again;
    };

    test.each([
      ['beside another change', 'A,Elevation', { Rev: 'A', Type: 'Elevation' }],
      ['alone', 'A,Plan', { Rev: 'A', Type: 'Plan' }],
    ])('a cell that is set back %s is answered', async (_, now, values) => {
      await refuse();
      await save(text => text.replace('N-2,B,Plan', `N-2,${now}`));
      await look();
      expect(batches.answers.flat().slice(1)).toEqual([{ documents: ['A/2.pdf'], values }]);
    });

    test('a cell that is left as it is goes again, however often its row is refused', async () => {
      const again = await refuse();
      await save(text => text.replace('N-2,B,Plan', 'N-2,B,Plom'));
      await look();
      await save(text => text.replace('N-2,B,Plom', 'N-2,B,Elevation'));
      await look();
      await again(['A/2.pdf'], 'missing-values', ASK_AGAIN);
      await look();
      await save(text => text.replace('N-2,B,Elevation', 'N-2,B,Plan'));
      await look();
      expect(
        batches.answers
          .flat()
          .slice(1)
          .map(({ values }) => values),
      ).toEqual([
        { Rev: 'B', Type: 'Plom' },
        { Rev: 'B', Type: 'Elevation' },
        { Rev: 'B', Type: 'Plan' },
      ]);
    });

    test('a copy from before that takes nothing of it back', async () => {
      const { again } = await hold(CSV);
      const old = await bed.read(SHEET);
      await save(text => text.replace('N-2,A,Plam', 'N-2,B,Plan'));
      await look();
      await again(['A/2.pdf'], 'missing-values', ASK_AGAIN);
      await look();
      await save(() => `${old}\r\n`);
      expect(await look()).toMatchObject([{ kind: 'told' }]);
      expect(batches.answers.flat()).toHaveLength(1);
    });
  });

  test('a cell that is emptied of what was taken up for it is told, for the run would keep that', async () => {
    const { again } = await hold(CSV, REGISTER.replace('2.pdf,N-2,A', '2.pdf,N-2,'));
    await save(text => text.replace('N-2,,Plam', 'N-2,B,Plan'));
    await look();
    await again(['A/2.pdf'], 'missing-values', ASK_AGAIN);
    await look();
    await save(text => text.replace('N-2,B,Plan', 'N-2,,Elevation'));
    expect(await look()).toMatchObject([
      { kind: 'told', told: [expect.stringMatching(/^Row 3: "B" was taken up.*write "-"/)] },
    ]);
    expect(batches.answers.flat()).toHaveLength(1);
  });

  test('a register of as many columns as there may be is answered in one more', async () => {
    const more = Array.from({ length: 96 }, (_, at) => `,C${at}`).join('');
    const wide = REGISTER.replace('Type\n', `Type${more}\n`);
    const { again } = await hold(CSV, wide);
    await again(['A/2.pdf'], 'duplicate');
    await look();
    await save(text => {
      const [headers = [], ...rows] = text.split(/\r?\n/).map(line => line.split(','));
      const held = rows.find(row => row.includes('2.pdf'));
      headers.push('Action');
      while ((held?.length ?? 9e9) < headers.length - 1) held?.push('');
      held?.push('send');
      return [headers, ...rows].map(row => row.join(',')).join('\n');
    });
    await look();
    expect(batches.answers.flat()).toEqual([{ documents: ['A/2.pdf'], decision: 'retry' }]);
  });
});

describe.each([
  ['a workbook', 'register.xlsx', 'attention/A/to-correct-register.xlsx'],
  ['a sheet without a register', undefined, 'attention/A/to-correct.xlsx'],
])('in %s', (_, register, sheet) => {
  const readRows = async () => {
    const { grids } = await readSheet(await readFile(join(bed.root, sheet)), sheet);
    return grids[0]!.rows.map(row => row.map(({ text }) => text));
  };

  test('corrected cells and columns that were added are there, and read as what they are', async () => {
    const [headers = [], ...rows] = ROWS;
    await hold(register, await writeCorrectedWorkbook({ title: 'x', headers, rows }));
    const write = async (type: string, revision: string) => {
      const [headers = [], ...rows] = await readRows();
      const at = headers.indexOf('Type');
      const added = headers.includes('Status') ? headers.indexOf('Status') : headers.length;
      const save = (row: string[]) => row.with(at, type).concat(Array(9).fill('')).with(added, revision);
      const all = rows.map(row => (row.includes('2.pdf') ? save(row) : row));
      const names = headers.includes('Status') ? headers : [...headers, 'Status'];
      const bytes = await writeCorrectedWorkbook({ title: 'saved', headers: names, rows: all });
      await writeFile(join(bed.root, sheet), bytes);
    };
    await write('Plom', '-S2');
    await look();
    const anew = await readRows();
    const held = anew.find(row => row.includes('2.pdf'));
    expect([held?.[anew[0]!.indexOf('Type')], held?.[anew[0]!.indexOf('Status')]]).toEqual(['Plom', '-S2']);
    expect(anew.find(row => row.includes('1.pdf'))).not.toContain('-S2');
    await write('Plan', '-S2');
    await look();
    expect(batches.answers.flat().map(({ values }) => values)).toEqual([
      { Type: 'Plom', Status: '-S2' },
      { Type: 'Plan', Status: '-S2' },
    ]);
  });
});
