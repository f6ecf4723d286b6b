// Where things are on a share, and the file system that leads to them. The roots are resolved once, by
// realpath; every path that is written is made here or below a folder made here.
import { basename, join, relative, sep } from 'node:path';
import type { ProjectRef } from '../../../workflows/contract';
import type { CsvDialect } from '../../registers/sheet/csv-dialect';
import { comparePaths, isInnerPath } from './relative-path';
import type { Seals } from './seals';
import type { Place, ShareFs } from './share-fs';

export interface ShareLayout {
  readonly fs: ShareFs;
  readonly root: string;
  readonly drop: string;
  readonly done: string;
  readonly attention: string;
  readonly own: string;
  readonly batches: string;
  readonly finished: string;
  /** For each key that files were claimed under on demand, the ids of its batches (batches-of-key.ts). */
  readonly keys: string;
  /** Jobs that have no receipt yet, and those that have. */
  readonly jobs: string;
  readonly finishedJobs: string;
  /** Where files that were set apart come together with the rows that were corrected for them. */
  readonly corrections: string;
  /** Which Temporal watches the share, and which ones are at work on it. */
  readonly watch: string;
  readonly temporals: string;
  /**
   * Device and inode of the root when it was resolved: another one means another
   * file system, or none, is there.
   */
  readonly rootIdentity: string;
  readonly rootDevice: bigint;
  readonly dropIdentity: string;
  readonly seals: Seals;
  readonly project: ProjectRef;
  /** What parts the cells of `receipt.csv`; a comma when absent. */
  readonly delimiter?: CsvDialect['delimiter'] | undefined;
}

/** Where the files of one batch are, and what shows that they are ours. */
export interface BatchPaths {
  readonly fs: ShareFs;
  readonly seals: Seals;
  /** Where its documents must go; undefined for a finished batch, which goes nowhere any more. */
  readonly project: ProjectRef | undefined;
  readonly batchId: string;
  /** Finished and put away. */
  readonly isFinished: boolean;
  readonly folder: string;
  readonly claim: string;
  /** What its claim was about to take. */
  readonly wanted: string;
  readonly files: string;
  readonly manifest: string;
  readonly journal: string;
  readonly receipt: string;
  readonly receiptSoFar: string;
  readonly hold: string;
  readonly stopped: string;
}

/** In a job's folder: the register that was taken out of the drop folder, until it goes back to people. */
export const KEPT_REGISTER = 'register';

const BATCH_ID = /^\d{8}-\d{6}-[a-z2-7]{6}$/;

export function isBatchId(text: string): boolean {
  return BATCH_ID.test(text);
}

/** The batches that a folder has something of, in order of their claims. */
export async function listBatchIds(fs: ShareFs, folder: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const entry of fs.entries(folder)) {
    const name = entry.name.toString('utf8');
    if (isBatchId(name)) ids.push(name);
  }
  return ids.sort(comparePaths);
}

/** Of an open batch. */
export function openBatchPaths(
  layout: Pick<ShareLayout, 'batches' | 'fs' | 'seals' | 'project'>,
  batchId: string,
): BatchPaths {
  return { ...batchPaths(layout, join(layout.batches, batchId)), project: layout.project, isFinished: false };
}

/** Of a batch that was put away. */
export function finishedBatchPaths(layout: ShareLayout, batchId: string): BatchPaths {
  return { ...batchPaths(layout, finishedFolder(layout, batchId)), project: undefined, isFinished: true };
}

function batchPaths({ fs, seals }: Pick<ShareLayout, 'fs' | 'seals'>, folder: string) {
  return {
    fs,
    seals,
    batchId: basename(folder),
    folder,
    claim: join(folder, 'claim.json'),
    wanted: join(folder, 'wanted.json'),
    files: join(folder, 'files'),
    manifest: join(folder, 'batch.json'),
    journal: join(folder, 'journal'),
    receipt: join(folder, 'receipt.json'),
    receiptSoFar: join(folder, 'receipt-so-far.json'),
    hold: join(folder, 'hold.json'),
    stopped: join(folder, 'stopped.json'),
  };
}

/**
 * Where a finished batch is kept: out of the way, by month, so that looking for
 * open ones stays cheap for years.
 */
export function finishedFolder(layout: ShareLayout, batchId: string): string {
  return join(layout.finished, batchId.slice(0, 6), batchId);
}

/**
 * An absolute path below `base` for a relative one that people chose. Throws when it would lead elsewhere.
 */
export function below(base: string, path: string): string {
  if (!isInnerPath(path)) throw new Error('A relative path leads out of its folder.');
  return join(base, ...path.split('/'));
}

/** The same for raw bytes: `/`-separated, no part empty, `.` or `..`. */
export function belowBytes(base: string, path: Buffer): Buffer {
  if (!isInnerPath(path.toString('latin1'))) throw new Error('A relative path leads out of its folder.');
  return Buffer.concat([Buffer.from(base + sep), path]);
}

/** A path on the share as people are told it: from its root, with slashes. */
export function fromRoot(root: string, path: string | Place): string {
  return relative(root, path.toString()).replaceAll('\\', '/');
}
