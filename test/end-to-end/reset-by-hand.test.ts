// A person resets the run of a batch in Temporal, to a point before uploads that have been submitted since:
// the run makes new uploads, and what the journal on the share knows keeps them from becoming revisions.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ingestWorkflowId } from '../../workflows/contract';
import { answerUpdate } from '../../workflows/ingest/answer-contract';
import { progressQuery } from '../../workflows/ingest/ingest-contract';
import { resetByHand } from '../setup/reset-by-hand';
import { Rig } from '../setup/rig';
import { closeWithoutRemark } from './agreement';

jest.setTimeout(120_000);

const [STILL, MOVING] = ['note.txt', 'sheet.pdf'];
let rig: Rig;

afterEach(async () => {
  await closeWithoutRemark(rig);
});

async function untilTrue(isIt: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isIt())) await delay(50);
}

async function submittedNames(): Promise<readonly string[]> {
  const made = (await rig.control.revisions()).filter(({ uploadId }) => uploadId !== null);
  return made.map(({ name }) => name).sort();
}

test('what was submitted is not submitted again under another upload, and what may have been is asked for', async () => {
  // The ledgers would let the same file go again.
  rig = await Rig.start({ share: { duplicates: { sameFile: 'send' } } });
  await rig.startWorker();
  await rig.startWatcher();
  await rig.control.addFault({
    route: 'revisions.create',
    match: { fileName: STILL },
    action: { kind: 'delay', ms: 8_000, when: 'after' },
  });
  rig.dropFiles({ [STILL]: 'a note', [MOVING]: '%PDF of a sheet' });
  await untilTrue(async () => (await submittedNames()).length === 2);
  const batches = join(rig.folder, 'share', '.drawbridge', 'batches');
  const batchId = readdirSync(batches)[0] ?? '';
  // The sheet's end is noted; of the note there is an intent, and nobody has been told what became of it.
  await untilTrue(() =>
    readdirSync(join(batches, batchId, 'journal')).some(name => name.includes('-outcome-')),
  );
  const { client } = rig.temporal;
  const handle = client.workflow.getHandle(ingestWorkflowId(rig.config.shares[0]!.project, batchId));
  await resetByHand(rig.temporal, handle, 'openBatch');
  const run = client.workflow.getHandle(handle.workflowId);

  await untilTrue(async () => (await run.query(progressQuery)).held.length > 0 || rig.receipts().length > 0);
  expect(await submittedNames()).toEqual([STILL, MOVING]);
  expect((await run.query(progressQuery)).held).toMatchObject([
    {
      path: STILL,
      question: 'duplicate',
      reason: { code: 'perhaps-submitted', text: expect.stringContaining('another upload') },
    },
  ]);
  await run.executeUpdate(answerUpdate, { args: [{ document: STILL, decision: 'set-apart' }] });
  const rows = (await rig.untilSettled(2)).flatMap(({ files }) => files);
  expect(await submittedNames()).toEqual([STILL, MOVING]);
  const made = (await rig.control.revisions()).find(({ name }) => name === MOVING);
  const files = new Map(rows.map(row => [row.path, row]));
  expect(files.get(MOVING)).toMatchObject({ outcome: 'submitted', revisionId: made?.id });
  expect(files.get(STILL)).toMatchObject({ outcome: 'set-apart', reason: { code: 'set-apart-by-person' } });
});
