// Documents that were set apart and still lie where people find them: what is wrong with each, and the
// way back into the drop folder. Our own copy of the receipt is what counts; the one beside the files, in
// which people write, is read only where ours is gone.
import { join } from 'node:path';
import type { ProjectRef, Reason } from '../../../workflows/contract';
import { describeBug } from '../../host/describe-bug';
import { troubleCodeOf } from '../../host/error-code';
import { isGone } from '../../host/file-trouble';
import type { FileHasher } from '../../transfer/hashing/hash-file';
import { planSegments } from '../../transfer/segment-plan';
import { type Receipt, readReceipt, readReceiptSoFar, receiptSchema, wasSeen } from '../batch/kept-receipt';
import {
  type JobOfBatch,
  type Manifest,
  pathInPlace,
  placeBelow,
  placeOfBatch,
  readManifest,
} from '../batch/manifest';
import { locateBatch } from '../batch/read-batch';
import { ifThere, isThere, lookIfThere, openIfThere } from '../files/if-there';
import { isAnyPlaceholder, moveFile, withSuffix } from '../files/move-file';
import { lastNameOf, parentOf } from '../files/open-folder';
import { readOwnJson } from '../files/own-json';
import { inRealFolder } from '../files/real-folder';
import { comparePaths, isInnerPath } from '../files/relative-path';
import { ShareError, toShareError, troubleOfOne } from '../files/share-error';
import { type FileFacts, type FsPath, type OpenFolder, Place, type ShareFs } from '../files/share-fs';
import { isBatchId, type ShareLayout } from '../files/share-layout';
import { findJob, listNotedBatches } from '../jobs/job-book';
import { finishedJobPaths, type JobPaths, type JobRecord, jobIdOf } from '../jobs/job-record';
import type { RegisterRefusal } from '../register/register-refusal';
import type { Earlier, WaitingRows } from './corrected/waiting-rows';

export interface SetApartFile {
  readonly batchId: string;
  readonly project: ProjectRef;
  readonly index: number;
  /** As it was dropped, relative to the drop folder. */
  readonly path: string;
  readonly reason: Reason;
  /** The service has shown its upload to us: people could see it there as well, and submit it. */
  readonly wasSeen: boolean;
  /** When the receipt that says so was written, ISO. */
  readonly sinceIso: string;
  /** Of the file as it was set apart; absent where it could not be read. */
  readonly sha256?: string;
  /** The job that it is part of; absent for none. */
  readonly jobId?: string;
  /** Absent for one that came without a register. */
  readonly withRow?: WithRow;
  /**
   * Where several batches of a job have set a file of this path apart: all of them, in the order of their
   * batches. Moving has given the later ones other names, `plan (2).pdf`.
   */
  readonly samePath?: readonly OfSamePath[];
}

/**
 * What came with a register never goes again without what that says of it: it would become another revision
 * than was meant. `now`: its row goes with it, for its job has its receipt; `later`: once it has; `never`:
 * its job keeps no such register, or it cannot be used, so that it is dropped with one that lists it.
 */
export type WithRow = 'now' | 'later' | 'never';

type OfSamePath = Pick<SetApartFile, 'batchId' | 'index' | 'sha256'>;

/** A batch in the folder of what was set apart whose receipt cannot be read. */
export interface UnreadableReceipt {
  readonly batchId: string;
  readonly why: string;
}

export interface SetApartListing {
  readonly files: readonly SetApartFile[];
  readonly unreadable: readonly UnreadableReceipt[];
}

export type TakenUp =
  | { readonly kind: 'in-drop' }
  /** The drop folder has a file of this name; nothing was moved. */
  | { readonly kind: 'name-taken' }
  /** It lies there no more: somebody took it up already. */
  | { readonly kind: 'gone' }
  /** It came with a register, and goes with its row alone; nothing was moved. */
  | { readonly kind: 'needs-row'; readonly withRow: WithRow }
  /** It goes by itself, with its row: once its name in the drop folder is free, or with an earlier asking. */
  | { readonly kind: 'waits'; readonly why: string }
  /** Several were set apart under its path, and none of these is certain to be it; nothing was moved. */
  | { readonly kind: 'unclear'; readonly names: readonly string[] };

