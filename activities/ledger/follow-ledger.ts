// Brings an index up to what the ledger of one share says. Only record files that the index does not have are
// read, and only months that may have changed are listed.
import { forEachLimited } from '../host/concurrency';
import { toFileName } from '../share/ledger/ledger-files';
import type { LedgerRecord, RecordName } from '../share/ledger/ledger-record';
import type { LedgerMonth, LedgerReader } from '../share/ledger/share-ledger';
import type { IndexHead, ListedMonth } from './index-head';
import { keyOfRecord } from './index-keys';
import type { IndexView } from './index-view';
import type { IndexWriter } from './index-writer';
import type { IndexedNames } from './indexed-names';

/** Record files that are read at one time. */
const PARALLEL = 4;
const NAMES_AT_A_TIME = 64;
/**
 * How many documents with the key of a record are compared with it at most: two share a key by chance only.
 */
const MOST_ALIKE = 10;
/**
 * Some shares keep the time of a change to two seconds only. A month counts as unchanged only if it was
 * listed so long after its time of change was first met that a record added since must have changed that
 * time.
 */
const COARSE_MS = 10_000;
/** However unchanged a month seems, it is listed again after a day. */
const LIST_AGAIN_MS = 24 * 3_600_000;

export interface FollowProgress {
  readonly share: string;
  /** `YYYYMM`, of the records that are read just now. */
  readonly month: string;
  /** Months that are done, of all. */
  readonly monthsDone: number;
  readonly months: number;
  /** Read by this call so far. */
  readonly records: number;
  readonly documents: number;
}

export interface FollowOptions {
  readonly nowMs: () => number;
  /** Of this share; for as long as the process has the index open. */
  readonly indexed: IndexedNames;
  /** Names of the other shares of this host: a record of one of them is a copy. */
  readonly otherShares: readonly string[];
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: FollowProgress) => void) | undefined;
  /** Told of each record that is not believed; its documents are not in the index. */
  readonly onBad: (file: string, why: string) => void;
}

/**
 * @param view the index before; its records are not read again.
 * @throws what the share says when it is away; what was read until then stays.
 */
export async function followLedger(
  reader: LedgerReader,
  view: IndexView,
  writer: IndexWriter,
  options: FollowOptions,
): Promise<{ readonly records: number; readonly documents: number }> {
  const { share } = reader;
  const before = writer.head;
  const known = before.shares[share] ?? { isWhole: false, months: {} };
  const listed: Record<string, ListedMonth> = { ...known.months };
  // The newest first: until all is read for the first time, those are asked for most.
  const months = (await reader.months()).toReversed();
  for (const [monthsDone, month] of months.entries()) {
    const nowMs = options.nowMs();
    const last = listed[month.month];
    if (last !== undefined && isUnchanged(month, last, nowMs)) continue;
    const told = () =>
      options.onProgress?.({
        share,
        month: month.month,
        monthsDone,
        months: months.length,
        records: writer.head.records - before.records,
        documents: writer.head.documents - before.documents,
      });
    told();
    // The index was built anew since, by whichever process: what is remembered of this month may not be in
    // it.
    if (last === undefined) options.indexed.forget(month.month);
    await readMonth(reader, month.month, view, writer, options, told);
    const changedNs = String(month.changedNs);
    const metMs = last?.changedNs === changedNs ? last.metMs : nowMs;
    listed[month.month] = { changedNs, metMs, listedMs: nowMs };
    writer.note(share, { isWhole: known.isWhole, months: { ...listed } });
    // What is read counts at once, for the rest may take minutes.
    if (!known.isWhole) await writer.commit();
  }
  writer.note(share, { isWhole: true, months: listed });
  return {
    records: writer.head.records - before.records,
    documents: writer.head.documents - before.documents,
  };
}

/** Whether following changed nothing, so that there is nothing to commit. */
export function isSame(one: IndexHead, other: IndexHead): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isUnchanged({ changedNs }: LedgerMonth, last: ListedMonth, nowMs: number): boolean {
  const sinceMs = nowMs - last.listedMs;
  return (
    last.changedNs === String(changedNs) &&
    last.listedMs - last.metMs >= COARSE_MS &&
    sinceMs >= 0 &&
    sinceMs < LIST_AGAIN_MS
  );
}

async function readMonth(
  reader: LedgerReader,
  month: string,
  view: IndexView,
  writer: IndexWriter,
  options: FollowOptions,
  told: () => void,
): Promise<void> {
  let names: RecordName[] = [];
  const addAll = async () => {
    const records: LedgerRecord[] = [];
    await forEachLimited(names, PARALLEL, async name => {
      options.signal?.throwIfAborted();
      if (await isIndexed(view, reader.share, name)) {
        options.indexed.add(month, name);
        return;
      }
      const record = await readOne(reader, name, options);
      if (record !== undefined) records.push(record);
    });
    for (const record of records) {
      await writer.add(reader.share, record);
      options.indexed.add(month, record);
    }
    names = [];
    if (records.length > 0) told();
  };
  for await (const name of reader.recordNames(month)) {
    if (options.indexed.has(month, name) || options.indexed.isUnbelieved(name, options.nowMs())) continue;
    names.push(name);
    if (names.length === NAMES_AT_A_TIME) await addAll();
  }
  await addAll();
}

/** Undefined for one that is not believed. */
async function readOne(
  reader: LedgerReader,
  name: RecordName,
  { indexed, otherShares, nowMs, onBad }: FollowOptions,
): Promise<LedgerRecord | undefined> {
  const read = await reader.read(name);
  // Any other name is one that this share has had before.
  if (read.kind === 'record' && !otherShares.includes(read.record.share)) return read.record;
  // None: somebody removed it since it was listed.
  if (read.kind === 'none') return undefined;
  indexed.disbelieve(name, nowMs());
  // All shares of a host can have one key: a copy from another share would count twice.
  onBad(toFileName(name), read.kind === 'bad' ? read.why : `It is a record of share ${read.record.share}.`);
  return undefined;
}

async function isIndexed(view: IndexView, share: string, name: RecordName): Promise<boolean> {
  const found = await view.find(keyOfRecord(share, name), MOST_ALIKE);
  return found.some(
    document => document.share === share && document.batchId === name.batchId && document.part === name.part,
  );
}
