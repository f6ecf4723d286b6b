// Two Temporals that see one share: every file once, whoever of them claims,
// starts, dies or is given the word.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openShare } from '../../activities/share/open-share';
import type { Share } from '../../activities/share/share';
import { BatchStarter } from '../../client/session/start-batch';
import { readShareKey } from '../../workers/share-key';
import { ingestWorkflowId } from '../../workflows/contract';
import { type BatchProgress, progressQuery } from '../../workflows/ingest/ingest-contract';
import { simpleHasher } from '../activities/share/share-test-bed';
import { runResume } from '../setup/resume-command';
import { Rig } from '../setup/rig';
import { expectAgreement, expectNoRemark, pdfs } from './agreement';

jest.setTimeout(180_000);

const FILES = 6;
let first: Rig;
let second: Rig;
let share: Share;

beforeEach(async () => {
  const settings = { batch: { quiet: 100, maxFiles: 2 }, conflict: 'wait', conflictRetry: '1s' } as const;
  first = await Rig.start({ share: settings });
  second = await Rig.beside(first);
  const key = await readShareKey(first.config);
  share = await openShare(first.config.shares[0]!, { hasher: simpleHasher, logger: first.logger, key });
});
afterEach(async () => {
  await second.close();
  await first.close();
});

/** What the watcher of another Temporal would do with a batch that it finds. */
async function startIn(rig: Rig, batchId: string): Promise<void> {
  const { manifest, manifestSha256 } = await share.readSeal(batchId);
  const starter = new BatchStarter(rig.temporal.client, { hasSearchAttributes: true });
  await starter.start({ share: share.name, batchId, manifestSha256, project: manifest.project });
}

function handleIn(rig: Rig, batchId: string) {
  return rig.temporal.client.workflow.getHandle(ingestWorkflowId(share.config.project, batchId));
}

async function untilBlocked(rig: Rig, batchId: string): Promise<NonNullable<BatchProgress['blocked']>> {
  for (;;) {
    const progress = await handleIn(rig, batchId)
      .query(progressQuery)
      .catch(() => undefined);
    if (progress?.blocked !== undefined) return progress.blocked;
    await delay(50);
  }
}

const openIds = (): string[] => readdirSync(join(first.folder, 'share', '.drawbridge', 'batches'));
const revisionsOf = async () => (await first.control.revisions()).filter(({ uploadId }) => uploadId !== null);

test('a watcher and a worker each: every file once, and the second watcher says whose share it is', async () => {
  await first.startWorker();
  await second.startWorker();
  await first.startWatcher();
  while (!existsSync(join(first.folder, 'share', '.drawbridge', 'watch.json'))) await delay(20);
  await second.startWatcher();
  const hashes = first.dropFiles(pdfs(FILES));
  await first.untilSettled(FILES);
  const ends = await expectAgreement(first, hashes);
  expect([...ends.values()]).toEqual(Array(FILES).fill('submitted'));
  const said = [first, second].map(rig => readFileSync(rig.logFile, 'utf8'));
  expect(said.filter(text => text.includes('watched-elsewhere'))).toHaveLength(1);
  expect(said.join('')).toContain(first.temporal.namespace);
  await expectNoRemark(first.control);
});

test('a batch that both of them run is carried by the first; the other waits in sight and ends with it', async () => {
  await first.control.addFault({
    route: 'uploads.create',
    times: 0,
    action: { kind: 'status', status: 503 },
  });
  await first.startWorker();
  await second.startWorker();
  await first.startWatcher();
  const hashes = first.dropFiles(pdfs(2));
  while (((await first.control.requests())['uploads.create'] ?? 0) === 0) await delay(20);
  const [batchId = ''] = openIds();
  await startIn(second, batchId);
  const { reason } = await untilBlocked(second, batchId);
  expect(reason.code).toBe('BATCH_HELD');
  expect(reason.text).toContain(first.temporal.namespace);
  expect(reason.fix).toContain('--take-over');
  await first.control.clearFaults();
  await first.untilSettled(2);
  await handleIn(second, batchId).signal('resume');
  await expect(handleIn(second, batchId).result()).resolves.toMatchObject({ submitted: 2 });
  await expectAgreement(first, hashes);
});

test('by the word of an operator the other goes on; the first one does nothing more with the batch', async () => {
  await first.control.addFault({
    route: 'uploads.create',
    times: 0,
    action: { kind: 'status', status: 503 },
  });
  await first.startWorker();
  await first.startWatcher();
  const hashes = first.dropFiles(pdfs(2));
  while (((await first.control.requests())['uploads.create'] ?? 0) === 0) await delay(20);
  await first.stopWatcher();
  const [batchId = ''] = openIds();

  await second.startWorker();
  await startIn(second, batchId);
  await untilBlocked(second, batchId);
  const config = join(first.folder, 'drawbridge.json');
  const plain = await runResume(second, config, [batchId]);
  expect(plain.output).toContain('--take-over');
  // Nobody has to do anything while that one is at work.
  expect(plain.output).toContain('1 batch is carried by another Temporal.');
  expect(plain.code).toBe(0);
  const { code, output } = await runResume(second, config, [batchId, '--take-over']);
  expect(output).toMatch(/elsewhere .* take over/);
  expect(code).toBe(0);
  await first.control.clearFaults();
  await expect(handleIn(second, batchId).result()).resolves.toMatchObject({ submitted: 2 });
  await expectAgreement(first, hashes);
  expect(await revisionsOf()).toHaveLength(2);
});

test('one that stands still is followed by the other without a word', async () => {
  await first.control.addFault({
    route: 'revisions.create',
    action: { kind: 'hang', effect: true },
  });
  await first.startWorker();
  await first.startWatcher();
  const hashes = first.dropFiles(pdfs(2));
  while ((await revisionsOf()).length < 2) await delay(20);
  await first.stopWatcher();
  await first.stopWorker();
  await second.startWorker();
  await second.startWatcher();
  await second.untilSettled(2);
  const ends = await expectAgreement(first, hashes);
  expect([...ends.values()]).toEqual(['submitted', 'submitted']);
});

test('one that waits for a review to end, and has lost the batch meanwhile, submits nothing once it has ended', async () => {
  const { projectId } = share.config.project;
  const name = 'sheet-000.pdf';
  await first.control.edit(projectId, { kind: 'start-workflow', name, workflow: 'Design review' });
  await first.startWorker();
  await first.startWatcher();
  first.dropFiles(pdfs(1));
  const asked = async () => (await first.control.requests())['revisions.create'] ?? 0;
  // Refused once by the step itself, and from then on within one activity.
  while ((await asked()) < 3) await delay(50);
  await first.stopWatcher();
  const [batchId = ''] = openIds();
  const temporal = { id: 'second', namespace: 'second', address: 'elsewhere', host: 'other', former: [] };
  const workflowId = ingestWorkflowId(share.config.project, batchId);
  await share.temporals.takeOver(batchId, { temporal, workflowId, runId: 'of-second' });
  // A request whose hold was seen before is answered by then.
  await delay(300);
  await first.control.edit(projectId, { kind: 'end-workflow', name });
  expect((await untilBlocked(first, batchId)).reason.code).toBe('BATCH_HELD');
  expect(await revisionsOf()).toEqual([]);
});