/** A row of a receipt, and where moving has put its file if the name was free. */
interface ApartRow {
  readonly file: SetApartFile;
  readonly from: FsPath;
  readonly sizeBytes: number;
  /** Of its batch in the job. */
  readonly part: number;
}

const UNUSABLE: RegisterRefusal = 'register-unusable';

/** How many names are looked at for files of one path: `plan.pdf`, `plan (2).pdf`, and so on. */
const MOST_NAMES = 20;

/** In order of batch and path. @throws ShareError only for what concerns the whole share. */
export async function listSetApart(layout: ShareLayout): Promise<SetApartListing> {
  const batches = await listBatches(layout).catch(error => {
    throw toShareError(error) ?? error;
  });
  const rows = new Map<string, ApartRow[]>();
  const unreadable: UnreadableReceipt[] = [];
  const collect = async (batchId: string, look: () => Promise<void>) => {
    try {
      await look();
    } catch (error) {
      const trouble = troubleOfOne(error);
      if (unreadable.some(known => known.batchId === batchId)) return;
      unreadable.push({
        batchId,
        why:
          trouble?.message ?? `Its receipt cannot be read (${troubleCodeOf(error) ?? describeBug(error)}).`,
      });
    }
  };
  for (const [batchId, job] of batches) {
    await collect(batchId, async () => {
      for (const row of await listOfBatch(layout, batchId, job)) {
        const key = keyOf(row.from);
        rows.set(key, [...(rows.get(key) ?? []), row]);
      }
    });
  }
  const files: SetApartFile[] = [];
  for (const ofPath of rows.values()) {
    const inJob = ofPath.toSorted((one, other) => one.part - other.part);
    const [first] = inJob as [ApartRow];
    await collect(first.file.batchId, async () => {
      files.push(...(await listLying(layout.fs, first.from, inJob, rows)));
    });
  }
  const inOrder = files.sort(
    (one, other) => comparePaths(one.batchId, other.batchId) || comparePaths(one.path, other.path),
  );
  return { files: inOrder, unreadable };
}

/**
 * Those of the documents set apart under one path whose files lie there still.
 * @param all the rows of the share, by `keyOf` where they lie.
 */
async function listLying(
  fs: ShareFs,
  from: FsPath,
  rows: readonly ApartRow[],
  all: ReadonlyMap<string, readonly ApartRow[]>,
): Promise<readonly SetApartFile[]> {
  const sizes: number[] = [];
  for (let turn = 1; turn <= MOST_NAMES; turn += 1) {
    const place = withSuffix(from, turn);
    const facts = await lookIfThere(fs, place);
    const isDocument =
      facts !== undefined &&
      (turn === 1 || !isOfAnother(facts, rows, all.get(keyOf(place)))) &&
      (hasSizeOf(rows, facts) || !(await isAnyPlaceholder(fs, place, facts)));
    if (isDocument) sizes.push(facts.sizeBytes);
    // Once there is a file for each row, all of them lie there. Of several, one that was taken up leaves a
    // gap in the names; a single one has another name only where a placeholder of ours stands under its own.
    if (sizes.length === rows.length || (rows.length === 1 && facts === undefined)) break;
  }
  if (rows.length === 1) return sizes.length > 0 ? rows.map(({ file }) => file) : [];
  const samePath = rows.map(({ file: { batchId, index, sha256 } }) => ({
    batchId,
    index,
    ...(sha256 === undefined ? {} : { sha256 }),
  }));
  // One that was taken up and has come back has two rows and one file, which belongs to the later row.
  // Hashing would be certain; that is left to the taking up, for this is asked every few seconds.
  const newestFirst = rows.toReversed();
  const bySize = newestFirst.filter(({ sizeBytes }) => {
    const at = sizes.indexOf(sizeBytes);
    if (at >= 0) sizes.splice(at, 1);
    return at >= 0;
  });
  // The rest has no row of its size: perhaps somebody has mended it where it lies.
  const others = newestFirst.filter(row => !bySize.includes(row)).slice(0, sizes.length);
  return [...bySize, ...others].map(({ file }) => ({ ...file, samePath }));
}

