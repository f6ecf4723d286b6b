// Ends a job: one receipt for all its batches, once it is closed and the last of them has settled. Made by
// whoever settles that one, and by the watcher's round for those who died before they could. Every step can
// be repeated, by several at one time: what is written is the same to the byte.
import { dirname, join } from 'node:path';
import { hasCode } from '../../host/error-code';
import { isGone } from '../../host/file-trouble';
import { matchFiles } from '../../registers/match-files';
import { listFileRows } from '../../registers/read-rows';
import { DELIMITERS } from '../../registers/sheet/csv-dialect';
import { isDone, type Receipt, type ReceiptRegister, readReceipt } from '../batch/kept-receipt';
import { readManifest } from '../batch/manifest';
import { locateBatch } from '../batch/read-batch';
import { ifThere, isThere } from '../files/if-there';
import { isMissing } from '../files/missing';
import { NOT_OURS, type OnNotOurs } from '../files/own-marks';
import { inRealFolder } from '../files/real-folder';
import { type ShareErrorCode, toShareError } from '../files/share-error';
import { Place, temporaryName } from '../files/share-fs';
import { type BatchPaths, fromRoot, type ShareLayout } from '../files/share-layout';
import { findJob, listNotedBatches, readClosed } from '../jobs/job-book';
import { type ClosedJob, finishedJobPaths, type JobPaths, type JobRecord } from '../jobs/job-record';
import { type KeptRegister, type KeptRegisters, moveRegister } from '../jobs/kept-register';
import { describeMissing, describeRegister } from '../register/describe-job';
import { removeStatusPage } from '../status/status-pages';
import { noteOwnReceipts } from './corrected/own-receipts';
import { removeHeldSheets } from './held/put-sheet';
import { inJobOrder, makeJobReceipt } from './job-receipt';
import { listSheetNames, makeJobSheet } from './job-sheets';
import { toCsv } from './receipt-csv';
import { hash, type NamedBatch, nameBeside, writeBeside } from './receipt-files';
import { removeSoFar } from './receipt-so-far';

/** What the receipt of a part is called while others are on their way. */
const SO_FAR = 'receipt-so-far.csv';

interface Job {
  readonly record: JobRecord;
  readonly paths: JobPaths;
}

export interface SettleDeps {
  readonly kept: KeptRegisters;
  readonly onNotOurs: OnNotOurs;
  /** Of the times that people read. */
  readonly zone: string;
}

interface Settled extends Pick<SettleDeps, 'onNotOurs' | 'zone'> {
  /** In the order of the job. */
  readonly receipts: readonly Receipt[];
  readonly register:
    | {
        /** Of the rows whose files did not come, the first ones. */
        readonly told: ReceiptRegister;
        /** Of these rows all: in the sheet each row has its outcome. */
        readonly inSheet: KeptRegister & ReceiptRegister;
      }
    | undefined;
}

/**
 * @returns undefined while the job has no receipt; else where this call has written it: nowhere where it had
 * one before, or where nothing of it was ever carried.
 */
export async function settleJob(
  layout: ShareLayout,
  jobId: string,
  { kept, onNotOurs, zone }: SettleDeps,
): Promise<readonly string[] | undefined> {
  try {
    const job = await findJob(layout, jobId, onNotOurs);
    if (job === undefined) return undefined;
    if (dirname(job.paths.folder) !== layout.jobs) return [];
    const closed = await readClosed(layout, job.paths, onNotOurs);
    if (closed === undefined || closed === NOT_OURS) return undefined;
    const receipts = await readFinal(layout, job.paths);
    if (receipts === undefined) return undefined;
    if (receipts.length === 0) {
      await discardJob(layout, job);
      return [];
    }
    const inOrder = inJobOrder(receipts);
    const register = await describeKept(layout, job, kept, inOrder);
    return await writeReceipts(layout, job, closed, { receipts: inOrder, register, onNotOurs, zone });
  } catch (error) {
    throw toShareError(error) ?? error;
  }
}

/** Where people find the receipt of a finished job: its sheet, or the plain one where there is no sheet. */
export async function findJobReceipts(
  layout: ShareLayout,
  jobId: string,
  onNotOurs: OnNotOurs,
): Promise<readonly string[]> {
  const job = await findJob(layout, jobId, onNotOurs);
  const receipts = job && (await readFinal(layout, job.paths));
  return job === undefined || receipts === undefined
    ? []
    : await findReceiptsOf(layout, job.record, receipts);
}

