// Which batches of a share are not finished, how far each is, and who has it. This is what a start-up, a lost Temporal
// database and the back-pressure of the watcher go by; it reads the share only.
import { join } from 'node:path';
import { isGone } from '../../host/file-trouble';
import { readStopped } from '../batch/temporals';
import { comparePaths } from '../drop/drop-names';
import { readOwnJson } from '../files/own-json';
import { NOT_OURS, type OnNotOurs } from '../files/own-marks';
import { toShareError } from '../files/share-error';
import type { ShareFs } from '../files/share-fs';
import { type BatchPaths, batchPaths, isBatchId, type ShareLayout } from '../files/share-layout';
import { isThere } from '../files/write-whole';
import { type ClaimOwner, claimSchema, judgeOwner } from './claim-owner';

export type BatchState =
  /** No manifest yet: being claimed, or abandoned while it was. */
  | 'claiming'
  /** A manifest and no receipt: on its way, or to be started. */
  | 'ready'
  /** Only documents that wait for a person are left. */
  | 'waiting'
  /** A final receipt, but files still to be moved. */
  | 'settling';

export interface OpenBatch {
  readonly batchId: string;
  readonly state: BatchState;
  /** Nobody runs it: its run failed or was ended, and it waits for a person to resume it. */
  readonly isStopped: boolean;
  readonly owner?: ClaimOwner | undefined;
  /** Only while claiming. `abandoned`: nobody is at it any more, so it may be adopted. */
  readonly claim?: 'held' | 'abandoned' | undefined;
}

/** Whether it counts against `maxOpenBatches`: what only waits for a person, or has no run any more, holds nobody else up. */
export function isOnItsWay({ state, isStopped }: OpenBatch): boolean {
  return state !== 'waiting' && !isStopped;
}

/** Watches claims of other hosts: one that stands still for long, by our own clock, is abandoned. */
export class ClaimWatch {
  readonly #abandonedMs: number;
  readonly #nowMs: () => number;
  readonly #seen = new Map<string, { readonly mark: string; readonly sinceMs: number }>();

  /** @param nowMs a monotonic clock. */
  constructor(abandonedMs: number, nowMs: () => number) {
    this.#abandonedMs = abandonedMs;
    this.#nowMs = nowMs;
  }

  /** @param mark whatever changes as long as the owner is at work. */
  isStill(batchId: string, mark: string): boolean {
    const known = this.#seen.get(batchId);
    if (known?.mark === mark) return this.#nowMs() - known.sinceMs >= this.#abandonedMs;
    this.#seen.set(batchId, { mark, sinceMs: this.#nowMs() });
    return false;
  }

  keepOnly(batchIds: ReadonlySet<string>): void {
    for (const batchId of this.#seen.keys()) if (!batchIds.has(batchId)) this.#seen.delete(batchId);
  }
}

/** In order of their claims. A batch that ends while we look is left out. */
export async function listOpenBatches(
  fs: ShareFs,
  layout: ShareLayout,
  watch: ClaimWatch,
  onNotOurs: OnNotOurs = () => undefined,
): Promise<OpenBatch[]> {
  const ids: string[] = [];
  try {
    for await (const entry of fs.entries(layout.batches)) {
      const name = entry.name.toString('utf8');
      if (isBatchId(name)) ids.push(name);
    }
    watch.keepOnly(new Set(ids));
    const batches: OpenBatch[] = [];
    for (const batchId of ids.sort(comparePaths)) {
      const batch = await describeBatch(fs, layout, watch, batchId, onNotOurs);
      if (batch !== undefined) batches.push(batch);
    }
    return batches;
  } catch (error) {
    throw toShareError(error) ?? error;
  }
}

async function describeBatch(
  fs: ShareFs,
  layout: ShareLayout,
  watch: ClaimWatch,
  batchId: string,
  onNotOurs: OnNotOurs,
): Promise<OpenBatch | undefined> {
  const paths = batchPaths(join(layout.batches, batchId), layout);
  if (await isThere(fs, paths.receipt)) return { batchId, state: 'settling', isStopped: false };
  if (await isThere(fs, paths.manifest)) {
    const state = (await isThere(fs, paths.receiptSoFar)) ? 'waiting' : 'ready';
    return { batchId, state, isStopped: await isStopped(fs, paths, onNotOurs) };
  }
  const claim = await judgeClaim(fs, layout, watch, batchId);
  return claim && { batchId, state: 'claiming', isStopped: false, ...claim };
}

/** One that cannot be read just now is there, all the same. */
async function isStopped(fs: ShareFs, paths: BatchPaths, onNotOurs: OnNotOurs): Promise<boolean> {
  try {
    const mark = await readStopped(fs, paths, onNotOurs);
    return mark !== undefined && mark !== NOT_OURS;
  } catch (error) {
    if (toShareError(error)?.code === 'unreadable-now') return true;
    throw error;
  }
}

/** Whether somebody is still at a batch without a manifest; undefined when it is gone. */
export async function judgeClaim(
  fs: ShareFs,
  layout: ShareLayout,
  watch: ClaimWatch,
  batchId: string,
): Promise<{ readonly owner: ClaimOwner | undefined; readonly claim: 'held' | 'abandoned' } | undefined> {
  const paths = batchPaths(join(layout.batches, batchId), layout);
  let owner: ClaimOwner | undefined;
  let mark: string;
  try {
    owner = await readOwner(fs, paths.claim);
    const facts = await fs.look(owner === undefined ? paths.folder : paths.claim);
    mark = `${owner?.claimId} ${facts.mtimeNs}`;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  const judged = owner === undefined ? 'unknown' : judgeOwner(owner);
  const isAbandoned = judged === 'dead' || (judged === 'unknown' && watch.isStill(batchId, mark));
  return { owner, claim: isAbandoned ? 'abandoned' : 'held' };
}

/** undefined when there is no claim, or none that can be read: then only its standing still tells. */
export async function readOwner(fs: ShareFs, path: string): Promise<ClaimOwner | undefined> {
  try {
    return (await readOwnJson(fs, path, 'A claim', claimSchema))?.value;
  } catch (error) {
    const code = toShareError(error)?.code;
    if (code === 'batch-damaged' || code === 'unreadable-now') return undefined;
    throw error;
  }
}
