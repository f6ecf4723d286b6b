// `resume` on a machine that does not see the share, and where no worker runs.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { ingestWorkflowId } from '../../workflows/contract';
import { runResume, type Said } from '../setup/resume-command';
import { Rig } from '../setup/rig';
import { closeWithoutRemark, expectAgreement, pdfs } from './agreement';

jest.setTimeout(120_000);

const FILES = 3;
let rig: Rig;
let hashes: Map<string, string>;
let handle: WorkflowHandle;

/** A batch that stands at its submission, which is heard and not answered for a while. */
beforeEach(async () => {
  rig = await Rig.start();
  await rig.startWorker();
  await rig.startWatcher();
  await rig.control.addFault({
    route: 'revisions.create',
    action: { kind: 'delay', ms: 3_000, when: 'after' },
  });
  hashes = rig.dropFiles(pdfs(FILES));
  while ((await rig.control.revisions()).filter(({ uploadId }) => uploadId !== null).length < FILES)
    await delay(20);
  const [batchId = ''] = readdirSync(join(rig.folder, 'share', '.drawbridge', 'batches'));
  handle = rig.temporal.client.workflow.getHandle(ingestWorkflowId(rig.config.shares[0]!.project, batchId));
});
afterEach(async () => {
  await closeWithoutRemark(rig);
});

/** On another machine: the same configuration, and nothing where the share should be. */
async function resumeElsewhere(...args: string[]): Promise<Said> {
  const settings = JSON.parse(readFileSync(join(rig.folder, 'drawbridge.json'), 'utf8'));
  settings.shares[0].folder = './not-mounted';
  const file = join(rig.folder, 'elsewhere.json');
  writeFileSync(file, JSON.stringify(settings));
  return await runResume(rig, file, args);
}

async function expectAllSubmitted(): Promise<void> {
  await rig.untilSettled(FILES);
  const ends = await expectAgreement(rig, hashes);
  expect([...ends.values()]).toEqual(Array(FILES).fill('submitted'));
}

/** The list of runs lags behind; people look again, too. */
async function untilListed(pattern: RegExp, ...args: string[]): Promise<Said> {
  for (;;) {
    const said = await resumeElsewhere('--dry-run', ...args);
    if (pattern.test(said.output)) return said;
    await delay(100);
  }
}

test('goes by what Temporal knows, makes nothing where the share is not, and the batch ends as without', async () => {
  await handle.terminate('moved house');
  const { output } = await untilListed(/terminated +.*reset to/, '--share', 'tender');
  expect(output).toMatch(/Share tender is not seen from here: it is not mounted here/);
  expect(existsSync(join(rig.folder, 'not-mounted'))).toBe(false);
  expect((await resumeElsewhere('--project', '7002')).output).not.toMatch(/terminated/);
  expect((await resumeElsewhere('--reason', 'moved house')).code).toBe(0);
  await expectAllSubmitted();
  // Its older run is still in the list as terminated, and does not count.
  const { code, output: after } = await resumeElsewhere();
  expect(after).toMatch(/^Share tender is not seen.*\n\nNothing stopped short\.\n$/);
  expect(code).toBe(0);
});

test('a batch that nobody answers for is shown with what it needs, and not touched', async () => {
  await expectAllSubmitted();
  await rig.stopWorker();
  const here = join(rig.folder, 'drawbridge.json');
  hashes = new Map([...hashes, ...rig.dropFiles({ 'late.pdf': '%PDF late' })]);
  for (;;) {
    const { code, output } = await runResume(rig, here, []);
    if (/unanswered/.test(output)) {
      expect(output).toMatch(/needs a worker +It runs, but no worker answers for it: start one/);
      expect(code).toBe(4);
      break;
    }
    await delay(100);
  }
  await rig.startWorker();
  await rig.untilSettled(FILES + 1);
  const ends = await expectAgreement(rig, hashes);
  expect(ends.get('late.pdf')).toBe('submitted');
});
