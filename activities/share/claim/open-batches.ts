// Which batches of a share are not finished, how far each is, and who has it. This is what a start-up, a lost
// Temporal database and the back-pressure of the watcher go by; it reads the share only.
import { isGone } from '../../host/file-trouble';
import { readStopped } from '../batch/temporals';
import { isThere, lookIfThere } from '../files/if-there';
import { NOT_OURS, type OnNotOurs } from '../files/own-marks';
import { toShareError } from '../files/share-error';
import { type BatchPaths, listBatchIds, openBatchPaths, type ShareLayout } from '../files/share-layout';
import type { BatchOrigins } from './batch-origin';
import { type ClaimOwner, hasLeft, judgeOwner, readOwner } from './claim-owner';

export type BatchState =
  /** No manifest yet: being claimed, or abandoned while it was. */
  | 'claiming'
  /** A manifest and no receipt: on its way, or to be started. */
  | 'ready'
  /** What is left waits: for a person, its turn, or files that come late. */
  | 'waiting'
  /** A final receipt, but files still to be moved. */
  | 'settling'
  /** It cannot be read just now, so that nobody knows whose it is and how far. */
  | 'unreadable'
  /** It has the name of a batch, and somebody else has put it there: it is told of, and left as it lies. */
  | 'not-ours'
  /** It is sealed with another key than ours, and may be either. It is told of, and left as it lies. */
  | 'other-key';

export interface OpenBatch {
  readonly batchId: string;
  readonly state: BatchState;
  /** What is sealed in it could be read and is as we wrote it. Nobody can go on with what is not. */
  readonly isProven: boolean;
  /** Nobody runs it: its run failed or was ended, and it waits for a person to resume it. */
  readonly isStopped: boolean;
  readonly owner?: ClaimOwner | undefined;
  /** Only while claiming. `abandoned`: nobody is at it any more, so it may be adopted. */
  readonly claim?: 'held' | 'abandoned' | undefined;
  /** Only of `other-key`: what of it is sealed with which key. */
  readonly why?: string | undefined;
}

/** What a process keeps from one look at the open batches to the next. */
export interface OpenLook {
  readonly watch: ClaimWatch;
  readonly origins: BatchOrigins;
  /** Called for marks in batches of ours that are not ours themselves. */
  readonly onNotOurs: OnNotOurs;
}

/**
 * Whether it counts against `maxOpenBatches`: what only waits, or has no run any more, holds nobody else up.
 * Nor does what nobody can go on with, or whoever may write to the share could stop its intake.
 */
export function isOnItsWay({ state, isProven, isStopped }: OpenBatch): boolean {
  return isProven && state !== 'waiting' && !isStopped;
}

/** For people. It must be true of a batch of ours from before the key was changed, and of a planted one. */
export const OTHER_KEY_ADVICE =
  'If the key of this share was changed, it is from before, and parts of it may be revisions already: drop none of its files again, and give all hosts the former key until it has ended (docs/cluster.md). If not, whoever can write to the share has put it there.';

/** Whether it is known to be a batch of this share, spoilt or not. */
export function isOurs({ state }: OpenBatch): boolean {
  return state !== 'not-ours' && state !== 'other-key';
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
export async function listOpenBatches(layout: ShareLayout, look: OpenLook): Promise<OpenBatch[]> {
  try {
    const ids = await listBatchIds(layout.fs, layout.batches);
    const known = new Set(ids);
    look.watch.keepOnly(known);
    look.origins.keepOnly(known);
    const batches: OpenBatch[] = [];
    for (const batchId of ids) {
      const batch = await lookAtBatch(layout, look, batchId);
      if (batch !== undefined) batches.push(batch);
    }
    return batches;
  } catch (error) {
    throw toShareError(error) ?? error;
  }
}

/** Undefined when it is not open (any more). */
export async function lookAtBatch(
  layout: ShareLayout,
  { watch, origins, onNotOurs }: OpenLook,
  batchId: string,
): Promise<OpenBatch | undefined> {
  const { fs } = layout;
  const origin = await origins.judge(layout, batchId);
  if (origin === undefined) return undefined;
  const known = { batchId, isProven: origin === 'ours', isStopped: false };
  if (typeof origin === 'object') return { ...known, state: 'other-key', why: origin.why };
  if (origin === 'not-ours') return { ...known, state: 'not-ours' };
  if (origin === 'unreadable') return { ...known, state: 'unreadable' };
  const paths = openBatchPaths(layout, batchId);
  if (await isThere(fs, paths.manifest)) {
    if (await isThere(fs, paths.receipt)) return { ...known, state: 'settling' };
    const state = (await isThere(fs, paths.receiptSoFar)) ? 'waiting' : 'ready';
    return { ...known, state, isStopped: await isStopped(paths, onNotOurs) };
  }
  const claim = await judgeClaim(paths, watch);
  if (claim === undefined) return undefined;
  return { ...known, state: 'claiming', ...claim };
}

/** A mark that cannot be read just now is there all the same. */
async function isStopped(paths: BatchPaths, onNotOurs: OnNotOurs): Promise<boolean> {
  try {
    const mark = await readStopped(paths, onNotOurs);
    return mark !== undefined && mark !== NOT_OURS;
  } catch (error) {
    if (toShareError(error)?.code === 'unreadable-now') return true;
    throw error;
  }
}

/** Whether somebody is still at a batch without a manifest; undefined when it is gone. */
export async function judgeClaim(
  paths: BatchPaths,
  watch: ClaimWatch,
): Promise<{ readonly owner: ClaimOwner | undefined; readonly claim: 'held' | 'abandoned' } | undefined> {
  let owner: ClaimOwner | undefined;
  let mark: string;
  try {
    owner = await readOwner(paths);
    // The owner touches its claim while it is at work; earlier versions did, too, which sealed none.
    const claim = await lookIfThere(paths.fs, paths.claim);
    const facts = claim ?? (await paths.fs.look(paths.folder));
    // Whoever else takes it up just now: of two adopters one gets it.
    if (claim === undefined && hasLeft(paths.batchId)) return { owner: undefined, claim: 'abandoned' };
    mark = `${owner?.claimId} ${facts.mtimeNs}`;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  const judged = owner === undefined ? 'unknown' : judgeOwner(owner);
  const isAbandoned = judged === 'dead' || (judged === 'unknown' && watch.isStill(paths.batchId, mark));
  return { owner, claim: isAbandoned ? 'abandoned' : 'held' };
}
