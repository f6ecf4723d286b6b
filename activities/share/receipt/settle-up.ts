// Settles a batch: the receipt first, then the files move to `done` or `attention`, then the
// batch folder is put away. Every step can be repeated after a crash; a repeat finishes what is
// left and changes nothing else.
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DocumentOutcome } from '../../../workflows/ingest/ingest-contract';
import { messageOf } from '../../host/describe-bug';
import { hasCode } from '../../host/error-code';
import { isGone } from '../../host/file-trouble';
import { isDone, type Receipt, readReceipt, readReceiptSoFar, sealReceipt } from '../batch/kept-receipt';
import {
  type Manifest,
  type ManifestFile,
  pathInPlace,
  placeBelow,
  placeOfBatch,
  type SealedManifest,
} from '../batch/manifest';
import { putBack, removeEmptyFolders } from '../batch/put-back';
import { isThere } from '../files/if-there';
import { requireMissing } from '../files/missing';
import { moveFile } from '../files/move-file';
import { lastNameOf, parentOf } from '../files/open-folder';
import { listOwnFiles } from '../files/own-files';
import { foldersUpTo, openFirst, openRealFolder, RealFolders, syncFolders } from '../files/real-folder';
import { comparePaths } from '../files/relative-path';
import { ShareError, type ShareErrorCode, toShareError } from '../files/share-error';
import { type FsPath, type OpenFolder, Place, type ShareFs } from '../files/share-fs';
import { type BatchPaths, finishedFolder, fromRoot, type ShareLayout } from '../files/share-layout';
import { writeOnce, writeOver } from '../files/write-whole';
import { countReceipt, type HeldFile, howOf, makeReceipt } from './make-receipt';
import { toCsv } from './receipt-csv';
import { hash, ownName, writeBeside } from './receipt-files';
import { findLying, removeSoFar, replaceSoFar, writtenBy } from './receipt-so-far';

const LOOKS_FOR_EMPTY = 10;
const LOOK_AGAIN_MS = 50;

export interface Settled {
  readonly done: number;
  readonly attention: number;
  /** Not sent, for they are there already; their files are with those that are done. Absent for none. */
  readonly skipped?: number;
  /** Submitted without a response that named the revision; absent for none. */
  readonly idsNotTold?: number;
  /** The CSV receipts, relative to the share, `/` between parts. */
  readonly receipts: readonly string[];
  /** Files that should have been moved but are nowhere; somebody took them out of our folder. */
  readonly missing: readonly string[];
  /** Files that were in the batch folder but not in the manifest; they are back in the drop folder. */
  readonly strays: readonly string[];
  /** Files in the place of whose folder something else stood; `folder`, from the root: where they are now. */
  readonly elsewhere: readonly { readonly path: string; readonly folder: string }[];
  /** Files that cannot be moved just now, while others of their batch are on their way. */
  readonly blocked: readonly { readonly path: string; readonly why: string }[];
}

/** What the run of the batch is told. */
export type SettledSummary = Omit<Settled, keyof Moved | 'strays'>;

/** What became of the files of one settling, besides those that are where they belong. */
type Moved = Pick<Settled, 'missing' | 'elsewhere' | 'blocked'>;

interface Batch extends SealedManifest {
  readonly paths: BatchPaths;
}

/**
 * Writes the final receipt, unless there is one, and moves everything. With a receipt that exists, `outcomes`
 * are not looked at: what it says stands.
 */
export async function settleFinally(
  layout: ShareLayout,
  batch: Batch,
  outcomes: readonly DocumentOutcome[],
  now: Date,
): Promise<Settled> {
  let receipt = await readReceipt(batch.paths);
  if (receipt === undefined) {
    const earlier = await readReceiptSoFar(batch.paths);
    const all = [...keptOutcomes(earlier), ...outcomes];
    const made = sealReceipt(
      batch.paths.seals,
      makeReceipt({ ...batch, outcomes: all, held: [], final: true, now }),
    );
    await writeOnce(layout.fs, batch.paths.receipt, `${JSON.stringify(made, undefined, 1)}\n`);
    receipt = (await readReceipt(batch.paths)) ?? made;
  }
  return await finishMoves(layout, batch, receipt);
}

interface SoFar {
  readonly outcomes: readonly DocumentOutcome[];
  readonly held?: readonly HeldFile[];
  readonly goingOn?: readonly HeldFile[];
  readonly now: Date;
}

