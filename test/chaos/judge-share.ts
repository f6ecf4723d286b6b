// Reads a share for the judge, byte by byte and by its own means. Names are read as
// bytes: not all of them are UTF-8.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { JournalRecord } from '../../workflows/ingest/ingest-contract';
import { readCsvSheet, readWorkbookSheet, type SheetOfJob } from './judge-sheets';

const OWN = '.drawbridge';
const RECEIPT = /^receipt.*\.(json|csv|xlsx)$/i;
const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);
/** Of ours, never finished. */
const TEMPORARY = /^\.(tmp-|drawbridge-probe)/;

export type Place = 'drop' | 'claimed' | 'done' | 'attention';

export interface FileOnShare {
  readonly place: Place;
  /** Undefined in the drop folder; in done and attention the name of the folder, which may be a job's. */
  readonly batchId?: string;
  /**
   * As it was dropped, relative to the drop folder: in the folder of a job it lies without that one's name.
   */
  readonly path: string;
  /** `link` and `other` instead of a hash for what is no ordinary file. */
  readonly sha256: string;
  /** Device and inode: a crash in the middle of a move leaves one file under two names. */
  readonly identity: string;
}

export interface ManifestOnShare {
  readonly batchId: string;
  /** When its files were claimed, ISO 8601. */
  readonly createdAt?: string;
  readonly job?: { readonly id: string; readonly place: string; readonly part: number };
  readonly files: readonly { readonly index: number; readonly path: string; readonly sha256?: string }[];
}

export interface ReceiptRowOnShare {
  readonly index: number;
  readonly path: string;
  readonly outcome: 'submitted' | 'set-apart' | 'skipped' | 'held' | 'open';
  readonly revisionId?: string | null;
  readonly uploadId?: string;
  readonly reason?: { readonly code: string };
  readonly sha256?: string;
  /** Of the register that the file came with, as people count it. */
  readonly row?: number;
}

export interface ReceiptOnShare {
  readonly batchId: string;
  /** Of a job's receipt, and of that of one of its batches. */
  readonly job?: { readonly id: string; readonly place: string };
  readonly final: boolean;
  readonly files: readonly ReceiptRowOnShare[];
}

export interface BatchOnShare {
  readonly batchId: string;
  /** Put away under `finished`. */
  readonly isFinished: boolean;
  readonly manifest?: ManifestOnShare;
  readonly receipt?: ReceiptOnShare;
  readonly receiptSoFar?: ReceiptOnShare;
  readonly journal: readonly { readonly atMs: number; readonly record: JournalRecord }[];
  /** Files of ours in it that cannot be read; torn journal records are not among them. */
  readonly damaged: readonly string[];
}

/** The name of the folder in done and attention that the files of a batch go to. */
export function folderOf({ batchId, manifest }: Pick<BatchOnShare, 'batchId' | 'manifest'>): string {
  return manifest?.job?.place ?? batchId;
}

/** A receipt as people find it, beside their files. */
export interface ReceiptBeside {
  readonly place: Place;
  readonly batchId: string;
  readonly name: string;
  /** Undefined for sheets, and for what is no receipt any more. */
  readonly receipt?: ReceiptOnShare;
  /** The text of the CSV that every folder has. */
  readonly csv?: string;
  /** What a job's sheet says, CSV or workbook: with its register, or without one. */
  readonly sheet?: SheetOfJob;
}

export interface ShareEvidence {
  readonly files: readonly FileOnShare[];
  readonly batches: readonly BatchOnShare[];
  readonly receipts: readonly ReceiptBeside[];
  /** What belongs to none of our folders, and temporary files of ours; relative to the share. */
  readonly foreign: readonly string[];
  readonly temporary: readonly string[];
}

interface Entry {
  /** Relative to where the walk began. */
  readonly path: string;
  readonly bytes: Buffer;
}

