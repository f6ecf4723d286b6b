// What became of a batch that has ended, in the words of every command that tells it.
import type { BatchSummary } from '../../workflows/ingest/ingest-contract';

export function tellSummary({
  submitted,
  setApart,
  skipped = 0,
  idsNotTold = 0,
  movedTo,
}: Omit<BatchSummary, 'batchId' | 'receipts'>): string {
  if (movedTo !== undefined) return `goes on in project ${movedTo}`;
  return [
    `${submitted} submitted`,
    ...(idsNotTold === 0 ? [] : [`the ids of ${idsNotTold} not told`]),
    ...(setApart === 0 ? [] : [`${setApart} set apart`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ].join(', ');
}