/** While documents are held for a person: writes a receipt so far, and moves the files that have ended. */
export async function settleSoFar(
  layout: ShareLayout,
  batch: Batch,
  { outcomes, held = [], goingOn = [], now }: SoFar,
): Promise<Settled> {
  const final = await readReceipt(batch.paths);
  if (final !== undefined) return await finishMoves(layout, batch, final);

  const earlier = await readReceiptSoFar(batch.paths);
  const made = makeReceipt({
    ...batch,
    outcomes: [...keptOutcomes(earlier), ...outcomes],
    held,
    goingOn,
    final: false,
    now,
    earlier,
  });
  const csv = toCsv(made, { delimiter: layout.delimiter });
  const name = soFarName(batch);
  const known = writtenBy(earlier);
  const lying =
    known.length === 0 ? [] : await findLying(layout, await foldersOf(layout, batch), name, known);
  const earlierCsvs = lying.filter(sha256 => sha256 !== hash(csv));
  const receipt = sealReceipt(batch.paths.seals, {
    ...made,
    csvSha256: hash(csv),
    ...(earlierCsvs.length === 0 ? {} : { earlierCsvSha256: earlierCsvs }),
  });
  await writeOver(layout.fs, batch.paths.receiptSoFar, `${JSON.stringify(receipt, undefined, 1)}\n`);
  const receipts: string[] = [];
  // What is held shows in `attention`, even while nothing lies there yet.
  const { attention } = layout;
  const bases = new Set([...receiptBases(layout, receipt), ...(held.length > 0 ? [attention] : [])]);
  for (const base of bases) {
    const path = await inPlaceBelow(layout, batch, base, open =>
      replaceSoFar(batch.paths, new Place(open, name), csv, writtenBy(receipt)),
    );
    receipts.push(fromRoot(layout.root, path));
  }
  // Nothing is held any more, and nothing was set apart: the receipt so far in `attention` goes.
  if (!bases.has(attention)) {
    for (const folder of await foldersOf(layout, batch, [attention])) {
      await removeSoFar(layout, folder, name, writtenBy(receipt));
    }
  }
  const moved = await moveFiles(layout, batch, receipt);
  return { ...countReceipt(receipt), receipts, ...moved, strays: [] };
}

/** What is said of a batch that was settled and put away before; writes nothing. */
export async function tellSettled(layout: ShareLayout, batch: Batch): Promise<SettledSummary> {
  const { batchId } = batch.manifest;
  const receipt = await readReceipt(batch.paths);
  if (receipt === undefined) {
    throw new ShareError('batch-damaged', `The finished batch ${batchId} has lost its receipt.`);
  }
  const receipts: string[] = [];
  const names = ['receipt.csv', ...(receipt.job === undefined ? [] : ['receipt-so-far.csv'])];
  for (const base of receiptBases(layout, receipt)) {
    for (const place of placesOf(batch.manifest)) {
      const before = receipts.length;
      for (const name of names) {
        const path = join(base, place, ownName(batch.manifest, name));
        if (await isThere(layout.fs, path)) receipts.push(fromRoot(layout.root, path));
      }
      if (receipts.length > before) break;
    }
  }
  return { ...countReceipt(receipt), receipts };
}

async function finishMoves(layout: ShareLayout, batch: Batch, receipt: Receipt): Promise<Settled> {
  const csv = toCsv(receipt, { delimiter: layout.delimiter });
  const json = `${JSON.stringify(receipt, undefined, 1)}\n`;
  const receipts: string[] = [];
  const soFar = await readReceiptSoFar(batch.paths).catch(error => {
    // A spoilt one tells nothing any more; one that cannot be read just now is waited for.
    if (hasCode<ShareErrorCode>(error, 'batch-damaged')) return undefined;
    throw error;
  });
  for (const base of receiptBases(layout, receipt)) {
    await inPlaceBelow(layout, batch, base, async open => {
      // A part of a job has its rows in the receipt of the job, which takes the place of this one.
      const isPart = receipt.job !== undefined;
      if (isPart) {
        const place = new Place(open, soFarName(batch));
        receipts.push(fromRoot(layout.root, await writeBeside(batch.paths, place, csv)));
        return;
      }
      const forPeople = new Place(open, ownName(batch.manifest, 'receipt.csv'));
      receipts.push(fromRoot(layout.root, await writeBeside(batch.paths, forPeople, csv)));
      await writeBeside(batch.paths, new Place(open, ownName(batch.manifest, 'receipt.json')), json);
    });
  }
  const earlier = writtenBy(soFar).filter(sha256 => receipt.job === undefined || sha256 !== hash(csv));
  if (earlier.length > 0) {
    // A document that was held and then submitted leaves a folder in `attention` that is empty: it goes, too.
    for (const folder of await foldersOf(layout, batch)) {
      await removeSoFar(layout, folder, soFarName(batch), earlier);
    }
  }
  const moved = await moveFiles(layout, batch, receipt);
  // Before strays are looked for: what stays here would be taken for one, and dropped a second time.
  const [blocked] = moved.blocked;
  if (blocked !== undefined) {
    throw new ShareError('folder-blocked', `"${blocked.path}" cannot be moved to its folder: ${blocked.why}`);
  }
  const strays = await returnStrays(layout, batch);
  await putAway(layout, batch);
  return { ...countReceipt(receipt), receipts, ...moved, strays };
}