/**
 * Whether what lies under `plan (2).pdf` is the document of that very path, and none of `plan.pdf`. Its size
 * tells where moving has given a later `plan.pdf` this name first.
 */
function isOfAnother(
  facts: FileFacts,
  rows: readonly ApartRow[],
  others: readonly ApartRow[] | undefined,
): boolean {
  return others !== undefined && (hasSizeOf(others, facts) || !hasSizeOf(rows, facts));
}

function hasSizeOf(rows: readonly ApartRow[], facts: FileFacts): boolean {
  return rows.some(({ sizeBytes }) => sizeBytes === facts.sizeBytes);
}

function keyOf(place: FsPath): string {
  return Buffer.from(place).toString('latin1');
}

/** Moves one of them back into the drop folder, never over another file; none that came with a register. */
export async function takeUpAgain(
  layout: ShareLayout,
  file: Pick<SetApartFile, 'batchId' | 'index' | 'path' | 'sha256' | 'samePath'>,
  { hasher, waiting }: { readonly hasher: FileHasher; readonly waiting: WaitingRows },
): Promise<TakenUp> {
  const { fs } = layout;
  try {
    const manifest = await readManifestOf(layout, file.batchId);
    // Where the manifest is gone or spoilt the receipt knows the job as well: by it the file was listed.
    const receipt = manifest === undefined ? await readAnyReceipt(layout, file.batchId) : undefined;
    const { job } = manifest ?? receipt ?? {};
    const known = job && (await findKnownJob(layout, job.id));
    const withRow = withRowOf(known, cameWithRegister(file, manifest, receipt));
    if (withRow !== undefined) return { kind: 'needs-row', withRow };
    const earlier = known && (await findEarlier(layout, known, file, waiting));
    if (earlier !== undefined) return { kind: 'waits', why: earlier.why };
    const { from, to } = placesOf(layout, file, manifest, job);
    const source = await openIfThere(fs, layout.root, parentOf(from));
    if (source === undefined) return { kind: 'gone' };
    try {
      const first = new Place(source, lastNameOf(from));
      const found =
        file.samePath === undefined && !(await isPlaceholderOf(layout, first, file))
          ? first
          : await findOwn(fs, source, lastNameOf(from), file, hasher);
      if (!(found instanceof Place)) return found;
      return await inRealFolder(fs, layout.root, parentOf(to), folder =>
        moveIntoDrop(fs, found, new Place(folder, lastNameOf(to))),
      );
    } finally {
      await source.close();
    }
  } catch (error) {
    throw toShareError(error) ?? error;
  }
}

/** Whether a placeholder of ours lies where the document should; what has its size is the document. */
async function isPlaceholderOf(
  layout: ShareLayout,
  place: Place,
  { batchId, index }: Pick<SetApartFile, 'batchId' | 'index'>,
): Promise<boolean> {
  const facts = await lookIfThere(layout.fs, place);
  if (facts === undefined || !(await isAnyPlaceholder(layout.fs, place, facts))) return false;
  const rows = await listOfBatch(layout, batchId);
  return !hasSizeOf(
    rows.filter(({ file }) => file.index === index),
    facts,
  );
}

