// Revisions of one document become revisions in their order, whatever is slow, in one batch or in several.
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { resumeSignal } from '../../workflows/contract';
import { answerUpdate } from '../../workflows/ingest/answer-contract';
import { type BatchProgress, progressQuery } from '../../workflows/ingest/ingest-contract';
import { DEFAULT_PROJECTS } from '../sandbox/defaults';
import { Rig } from '../setup/rig';
import { expectNoRemark } from './agreement';

jest.setTimeout(120_000);

let rig: Rig;
afterEach(async () => {
  await rig.close();
});

/** Name and revision are in the file's name; what the names leave open the defaults give. */
const NAMED = {
  fileNamePattern: '^(?<Name>[A-Z]-\\d+)_(?<Revision>[^._]+)',
  defaults: { Type: 'Document', Status: 'Work in progress' },
};
/** The Number tells which documents are one only until the service has told what it matches by. */
const NUMBERED = { ...NAMED, fileNamePattern: NAMED.fileNamePattern.replace('Name', 'Number') };

async function start(options: Parameters<typeof Rig.start>[0] = {}): Promise<void> {
  rig = await Rig.start(options);
  await rig.startWatcher();
  await rig.startWorker();
}

/** Drops files and waits until they are claimed; what is dropped next comes in another batch. */
async function dropBatch(files: Readonly<Record<string, string>>): Promise<void> {
  rig.dropFiles(files);
  while (rig.filesIn('drop').length > 0) await delay(20);
}

/** Without the permission a batch stands still before it has made anything. */
async function mayUpload(upload: boolean): Promise<void> {
  await rig.control.edit(DEFAULT_PROJECTS.plain, { kind: 'permissions', upload });
}

/** Paths of what was submitted, in the order in which it became revisions. */
async function pathsInOrder(names: RegExp): Promise<string[]> {
  const receipts = rig.receipts().flatMap(({ files }) => files);
  const revisions = await rig.control.revisions();
  return revisions
    .filter(({ fileName }) => names.test(fileName))
    .map(({ id }) => receipts.find(({ revisionId }) => revisionId === id)?.path ?? 'not in a receipt');
}

/** A run that is as far as that. */
async function untilRun(
  is: (progress: BatchProgress, handle: WorkflowHandle) => boolean,
): Promise<WorkflowHandle> {
  for (;;) {
    for await (const { workflowId } of rig.temporal.client.workflow.list({
      query: `WorkflowType = 'ingestBatchWorkflow'`,
    })) {
      const handle = rig.temporal.client.workflow.getHandle(workflowId);
      if (is(await handle.query(progressQuery), handle)) return handle;
    }
    await delay(50);
  }
}

test('a file dropped again does not overtake the first one, however slow that one is', async () => {
  await start();
  await mayUpload(false);
  await dropBatch({ 'x.pdf': 'as first issued', 'y.pdf': 'something else' });
  const first = await untilRun(({ blocked }) => blocked !== undefined);
  await mayUpload(true);
  // The first batch stands still until somebody says that it can go on; the second does not.
  await dropBatch({ 'corrected/x.pdf': 'as issued later', 'corrected/z.pdf': 'new' });
  await untilRun(({ inLine = [] }) => inLine.length === 1);
  while (rig.filesIn('done').length < 1) await delay(50);
  expect((await rig.control.revisions()).map(({ fileName }) => fileName)).toEqual(['z.pdf']);
  await first.signal(resumeSignal, {});
  await rig.untilSettled(4);
  expect(rig.receipts()).toHaveLength(2);
  expect(await pathsInOrder(/^x/i)).toEqual(['x.pdf', 'corrected/x.pdf']);
  await expectNoRemark(rig.control);
});