function soFarName({ manifest }: Batch): string {
  return ownName(manifest, 'receipt-so-far.csv');
}

/**
 * The names of the folder below `done` and `attention` that the files of a batch go to: its own, and the one
 * for where a link or a file has that name, which is no other job's.
 */
function placesOf({ batchId, job }: Pick<Manifest, 'batchId' | 'job'>): readonly [string, string] {
  const place = placeOfBatch({ batchId, job });
  return [place, place === batchId ? `${batchId} (2)` : batchId];
}

/** Its folders below these, in which a receipt so far may lie. */
async function foldersOf(
  { fs, done, attention }: ShareLayout,
  { manifest }: Batch,
  bases: readonly string[] = [done, attention],
): Promise<readonly string[]> {
  const folders: string[] = [];
  const [own, other] = placesOf(manifest);
  for (const base of bases) {
    folders.push(join(base, own));
    if (await isThere(fs, join(base, other))) folders.push(join(base, other));
  }
  return folders;
}

/** In the folder of the batch below `done` or `attention`. @throws ShareError `folder-blocked`. */
async function inPlaceBelow<T>(
  layout: ShareLayout,
  { manifest }: Batch,
  base: string,
  work: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  try {
    const places = placesOf(manifest).map(place => join(base, place));
    const open = await openFirst(places, folder => openRealFolder(layout.fs, layout.root, folder));
    try {
      return await work(open);
    } finally {
      await open.close();
    }
  } catch (error) {
    throw toBlocked(error);
  }
}

/** What stands in the way concerns this batch only, and passes when people have moved it. */
function toBlocked(error: unknown): unknown {
  if (!hasCode<ShareErrorCode>(error, 'file-refused')) return error;
  return new ShareError('folder-blocked', messageOf(error), error);
}

/**
 * Where a file may go, the best first: to its own folder, or where a link or a file stands in the place of
 * that, to the nearest one above that is the batch's.
 */
function* waysTo(base: string, manifest: Manifest, file: Pick<ManifestFile, 'path' | 'pathBytes'>) {
  for (const place of placesOf(manifest)) {
    const top = join(base, place);
    yield* foldersUpTo(top, parentOf(placeBelow(top, pathInPlace(manifest, file))));
  }
}

/**
 * Moves every file that the receipt calls finished. A file that is not there any more was moved before. What
 * stands in the way of one holds up none of the others.
 */
async function moveFiles(layout: ShareLayout, batch: Batch, receipt: Receipt): Promise<Moved> {
  const { fs, root } = layout;
  const missing: string[] = [];
  const elsewhere: Settled['elsewhere'][number][] = [];
  const blocked: Settled['blocked'][number][] = [];
  const targets = new Map<string, FsPath>();
  const folders = new RealFolders(fs, root);
  try {
    for (const { file, base } of listMoves(layout, batch, receipt)) {
      const { path } = file;
      const from = placeBelow(batch.paths.files, file);
      const ways = [...waysTo(base, batch.manifest, file)];
      try {
        const folder = await openFirst(ways, way => folders.get(way));
        targets.set(folder.path.toString('latin1'), folder.path);
        // The source folder is not made: if it is gone, the file was moved before, by us or another process.
        const source = await folders.getIfThere(parentOf(from));
        const target = new Place(folder, lastNameOf(from));
        const moved = source && (await moveFile(fs, new Place(source, lastNameOf(from)), target));
        if (moved !== undefined) {
          const isElsewhere = ways[0]?.toString('latin1') !== folder.path.toString('latin1');
          if (isElsewhere) elsewhere.push({ path, folder: fromRoot(root, folder.path.toString()) });
          continue;
        }
        // Not found at its source: moved by an earlier attempt, unless it is at none of its destinations. One
        // that only seemed to be gone would be left behind, taken for a stray and dropped a second time.
        await requireMissing(fs, from, layout.batches);
        if (!(await isThere(fs, target)) && !(await isInAny(fs, ways, target.name))) missing.push(path);
      } catch (error) {
        if (!hasCode<ShareErrorCode>(error, 'file-refused')) throw error;
        blocked.push({ path, why: messageOf(error) });
      }
    }
    // The batch is put away next: a move that a power cut undid would then be looked for by nobody.
    await syncFolders(fs, layout.root, targets.values());
  } catch (error) {
    throw toShareError(error) ?? error;
  } finally {
    await folders.close();
  }
  return { missing, elsewhere, blocked };
}