/** Everything on the share below `root`; what vanishes while it is read is left out. */
export async function readShare(root: string): Promise<ShareEvidence> {
  const files: FileOnShare[] = [];
  const receipts: ReceiptBeside[] = [];
  const temporary: string[] = [];
  await readPlace('drop', join(root, 'drop'), '', { files, receipts, temporary });
  for (const place of ['done', 'attention'] as const) {
    for (const batchId of await names(join(root, place))) {
      await readPlace(place, join(root, place, batchId), batchId, { files, receipts, temporary });
    }
  }
  const batches: BatchOnShare[] = [];
  for (const folder of await batchFolders(root)) {
    batches.push(await readBatch(folder.path, folder.batchId, folder.isFinished, temporary));
    await readPlace('claimed', join(folder.path, 'files'), folder.batchId, { files, receipts, temporary });
  }
  const known = new Set(['drop', 'done', 'attention', 'status', OWN]);
  const foreign = (await names(root)).filter(name => !known.has(name));
  const ownKnown = new Set([
    'batches',
    'finished',
    'keys',
    'jobs',
    'finished-jobs',
    'ledger',
    'left',
    'corrections',
    'fields',
    'key-id',
    'temporals',
    'watch.json',
    'passed-linking.json',
    'passed-submitting.json',
  ]);
  const inOwn = (await names(join(root, OWN))).filter(name => !ownKnown.has(name));
  temporary.push(...inOwn.filter(name => TEMPORARY.test(name)));
  foreign.push(...inOwn.filter(name => !TEMPORARY.test(name)).map(name => `${OWN}/${name}`));
  return { files: files.map(asDropped(batches)), batches, receipts, foreign, temporary };
}

/** The paths of files that lie in the folder of a job, with the folder that they were dropped in. */
function asDropped(batches: readonly BatchOnShare[]): (file: FileOnShare) => FileOnShare {
  const folders = new Map(
    batches.flatMap(batch => {
      const [first] = batch.manifest?.job === undefined ? [] : batch.manifest.files;
      return first === undefined ? [] : [[folderOf(batch), first.path.split('/')[0]] as const];
    }),
  );
  return file => {
    const isSettled = file.place === 'done' || file.place === 'attention';
    const folder = isSettled ? folders.get(file.batchId ?? '') : undefined;
    return folder === undefined ? file : { ...file, path: `${folder}/${file.path}` };
  };
}

async function readPlace(
  place: Place,
  folder: string,
  batchId: string,
  into: { files: FileOnShare[]; receipts: ReceiptBeside[]; temporary: string[] },
): Promise<void> {
  for await (const { path, bytes } of walk(folder)) {
    const isOurs = place === 'done' || place === 'attention';
    if (TEMPORARY.test(path.slice(path.lastIndexOf('/') + 1))) {
      into.temporary.push(join(place, batchId, path));
      continue;
    }
    const isReceipt =
      isOurs && RECEIPT.test(path) ? await readReceiptBeside(bytes, path, batchId) : undefined;
    if (isReceipt !== undefined) {
      into.receipts.push({ place, batchId, name: path, ...isReceipt });
      continue;
    }
    const facts = await lstat(bytes, { bigint: true }).catch(ifGone(undefined));
    if (facts === undefined) continue;
    const sha256 = facts.isFile() ? await hashFile(bytes) : facts.isSymbolicLink() ? 'link' : 'other';
    if (sha256 === undefined) continue;
    const identity = `${facts.dev}:${facts.ino}`;
    into.files.push({ place, path, sha256, identity, ...(batchId === '' ? {} : { batchId }) });
  }
}