/** Which of the files that were set apart under one path is that of this document, by its bytes. */
async function findOwn(
  fs: ShareFs,
  folder: OpenFolder,
  name: FsPath,
  { sha256, samePath = [] }: Pick<SetApartFile, 'sha256' | 'samePath'>,
  hasher: FileHasher,
): Promise<Place | Extract<TakenUp, { kind: 'gone' | 'unclear' }>> {
  const known = new Set(samePath.map(other => other.sha256));
  const names: string[] = [];
  let isUnclear = sha256 === undefined;
  for (let turn = 1; turn <= MOST_NAMES; turn += 1) {
    const place = new Place(folder, withSuffix(name, turn));
    const facts = await lookIfThere(fs, place);
    if (facts === undefined) continue;
    const hashed = await hashOf(place, facts, hasher);
    if (hashed !== undefined && hashed === sha256) return place;
    // A document without a hash may be an empty one.
    const canBeTorn = sha256 !== undefined || facts.sizeBytes > 0;
    if (canBeTorn && (await isAnyPlaceholder(fs, place, facts))) continue;
    names.push(place.name.toString());
    // Of bytes that none of them had: whose it is, nobody can tell.
    if (hashed === undefined || !known.has(hashed)) isUnclear = true;
  }
  return names.length > 0 && isUnclear ? { kind: 'unclear', names } : { kind: 'gone' };
}

async function hashOf(
  place: Place,
  { kind, sizeBytes }: FileFacts,
  hasher: FileHasher,
): Promise<string | undefined> {
  if (kind !== 'file' || sizeBytes === 0) return undefined;
  const hashed = await ifThere(hasher.hashFile(place.path.toString(), { segments: planSegments(sizeBytes) }));
  return hashed?.sha256;
}

/** A job, and whether it has its receipt. */
interface KnownJob {
  readonly record: JobRecord;
  readonly isFinished: boolean;
}

/** Batches that have a folder in `attention`, by themselves or as part of a job, in their order. */
async function listBatches(
  layout: ShareLayout,
): Promise<readonly (readonly [string, KnownJob | undefined])[]> {
  const batches = new Map<string, KnownJob | undefined>();
  for await (const { name } of layout.fs.entries(layout.attention)) {
    const place = name.toString('utf8');
    if (isBatchId(place)) {
      batches.set(place, batches.get(place));
      continue;
    }
    // None for a folder that is no job's.
    const job = await findKnownJob(layout, jobIdOf(place));
    if (job === undefined) continue;
    for (const batchId of await listNotedBatches(layout, job.paths)) batches.set(batchId, job);
  }
  return [...batches].sort(([one], [other]) => comparePaths(one, other));
}

async function findKnownJob(
  layout: ShareLayout,
  jobId: string,
): Promise<(KnownJob & { readonly paths: JobPaths }) | undefined> {
  const job = await findJob(layout, jobId, () => undefined);
  return job && { ...job, isFinished: job.paths.folder === finishedJobPaths(layout, jobId).folder };
}

/** Of a file for which no job keeps a register: whether one came with it, also one that cannot be used. */
function cameWithRegister(
  { index }: Pick<SetApartFile, 'index'>,
  manifest: Manifest | undefined,
  receipt: Receipt | undefined,
): boolean {
  const file = manifest?.files[index];
  const reason = file?.refused ?? receipt?.files.find(row => row.index === index)?.reason;
  if (reason?.code === UNUSABLE) return true;
  return manifest === undefined ? receipt?.registers !== undefined : file?.entry !== undefined;
}

/** What was asked for it before with a row, of a job that had no register, and waits. */
async function findEarlier(
  layout: ShareLayout,
  { record, paths }: KnownJob & { readonly paths: JobPaths },
  { path, sha256, samePath }: Pick<SetApartFile, 'path' | 'sha256' | 'samePath'>,
  waiting: WaitingRows,
): Promise<Earlier | undefined> {
  const { folder } = record;
  if (folder === null || !path.startsWith(`${folder}/`)) return undefined;
  const rows = await waiting.listOf(layout, paths, path.slice(folder.length + 1));
  // Of several files of one path only that goes with it which it was asked for: its hash says which, unless
  // another file comes in its place.
  return rows.find(row => samePath === undefined || row.upload !== undefined || row.sha256 === sha256)
    ?.earlier;
}

