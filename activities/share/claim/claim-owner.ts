// Who is claiming a batch, and whether they are still at it. On our own host that is a matter of fact
// (process and start time); of another host only its silence can be observed, by our own clock.

import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { z } from 'zod';
import { codeOf } from '../../host/error-code';
import { type MarkKind, NOT_OURS, readMark, toMarkText } from '../files/own-marks';
import type { ShareFs } from '../files/share-fs';
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

/** Claims that this process is at work on; a claim of ours that is not among them was given up. */
const inHand = new Set<string>();

/** A new claim by this process, registered as being worked on until `endClaim`. */
export function beginClaim(watcherId: string, claimedAt: string, key: string | undefined): ClaimOwner {
  const claimId = randomUUID();
  inHand.add(claimId);
  return {
    version: 1,
    claimId,
    watcherId,
    host: thisHost(),
    pid: process.pid,
    processStart: startOf(process.pid) ?? '',
    claimedAt,
    ...(key === undefined ? {} : { key }),
  };
}

export function endClaim(claimId: string): void {
  inHand.delete(claimId);
}

/** What is written as `claim.json`: sealed, for this batch only. */
export function toClaimText({ seals, folder }: BatchPaths, owner: ClaimOwner): string {
  return toMarkText(seals, CLAIM, basename(folder), owner);
}

/**
 * Undefined when there is no claim.
 * @param path where it lies; it may have been renamed.
 * @throws ShareError `unreadable-now`, and what the share says of itself.
 */
export async function readClaim(
  fs: ShareFs,
  paths: BatchPaths,
  path = paths.claim,
): Promise<ClaimOwner | typeof NOT_OURS | undefined> {
  return await readMark(fs, paths.seals, CLAIM, path, basename(paths.folder), () => undefined);
}

/**
 * Undefined when there is no claim, or none that can be read and is ours: then only its standing still tells.
 */
export async function readOwner(
  fs: ShareFs,
  paths: BatchPaths,
  path = paths.claim,
): Promise<ClaimOwner | undefined> {
  try {
    const owner = await readClaim(fs, paths, path);
    return owner === NOT_OURS ? undefined : owner;
  } catch (error) {
    if (codeOf(error) === 'unreadable-now') return undefined;
    throw error;
  }
}

/** `unknown`: another host's; only watching it for some time can tell. */
export function judgeOwner(owner: ClaimOwner): 'alive' | 'dead' | 'unknown' {
  if (owner.host !== thisHost()) return 'unknown';
  const start = startOf(owner.pid);
  if (owner.pid === process.pid && start === owner.processStart) {
    return inHand.has(owner.claimId) ? 'alive' : 'dead';
  }
  if (start !== undefined) return start === owner.processStart ? 'alive' : 'dead';
  return isRunning(owner.pid) ? 'unknown' : 'dead';
}

let host: string | undefined;

/** Host name, boot and process space: where all three agree, process ids mean the same. */
function thisHost(): string {
  host ??= [
    hostname(),
    readQuietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    readQuietly(() => readlinkSync('/proc/self/ns/pid')),
  ]
    .filter(part => part !== undefined)
    .join(' ');
  return host;
}

/**
 * When a process was started, in its host's own measure; undefined where that cannot
 * be read, or it is not running.
 */
function startOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return pid === process.pid ? ownStart() : undefined;
  const stat = readQuietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name, in brackets, may hold spaces; the start time is the 20th field after it.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie does nothing any more.
  return fields === undefined || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

let start: string | undefined;

function ownStart(): string {
  start ??= `${Math.round(Date.now() / 1000 - process.uptime())}`;
  return start;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function readQuietly(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
