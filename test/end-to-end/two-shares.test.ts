// Two shares of one project are one line: revisions of one document go in their order, whichever share they
// came by, and whatever becomes of the coordinator or of the batch in front.
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { resumeSignal } from '../../workflows/contract';
import { answerUpdate } from '../../workflows/ingest/answer-contract';
import { type BatchProgress, progressQuery } from '../../workflows/ingest/ingest-contract';
import { orderWorkflowId } from '../../workflows/revision-order/order-contract';
import { DEFAULT_PROJECTS } from '../sandbox/defaults';
import { Rig } from '../setup/rig';
import { expectNoRemark } from './agreement';

jest.setTimeout(120_000);

const OTHER = 'structural';
const SHARE = {
  fileNamePattern: '^(?<Name>[A-Z]-\\d+)_(?<Revision>[^._]+)',
  defaults: { Type: 'Document', Status: 'Work in progress' },
  passStopped: 2_000,
};

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start({ share: SHARE, moreShares: [OTHER] });
  await rig.startWatcher(0);
  await rig.startWatcher(1);
  await rig.startWorker();
});
afterEach(async () => {
  await rig.close();
});

/** Drops one file and waits until it is claimed. */
async function drop(name: string, share = 'share'): Promise<void> {
  rig.dropFiles({ [name]: `content of ${name}` }, share);
  while (rig.filesIn('drop', share).length > 0) await delay(20);
}

/** Without the permission a batch stands still before it has made anything. */
async function mayUpload(upload: boolean): Promise<void> {
  await rig.control.edit(DEFAULT_PROJECTS.plain, { kind: 'permissions', upload });
}

async function batches(): Promise<{ handle: WorkflowHandle; progress: BatchProgress }[]> {
  const found: { handle: WorkflowHandle; progress: BatchProgress }[] = [];
  const query = `WorkflowType = 'ingestBatchWorkflow' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of rig.temporal.client.workflow.list({ query })) {
    const handle = rig.temporal.client.workflow.getHandle(workflowId);
    const progress = await handle.query(progressQuery).catch(() => undefined);
    if (progress !== undefined) found.push({ handle, progress });
  }
  return found;
}

async function until(is: (progress: BatchProgress) => boolean): Promise<WorkflowHandle> {
  for (;;) {
    const found = (await batches()).find(({ progress }) => is(progress));
    if (found !== undefined) return found.handle;
    await delay(50);
  }
}

/** A batch of this share that stands still before it has made anything. */
async function blockedOn(share: string): Promise<WorkflowHandle> {
  return await until(progress => progress.share === share && progress.blocked !== undefined);
}

async function namesInOrder(): Promise<string[]> {
  const rows = rig.receipts().flatMap(({ files }) => files);
  const revisions = await rig.control.revisions();
  return revisions.map(({ id }) => rows.find(({ revisionId }) => revisionId === id)?.path ?? '?');
}

function coordinator(): WorkflowHandle {
  return rig.temporal.client.workflow.getHandle(orderWorkflowId(rig.config.shares[0]!.project));
}

test.each([
  ['tender', 'share', OTHER],
  [OTHER, OTHER, 'share'],
])(
  'the later revision waits for the earlier one that came by %s, and is woken by its end',
  async (name, first, second) => {
    await mayUpload(false);
    await drop('A-1_A.pdf', first);
    const earlier = await blockedOn(name);
    await mayUpload(true);
    await drop('A-1_B.pdf', second);
    const later = await until(({ inLine = [] }) => inLine.length === 1);
    const { inLine } = await later.query(progressQuery);
    expect(inLine?.[0]?.reason.text).toBe(
      `Waits for an earlier revision in batch ${earlier.workflowId.split('/').at(-1)} of share ${name}, which comes before it.`,
    );
    const sinceMs = performance.now();
    await earlier.signal(resumeSignal, {});
    await rig.untilSettled(2);
    expect(await namesInOrder()).toEqual(['A-1_A.pdf', 'A-1_B.pdf']);
    // Not by looking again now and then.
    expect(performance.now() - sinceMs).toBeLessThan(60_000);
    await expectNoRemark(rig.control);
  },
);

test('a coordinator that somebody ends begins anew, and learns what is on its way', async () => {
  await mayUpload(false);
  await drop('A-1_A.pdf', OTHER);
  const earlier = await blockedOn(OTHER);
  await coordinator().terminate('by hand');
  await mayUpload(true);
  await drop('A-1_B.pdf');
  await until(({ inLine = [] }) => inLine.length === 1);
  await coordinator().terminate('by hand again');
  // Whoever opens a batch next has the one that waits woken and heard.
  await drop('A-7_A.pdf');
  await rig.untilSettled(1);
  await earlier.signal(resumeSignal, {});
  await rig.untilSettled(3);
  expect((await namesInOrder()).filter(name => name.startsWith('A-1'))).toEqual(['A-1_A.pdf', 'A-1_B.pdf']);
  await expectNoRemark(rig.control);
});

test('a batch that nobody runs is passed, which is said; resumed, its document waits for a person', async () => {
  await mayUpload(false);
  await drop('A-1_A.pdf', OTHER);
  const earlier = await blockedOn(OTHER);
  await mayUpload(true);
  await earlier.terminate('by hand');
  const id = earlier.workflowId.split('/').at(-1);
  await drop('A-1_B.pdf');
  const [receipt] = await rig.untilSettled(1);
  expect(receipt?.files[0]?.notes).toEqual([
    `An earlier revision of this document is in batch ${id} of share ${OTHER}, which was stopped and not resumed, so it was not waited for any longer. If that batch is resumed, its document waits for a person.`,
  ]);

  await rig.temporal.client.workflow.start('ingestBatchWorkflow', {
    workflowId: earlier.workflowId,
    taskQueue: 'drawbridge',
    args: [{ share: OTHER, batchId: id }],
    memo: { share: OTHER },
  });
  const resumed = await until(({ held }) => held.length === 1);
  const { held } = await resumed.query(progressQuery);
  expect(held).toMatchObject([{ question: 'overtaken', path: 'A-1_A.pdf' }]);
  expect(held[0]?.reason.text).toBe(
    `While nobody ran this batch, revision B of the document went first, from batch ${receipt?.batchId} of share tender.`,
  );
  expect(await rig.control.revisions()).toHaveLength(1);
  await resumed.executeUpdate(answerUpdate, { args: [{ document: 0, decision: 'retry' }] });
  await rig.untilSettled(2);
  expect(await namesInOrder()).toEqual(['A-1_B.pdf', 'A-1_A.pdf']);
  await expectNoRemark(rig.control);
});
