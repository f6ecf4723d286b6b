// A folder with its register becomes revisions with the register's values; what is wrong in a row waits.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readSheet } from '../../activities/registers/sheet/read-sheet';
import { writeWorkbook } from '../../activities/registers/write/write-workbook';
import { ingestWorkflowId } from '../../workflows/contract';
import { answerUpdate } from '../../workflows/ingest/answer-contract';
import { type BatchProgress, progressQuery } from '../../workflows/ingest/ingest-contract';
import { Rig } from '../setup/rig';
import { expectNoRemark } from './agreement';

jest.setTimeout(180_000);

let rig: Rig;
afterEach(async () => {
  await rig.close();
});

const FIXTURE = join(__dirname, '../activities/registers/sheet/fixtures/libreoffice.xlsx');
/** What the fixture calls the fields of the project. */
const SYNONYMS = {
  'Doc No': 'Number',
  Rev: 'Revision',
  Title: 'Description',
  Weight: 'Sheet Count',
  Date: 'Received On',
};

/** Until the one batch on its way holds a document, and nothing else of it is under way. */
async function untilHeld(): Promise<{ batchId: string; progress: BatchProgress }> {
  const { project } = rig.config.shares[0]!;
  for (;;) {
    for await (const { workflowId } of rig.temporal.client.workflow.list()) {
      const batchId = workflowId.split('/').at(-1)!;
      if (workflowId !== ingestWorkflowId(project, batchId)) continue;
      const progress = await rig.temporal.client.workflow.getHandle(workflowId).query(progressQuery);
      if (progress.held.length > 0 && progress.stages.submitted === 1) return { batchId, progress };
    }
    await delay(100);
  }
}

test('a register gives its files their values and is no document, and a wrong row is held with its sentence', async () => {
  rig = await Rig.start({ share: { register: { synonyms: SYNONYMS } } });
  rig.dropFiles({
    'Transmittal 142/Register.xlsx': readFileSync(FIXTURE),
    'Transmittal 142/plans/0042.pdf': 'plan 0042',
    'Transmittal 142/plans/1-2.pdf': 'plan 1-2',
  });
  await rig.startWatcher();
  await rig.startWorker();

  const { batchId, progress } = await untilHeld();
  expect(progress.documents).toBe(2);
  expect(progress.held).toMatchObject([
    {
      path: 'Transmittal 142/plans/1-2.pdf',
      question: 'missing-values',
      missing: ['Sheet Count'],
      reason: {
        code: 'register-row',
        text: 'In "Register.xlsx": Row 5, column D: The cell shows #DIV/0!. Correct the formula, or write the value.',
      },
    },
  ]);
  // Of the wrong row not a byte was sent.
  expect(await rig.control.revisions()).toMatchObject([{ fileName: '0042.pdf' }]);

  const { project } = rig.config.shares[0]!;
  const handle = rig.temporal.client.workflow.getHandle(ingestWorkflowId(project, batchId));
  await handle.executeUpdate(answerUpdate, {
    args: [{ document: 'Transmittal 142/plans/1-2.pdf', values: { 'Sheet Count': '12.5' } }],
  });
  const [receipt] = await rig.untilSettled(2);
  const stored = (receipt?.files ?? []).map(file =>
    Object.fromEntries(file.stored.map(({ label, value, from }) => [label, `${value} (${from})`])),
  );
  expect(stored).toMatchObject([
    {
      Number: '0042 (row A)',
      Revision: 'P01 (row B)',
      'Sheet Count': '1234.5 (row D)',
      Description: 'Grundriß & Ansicht, Ebene 1 (row G)',
      // The share has the same default; the analysis of the service was there first, and says so.
      Type: 'Document (service)',
    },
    { Number: '1-2 (row A)', Revision: 'P02 (row B)', 'Sheet Count': '12.5 (person)' },
  ]);
  expect(receipt?.files.map(({ row }) => row)).toEqual([4, 5]);
  expect(await rig.control.revisions()).toHaveLength(2);
  expect(rig.filesIn('drop')).toEqual([]);
  expect(rig.filesIn('attention')).toEqual([]);
  expect(rig.filesIn('done')).toEqual([
    'Transmittal 142/Register.xlsx',
    'Transmittal 142/plans/0042.pdf',
    'Transmittal 142/plans/1-2.pdf',
  ]);
  await expectNoRemark(rig.control);
});

