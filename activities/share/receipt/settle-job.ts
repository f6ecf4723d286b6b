// Ends a job: one receipt for all its batches, once it is closed and the last of them has settled. Made by
// whoever settles that one, and by the watcher's round for those who died before they could. Every step can
// be repeated, by several at one time: what is written is the same to the byte.
import { dirname, join } from 'node:path';
import { codeOf } from '../../host/error-code';
import { isGone } from '../../host/file-trouble';
import { type Receipt, readReceipt } from '../batch/kept-receipt';
import { readManifest } from '../batch/manifest';
import { locateBatch } from '../batch/read-batch';
import { isThere } from '../files/if-there';
import { isMissing } from '../files/missing';
import { NOT_OURS, type OnNotOurs } from '../files/own-marks';
import { inRealFolder } from '../files/real-folder';
import { toShareError } from '../files/share-error';
import { Place, temporaryName } from '../files/share-fs';
import type { BatchPaths, ShareLayout } from '../files/share-layout';
import { findJob, listNotedBatches, readClosed } from '../jobs/job-book';
import { type ClosedJob, finishedJobPaths, type JobPaths, type JobRecord } from '../jobs/job-record';
import { inJobOrder, makeJobReceipt } from './job-receipt';
import { toCsv } from './receipt-csv';
import { hash, nameBeside, writeBeside } from './receipt-files';
import { removeSoFar } from './receipt-so-far';

/** What the receipt of a part is called while others are on their way. */
const SO_FAR = 'receipt-so-far.csv';

/** Whether the job has its receipt: by this call, or before. */
export async function settleJob(layout: ShareLayout, jobId: string, onNotOurs: OnNotOurs): Promise<boolean> {
  try {
    const job = await findJob(layout, jobId, onNotOurs);
    if (job === undefined) return false;
    if (dirname(job.paths.folder) !== layout.jobs) return true;
    const closed = await readClosed(layout, job.paths, onNotOurs);
    if (closed === undefined || closed === NOT_OURS) return false;
    const receipts = await readFinal(layout, job.paths);
    if (receipts === undefined) return false;
    if (receipts.length === 0) await discardJob(layout, job.paths);
    else await writeReceipts(layout, job, closed, inJobOrder(receipts));
    return true;
  } catch (error) {
    throw toShareError(error) ?? error;
  }
}

/** Of all its batches; undefined while one of them has none. */
async function readFinal(layout: ShareLayout, job: JobPaths): Promise<Receipt[] | undefined> {
  const receipts: Receipt[] = [];
  for (const batchId of await listNotedBatches(layout, job)) {
    const paths = await locate(layout, batchId);
    // Noted, but then no file could be had, or all went back.
    if (paths === undefined) continue;
    const ofJob = await jobOf(paths);
    if (ofJob === 'not sealed yet') return undefined;
    // A name that somebody has put there.
    if (ofJob !== job.jobId) continue;
    const receipt = paths.isFinished ? await readReceipt(paths) : undefined;
    if (receipt === undefined) return undefined;
    receipts.push(receipt);
  }
  return receipts;
}

async function locate(layout: ShareLayout, batchId: string): Promise<BatchPaths | undefined> {
  try {
    return await locateBatch(layout, batchId);
  } catch (error) {
    if (codeOf(error) === 'batch-unknown') return undefined;
    throw error;
  }
}

async function jobOf(paths: BatchPaths): Promise<string | undefined> {
  try {
    return (await readManifest({ ...paths, project: undefined })).manifest.job?.id;
  } catch (error) {
    if (codeOf(error) === 'batch-unknown') return 'not sealed yet';
    throw error;
  }
}

/** People's copies first, then it is put away: who finds it among the open ones does all of it again. */
async function writeReceipts(
  layout: ShareLayout,
  { record, paths }: { readonly record: JobRecord; readonly paths: JobPaths },
  closed: ClosedJob,
  receipts: readonly Receipt[],
): Promise<void> {
  const { fs, root } = layout;
  const scratch = { fs, folder: paths.folder };
  const csv = toCsv(receipts, closed.ignored);
  const json = `${JSON.stringify(makeJobReceipt(record, closed, receipts), undefined, 1)}\n`;
  const outcomes = new Set(receipts.flatMap(({ files }) => files.map(({ outcome }) => outcome)));
  const parts = groupByName(receipts);
  for (const [base, outcome] of [
    [layout.done, 'submitted'],
    [layout.attention, 'set-apart'],
  ] as const) {
    const folder = join(base, record.place);
    if (outcomes.has(outcome)) {
      await inRealFolder(fs, root, folder, async open => {
        await writeBeside(scratch, new Place(open, nameBeside(receipts, 'receipt.csv')), csv);
        await writeBeside(scratch, new Place(open, nameBeside(receipts, 'receipt.json')), json);
      });
    }
    for (const [name, known] of parts) await removeSoFar(layout, folder, name, known);
  }
  await putAway(layout, paths);
}

/** What the parts have left for people until now, by its name. */
function groupByName(receipts: readonly Receipt[]): ReadonlyMap<string, readonly string[]> {
  const parts = new Map<string, string[]>();
  for (const receipt of receipts) {
    const name = nameBeside([receipt], SO_FAR);
    parts.set(name, [...(parts.get(name) ?? []), hash(toCsv(receipt))]);
  }
  return parts;
}

async function putAway(layout: ShareLayout, paths: JobPaths): Promise<void> {
  const { fs } = layout;
  const { folder } = finishedJobPaths(layout, paths.jobId);
  try {
    await fs.makeFolder(dirname(folder), { parents: true });
    await fs.rename(paths.folder, folder);
    await fs.syncFolder(dirname(folder));
  } catch (error) {
    // Another process put it away at the same moment.
    if (isGone(error) && (await isThere(fs, folder))) return;
    throw error;
  }
}

/** Nothing was ever carried for it: its place is free again. Renamed first, so that no claim can be noted. */
async function discardJob(layout: ShareLayout, paths: JobPaths): Promise<void> {
  const { fs } = layout;
  const aside = join(layout.jobs, temporaryName());
  try {
    await fs.rename(paths.folder, aside);
    for (const folder of [join(aside, 'batches'), aside]) {
      for await (const entry of fs.entries(folder)) {
        if (entry.kind !== 'folder') await fs.unlink(join(folder, entry.name.toString('utf8')));
      }
      await fs.removeFolder(folder);
    }
  } catch (error) {
    if (!isGone(error) || !(await isMissing(fs, paths.folder, layout.jobs))) throw error;
  }
}
