// What a test run foretells of a folder, and what then becomes of it, agree in every row; and the test run
// itself changes nothing anywhere.
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readSheet } from '../../activities/registers/sheet/read-sheet';
import { testFolder } from '../../client/check/test-folder';
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

const REGISTER = `File,Number,Revision,Type,Description
A-1,A-1,P01,Document,Ground floor
A-2,A-2,P01,Nonsense,First floor
A-10,A-10,P01,,Roof
plans/A-11,A-11,,Document,Section
never came,A-12,P01,Document,Nobody has it
A-13,A-13,P01,Document,Empty
twice,A-14,P01,Document,One
twice,A-15,P01,Document,Other
sent before,,,,
`;

const FILES: Readonly<Record<string, string>> = {
  'Register.csv': REGISTER,
  'A-1.pdf': '%PDF one',
  'A-2.pdf': '%PDF two',
  'A-10.dwg': 'AC1032 ten',
  'plans/A-11.pdf': '%PDF eleven',
  'A-13.pdf': '',
  'twice.pdf': '%PDF twice',
  'sent before.pdf': '%PDF sent before',
  'not in the list.pdf': '%PDF unlisted',
  'bell\u0007.pdf': '%PDF unsendable',
  'Thumbs.db': 'noise',
};

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Names, sizes and times of all that lies there. */
function stateOf(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries.map(path => {
    const { size, mtimeNs } = statSync(join(folder, path), { bigint: true });
    return `${path} ${size} ${mtimeNs}`;
  });
}

async function effects(): Promise<number> {
  return (await rig.control.operations()).filter(({ kind }) => kind === 'effect').length;
}

const ENDED = ['submitted', 'set-apart', 'skipped', 'held'] as const;

/**
 * Paths that are held once nothing else is on its way; they are then set apart, so that all has its receipt.
 */
async function takeHeld(documents: number): Promise<readonly string[]> {
  const { client } = rig.temporal;
  const { project } = rig.config.shares[0]!;
  for (;;) {
    for await (const { workflowId, status } of client.workflow.list()) {
      const batchId = workflowId.split('/').at(-1)!;
      if (workflowId !== ingestWorkflowId(project, batchId) || status.name !== 'RUNNING') continue;
      const handle = client.workflow.getHandle(workflowId);
      const progress: BatchProgress = await handle.query(progressQuery);
      const ended = ENDED.reduce((sum, stage) => sum + (progress.stages[stage] ?? 0), 0);
      if (progress.documents !== documents || ended < documents) continue;
      for (const { index } of progress.held) {
        await handle.executeUpdate(answerUpdate, { args: [{ document: index, decision: 'set-apart' }] });
      }
      return progress.held.map(({ path }) => path);
    }
    await delay(100);
  }
}

test('a mixed folder: what is foretold and what happens agree in every row, and the test changes nothing', async () => {
  rig = await Rig.start({ share: { register: { wait: 0 } } });
  await rig.startWorker();
  await rig.startWatcher();
  rig.dropFiles({ 'TR-0141/sent before.pdf': '%PDF sent before' });
  await rig.untilSettled(1);
  const folder = join(rig.folder, 'desk', 'TR-0142');
  put(folder, FILES);

  const before = {
    effects: await effects(),
    desk: stateOf(folder),
    share: stateOf(join(rig.folder, 'share/done')),
  };
  const { report, sheet } = await testFolder(rig.config, rig.config.shares[0]!, folder);
  expect({
    effects: await effects(),
    desk: stateOf(folder),
    share: stateOf(join(rig.folder, 'share/done')),
  }).toEqual(before);
  expect(await rig.control.revisions()).toHaveLength(1);
  expect(rig.filesIn('drop')).toEqual([]);

  const foretold = Object.fromEntries(report.files.map(file => [file.path, file.foretold]));
  const reasons = new Map(report.files.map(({ path, reason }) => [path, reason?.text]));
  expect(report.notThere.map(({ row }) => row)).toEqual([6]);
  expect(report.ignored).toEqual(['Thumbs.db']);
  const { grids } = await readSheet(sheet.bytes, 'result.csv');
  const rows = (grids[0]?.rows ?? []).map(cells => cells.map(({ text }) => text));
  expect(rows[0]?.slice(0, 5)).toEqual(['Outcome', 'Reason', 'What to do', 'Revision id', 'File']);
  expect(rows.slice(1).every(([outcome]) => outcome?.startsWith('TEST: ') || outcome === '')).toBe(true);

  // The same in the folder of the share that is for tests: the result appears beside it, and the files stay.
  const onShare = join(rig.folder, 'share/test');
  cpSync(folder, join(onShare, 'TR-0142'), { recursive: true });
  const tested = stateOf(join(onShare, 'TR-0142'));
  while (!readdirSync(onShare).includes('TR-0142-TEST.csv')) await delay(50);
  expect(await effects()).toBe(before.effects);
  expect(stateOf(join(onShare, 'TR-0142'))).toEqual(tested);
  const written = await readSheet(readFileSync(join(onShare, 'TR-0142-TEST.csv')), 'result.csv');
  expect(written.grids[0]?.rows.map(cells => cells.map(({ text }) => text))).toEqual(rows);

  cpSync(folder, join(rig.drop, 'TR-0142'), { recursive: true });
  const held = await takeHeld(report.files.length);
  const receipts = await rig.untilSettled(1 + report.files.length);
  const now = receipts.flatMap(({ files }) => files).filter(({ path }) => path.startsWith('TR-0142/'));
  const OUTCOMES = { submitted: 'through', skipped: 'already-there', 'set-apart': 'set-apart' } as const;
  const happened = Object.fromEntries(
    now.map(({ path, outcome }) => [path, held.includes(path) ? 'held' : OUTCOMES[outcome as 'submitted']]),
  );
  const decided = Object.entries(foretold).filter(([, each]) => each !== 'open');
  expect(happened).toMatchObject(Object.fromEntries(decided));
  expect(Object.keys(happened).sort()).toEqual(Object.keys(foretold).sort());
  for (const { path, reason } of now) {
    if (reason !== undefined) expect(reason.text).toContain(reasons.get(path));
  }
  // One of each kind at least: else nothing is compared.
  expect(new Set(Object.values(foretold))).toEqual(
    new Set(['through', 'already-there', 'held', 'set-apart']),
  );
  expect(readFileSync(join(rig.folder, 'share/done/TR-0142/receipt.csv'), 'utf8')).toContain('never came');
  await expectNoRemark(rig.control);
});
