// What people see of a batch in Temporal before its run says anything itself.
import type { Client } from '@temporalio/client';
import { BatchStarter, type BatchToStart } from '../../../client/session/start-batch';

interface Started {
  readonly staticSummary: string;
  readonly memo: unknown;
  readonly typedSearchAttributes?: { getAll(): Record<string, unknown> };
}

async function started(job: BatchToStart['job']): Promise<Started> {
  const asked: Started[] = [];
  const client = { workflow: { start: async (_type: string, options: Started) => void asked.push(options) } };
  const starter = new BatchStarter(client as unknown as Client, { hasSearchAttributes: true });
  const batch = { share: 'tender', project: { projectId: '7001' }, batchId: '20260131-093000-k3f7a2', job };
  expect(await starter.start(batch)).toBe('started');
  return asked[0]!;
}

const attributesOf = ({ typedSearchAttributes }: Started) =>
  JSON.parse(JSON.stringify(typedSearchAttributes)) as unknown;

test('a batch of a job is called by it: in its summary, its memo and its search attributes', async () => {
  const run = await started({ name: 'Package *A*', part: 2 });
  expect(run.staticSummary).toBe('Package \\*A\\*, part 2: batch 20260131-093000-k3f7a2 of share tender');
  expect(run.memo).toEqual({ share: 'tender', job: 'Package *A*' });
  expect(JSON.stringify(attributesOf(run))).toContain('Package *A*');
});

test('a long name stays below what a summary and an attribute may have', async () => {
  const run = await started({ name: '図'.repeat(250), part: 50 });
  expect(Buffer.byteLength(run.staticSummary)).toBeLessThan(400);
  expect(JSON.stringify(attributesOf(run))).toContain(`"${'図'.repeat(200)}"`);
});

test('a batch by itself says nothing of a job', async () => {
  const run = await started(undefined);
  expect(run.staticSummary).toBe('Batch 20260131-093000-k3f7a2 of share tender');
  expect(run.memo).toEqual({ share: 'tender' });
  expect(JSON.stringify(attributesOf(run))).not.toContain('DrawbridgeJob');
});