async function isInAny(fs: ShareFs, folders: readonly FsPath[], name: FsPath): Promise<boolean> {
  for (const folder of folders) {
    if (await isThere(fs, Buffer.concat([folder, '/', name].map(part => Buffer.from(part))))) return true;
  }
  return false;
}

/**
 * A register among the files goes last, with the final receipt: to the documents that have their revision, if
 * there are any. That of the job goes with the receipt of the job.
 */
function listMoves(
  layout: ShareLayout,
  { manifest }: Batch,
  receipt: Receipt,
): { readonly file: Pick<ManifestFile, 'path' | 'pathBytes'>; readonly base: string }[] {
  const ofFiles = receipt.files.flatMap(({ index, outcome }) => {
    const file = manifest.files[index];
    const base = baseFor(layout, outcome);
    return file === undefined || base === undefined ? [] : [{ file, base }];
  });
  if (!receipt.final) return ofFiles;
  const ofRegisters = (manifest.registers ?? []).flatMap(({ path, ofJob }, at) => {
    if (ofJob) return [];
    const outcomes = receipt.files.flatMap(({ index, outcome }) =>
      manifest.files[index]?.entry?.register === at ? [outcome] : [],
    );
    const base = baseFor(layout, outcomes.some(isDone) ? 'submitted' : 'set-apart');
    return base === undefined ? [] : [{ file: { path }, base }];
  });
  return [...ofFiles, ...ofRegisters];
}

/** What a slow claimer added after the manifest was sealed is no document: it goes back to the drop. */
async function returnStrays(layout: ShareLayout, batch: Batch): Promise<string[]> {
  const strays: string[] = [];
  for await (const name of listOwnFiles(layout.fs, layout.root, batch.paths.files)) {
    await putBack(layout, batch.paths, name).catch(error => {
      throw toBlocked(error);
    });
    strays.push(name.path);
  }
  return strays;
}

async function putAway(layout: ShareLayout, batch: Batch): Promise<void> {
  const { fs } = layout;
  const finished = finishedFolder(layout, batch.manifest.batchId);
  try {
    await emptyFiles(fs, batch.paths.files);
    await fs.makeFolders(layout.own, dirname(finished));
    await fs.rename(batch.paths.folder, finished);
    await syncFolders(fs, layout.root, [dirname(finished)]);
  } catch (error) {
    // Another process put it away at the same moment.
    if (isGone(error) && (await isThere(fs, finished))) return;
    throw toShareError(error) ?? error;
  }
}

/** @throws ShareError while there are files in it: put away with them, they would never be seen again. */
async function emptyFiles(fs: ShareFs, files: FsPath): Promise<void> {
  for (let look = 1; ; look += 1) {
    await removeEmptyFolders(fs, files);
    if (!(await isThere(fs, files))) return;
    if (look === LOOKS_FOR_EMPTY) {
      throw new ShareError('unreadable-now', 'Files came into the folder of a batch while it was put away.');
    }
    // Another process that does the same may be between the two halves of a move.
    await delay(LOOK_AGAIN_MS);
  }
}

/** `done` or `attention`; undefined for what stays. */
function baseFor(layout: ShareLayout, outcome: Receipt['files'][number]['outcome']): string | undefined {
  if (isDone(outcome)) return layout.done;
  return outcome === 'set-apart' ? layout.attention : undefined;
}

/** Those of `done` and `attention` that this receipt belongs into. */
function receiptBases(layout: ShareLayout, receipt: Receipt): string[] {
  const bases = new Set(receipt.files.map(file => baseFor(layout, file.outcome)).filter(isDefined));
  return [...bases].sort(comparePaths);
}

function keptOutcomes(earlier: Receipt | undefined): DocumentOutcome[] {
  return (earlier?.files ?? []).flatMap((row): DocumentOutcome[] => {
    const both = {
      index: row.index,
      stored: row.stored,
      notes: row.notes,
      ...howOf(row),
      ...(row.uploadId === undefined
        ? {}
        : { uploadId: row.uploadId as NonNullable<DocumentOutcome['uploadId']> }),
    };
    if ((row.outcome === 'set-apart' || row.outcome === 'skipped') && row.reason !== undefined) {
      return [{ ...both, kind: row.outcome, reason: row.reason }];
    }
    if (row.outcome !== 'submitted' || row.submittedAt === undefined) return [];
    return [
      {
        ...both,
        kind: 'submitted',
        revisionId: (row.revisionId ?? null) as Extract<DocumentOutcome, { kind: 'submitted' }>['revisionId'],
        paired: row.paired ?? 'unknown',
        submittedAtMs: Date.parse(row.submittedAt),
      },
    ];
  });
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}