function withRowOf(job: KnownJob | undefined, isOfRegister: boolean): WithRow | undefined {
  const { register, folder } = job?.record ?? {};
  if (register === undefined) return isOfRegister ? 'never' : undefined;
  if (folder === null) return 'never';
  return job?.isFinished === true ? 'now' : 'later';
}

async function moveIntoDrop(fs: ShareFs, from: Place, to: Place): Promise<TakenUp> {
  if (!(await isThere(fs, from))) return { kind: 'gone' };
  if (await isThere(fs, to)) return { kind: 'name-taken' };
  return (await moveFile(fs, from, to, { isDrop: true, isOfPeople: true })) === undefined
    ? { kind: 'gone' }
    : { kind: 'in-drop' };
}

/** @param job the one that it is part of, where that is known. */
async function listOfBatch(layout: ShareLayout, batchId: string, job?: KnownJob): Promise<ApartRow[]> {
  const receipt = await readAnyReceipt(layout, batchId);
  if (receipt === undefined) return [];
  const manifest = await readManifestOf(layout, batchId);
  const found: ApartRow[] = [];
  for (const row of receipt.files) {
    const { index, path, outcome, reason, sha256, sizeBytes } = row;
    if (outcome !== 'set-apart' || reason === undefined || !isInnerPath(path)) continue;
    const { from } = placesOf(layout, { batchId, index, path }, manifest, receipt.job);
    const withRow = withRowOf(job, cameWithRegister(row, manifest, receipt));
    const file: SetApartFile = {
      batchId,
      project: receipt.project,
      index,
      path,
      reason,
      wasSeen: wasSeen(row),
      sinceIso: receipt.writtenAt,
      ...(sha256 === undefined ? {} : { sha256 }),
      ...(job === undefined ? {} : { jobId: job.record.jobId }),
      ...(withRow === undefined ? {} : { withRow }),
    };
    found.push({ file, from, sizeBytes, part: receipt.job?.part ?? 0 });
  }
  return found;
}

/** Ours; when the share no longer has it, the copy beside the files. */
async function readAnyReceipt(layout: ShareLayout, batchId: string): Promise<Receipt | undefined> {
  try {
    const paths = await locateBatch(layout, batchId);
    const own = (await readReceipt(paths)) ?? (await readReceiptSoFar(paths));
    if (own !== undefined) return own;
  } catch (error) {
    if (toShareError(error)?.code !== 'batch-unknown') throw error;
  }
  const beside = join(layout.attention, batchId, 'receipt.json');
  const label = `The receipt attention/${batchId}/receipt.json`;
  const read = await readOwnJson(layout.fs, beside, label, receiptSchema);
  if (read !== undefined && read.value.batchId !== batchId) {
    throw new ShareError('batch-damaged', `${label} is that of another batch.`);
  }
  return read?.value;
}

/**
 * For names that are not UTF-8, and for the place of a job; undefined where it is gone or spoilt. What lies
 * there lies there, whichever project the share has by now.
 */
async function readManifestOf(layout: ShareLayout, batchId: string): Promise<Manifest | undefined> {
  try {
    const paths = await locateBatch(layout, batchId);
    return (await readManifest({ ...paths, project: undefined })).manifest;
  } catch (error) {
    const trouble = toShareError(error);
    if (isGone(error) || trouble?.code.startsWith('batch-') === true) return undefined;
    throw error;
  }
}

/** Where a document was set apart, and where it was dropped. */
function placesOf(
  { attention, drop }: ShareLayout,
  { batchId, index, path }: Pick<SetApartFile, 'batchId' | 'index' | 'path'>,
  manifest: Manifest | undefined,
  job: JobOfBatch | undefined,
): { readonly from: FsPath; readonly to: FsPath } {
  const known = manifest?.files[index];
  const file = known?.path === path ? known : { path };
  const folder = join(attention, placeOfBatch({ batchId, job }));
  return { from: placeBelow(folder, pathInPlace({ job }, file)), to: placeBelow(drop, file) };
}