/** A file that was dropped may be called like a receipt: only what reads like one is one. */
async function readReceiptBeside(
  bytes: Buffer,
  name: string,
  batchId: string,
): Promise<Pick<ReceiptBeside, 'receipt' | 'csv' | 'sheet'> | undefined> {
  const content = await readFile(bytes).catch(ifGone(undefined));
  if (content === undefined) return undefined;
  const text = content.toString('utf8');
  const isWorkbook = name.toLowerCase().endsWith('.xlsx');
  const sheet = isWorkbook ? readWorkbookSheet(content) : readCsvSheet(text);
  if (isWorkbook || sheet !== undefined) return sheet && { sheet };
  if (name.toLowerCase().endsWith('.csv')) return text.includes('revision_id') ? { csv: text } : undefined;
  const receipt = parse<ReceiptOnShare>(text);
  // That of a job names the folder that it lies in as its place.
  const ofWhat = receipt?.job === undefined ? receipt?.batchId : receipt.job.place;
  return receipt !== undefined && ofWhat === batchId && Array.isArray(receipt.files)
    ? { receipt }
    : undefined;
}

async function batchFolders(root: string): Promise<{ path: string; batchId: string; isFinished: boolean }[]> {
  const open = join(root, OWN, 'batches');
  const finished = join(root, OWN, 'finished');
  const found = (await names(open)).map(batchId => ({
    path: join(open, batchId),
    batchId,
    isFinished: false,
  }));
  for (const month of await names(finished)) {
    for (const batchId of await names(join(finished, month))) {
      found.push({ path: join(finished, month, batchId), batchId, isFinished: true });
    }
  }
  return found;
}

async function readBatch(
  folder: string,
  batchId: string,
  isFinished: boolean,
  temporary: string[],
): Promise<BatchOnShare> {
  const damaged: string[] = [];
  const read = async <Value>(name: string): Promise<Value | undefined> => {
    const text = await readFile(join(folder, name), 'utf8').catch(ifGone(undefined));
    if (text === undefined) return undefined;
    const value = parse<Value>(text);
    if (value === undefined) damaged.push(name);
    return value;
  };
  const manifest = await read<ManifestOnShare>('batch.json');
  const receipt = await read<ReceiptOnShare>('receipt.json');
  const receiptSoFar = await read<ReceiptOnShare>('receipt-so-far.json');
  const journal: BatchOnShare['journal'][number][] = [];
  for (const name of (await names(join(folder, 'journal'))).sort()) {
    if (name.startsWith('.')) temporary.push(join(batchId, 'journal', name));
    else {
      const envelope = await read<{ atMs: number; record: string }>(join('journal', name));
      const record = envelope === undefined ? undefined : parse<never>(envelope.record);
      if (envelope !== undefined && record !== undefined) journal.push({ atMs: envelope.atMs, record });
    }
  }
  temporary.push(
    ...(await names(folder)).filter(name => TEMPORARY.test(name)).map(name => join(batchId, name)),
  );
  return {
    batchId,
    isFinished,
    journal,
    damaged,
    ...(manifest === undefined ? {} : { manifest }),
    ...(receipt === undefined ? {} : { receipt }),
    ...(receiptSoFar === undefined ? {} : { receiptSoFar }),
  };
}

async function* walk(folder: string): AsyncGenerator<Entry> {
  const pending: Buffer[] = [Buffer.from(folder)];
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    const entries = await readdir(current, { withFileTypes: true, encoding: 'buffer' }).catch(ifGone([]));
    for (const entry of entries) {
      const bytes = Buffer.concat([current, Buffer.from('/'), entry.name]);
      if (entry.isDirectory()) pending.push(bytes);
      else yield { path: bytes.subarray(Buffer.byteLength(folder) + 1).toString('utf8'), bytes };
    }
  }
}

async function hashFile(path: Buffer): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    return ifGone(undefined)(error);
  }
  return hash.digest('hex');
}

async function names(folder: string): Promise<string[]> {
  return await readdir(folder).catch(ifGone([]));
}

/** A judge that takes what it cannot read for what is not there accuses, or acquits, for nothing. */
function ifGone<Value>(value: Value): (error: unknown) => Value {
  return error => {
    if (GONE.has(String((error as { code?: unknown }).code))) return value;
    throw error;
  };
}

function parse<Value>(text: string): Value | undefined {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return undefined;
  }
}
