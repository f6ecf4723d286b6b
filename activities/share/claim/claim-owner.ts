// Who is claiming a batch, and whether they are still at it. On our own host that is a matter of fact
// (process and start time); of another host only its silence can be observed, by our own clock.

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { hasCode } from '../../host/error-code';
import { livenessOf, type ProcessIdentity, thisProcess } from '../../host/process-identity';
import { type MarkKind, NOT_OURS, readMark, toMarkText } from '../files/own-marks';
import type { ShareErrorCode } from '../files/share-error';
import type { BatchPaths } from '../files/share-layout';

const claimSchema = z.strictObject({
  version: z.literal(1),
  /** One claim of one watcher; never used again. */
  claimId: z.string().min(1).max(100),
  watcherId: z.string().min(1).max(200),
  host: z.string().min(1).max(500),
  pid: z.number().int().nonnegative(),
  processStart: z.string().max(100),
  claimedAt: z.iso.datetime(),
  /** Who asked for it, when it was asked for by hand: the same key finds the same batches. */
  key: z.string().max(500).optional(),
});
/** What `claim.json` says. */
export type ClaimOwner = z.infer<typeof claimSchema>;

const CLAIM: MarkKind<ClaimOwner> = { kind: 'claim', label: 'A claim', schema: claimSchema };

/** Claims that this process is at work on, and their batches: others of ours have ended. */
const inHand = new Map<string, string | undefined>();

/**
 * Batches in whose folders claims of this process have ended, the latest last. When a share goes just then, a
 * folder stays there without a claim, and nothing else would tell whose it was.
 */
const left = new Set<string>();
const MOST_LEFT = 1_000;

/** A new claim by this process, registered as being worked on until `endClaim`. */
export function beginClaim(watcherId: string, claimedAt: string, key: string | undefined): ClaimOwner {
  const claimId = randomUUID();
  const self = thisProcess();
  inHand.set(claimId, undefined);
  return {
    version: 1,
    claimId,
    watcherId,
    host: placeOf(self),
    pid: self.pid,
    processStart: self.startedAt,
    claimedAt,
    ...(key === undefined ? {} : { key }),
  };
}

/** Called before anything is done in the folder of the batch. */
export function claimInto(batchId: string, { claimId }: ClaimOwner): void {
  inHand.set(claimId, batchId);
  left.delete(batchId);
}

export function endClaim(claimId: string): void {
  const batchId = inHand.get(claimId);
  inHand.delete(claimId);
  if (batchId === undefined) return;
  left.add(batchId);
  for (const oldest of left) {
    if (left.size <= MOST_LEFT) break;
    left.delete(oldest);
  }
}

/** Whether this process was at a claim in this folder, and is no more. Another's may lie there by now. */
export function hasLeft(batchId: string): boolean {
  return left.has(batchId);
}

const TOUCH_EVERY_MS = 10_000;

/**
 * Shows other hosts that somebody is at a claim, however long that takes: to them one that stands still is
 * abandoned. That of somebody who has taken it over is not touched: he may die, and would seem to be at work.
 * @returns what ends it.
 */
export function keepClaimed(paths: BatchPaths, { claimId }: ClaimOwner): () => void {
  let isTouching = false;
  const touch = async () => {
    // While the share hangs, one after the other: what waits in line would come all at once.
    if (isTouching) return;
    isTouching = true;
    try {
      if ((await readOwner(paths))?.claimId === claimId) await paths.fs.touch(paths.claim);
    } catch {
      // It is touched again in a moment.
    } finally {
      isTouching = false;
    }
  };
  const timer = setInterval(() => void touch(), TOUCH_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** What is written as `claim.json`: sealed, for this batch only. */
export function toClaimText({ seals, batchId }: BatchPaths, owner: ClaimOwner): string {
  return toMarkText(seals, CLAIM, batchId, owner);
}

/**
 * Undefined when there is no claim.
 * @param path where it lies; it may have been renamed.
 * @throws ShareError `unreadable-now`, or of the whole share.
 */
export async function readClaim(
  paths: BatchPaths,
  path = paths.claim,
): Promise<ClaimOwner | typeof NOT_OURS | undefined> {
  return await readMark(paths.fs, paths.seals, CLAIM, path, paths.batchId, () => undefined);
}

/**
 * Undefined when there is no claim, or none that can be read and is ours: then only that it stands still for
 * long tells that nobody is at it.
 */
export async function readOwner(paths: BatchPaths, path = paths.claim): Promise<ClaimOwner | undefined> {
  try {
    const owner = await readClaim(paths, path);
    return owner === NOT_OURS ? undefined : owner;
  } catch (error) {
    if (hasCode<ShareErrorCode>(error, 'unreadable-now')) return undefined;
    throw error;
  }
}

/** `unknown`: it is another host's, or that is not certain; only watching it for some time can tell. */
export function judgeOwner(owner: ClaimOwner): 'alive' | 'dead' | 'unknown' {
  const self = thisProcess();
  if (owner.host !== placeOf(self)) return 'unknown';
  // Ours, or that of a process before us that had our pid.
  if (owner.pid === self.pid) return inHand.has(owner.claimId) ? 'alive' : 'dead';
  const liveness = livenessOf({ ...self, pid: owner.pid, startedAt: startOf(owner) });
  return liveness === 'running' || liveness === 'elsewhere' ? 'unknown' : liveness;
}

/**
 * Host name, boot and process space: where all three agree, pids mean the same. Hosts of one name may see one
 * share, so another boot says nothing of whether a process still runs.
 */
function placeOf({ host, boot, pidSpace }: ProcessIdentity): string {
  return [host, boot, pidSpace].filter(part => part !== '').join(' ');
}

/** Version 0.1.0 notes seconds where there is no /proc, which nothing here can be compared with. */
function startOf({ processStart }: ClaimOwner): string {
  return process.platform !== 'linux' && /^\d+$/.test(processStart) ? '' : processStart;
}
