// The receipt of a job as it stands now, on its way or finished: made from what is sealed, never from the
// copies among people's files. For those who have it sent to them instead of looking into the folder.
import { dirname } from 'node:path';
import { type Receipt, readReceipt } from '../batch/kept-receipt';
import { NOT_OURS, type OnNotOurs } from '../files/own-marks';
import { toShareError } from '../files/share-error';
import type { ShareLayout } from '../files/share-layout';
import { findJob, listNotedBatches, readClosed } from '../jobs/job-book';
import { readDocuments } from './documents-so-far';
import { inJobOrder } from './job-receipt';
import { makeJobSheet } from './job-sheets';
import { makeReceipt } from './make-receipt';
import { toCsv } from './receipt-csv';
import { describeKept, locate, type SettleDeps, stayedOf } from './settle-job';

export interface ReceiptNow {
  readonly name: string;
  readonly bytes: Buffer;
}

/** @returns undefined for a job that is not known here, or of which no batch is sealed. */
export async function makeReceiptNow(
  layout: ShareLayout,
  { jobId, format }: { readonly jobId: string; readonly format: 'sheet' | 'csv' },
  { kept, onNotOurs, zone, now }: SettleDeps & { readonly now: () => Date },
): Promise<ReceiptNow | undefined> {
  try {
    const job = await findJob(layout, jobId, onNotOurs);
    if (job === undefined) return undefined;
    const found = await readClosed(layout, job.paths, onNotOurs);
    const closed = found === NOT_OURS ? undefined : found;
    const stayed = closed === undefined ? { ignored: [] } : stayedOf(closed);
    const batchIds = await listNotedBatches(layout, job.paths);
    const receipts = await readAll(layout, batchIds, { onNotOurs, now: now() });
    if (receipts.length === 0) return undefined;
    const isSoFar = dirname(job.paths.folder) === layout.jobs;
    const register = await describeKept(layout, job, kept, receipts);
    if (format === 'csv') {
      // Which listed files did not come is known only at the end.
      const registers = register === undefined || isSoFar ? [] : [register.told];
      const delimiter = closed === undefined ? layout.delimiter : closed.delimiter;
      const csv = toCsv(receipts, { ...stayed, registers, delimiter });
      return { name: isSoFar ? 'receipt-so-far.csv' : 'receipt.csv', bytes: Buffer.from(csv) };
    }
    const sheet = await makeJobSheet({
      record: job.record,
      ...stayed,
      receipts,
      register: register?.inSheet,
      zone,
      isSoFar,
    });
    // A workbook says on its last sheet that it is not final; a CSV has its name alone to say so.
    return sheet && isSoFar ? { ...sheet, name: sheet.name.replace(/\.csv$/, ' so far.csv') } : sheet;
  } catch (error) {
    throw toShareError(error) ?? error;
  }
}

interface Look {
  readonly onNotOurs: OnNotOurs;
  readonly now: Date;
}

/** In the order of the job. Of a batch on its way, what is known of each of its documents by now. */
async function readAll(
  layout: ShareLayout,
  batchIds: readonly string[],
  look: Look,
): Promise<readonly Receipt[]> {
  const receipts: Receipt[] = [];
  for (const batchId of batchIds) {
    const paths = await locate(layout, batchId);
    const receipt = paths && ((await readReceipt(paths)) ?? (await makeSoFar(layout, batchId, look)));
    if (receipt !== undefined) receipts.push(receipt);
  }
  return inJobOrder(receipts);
}

async function makeSoFar(
  layout: ShareLayout,
  batchId: string,
  { onNotOurs, now }: Look,
): Promise<Receipt | undefined> {
  const found = await readDocuments(layout, batchId, { onNotOurs, now });
  if (found?.sealed === undefined) return undefined;
  const made = makeReceipt({ ...found.sealed, outcomes: [], held: [], final: false, now });
  return { ...made, files: [...found.rows] };
}