/** As findJobReceipts, of a job whose batches were read already: all of them, each of which has ended. */
export async function findReceiptsOf(
  layout: ShareLayout,
  { place, register }: JobRecord,
  batches: readonly NamedBatch[],
): Promise<readonly string[]> {
  const inOrder = inJobOrder(batches);
  const names = [...listSheetNames(register?.path, inOrder), nameBeside(inOrder, 'receipt.csv')];
  const found: string[] = [];
  for (const base of [layout.attention, layout.done]) {
    for (const name of names) {
      const path = join(base, place, name);
      if (!(await isThere(layout.fs, path))) continue;
      found.push(fromRoot(layout.root, path));
      break;
    }
  }
  return found;
}

/** The final receipts of all its batches; undefined while one of them has none. */
export async function readFinal(layout: ShareLayout, job: JobPaths): Promise<Receipt[] | undefined> {
  const receipts: Receipt[] = [];
  for (const batchId of await listNotedBatches(layout, job)) {
    const paths = await locate(layout, batchId);
    // The batch was noted, but then no file could be had, or all went back.
    if (paths === undefined) continue;
    const ofJob = await jobOf(paths);
    if (ofJob === 'not sealed yet') return undefined;
    // Somebody else has put its name among the notes.
    if (ofJob !== job.jobId) continue;
    const receipt = paths.isFinished ? await readReceipt(paths) : undefined;
    if (receipt === undefined) return undefined;
    receipts.push(receipt);
  }
  return receipts;
}

export async function locate(layout: ShareLayout, batchId: string): Promise<BatchPaths | undefined> {
  try {
    return await locateBatch(layout, batchId);
  } catch (error) {
    if (hasCode<ShareErrorCode>(error, 'batch-unknown')) return undefined;
    throw error;
  }
}

export async function jobOf(paths: BatchPaths): Promise<string | undefined> {
  try {
    return (await readManifest({ ...paths, project: undefined })).manifest.job?.id;
  } catch (error) {
    if (hasCode<ShareErrorCode>(error, 'batch-unknown')) return 'not sealed yet';
    throw error;
  }
}

/** The register of the job. What it lists that came with no batch is known, and told, only at the end. */
export async function describeKept(
  layout: ShareLayout,
  { record: { folder, register }, paths }: Job,
  kept: KeptRegisters,
  receipts: readonly Receipt[],
): Promise<Settled['register']> {
  if (register === undefined) return undefined;
  const read = await kept.read(layout, paths, register);
  const within = folder === null ? '' : `${folder}/`;
  const documents = receipts
    .flatMap(({ files }) => files.map(({ path }) => path.slice(within.length)))
    .filter(path => path !== register.path);
  const matches = matchFiles(listFileRows(read.register), documents, folder ?? '');
  const found = { kind: 'register' as const, path: register.path, ...read, matches, looks: new Map() };
  const dropped = `${within}${register.path}`;
  const { path, sha256, notThere, notices } = describeRegister(found, dropped);
  const told = { path, sha256, notThere, notices };
  return { told, inSheet: { ...read, ...told, notThere: describeMissing(matches.missing, dropped) } };
}