test.each([
  ['by the name that the pattern gives', NAMED, true],
  ['by the number, where the service does not tell what it matches by', NUMBERED, false],
])(
  'revisions that come in the wrong order are submitted in the right one, in one batch: %s',
  async (_, share, bulkRead) => {
    await start({ share, sandbox: { bulkRead } });
    await dropBatch({
      '1/A-1_P10.pdf': 'ten',
      '2/A-1_P2.pdf': 'two',
      '3/A-1_P1.pdf': 'one',
      '4/A-2_A.pdf': 'another document',
      '5/A-1_C1.pdf': 'for construction',
    });
    await rig.untilSettled(5);
    expect(await pathsInOrder(/^A-1/)).toEqual([
      '3/A-1_P1.pdf',
      '2/A-1_P2.pdf',
      '1/A-1_P10.pdf',
      '5/A-1_C1.pdf',
    ]);
    await expectNoRemark(rig.control);
  },
);

test('documents of one number that the service keeps apart do not wait for one another', async () => {
  // Sent in one piece: else those of the first piece may be submitted while the others are still sent.
  await start({ share: { ...NUMBERED, transferChunk: 40 } });
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`A-1_P${at}.pdf`, `sheet ${at}`]));
  await dropBatch(files);
  await rig.untilSettled(40);
  const rows = rig.receipts().flatMap(({ files: all }) => all);
  expect((await rig.control.requests())['revisions.create']).toBe(1);
  // The pattern reads one number from 40 names: said once.
  expect(rows.flatMap(({ notes = [] }) => notes).filter(note => /the number "a-1"/.test(note))).toHaveLength(
    1,
  );
  await expectNoRemark(rig.control);
});

test('an earlier revision that comes in a later batch still goes first, while it is time', async () => {
  await start({ share: NAMED });
  await mayUpload(false);
  await dropBatch({ 'A-1_B.pdf': 'second' });
  const second = await untilRun(({ blocked }) => blocked !== undefined);
  await dropBatch({ 'A-1_A.pdf': 'first' });
  const first = await untilRun(
    ({ blocked }, { workflowId }) => blocked !== undefined && workflowId !== second.workflowId,
  );
  await mayUpload(true);
  await second.signal(resumeSignal, {});
  await untilRun(
    ({ inLine = [] }, { workflowId }) => inLine.length === 1 && workflowId === second.workflowId,
  );
  await first.signal(resumeSignal, {});
  await rig.untilSettled(2);
  expect(await pathsInOrder(/^A-1/)).toEqual(['A-1_A.pdf', 'A-1_B.pdf']);
  await expectNoRemark(rig.control);
});

test('behind one that is held the next one waits, in sight, and goes on by itself after the answer', async () => {
  await start({
    share: {
      fileNamePattern: '^(?<Name>[A-Z]-\\d+)_(?<Type>[A-Za-z]+)_(?<Revision>[^.]+)',
      defaults: { Status: 'Shared' },
    },
  });
  // A drawing lacks its discipline; the document of the same number lacks nothing.
  await dropBatch({ 'A-1_Drawing_A.docx': 'first' });
  const held = await untilRun(({ held: documents }) => documents.length === 1);
  await dropBatch({ 'A-1_Document_B.docx': 'second', 'A-2_Document_A.docx': 'another' });
  const waiting = await untilRun(({ inLine = [] }) => inLine.length === 1);
  const { inLine } = await waiting.query(progressQuery);
  expect(inLine?.[0]?.reason.text).toMatch(/Waits for revision A of this document, "A-1_Drawing_A.docx" in/);
  while (rig.filesIn('done').length < 1) await delay(50);
  expect((await rig.control.revisions()).map(({ fileName }) => fileName)).toEqual(['A-2_Document_A.docx']);
  await held.executeUpdate(answerUpdate, {
    args: [{ document: 0, values: { Discipline: 'AR', Number: '1' } }],
  });
  await rig.untilSettled(3);
  expect(await pathsInOrder(/^A-1/)).toEqual(['A-1_Drawing_A.docx', 'A-1_Document_B.docx']);
  await expectNoRemark(rig.control);
});
