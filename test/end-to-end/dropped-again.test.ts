// A folder that is dropped twice becomes revisions once, and two jobs that bring the same files at one time
// make one revision of each.
import { setTimeout as delay } from 'node:timers/promises';
import { answerManyUpdate } from '../../workflows/ingest/answer-contract';
import { type BatchProgress, progressQuery } from '../../workflows/ingest/ingest-contract';
import { Rig } from '../setup/rig';
import { expectNoRemark } from './agreement';

jest.setTimeout(180_000);

let rig: Rig;
afterEach(async () => {
  await rig.close();
});

/** The same files in any folder. */
function plans(folder: string, count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`${folder}/plan-${at}.pdf`, `%PDF plan ${at}`]),
  );
}

/** What requests have changed in the service until now. */
async function changes(): Promise<readonly string[]> {
  const effects = (await rig.control.operations()).filter(
    ({ kind, request }) => kind === 'effect' && request > 0,
  );
  return effects.map(({ route, what }) => `${route} ${what}`);
}

test('dropped again: all are skipped, each row names the revision, and no request changes anything', async () => {
  rig = await Rig.start();
  await rig.startWorker();
  await rig.startWatcher();
  rig.dropFiles(plans('TR-0142', 20));
  const [first] = await rig.untilSettled(20);
  const before = await changes();

  rig.dropFiles(plans('TR-0142 again', 20));
  const receipts = await rig.untilSettled(40);
  const again = receipts.find(({ batchId }) => batchId !== first?.batchId);
  const revisionOf = new Map(first?.files.map(({ sha256, revisionId }) => [sha256, revisionId]));
  expect(again?.files).toHaveLength(20);
  for (const { outcome, sha256, reason } of again?.files ?? []) {
    expect(outcome).toBe('skipped');
    expect(reason).toMatchObject({
      code: 'already-there',
      text: expect.stringContaining(`in "TR-0142", revision id ${revisionOf.get(sha256)})`),
    });
  }
  expect(before.length).toBeGreaterThan(20);
  expect(await changes()).toEqual(before);
  expect(await rig.control.revisions()).toHaveLength(20);
  expect(rig.filesIn('attention')).toEqual([]);
  expect(rig.filesIn('done')).toHaveLength(40);
  await expectNoRemark(rig.control);
});

test('the same form under another name or revision is sent, whatever the project calls these fields', async () => {
  rig = await Rig.start();
  const { projectId } = rig.config.shares[0]!.project;
  await rig.control.edit(projectId, { kind: 'set-field', field: 'name', label: 'Document Name' });
  await rig.control.edit(projectId, { kind: 'set-field', field: 'revision', label: 'Index' });
  await rig.startWorker();
  await rig.startWatcher();
  const rows = ['Form A,P01', 'Form B,P01', 'Form B,P02', 'Form B,P02'];
  const outcomes: unknown[] = [];
  for (const [at, row] of rows.entries()) {
    rig.dropFiles({
      [`TR-${at}/register.csv`]: `File,Document Name,Index\nform.pdf,${row}\n`,
      [`TR-${at}/form.pdf`]: '%PDF an empty form',
    });
    const receipts = await rig.untilSettled(at + 1);
    const file = receipts.flatMap(({ files }) => files).find(({ path }) => path === `TR-${at}/form.pdf`);
    outcomes.push(file?.outcome);
  }
  expect(outcomes).toEqual(['submitted', 'submitted', 'submitted', 'skipped']);
  expect(await rig.control.revisions()).toMatchObject([
    { name: 'Form A', revision: 'P01' },
    { name: 'Form B', revision: 'P01' },
    { name: 'Form B', revision: 'P02' },
  ]);
  // The same bytes on purpose.
  await expectNoRemark(rig.control, ['same-document-submitted-twice']);
});

test('two jobs at one time, on two shares of the project: one revision each', async () => {
  rig = await Rig.start({ moreShares: ['site'] });
  await rig.startWorker();
  rig.dropFiles(plans('from the office', 3));
  rig.dropFiles(plans('from the site', 3), 'site');
  rig.dropFiles(plans('once more', 3));
  await Promise.all([rig.startWatcher(0), rig.startWatcher(1)]);
  const receipts = await rig.untilSettled(9);
  const outcomes = receipts.flatMap(({ files }) => files.map(({ outcome }) => outcome)).sort();
  expect(outcomes).toEqual([...Array(6).fill('skipped'), ...Array(3).fill('submitted')]);
  expect(await rig.control.revisions()).toHaveLength(3);
});

/** The batch of which so many are held, once nothing else of it is on its way. */
async function untilHeld(count: number) {
  const query = `WorkflowType = 'ingestBatchWorkflow' AND ExecutionStatus = 'Running'`;
  for (;;) {
    for await (const { workflowId } of rig.temporal.client.workflow.list({ query })) {
      const handle = rig.temporal.client.workflow.getHandle(workflowId);
      const progress: BatchProgress | undefined = await handle.query(progressQuery).catch(() => undefined);
      if (progress?.held.length === count) return { handle, held: progress.held };
    }
    await delay(50);
  }
}

test('the same bytes under other names, and an earlier revision after a later one, wait for a person', async () => {
  rig = await Rig.start({
    share: {
      fileNamePattern: '^(?<Name>[A-Z]-\\d+)_(?<Revision>[^._]+)',
      defaults: { Type: 'Document', Status: 'Work in progress' },
    },
  });
  await rig.startWorker();
  await rig.startWatcher();
  const named = (letter: string) =>
    Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`TR-${letter}/${letter}-${at}_P01.pdf`, `%PDF plan ${at}`]),
    );
  rig.dropFiles(named('A'));
  await rig.untilSettled(20);
  const before = await changes();

  rig.dropFiles(named('B'));
  const { handle, held } = await untilHeld(20);
  for (const { path, question, reason } of held) {
    expect(question).toBe('duplicate');
    const twin = path.replaceAll('B', 'A').slice('TR-A/'.length);
    expect(reason.text).toContain(`The same file was sent as "${twin}" on `);
    expect(reason.text).toContain('revision P01 of "A-');
  }
  expect(await changes()).toEqual(before);
  const documents = held.map(({ index }) => index);
  await handle.executeUpdate(answerManyUpdate, { args: [{ answers: [{ documents, decision: 'retry' }] }] });
  await rig.untilSettled(40);
  expect(await rig.control.revisions()).toHaveLength(40);

  rig.dropFiles({ 'TR-C/A-0_P03.pdf': '%PDF as changed' });
  await rig.untilSettled(41);
  rig.dropFiles({ 'TR-D/A-0_P02.pdf': '%PDF found in a drawer' });
  const late = await untilHeld(1);
  expect(late.held[0]?.reason).toMatchObject({
    code: 'later-there',
    text: expect.stringContaining('A later revision is there already: revision P03 of "A-0"'),
  });
  await late.handle.executeUpdate(answerManyUpdate, {
    args: [{ answers: [{ documents: [0], decision: 'set-apart' }] }],
  });
  const receipts = await rig.untilSettled(42);
  const last = receipts.flatMap(({ files }) => files).find(({ path }) => path === 'TR-D/A-0_P02.pdf');
  expect(last?.outcome).toBe('set-apart');
  expect(await rig.control.revisions()).toHaveLength(41);
  await expectNoRemark(rig.control);
});
