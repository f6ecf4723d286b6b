// An outage of Step 8 against the stand-in, and a run that another one goes on for
// meanwhile: real share, real requests.
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { openShare } from '../../activities/share/open-share';
import { HashPool } from '../../activities/transfer/hashing/hash-file';
import { readShareKey } from '../../workers/share-key';
import { ingestWorkflowId, resumeSignal, SERVICE_TASK_QUEUE } from '../../workflows/contract';
import { Rig } from '../setup/rig';
import { closeWithoutRemark } from './agreement';

jest.setTimeout(180_000);

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
  await rig.startWorker();
});
afterEach(async () => {
  await closeWithoutRemark(rig);
});

/** Claims what lies in the drop folder, and starts a run that is left early. */
async function start(paths: readonly string[], continueAfterEvents: number): Promise<WorkflowHandle> {
  const hasher = new HashPool({ threads: 1 });
  try {
    const share = await openShare(rig.config.shares[0]!, {
      hasher,
      logger: rig.logger,
      key: await readShareKey(rig.config),
    });
    const { batch } = await share.claim([...paths], { key: 'test' });
    const sealed = await share.writeManifest(batch!, { signal: new AbortController().signal });
    const batchId = sealed.batchId!;
    await rig.temporal.client.workflow.start('ingestBatchWorkflow', {
      workflowId: ingestWorkflowId(share.config.project, batchId),
      taskQueue: SERVICE_TASK_QUEUE,
      args: [{ share: share.config.name, batchId, continueAfterEvents }],
    });
    return rig.temporal.client.workflow.getHandle(ingestWorkflowId(share.config.project, batchId));
  } finally {
    await hasher.close();
  }
}

async function submissions(): Promise<number> {
  return (await rig.control.requests())['revisions.create'] ?? 0;
}

test('an outage is probed with one document, also by the run that goes on for the first; then all are submitted once', async () => {
  await rig.control.addFault({
    route: 'revisions.create',
    action: { kind: 'status', status: 503 },
    times: 0,
  });
  const paths = ['P/a.pdf', 'P/b.pdf', 'P/c.pdf', 'P/d.pdf', 'P/e.pdf'];
  rig.dropFiles(Object.fromEntries(paths.map(path => [path, `content of ${path}`])));
  const handle = await start(paths, 90);
  const first = (await handle.describe()).runId;
  while ((await submissions()) < 4) await delay(100);
  // Each leaves a few events behind.
  while ((await handle.describe()).runId === first) {
    await handle.signal(resumeSignal);
    await delay(100);
  }
  const before = await submissions();
  while ((await submissions()) <= before) await delay(100);
  await rig.control.clearFaults();
  await handle.signal(resumeSignal);
  expect(await handle.result()).toMatchObject({ submitted: 5, setApart: 0 });
  expect(await rig.control.revisions()).toHaveLength(5);
  expect(await rig.control.uploads()).toHaveLength(5);
  expect(rig.filesIn('done')).toHaveLength(5);
});
