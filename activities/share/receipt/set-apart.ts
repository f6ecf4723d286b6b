// Documents that were set apart and still lie where people find them: what is wrong with each, and the
// way back into the drop folder. Our own copy of the receipt is what counts; the one beside the files, in
// which people write, is read only where ours is gone.
import { join } from 'node:path';
import type { ProjectRef, Reason } from '../../../workflows/contract';
import { codeOf } from '../../host/error-code';
import { isGone } from '../../host/file-trouble';
import { type Receipt, readReceipt, readReceiptSoFar, receiptSchema } from '../batch/kept-receipt';
import {
  type JobOfBatch,
  type Manifest,
  pathInPlace,
  placeBelow,
  placeOfBatch,
  readManifest,
} from '../batch/manifest';
import { locateBatch } from '../batch/read-batch';
import { isThere, openIfThere } from '../files/if-there';
import { moveFile } from '../files/move-file';
import { lastNameOf, parentOf } from '../files/open-folder';
import { readOwnJson } from '../files/own-json';
import { inRealFolder } from '../files/real-folder';
import { comparePaths, isInnerPath } from '../files/relative-path';
import { ShareError, toShareError, troubleOfOne } from '../files/share-error';
import { type FsPath, Place, type ShareFs } from '../files/share-fs';
import { isBatchId, type ShareLayout } from '../files/share-layout';
import { findJob, listNotedBatches } from '../jobs/job-book';
import { jobIdOf } from '../jobs/job-record';

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
}

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
  | { readonly kind: 'gone' };

/** In order of batch and path. @throws ShareError only for what concerns the whole share. */
export async function listSetApart(layout: ShareLayout): Promise<SetApartListing> {
  const batchIds = await listBatches(layout).catch(error => {
    throw toShareError(error) ?? error;
  });
  const files: SetApartFile[] = [];
  const unreadable: UnreadableReceipt[] = [];
  for (const batchId of batchIds) {
    try {
      files.push(...(await listOfBatch(layout, batchId)));
    } catch (error) {
      const trouble = troubleOfOne(error);
      unreadable.push({
        batchId,
        why: trouble?.message ?? `Its receipt cannot be read (${codeOf(error) ?? 'unknown error'}).`,
      });
    }
  }
  return { files, unreadable };
}

/** Moves one of them back into the drop folder, never over another file. */
export async function takeUpAgain(
  layout: ShareLayout,
  file: Pick<SetApartFile, 'batchId' | 'index' | 'path'>,
): Promise<TakenUp> {
  const { fs } = layout;
  try {
    const manifest = await readManifestOf(layout, file.batchId);
    // Where the manifest is gone or spoilt the receipt knows the job as well: by it the file was listed.
    const { job } = manifest ?? (await readAnyReceipt(layout, file.batchId)) ?? {};
    const { from, to } = placesOf(layout, file, manifest, job);
    const source = await openIfThere(fs, layout.root, parentOf(from));
    if (source === undefined) return { kind: 'gone' };
    try {
      return await inRealFolder(fs, layout.root, parentOf(to), folder =>
        moveIntoDrop(fs, new Place(source, lastNameOf(from)), new Place(folder, lastNameOf(to))),
      );
    } finally {
      await source.close();
    }
  } catch (error) {
    throw toShareError(error) ?? error;
  }
}

/** Batches that have a folder in `attention`, by themselves or as part of a job. */
async function listBatches(layout: ShareLayout): Promise<string[]> {
  const batchIds: string[] = [];
  for await (const { name } of layout.fs.entries(layout.attention)) {
    const place = name.toString('utf8');
    if (isBatchId(place)) batchIds.push(place);
    else batchIds.push(...(await listOfJob(layout, place)));
  }
  return [...new Set(batchIds)].sort(comparePaths);
}

/** None for a folder that is no job's. */
async function listOfJob(layout: ShareLayout, place: string): Promise<string[]> {
  const job = await findJob(layout, jobIdOf(place), () => undefined);
  return job === undefined ? [] : await listNotedBatches(layout, job.paths);
}

async function moveIntoDrop(fs: ShareFs, from: Place, to: Place): Promise<TakenUp> {
  if (!(await isThere(fs, from))) return { kind: 'gone' };
  if (await isThere(fs, to)) return { kind: 'name-taken' };
  return (await moveFile(fs, from, to, { isDrop: true })) === undefined
    ? { kind: 'gone' }
    : { kind: 'in-drop' };
}

async function listOfBatch(layout: ShareLayout, batchId: string): Promise<SetApartFile[]> {
  const receipt = await readAnyReceipt(layout, batchId);
  if (receipt === undefined) return [];
  const manifest = await readManifestOf(layout, batchId);
  const found: SetApartFile[] = [];
  for (const { index, path, outcome, reason, stored } of receipt.files) {
    if (outcome !== 'set-apart' || reason === undefined || !isInnerPath(path)) continue;
    const { from } = placesOf(layout, { batchId, index, path }, manifest, receipt.job);
    if (!(await isThere(layout.fs, from))) continue;
    const wasSeen = stored.length > 0;
    found.push({
      batchId,
      project: receipt.project,
      index,
      path,
      reason,
      wasSeen,
      sinceIso: receipt.writtenAt,
    });
  }
  return found.sort((one, other) => comparePaths(one.path, other.path));
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

/** For names that are not UTF-8, and for the place of a job; undefined where it is gone or spoilt. */
async function readManifestOf(layout: ShareLayout, batchId: string): Promise<Manifest | undefined> {
  try {
    const paths = await locateBatch(layout, batchId);
    return (await readManifest(paths)).manifest;
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
