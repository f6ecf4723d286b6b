// An event of the service about an upload, from the stand-in through the receiver to the batch:
// it goes on at once, for one request more at the most. Without webhooks nothing is asked for
// that was not asked for before.
import { setTimeout as delay } from 'node:timers/promises';
import { batchesAt, UploadBell } from '../../client/webhooks/upload-bell';
import { startWebhookReceiver, type WebhookReceiver } from '../../client/webhooks/webhook-receiver';
import { TemporalEventStarter } from '../../client/webhooks/webhook-starter';
import { SERVICE_TASK_QUEUE } from '../../workflows/contract';
import type { EnsureWebhooksResult } from '../../workflows/webhooks/webhooks-contract';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../sandbox/defaults';
import { Rig } from '../setup/rig';
import { closeWithoutRemark, expectAgreement, pdfs } from './agreement';

const FILES = 3;
const TRIGGER = { resource: 'Document Upload', events: ['create', 'update'] };
const project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };

let rig: Rig;
afterEach(() => closeWithoutRemark(rig));

/** Looked at after half a second and then every so often; the analysis ends after 2.5 s. */
async function start(everyMs: number): Promise<void> {
  rig = await Rig.start({
    sandbox: { timeScale: 10, analysisMs: [25_000, 25_000] },
    share: {
      batch: { quiet: 100 },
      analysis: { firstLook: 500, every: everyMs, typical: 300, for: 60_000 },
    },
    webhooks: {
      scopes: [project],
      destinationUrl: 'https://hooks.example.com/webhooks',
      triggers: [{ name: 'hint', ...TRIGGER, look: 'batch' }],
    },
  });
  await rig.startWorker();
}

interface Receiving {
  readonly receiver: WebhookReceiver;
  readonly hookId: string;
  close(): Promise<void>;
}

/** The receiver as the product runs it, and the hook as the product makes it. */
async function receive(): Promise<Receiving> {
  const { client } = rig.temporal;
  const bell = new UploadBell(batchesAt(client), rig.logger);
  const starter = new TemporalEventStarter(client);
  const config = rig.config.webhooks!;
  const receiver = await startWebhookReceiver({ config, starter, bell, logger: rig.logger, port: 0 });
  await rig.control.configure({ eventsTo: receiver.address });
  const { hookId } = (await client.workflow.execute('ensureWebhooksWorkflow', {
    workflowId: 'webhooks',
    taskQueue: SERVICE_TASK_QUEUE,
    args: [{ ...project, destinationUrl: config.destinationUrl, triggers: [TRIGGER] }],
  })) as EnsureWebhooksResult;
  const close = async (): Promise<void> => {
    await receiver.close();
    await bell.close();
  };
  return { receiver, hookId: hookId!, close };
}

/** Until the service has finished with all of them. Answers their ids. */
async function untilAnalysed(): Promise<readonly string[]> {
  for (;;) {
    const uploads = await rig.control.uploads();
    if (uploads.length === FILES && uploads.every(({ analysis }) => analysis === 'completed')) {
      return uploads.map(({ id }) => id);
    }
    await delay(20);
  }
}

async function untilSubmitted(): Promise<void> {
  const isOurs = ({ uploadId }: { readonly uploadId: string | null }) => uploadId !== null;
  while ((await rig.control.revisions()).filter(isOurs).length < FILES) await delay(20);
}

async function countReads(): Promise<number> {
  const requests = await rig.control.requests();
  return Object.entries(requests)
    .filter(([route]) => ['uploads.selected', 'uploads.show', 'uploads.list'].includes(route))
    .reduce((sum, [, count]) => sum + count, 0);
}

test('an event that comes as the analysis ends has the batch go on at once', async () => {
  await start(60_000);
  const { receiver, hookId, close } = await receive();
  await rig.startWatcher();
  const hashes = rig.dropFiles(pdfs(FILES));
  const uploadIds = await untilAnalysed();
  const atMs = performance.now();
  const before = await countReads();
  for (const [position, uploadId] of uploadIds.entries()) {
    const event = {
      id: 5_000 + position,
      company_id: Number(project.companyId),
      project_id: Number(project.projectId),
      event_type: 'update',
      resource_name: 'Document Upload',
      resource_id: uploadId,
    };
    // The contract has no event for the end of the analysis: somebody else's is as good a hint.
    await rig.control.deliver(hookId, { event, to: receiver.address });
  }
  await untilSubmitted();
  const tookMs = performance.now() - atMs;
  const reads = (await countReads()) - before;
  await rig.untilSettled(FILES);
  await expectAgreement(rig, hashes);
  if (process.env.DRAWBRIDGE_TEST_VERBOSE !== undefined)
    console.log(`${tookMs.toFixed(0)} ms, ${reads} reads`);
  // The next poll was due a minute later.
  expect(tookMs).toBeLessThan(20_000);
  // What the polling would have asked for as well, a while later, and one more at the most.
  expect(reads).toBeLessThanOrEqual(3);
  // Created and Completed of each upload, sent by the stand-in itself, and ours.
  expect(receiver.counts().hinted).toBe(3 * FILES);
  await close();
}, 60_000);

test('without webhooks nothing is asked for besides the polling', async () => {
  await start(3_000);
  await rig.startWatcher();
  const hashes = rig.dropFiles(pdfs(FILES));
  await untilAnalysed();
  await untilSubmitted();
  const reads = await countReads();
  await rig.untilSettled(FILES);
  await expectAgreement(rig, hashes);
  // The first look, one while the analysis runs, one after it, and one after the defaults were filled in.
  expect(reads).toBeLessThanOrEqual(4);
}, 60_000);