/** People's copies first, then the job is put away: while it lies among the open ones, all is repeated. */
async function writeReceipts(
  layout: ShareLayout,
  { record, paths }: Job,
  closed: ClosedJob,
  { receipts, register, onNotOurs, zone }: Settled,
): Promise<readonly string[]> {
  const { fs, root } = layout;
  const scratch = { fs, folder: paths.folder };
  const registers = register === undefined ? [] : [register.told];
  const { csv, json } = toReceiptTexts(record, closed, receipts, registers);
  const sheet = await makeJobSheet({
    record,
    ...stayedOf(closed),
    receipts,
    register: register?.inSheet,
    zone,
  });
  const outcomes = receipts.flatMap(({ files }) => files.map(({ outcome }) => outcome));
  const isAnyDone = outcomes.some(isDone);
  const isAnyApart = outcomes.includes('set-apart');
  // Of others nobody looks for corrections.
  if (isAnyApart) await noteOwnReceipts(layout, paths, [csv, ...(sheet === undefined ? [] : [sheet.bytes])]);
  const parts = groupByName(receipts);
  const written: string[] = [];
  for (const [base, isUsed] of [
    [layout.done, isAnyDone],
    [layout.attention, isAnyApart],
  ] as const) {
    const folder = join(base, record.place);
    if (isUsed) {
      await inRealFolder(fs, root, folder, async open => {
        await writeBeside(scratch, new Place(open, nameBeside(receipts, 'receipt.csv')), csv);
        await writeBeside(scratch, new Place(open, nameBeside(receipts, 'receipt.json')), json);
        if (sheet !== undefined) await writeBeside(scratch, new Place(open, sheet.name), sheet.bytes);
      });
      written.push(fromRoot(layout.root, join(folder, sheet?.name ?? nameBeside(receipts, 'receipt.csv'))));
    }
    for (const [name, known] of parts) await removeSoFar(layout, folder, name, known);
  }
  if (record.register !== undefined) {
    // To the documents that have their revision, if there are any.
    const base = join(isAnyDone ? layout.done : layout.attention, record.place);
    await moveRegister(layout, paths.register, record.register, base);
  }
  await removeHeldSheets(layout, { record, paths }, receipts, onNotOurs);
  await removeStatusPage(layout, record);
  await putAway(layout, paths);
  // Until the job was put away, a watcher may have put one more sheet there.
  const finished = finishedJobPaths(layout, paths.jobId);
  await removeHeldSheets(layout, { record, paths: finished }, receipts, onNotOurs);
  return written;
}

/** What stayed in the drop folder: the names that the end of the job has kept, and how many there were. */
export function stayedOf({ ignored, ignoredInAll, left = [], leftInAll }: ClosedJob) {
  return { ignored, ignoredInAll, left, leftInAll };
}

/** As they lie beside people's files, to the byte. */
export function toReceiptTexts(
  record: JobRecord,
  closed: ClosedJob,
  receipts: readonly Receipt[],
  registers: readonly ReceiptRegister[],
): { readonly csv: string; readonly json: string } {
  return {
    csv: toCsv(receipts, {
      ...stayedOf(closed),
      registers,
      delimiter: closed.delimiter,
    }),
    json: `${JSON.stringify(makeJobReceipt(record, closed, receipts, registers), undefined, 1)}\n`,
  };
}

/** SHA-256 of the receipts so far that the parts have left for people, by their names. */
function groupByName(receipts: readonly Receipt[]): ReadonlyMap<string, readonly string[]> {
  const parts = new Map<string, string[]>();
  for (const receipt of receipts) {
    const name = nameBeside([receipt], SO_FAR);
    // The share's delimiter may have been another one when the part was settled.
    const texts = DELIMITERS.map(delimiter => hash(toCsv(receipt, { delimiter })));
    parts.set(name, [...(parts.get(name) ?? []), ...texts]);
  }
  return parts;
}

async function putAway(layout: ShareLayout, paths: JobPaths): Promise<void> {
  const { fs } = layout;
  const { folder } = finishedJobPaths(layout, paths.jobId);
  try {
    await fs.makeFolders(layout.own, dirname(folder));
    await fs.rename(paths.folder, folder);
    await fs.syncFolder(dirname(folder));
  } catch (error) {
    // Another process put it away at the same moment.
    if (isGone(error) && (await isThere(fs, folder))) return;
    throw error;
  }
}

/** For a job that carried nothing: its place is free again. Renamed first, so that no claim can be noted. */
async function discardJob(layout: ShareLayout, { record, paths }: Job): Promise<void> {
  const { fs } = layout;
  const aside = join(layout.jobs, temporaryName());
  try {
    if (record.register !== undefined) {
      // None of its files could be had: the register settles anew, and is told of as one that came alone.
      const base = record.folder === null ? layout.drop : join(layout.drop, record.folder);
      await moveRegister(layout, paths.register, record.register, base, { isDrop: true });
    }
    await fs.rename(paths.folder, aside);
    for (const folder of [join(aside, 'batches'), aside]) {
      for await (const entry of fs.entries(folder)) {
        if (entry.kind !== 'folder') await fs.unlink(join(folder, entry.name.toString('utf8')));
      }
      if (folder === aside) await ifThere(fs.removeFolder(join(aside, 'register')));
      await fs.removeFolder(folder);
    }
  } catch (error) {
    if (!isGone(error) || !(await isMissing(fs, paths.folder, layout.jobs))) throw error;
  }
}
