// Which job a sheet is of: its rows say it, by the marks that the receipt gave them.
import type { MarkedRow } from '../../../registers/corrections/marked-rows';
import type { OnNotOurs } from '../../files/own-marks';
import type { ShareLayout } from '../../files/share-layout';
import { findJob } from '../../jobs/job-book';
import type { FinishedJob } from './decide-correction';

/** Jobs that the rows of one sheet are looked up for: rows of several receipts may stand in one. */
const MOST_JOBS = 5;
const JOB_ID = /^[0-9a-f]{20}$/;

/** The job, on its way or finished; undefined where no row is of a job that is known here. */
export async function findJobOfRows(
  layout: ShareLayout,
  rows: readonly MarkedRow[],
  onNotOurs: OnNotOurs,
): Promise<FinishedJob | undefined> {
  const jobIds = new Set(rows.flatMap(({ mark }) => mark?.jobId ?? []));
  for (const jobId of [...jobIds].filter(each => JOB_ID.test(each)).slice(0, MOST_JOBS)) {
    const job = await findJob(layout, jobId, onNotOurs);
    if (job !== undefined && job.record.folder !== null) return job;
  }
  return undefined;
}
