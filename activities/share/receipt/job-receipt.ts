// The receipt of a job: the rows of all its batches, in the order of the job. A pure function of what its
// batches have as their receipts, so whoever makes it, and however often, it says the same to the byte.
import type { Receipt, ReceiptRegister, ReceiptRow } from '../batch/kept-receipt';
import { comparePaths } from '../files/relative-path';
import type { ClosedJob, JobRecord } from '../jobs/job-record';

/** As people find it beside their files, in receipt.json. */
export interface JobReceipt {
  readonly version: 1;
  readonly job: Pick<JobRecord, 'name' | 'place'> & { readonly id: string };
  readonly share: string;
  readonly project: JobRecord['project'];
  readonly createdAt: string;
  /** When the last of its batches had its receipt. */
  readonly writtenAt: string;
  readonly final: true;
  readonly revisionIdsNotTold?: number;
  /** Each with its batch, where its index counts. */
  readonly files: readonly (ReceiptRow & { readonly batchId: string })[];
  /** What its register says besides; absent without one. */
  readonly registers?: readonly ReceiptRegister[];
  /** What was left in its folder, by name; the first hundred. */
  readonly ignored: readonly string[];
  readonly ignoredInAll: number;
  /** What no row was about and stayed in its folder, by name; the first hundred. Absent where nothing did. */
  readonly left?: readonly string[];
  readonly leftInAll?: number;
}

/** The batches of a job by their parts, then by their ids: two that began at one time have the same part. */
export function inJobOrder<Batch extends Pick<Receipt, 'batchId' | 'job'>>(
  receipts: readonly Batch[],
): Batch[] {
  return receipts.toSorted(
    (one, other) => (one.job?.part ?? 0) - (other.job?.part ?? 0) || comparePaths(one.batchId, other.batchId),
  );
}

/**
 * @param receipts the final ones, in the order of the job; there is at least one.
 * @param ofJob the register that the job had for all its batches, if any.
 */
export function makeJobReceipt(
  { jobId, name, place, share, project, createdAt }: JobRecord,
  { ignored, ignoredInAll, left, leftInAll }: Omit<ClosedJob, 'version' | 'closedAt'>,
  receipts: readonly Receipt[],
  ofJob: readonly ReceiptRegister[] = [],
): JobReceipt {
  const registers = [...receipts.flatMap(receipt => receipt.registers ?? []), ...ofJob];
  const notTold = receipts.reduce((sum, { revisionIdsNotTold = 0 }) => sum + revisionIdsNotTold, 0);
  return {
    version: 1,
    job: { id: jobId, name, place },
    share,
    project,
    createdAt,
    writtenAt:
      receipts
        .map(({ writtenAt }) => writtenAt)
        .sort(comparePaths)
        .at(-1) ?? createdAt,
    final: true,
    ...(notTold === 0 ? {} : { revisionIdsNotTold: notTold }),
    files: receipts.flatMap(({ batchId, files }) => files.map(file => ({ batchId, ...file }))),
    ...(registers.length === 0 ? {} : { registers }),
    ignored,
    ignoredInAll,
    ...(left === undefined ? {} : { left }),
    ...(leftInAll === undefined ? {} : { leftInAll }),
  };
}
