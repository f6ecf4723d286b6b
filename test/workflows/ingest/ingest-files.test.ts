// Files that somebody asks for: what only a person can repair is told while it is waited for.
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { resumeSignal, SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import { runProgressQuery } from '../../../workflows/run/run-progress-contract';
import { alterBundle } from '../../setup/altered-bundle';
import { recordHistory } from '../../setup/recorded-histories';
import { useNamespace } from '../../setup/temporal-namespace';
import { useTemporaryFolder } from '../../setup/temporary-folder';
import { FakeWorld } from '../fake-activities';
import { withWorkers } from '../run-batch';

const temporal = useNamespace();
const folder = useTemporaryFolder();

const FOLLOWED = '20260131-093000-dddddd';
const SUMMARY = { batchId: FOLLOWED, submitted: 1, setApart: 0, receipts: [] };

/** What it does is done by a watcher's batch, once the share has the right key. */
class ClaimWorld extends FakeWorld {
  isRepaired = false;
  hasEnded = true;

  override activities() {
    return {
      ...super.activities(),
      claimFiles: async () => {
        if (!this.isRepaired)
          throw ApplicationFailure.nonRetryable('the key of the share differs', 'MISCONFIGURED');
        return {
          project: { companyId: '1', projectId: '2' },
          batchIds: [],
          followed: [FOLLOWED],
          refused: [],
        };
      },
      followBatch: async () => {
        if (this.hasEnded) return SUMMARY;
        throw ApplicationFailure.create({ type: 'BATCH_UNDER_WAY', nextRetryDelay: '50ms' });
      },
    };
  }
}

async function run(
  world: ClaimWorld,
  work: (handle: WorkflowHandle) => Promise<void>,
  bundlePath = temporal.bundlePath,
): Promise<void> {
  await withWorkers(temporal, world, bundlePath, async () => {
    const handle = await temporal.client.workflow.start('ingestFilesWorkflow', {
      workflowId: `submit/tender/${randomUUID()}`,
      taskQueue: SERVICE_TASK_QUEUE,
      args: [{ share: 'tender', paths: ['a.pdf'] }],
    });
    try {
      await work(handle);
    } finally {
      // A failed test must not leave a run behind that the next test's worker would carry on.
      await handle.terminate().catch(() => undefined);
    }
  });
}

/** What it says once it stands still. */
async function untilBlocked(handle: WorkflowHandle) {
  for (;;) {
    const report = await handle.query(runProgressQuery);
    if (report.blocked !== undefined) return report;
    await temporal.nextEvent(handle);
  }
}

test('a claim that only a person can help says why, and goes on when it is told to', async () => {
  const world = new ClaimWorld(1);
  await run(world, async handle => {
    expect(await untilBlocked(handle)).toMatchObject({
      share: 'tender',
      step: 'Claiming the files',
      blocked: { reason: { code: 'MISCONFIGURED', text: 'The key of the share differs.' } },
    });
    world.isRepaired = true;
    await handle.signal(resumeSignal, {});
    expect(await handle.result()).toEqual({ batches: [SUMMARY] });
    await recordHistory(handle);
  });
});

test('a claim that only a person can help goes on by itself once it is repaired', async () => {
  const world = new ClaimWorld(1);
  const hasty = alterBundle(temporal.bundlePath, folder(), 'hasty', {
    from: 'const meanMs = isBehind ? behindMs : Math.min(FIRST_WAIT_MS * 2 ** round, LONGEST_WAIT_MS);',
    to: 'const meanMs = 300;',
  });
  const work = async (handle: WorkflowHandle) => {
    await untilBlocked(handle);
    world.isRepaired = true;
    expect(await handle.result()).toEqual({ batches: [SUMMARY] });
    expect((await handle.query(runProgressQuery)).step).toBe('Ended');
  };
  await run(world, work, hasty);
});

test('which batches are waited for is told', async () => {
  const world = new ClaimWorld(1);
  Object.assign(world, { isRepaired: true, hasEnded: false });
  await run(world, async handle => {
    while ((await handle.query(runProgressQuery)).step !== `Waiting for the end of ${FOLLOWED}`)
      await temporal.nextEvent(handle);
    world.hasEnded = true;
    expect(await handle.result()).toEqual({ batches: [SUMMARY] });
  });
});