test('every batch of a folder goes by its register, also after the watcher was started anew between two of them', async () => {
  rig = await Rig.start({ share: { batch: { maxOpen: 1 }, register: { wait: 0 } } });
  const numbers = Array.from({ length: 150 }, (_, at) => at + 1);
  const rows = numbers.map(number => `plan ${number},N-${number},P01`);
  rig.dropFiles({
    'Tender/Register.csv': ['File,Number,Revision', ...rows, 'not there,N-151,P01'].join('\n'),
    ...Object.fromEntries(numbers.map(number => [`Tender/plan ${number}.pdf`, `plan ${number}`])),
  });
  await rig.startWatcher();
  while (rig.filesIn('drop').length > 51) await delay(50);
  await rig.stopWatcher();
  await rig.startWatcher();
  await rig.startWorker();
  const receipts = await rig.untilSettled(150);
  expect(receipts.map(({ files }) => files.length).toSorted((one, other) => one - other)).toEqual([50, 100]);
  const found = receipts.flatMap(({ files }) =>
    files.map(({ row, stored }) => [row, stored.find(({ label }) => label === 'Number')?.value].join(' ')),
  );
  expect(found.toSorted()).toEqual(numbers.map(number => `${number + 1} N-${number}`).toSorted());
  expect(rig.filesIn('drop')).toEqual([]);
  expect(rig.filesIn('attention')).toEqual([]);
  // The register comes last, moved by whoever sees that all of the job has ended.
  while (!rig.filesIn('done').includes('Tender/Register.csv')) await delay(50);
  expect(
    readFileSync(join(rig.folder, 'share/done/Tender/receipt.csv'), 'utf8').match(/listed, not/g),
  ).toHaveLength(1);
  await expectNoRemark(rig.control);
});

/** As a spreadsheet program saves it: the texts of the first sheet, with what a person has changed. */
async function saveCorrected(path: string, edit: (text: string) => string): Promise<void> {
  const { grids } = await readSheet(readFileSync(path), path);
  const rows = grids[0]!.rows.map(cells =>
    cells.map(({ text }) => ({ text: edit(text), look: 'text' as const })),
  );
  const sheets = [{ name: 'Sheet1', widths: [20], rows }];
  writeFileSync(`${path}.tmp`, await writeWorkbook({ title: 'saved', madeAt: new Date(), sheets }));
  renameSync(`${path}.tmp`, path);
}

