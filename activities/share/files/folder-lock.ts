// A lock for shares without hard links, and for the processes of all hosts: an empty folder. Making one
// succeeds for one process only, on every file system, so a look and what follows from it are one step for
// all of ours.
//
// A crash leaves the folder there, so one that has stood for long is taken away. Its holder may be alive all
// the same, on a share that has stalled: it gives up its turn long before others may break its lock, and
// right before it acts it looks whether the folder is still its own. What no lock can bound is a call that is
// on its way already; the time between the two is for that one.

import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../host/clock';
import { isGone, isTaken } from '../../host/file-trouble';
import { ifThere, lookIfThere } from './if-there';
import { besides } from './open-folder';
import { ShareError } from './share-error';
import { type FsPlace, type ShareFs, temporaryName } from './share-fs';

/** How long one and the same lock stands before we take it for what a crash has left; in ms. */
const PATIENCE_MS = 120_000;
/** How long after it asked for the lock its holder may still begin to act; in ms. */
const TURN_MS = PATIENCE_MS / 4;
/** How long after that its holder may still take the lock away itself; in ms. */
const REMOVAL_MS = PATIENCE_MS / 2;
/** Between two tries for a lock that another one has, at first and at most; in ms. */
const PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Awaits the last look before something is done that cannot be undone.
 * @throws ShareError `unreadable-now` when by then the lock may be another's: then nothing may be done.
 */
export type LastLook = <T>(look: Promise<T>) => Promise<T>;

/**
 * Does the work while no other process of ours does it under the same lock.
 * @throws ShareError `unreadable-now` by the work's last look, when the share is too slow for it.
 */
export async function withFolderLock<T>(
  fs: ShareFs,
  lock: FsPlace,
  work: (lastLook: LastLook) => Promise<T>,
): Promise<T> {
  const { mark, askedAt } = await take(fs, lock);
  const isOurs = async (withinMs: number): Promise<boolean> =>
    (await markOf(fs, lock)) === mark && systemClock.monotonicMs() - askedAt < withinMs;
  const lastLook: LastLook = async look => {
    const [seen, isStillOurs] = await Promise.all([look, isOurs(TURN_MS)]);
    // Once more, for the look may have come back after the lock's.
    if (isStillOurs && systemClock.monotonicMs() - askedAt < TURN_MS) return seen;
    throw new ShareError('unreadable-now', 'The share is too slow just now to move a file safely.');
  };
  try {
    return await work(lastLook);
  } finally {
    // One that may be another's by now is left to those who wait for it.
    if (await isOurs(REMOVAL_MS).catch(() => false)) await fs.removeFolder(lock).catch(() => undefined);
  }
}

async function take(
  fs: ShareFs,
  lock: FsPlace,
): Promise<{ readonly mark: bigint; readonly askedAt: number }> {
  let other: { readonly mark: bigint; readonly since: number } | undefined;
  for (let pauseMs = PAUSE_MS; ; ) {
    const askedAt = systemClock.monotonicMs();
    const isMade = await fs.makeFolder(lock).then(
      () => true,
      error => {
        if (isTaken(error)) return false;
        throw error;
      },
    );
    const mark = await markOf(fs, lock);
    if (mark === undefined) continue;
    // What is seen after a long stall may be the lock of whoever came next.
    if (isMade && systemClock.monotonicMs() - askedAt < TURN_MS) return { mark, askedAt };
    if (mark !== other?.mark) other = { mark, since: systemClock.monotonicMs() };
    else if (systemClock.monotonicMs() - other.since > PATIENCE_MS) await takeAway(fs, lock, mark);
    await delay(pauseMs);
    pauseMs = Math.min(pauseMs * 1.1, LONGEST_PAUSE_MS);
  }
}

/** Others may take it away at the same time, and make one of their own: that one goes back to its place. */
async function takeAway(fs: ShareFs, lock: FsPlace, mark: bigint): Promise<void> {
  const aside = besides(lock, `${temporaryName()}.lock`);
  try {
    await fs.rename(lock, aside);
  } catch (error) {
    if (isGone(error)) return;
    throw error;
  }
  if ((await markOf(fs, aside)) !== mark) {
    // Whoever has made a third one meanwhile sees that it is not his, and so does nobody act twice.
    const isBack = await fs.rename(aside, lock).then(
      () => true,
      () => false,
    );
    if (isBack) return;
  }
  await ifThere(fs.removeFolder(aside));
}

/**
 * Tells one lock from the next: when it was made, by the clock of the file system. (Inode numbers are no
 * names on every share, and are given anew at once.) Undefined when there is none.
 */
async function markOf(fs: ShareFs, lock: FsPlace): Promise<bigint | undefined> {
  return (await lookIfThere(fs, lock))?.mtimeNs;
}
