// Whose a folder among the open batches is. On mounts without owners whoever may write to the share can make
// folders there, too: what is sealed in a folder tells that it is ours, and nothing else does.
import { codeOf } from '../../host/error-code';
import { isGone } from '../../host/file-trouble';
import { readReceipt } from '../batch/kept-receipt';
import { readManifest } from '../batch/manifest';
import { isThere, lookIfThere } from '../files/if-there';
import { NOT_OURS } from '../files/own-marks';
import { type ShareErrorCode, toShareError } from '../files/share-error';
import type { FileFacts } from '../files/share-fs';
import { type BatchPaths, finishedBatchPaths, openBatchPaths, type ShareLayout } from '../files/share-layout';
import { readClaim } from './claim-owner';
import { readWantedRecord } from './claim-record';

export type BatchOrigin =
  /** Its manifest is sealed by us; without one, its claim, or what its claim was about to take. */
  | 'ours'
  /** Ours by its claim, but its manifest or its final receipt is not as we wrote it. */
  | 'damaged'
  /** It cannot be read just now, so nobody knows. */
  | 'unreadable'
  /** Nothing lies in it: it is ours, between its making and its claim, or anybody's. */
  | 'empty'
  /** Nothing in it is sealed by us, or it is a copy of a batch that was finished and put away. */
  | 'not-ours'
  | OtherKey;

/**
 * Nothing in it is sealed with our key, but something names another one: ours from before the key was
 * changed, or somebody's, for anybody can write such a name.
 */
export interface OtherKey {
  readonly kind: 'other-key';
  /** Which file it is, and both keys. */
  readonly why: string;
}

/** What one file says of whose it is. */
type Proof = 'ours' | 'broken' | 'unreadable' | 'none' | OtherKey;

/** What of ours may lie in a folder before anything is sealed in it. */
const BEGINNING = /^(\.tmp-.*|.*\.lock|files)$/;
const SEALED = ['batch.json', 'claim.json', 'wanted.json'];

/**
 * Remembers which manifests were proved: each has up to 100 files, and open batches are counted every second.
 */
export class BatchOrigins {
  readonly #proved = new Map<string, string>();

  keepOnly(batchIds: ReadonlySet<string>): void {
    for (const batchId of this.#proved.keys()) if (!batchIds.has(batchId)) this.#proved.delete(batchId);
  }

  /** Undefined when it is gone. */
  async judge(layout: ShareLayout, batchId: string): Promise<BatchOrigin | undefined> {
    const paths = openBatchPaths(layout, batchId);
    try {
      const origin = await this.#judgeBySeals(paths);
      if (origin !== 'ours' || !(await isFinished(layout, batchId))) return origin;
      // A batch is put away by one rename: only a copy is in both places.
      return (await isThere(layout.fs, paths.folder)) ? 'not-ours' : undefined;
    } catch (error) {
      // One folder that lets nobody in says nothing of the others.
      if (toShareError(error) === undefined) return 'unreadable';
      throw error;
    }
  }

  async #judgeBySeals(paths: BatchPaths): Promise<BatchOrigin | undefined> {
    const manifest = await this.#proveManifest(paths);
    if (manifest === 'unreadable') return 'unreadable';
    if (manifest === 'ours') {
      const receipt = await prove(() => readReceipt(paths));
      if (receipt === 'unreadable') return 'unreadable';
      return receipt === 'broken' || isOtherKey(receipt) ? 'damaged' : 'ours';
    }
    const claim = await prove(() => readClaim(paths));
    const wanted = claim === 'ours' ? claim : await prove(() => readWantedRecord(paths));
    if (wanted === 'ours') return manifest === 'none' ? 'ours' : 'damaged';
    if (claim === 'unreadable' || wanted === 'unreadable') return 'unreadable';
    const otherKey = [manifest, wanted].find(isOtherKey);
    if (otherKey !== undefined) return otherKey;
    if ([manifest, claim, wanted].includes('broken')) return 'not-ours';
    return await lookInside(paths);
  }

  async #proveManifest(paths: BatchPaths): Promise<Proof> {
    const facts = await lookIfThere(paths.fs, paths.manifest);
    if (facts === undefined) return 'none';
    const mark = markOf(facts);
    if (this.#proved.get(paths.batchId) === mark) return 'ours';
    const proof = await prove(() => readManifest(paths));
    if (proof === 'ours') this.#proved.set(paths.batchId, mark);
    return proof;
  }
}

async function prove(read: () => Promise<unknown>): Promise<Proof> {
  try {
    const value = await read();
    if (value === undefined) return 'none';
    return value === NOT_OURS ? 'broken' : 'ours';
  } catch (error) {
    switch (codeOf(error) as ShareErrorCode | undefined) {
      // The project is compared only after the seal has proved to be ours.
      case 'project-differs':
        return 'ours';
      case 'batch-unknown':
        return 'none';
      case 'unreadable-now':
        return 'unreadable';
      case 'key-differs':
        return { kind: 'other-key', why: (error as Error).message };
      case 'batch-damaged':
      case 'manifest-differs':
        return 'broken';
      default:
        throw error;
    }
  }
}

function isOtherKey(proof: Proof): proof is OtherKey {
  return typeof proof === 'object';
}

/**
 * Judges a folder in which nothing sealed was found. One of ours holds no file before it has a claim, and
 * none any more when its claim is removed.
 */
async function lookInside(paths: BatchPaths): Promise<BatchOrigin | undefined> {
  const { fs } = paths;
  try {
    if ((await fs.look(paths.folder)).kind !== 'folder') return 'not-ours';
    const names: string[] = [];
    for await (const { name, kind } of fs.entries(paths.folder)) {
      names.push(name.toString('utf8'));
      if (names.at(-1) !== 'files') continue;
      if (kind !== 'folder' && kind !== 'unknown') return 'not-ours';
      for await (const _ of fs.entries(paths.files)) return 'not-ours';
    }
    // Claimed while we looked.
    if (names.some(name => SEALED.includes(name))) return 'empty';
    return names.every(name => BEGINNING.test(name)) ? 'empty' : 'not-ours';
  } catch (error) {
    if (!isGone(error)) throw error;
    return (await isThere(fs, paths.folder)) ? 'not-ours' : undefined;
  }
}

/** Whether it was put away: its final receipt shows that. A copy of a batch on its way would have none. */
async function isFinished(layout: ShareLayout, batchId: string): Promise<boolean> {
  const paths = finishedBatchPaths(layout, batchId);
  if (!(await isThere(layout.fs, paths.folder))) return false;
  return (await prove(() => readReceipt(paths))) === 'ours';
}

function markOf({ identity, mtimeNs, sizeBytes }: FileFacts): string {
  return `${identity} ${mtimeNs} ${sizeBytes}`;
}