test('rows that were set apart go on once they are corrected in the receipt, and no others', async () => {
  rig = await Rig.start({ share: { missing: 'set-apart', register: { synonyms: SYNONYMS } } });
  const numbers = Array.from({ length: 12 }, (_, at) => at + 1);
  const register = await writeWorkbook({
    title: 'register',
    madeAt: new Date(),
    sheets: [
      {
        name: 'Register',
        widths: [20],
        rows: [
          ['File', 'Doc No', 'Weight', 'Remark'],
          ...numbers.map(at => [
            `plans/${at}.pdf`,
            `00${at}`,
            at === 4 || at === 9 ? 'heavy' : `${at}`,
            'theirs',
          ]),
        ].map(row => row.map(text => ({ text, look: 'text' as const }))),
      },
    ],
  });
  rig.dropFiles({
    'Package A/register.xlsx': register,
    ...Object.fromEntries(numbers.map(at => [`Package A/plans/${at}.pdf`, `plan ${at}`])),
  });
  await rig.startWatcher();
  await rig.startWorker();
  await rig.untilSettled(12);
  const attention = join(rig.folder, 'share/attention/Package A');
  const sheet = join(attention, 'receipt-register.xlsx');
  while (!existsSync(sheet)) await delay(50);
  expect(rig.filesIn('attention')).toEqual(['Package A/plans/4.pdf', 'Package A/plans/9.pdf']);
  expect(await rig.control.revisions()).toHaveLength(10);

  // A done row is edited as well: nothing becomes of that, and it is told.
  await saveCorrected(sheet, text => (text === 'heavy' ? '12.5' : text === '002' ? '999' : text));
  const receipts = await rig.untilSettled(14);
  while (rig.filesIn('drop').length > 0) await delay(50);
  const corrected = receipts.find(({ files }) => files.length === 2)!;
  expect(corrected.files.map(({ path, outcome, stored }) => [path, outcome, valuesOf(stored)])).toEqual([
    ['Package A/plans/4.pdf', 'submitted', expect.objectContaining({ Number: '004', 'Sheet Count': '12.5' })],
    ['Package A/plans/9.pdf', 'submitted', expect.objectContaining({ Number: '009', 'Sheet Count': '12.5' })],
  ]);
  const names = (await rig.control.revisions()).map(({ fileName }) => fileName);
  expect(names.toSorted()).toEqual(numbers.map(at => `${at}.pdf`).toSorted());
  expect(rig.filesIn('attention')).toEqual(['Package A/corrections.txt']);
  expect(readFileSync(join(attention, 'corrections.txt'), 'utf8')).toContain(
    'Row 3: what is done is not touched.',
  );
  await expectNoRemark(rig.control);
});

test('held rows go on once they are corrected in the sheet of their folder, and what is wrong yet is told', async () => {
  rig = await Rig.start({ share: { register: { synonyms: SYNONYMS } } });
  const all = [1, 2, 3, 4, 5, 6];
  const rows = all.map(at => `${at}.pdf,00${at},${at > 2 ? 'heavy' : at},theirs`);
  rig.dropFiles({
    'Package B/register.csv': ['File,Doc No,Weight,Remark', ...rows].join('\n'),
    ...Object.fromEntries(all.map(at => [`Package B/${at}.pdf`, `plan ${at}`])),
  });
  await rig.startWatcher();
  await rig.startWorker();
  const sheet = join(rig.folder, 'share/attention/Package B/to-correct-register.csv');
  const read = () => (existsSync(sheet) ? readFileSync(sheet, 'utf8') : '');
  while (read().split('Held,').length < 5) await delay(50);
  const save = (text: string) => {
    writeFileSync(`${sheet}.tmp`, text);
    renameSync(`${sheet}.tmp`, sheet);
  };
  // What is not required may stay empty, whether the cell says so or nothing.
  save(
    read()
      .replace('003,heavy', '003,3')
      .replace('004,heavy', '004,-')
      .replace('005,heavy', '005,')
      .replace('006,heavy', '006,2.500'),
  );
  while (!read().includes('The correction was not taken')) await delay(50);
  expect(await rig.control.revisions()).toHaveLength(5);
  expect(readFileSync(join(sheet, '../corrections.txt'), 'utf8')).toContain(
    'Row 7: "2.500" for "Sheet Count" could be 2500 or 2.500. Write 2500 or 2.5000.',
  );
  save(read().replace('006,2.500', '006,2500'));
  const [receipt] = await rig.untilSettled(6);
  expect(receipt?.files.map(({ outcome, stored }) => [outcome, valuesOf(stored)['Sheet Count']])).toEqual(
    ['1', '2', '3', undefined, undefined, '2500'].map(count => ['submitted', count]),
  );
  expect(rig.filesIn('attention')).toEqual([]);
  expect(await rig.control.revisions()).toHaveLength(6);
  await expectNoRemark(rig.control);
});

function valuesOf(stored: readonly { readonly label: string; readonly value: string }[]) {
  return Object.fromEntries(stored.map(({ label, value }) => [label, value]));
}
