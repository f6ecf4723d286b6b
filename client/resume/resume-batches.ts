// Goes on with batches that stopped short, or says what that would do.
import type { BatchContinuer } from './continue-batch';
import type { StoppedBatch } from './stopped-batch';
import type { BatchRow } from './stopped-table';

export async function resumeBatches(
  continuer: BatchContinuer,
  batches: readonly StoppedBatch[],
  dryRun: boolean,
): Promise<BatchRow[]> {
  const rows: BatchRow[] = [];
  for (const batch of batches) {
    const plan = await continuer.plan(batch);
    const isDone = dryRun || plan.kind === 'none';
    rows.push({ batch, plan, ...(isDone ? {} : { result: await continuer.carryOut(batch, plan) }) });
  }
  return rows;
}
