// All that a share keeps of a finished job, for its proof: the receipts, the manifests that they were made
// from and where each file lies. Read only; what is not as it was sealed is refused.
import { isDeepStrictEqual } from 'node:util';
import type { ProjectRef } from '../../../workflows/contract';
import { isDone, type ReceiptRow } from '../batch/kept-receipt';
import { pathInPlace, readManifest } from '../batch/manifest';
import { locateBatch } from '../batch/read-batch';
import { NOT_OURS } from '../files/own-marks';
import { ShareError, toShareError } from '../files/share-error';
import type { ShareLayout } from '../files/share-layout';
import { findJob, readClosed } from '../jobs/job-book';
import { type JobRecord, jobIdOf } from '../jobs/job-record';
import { inJobOrder } from './job-receipt';
import { hash } from './receipt-files';
import { describeKept, readFinal, type SettleDeps, toReceiptTexts } from './settle-job';

export interface JobPapers {
  readonly record: Pick<JobRecord, 'createdAt' | 'jobId' | 'name' | 'place' | 'share'>;
  readonly project: ProjectRef;
  /** The receipt of the job as people have it. */
  readonly receipt: { readonly csv: string; readonly json: string };
  readonly batches: readonly BatchPapers[];
  readonly files: readonly FilePaper[];
}

/** The files of one batch as they lie on the share, character by character. */
interface BatchPapers {
  readonly batchId: string;
  readonly manifest: Buffer;
  readonly receipt: Buffer;
}

interface FilePaper {
  readonly row: ReceiptRow;
  /** Below the job's folder, with `/` between its parts. */
  readonly path: string;
  /** It lies in `done/`, with the documents that are revisions; else in `attention/`. */
  readonly isDone: boolean;
}

const MOST_BYTES = 64 * 1024 ** 2;

/**
 * @param place its folder below `done` or `attention`, or its id.
 * @returns undefined when no job is called so; `unfinished` while it has no receipt.
 */
export async function readJobPapers(
  layout: ShareLayout,
  place: string,
  { kept, onNotOurs }: Pick<SettleDeps, 'kept' | 'onNotOurs'>,
): Promise<JobPapers | 'unfinished' | undefined> {
  try {
    const job =
      (await findJob(layout, jobIdOf(place), onNotOurs)) ??
      (/^[0-9a-f]{20}$/.test(place) ? await findJob(layout, place, onNotOurs) : undefined);
    if (job === undefined) return undefined;
    const closed = await readClosed(layout, job.paths, onNotOurs);
    const receipts = inJobOrder((await readFinal(layout, job.paths)) ?? []);
    if (closed === undefined || closed === NOT_OURS || receipts.length === 0) return 'unfinished';
    const register = await describeKept(layout, job, kept, receipts);
    const registers = register === undefined ? [] : [register.told];
    const batches: BatchPapers[] = [];
    const files: FilePaper[] = [];
    for (const receipt of receipts) {
      const paths = { ...(await locateBatch(layout, receipt.batchId)), project: undefined };
      const { manifest } = await readManifest(paths, receipt.manifestSha256);
      const papers = {
        batchId: receipt.batchId,
        manifest: await layout.fs.read(paths.manifest, MOST_BYTES),
        receipt: await layout.fs.read(paths.receipt, MOST_BYTES),
      };
      // The bytes were read once more: what somebody put there meanwhile is nothing that was sealed.
      const isSealed =
        hash(papers.manifest) === receipt.manifestSha256 &&
        isDeepStrictEqual(JSON.parse(papers.receipt.toString('utf8')), receipt);
      if (!isSealed) throw new ShareError('batch-damaged', 'A batch was changed while it was read.');
      batches.push(papers);
      for (const row of receipt.files) {
        const file = manifest.files[row.index];
        if (file === undefined) throw new ShareError('batch-damaged', 'A receipt has more rows than files.');
        files.push({ row, path: pathInPlace(manifest, file).path, isDone: isDone(row.outcome) });
      }
    }
    const { record } = job;
    const receipt = toReceiptTexts(record, closed, receipts, registers);
    return { record, project: record.project, receipt, batches, files };
  } catch (error) {
    throw toShareError(error) ?? error;
  }
}
