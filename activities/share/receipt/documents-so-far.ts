// What is known of each document of a batch, open or finished, from what lies on the share: its manifest, its
// journal, its receipt. Read only. A caller that looks again and again passes what it was given before:
// records of a journal never change, so only the new ones are read.
import type { JournalRecord } from '../../../workflows/ingest/ingest-contract';
import { hasCode } from '../../host/error-code';
import { readDroppedBy } from '../batch/dropped-by';
import { type DatedRecord, foldJournal } from '../batch/fold-journal';
import { readHold } from '../batch/hold';
import { readJournal } from '../batch/journal';
import { type Receipt, type ReceiptRow, readReceipt, readReceiptSoFar } from '../batch/kept-receipt';
import { type Manifest, readManifest, type SealedManifest } from '../batch/manifest';
import { locateBatch, withBatch } from '../batch/read-batch';
import { listOwnFiles } from '../files/own-files';
import type { OnNotOurs } from '../files/own-marks';
import { type ShareErrorCode, toShareError } from '../files/share-error';
import type { BatchPaths, ShareLayout } from '../files/share-layout';
import { makeReceipt } from './make-receipt';

export interface BatchDocuments {
  readonly batchId: string;
  readonly isFinished: boolean;
  /** Undefined while it is being claimed. */
  readonly sealed: SealedManifest | undefined;
  /** Paths of its files, as dropped, while it is being claimed; empty after that. */
  readonly claimed: readonly string[];
  /** One for each file of the manifest. */
  readonly rows: readonly ReceiptRow[];
  readonly records: readonly DatedRecord[];
  /** When its final receipt was written. */
  readonly endedAt: string | undefined;
  /** Who dropped it, as the share tells it; null where it does not. */
  readonly by: string | null;
  /** The run that began it. */
  readonly run: { readonly workflowId: string; readonly runId: string } | undefined;
}

/**
 * Undefined when there is no such batch (any more), or it is spoilt (which is told elsewhere). It is `before`
 * itself where nothing has changed.
 */
export async function readDocuments(
  layout: ShareLayout,
  batchId: string,
  { before, onNotOurs, now: at }: ReadDocuments,
): Promise<BatchDocuments | undefined> {
  try {
    const paths = await locateBatch(layout, batchId);
    const sealed = before?.sealed ?? (await readSealed(paths));
    if (sealed === undefined) return await readClaimed(layout, paths);
    const receipt = await readReceipt(paths);
    const known = before?.records ?? [];
    // With its final receipt the journal says nothing more of what became of it.
    const records = receipt === undefined ? await readRecords(paths, known) : known;
    const hold = await readHold(paths, onNotOurs);
    const now: BatchDocuments = {
      batchId,
      isFinished: paths.isFinished,
      sealed,
      claimed: [],
      rows: receipt?.files ?? toRows(sealed, records, await readReceiptSoFar(paths), at),
      records,
      endedAt: receipt?.writtenAt,
      by: before?.by ?? (await readDroppedBy(paths, onNotOurs)),
      run: hold && { workflowId: hold.workflowId, runId: hold.runId },
    };
    return before !== undefined && isSame(now, before) ? before : now;
  } catch (error) {
    if (hasCode<ShareErrorCode>(error, 'batch-unknown', 'batch-damaged', 'key-differs')) return undefined;
    throw toShareError(error) ?? error;
  }
}

/** All records of a batch, or those of one kind, to show its way. @throws ShareError `batch-unknown`. */
export async function readWholeJournal(
  layout: ShareLayout,
  batchId: string,
  kind?: JournalRecord['kind'],
): Promise<readonly DatedRecord[]> {
  return await withBatch(layout, batchId, async paths => await readJournal(paths, () => undefined, kind));
}

export interface ReadDocuments {
  /** What was read of the same batch the last time. */
  readonly before?: BatchDocuments | undefined;
  readonly onNotOurs: OnNotOurs;
  readonly now: Date;
}

function isSame(one: BatchDocuments, other: BatchDocuments): boolean {
  return (
    one.records === other.records &&
    one.isFinished === other.isFinished &&
    one.endedAt === other.endedAt &&
    one.by === other.by &&
    one.run?.runId === other.run?.runId &&
    JSON.stringify(one.rows) === JSON.stringify(other.rows)
  );
}

async function readSealed(paths: BatchPaths): Promise<SealedManifest | undefined> {
  try {
    return await readManifest({ ...paths, project: undefined });
  } catch (error) {
    if (hasCode<ShareErrorCode>(error, 'batch-unknown')) return undefined;
    throw error;
  }
}

async function readClaimed(layout: ShareLayout, paths: BatchPaths): Promise<BatchDocuments> {
  const claimed: string[] = [];
  for await (const { path } of listOwnFiles(layout.fs, layout.root, paths.files)) claimed.push(path);
  return {
    batchId: paths.batchId,
    isFinished: paths.isFinished,
    sealed: undefined,
    claimed,
    rows: [],
    records: [],
    endedAt: undefined,
    by: null,
    run: undefined,
  };
}

async function readRecords(
  paths: BatchPaths,
  before: readonly DatedRecord[],
): Promise<readonly DatedRecord[]> {
  const known = new Set(before.map(({ name }) => name));
  // One that cannot be read is told by whoever carries the batch.
  const fresh = await readJournal(
    paths,
    () => undefined,
    name => !known.has(name),
  );
  return fresh.length === 0 ? before : [...before, ...fresh];
}

/** What has ended by its journal, what is held by the receipt so far; the rest is on its way. */
function toRows(
  { manifest, manifestSha256 }: SealedManifest,
  records: readonly DatedRecord[],
  soFar: Receipt | undefined,
  now: Date,
): readonly ReceiptRow[] {
  const told = foldJournal(records.filter(({ record }) => isOfOutcome(record)));
  const { files } = makeReceipt({
    manifest,
    manifestSha256,
    outcomes: told.flatMap(({ index, outcome }) =>
      outcome === undefined || manifest.files[index] === undefined ? [] : [outcome],
    ),
    held: listAs('held', manifest, soFar),
    goingOn: listAs('open', manifest, soFar),
    final: false,
    now,
    earlier: soFar,
  });
  const ended = new Map(soFar?.files.filter(hasEnded).map(row => [row.index, row]));
  return files.map(row => ended.get(row.index) ?? row);
}

function isOfOutcome({ kind }: JournalRecord): boolean {
  return kind === 'outcome';
}

/** Of what is open, those alone that were answered or are in line have a reason. */
function listAs(wanted: 'held' | 'open', { files }: Manifest, soFar: Receipt | undefined) {
  return (soFar?.files ?? []).flatMap(({ index, outcome, reason }) =>
    outcome === wanted && reason !== undefined && files[index] !== undefined ? [{ index, reason }] : [],
  );
}

function hasEnded({ outcome }: ReceiptRow): boolean {
  return outcome !== 'held' && outcome !== 'open';
}
