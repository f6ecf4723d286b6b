// Whether a batch is still carried from here, as work sees it that asks the service alone.
import { MockActivityEnvironment } from '@temporalio/testing';
import { openBatch } from '../../../../activities/ingest/batches';
import { type HoldSeen, ServedHolds } from '../../../../activities/ingest/submit/see-hold';
import type { Share } from '../../../../activities/share/share';
import { ingestWorkflowId } from '../../../../workflows/contract';
import { fsError } from '../../share/faulty-fs';
import { aHolder, by, claimAll, createTestBed, type TestBed } from '../../share/share-test-bed';

let bed: TestBed;
let share: Share;
let batchId: string;
let one: ReturnType<typeof aHolder>;
let two: ReturnType<typeof aHolder>;

beforeEach(async () => {
  bed = await createTestBed();
  share = await bed.open();
  await bed.drop('a.pdf');
  ({ batchId } = await claimAll(share));
  const ownId = ingestWorkflowId(bed.config.project, batchId);
  one = aHolder(ownId, 'one');
  two = aHolder(ownId, 'two');
  await openBatch(share, { share: 'tender', batchId }, by(one), { signal: new AbortController().signal });
});
afterEach(async () => {
  await bed.remove();
});

async function see(holds: ServedHolds, signal = new AbortController().signal): Promise<HoldSeen> {
  return await new MockActivityEnvironment().run(holds.see, { share: 'tender', batchId }, { signal });
}

function served(holder: ReturnType<typeof aHolder>, by: Pick<Share, 'isReachable' | 'temporals'> = share) {
  const holds = new ServedHolds();
  holds.serve('tender', { share: by, temporal: async () => holder.temporal });
  return holds;
}

test('the batch is ours, or was taken over, or has been finished by whoever took it', async () => {
  expect(await see(served(one))).toBe('ours');
  expect(await see(served(two))).toBe('lost');
  await share.temporals.takeOver(batchId, two);
  expect(await see(served(one))).toBe('lost');
  expect(await see(served(two))).toBe('ours');
});

test('a share that is not served here, or is away, tells nothing', async () => {
  expect(await see(new ServedHolds())).toBe('unseen');
  const requireHold = async () => {
    throw fsError('EIO');
  };
  const away = { isReachable: share.isReachable, temporals: { requireHold } } as unknown as Share;
  expect(await see(served(one, away))).toBe('unseen');
});

test('who is cancelled meanwhile does not go on', async () => {
  const cancelled = AbortSignal.abort(new Error('cancelled'));
  await expect(see(served(two), cancelled)).rejects.toThrow('cancelled');
});
