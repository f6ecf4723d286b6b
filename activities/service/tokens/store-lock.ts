// A lock between processes that outlives none of them, in plain files. Locks are numbered: `<name>.lock.<n>`
// is made exclusively and whole (link), and the highest number rules. A dead owner's lock is not removed and
// made again (two breakers could then both win) but followed by the next number, which only one can make.

import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isTaken } from '../../host/file-trouble';
import { livenessOf, type ProcessIdentity, storedIdentity, thisProcess } from '../../host/process-identity';
import { ServiceUnavailableError } from '../errors';

const lockContent = z.object({
  state: z.enum(['held', 'released']),
  owner: storedIdentity,
});

export interface StoreLockOptions {
  /** Longest wait for another owner. */
  readonly waitMs?: number;
  /** Age at which the lock of a host or container that cannot be asked counts as abandoned. */
  readonly foreignAgeMs?: number;
}

export interface HeldLock {
  /** Throws ServiceUnavailableError when somebody else has taken over (this process was thought dead). */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

// Far longer than one exchange may take (its deadline is a minute).
const DEFAULT_FOREIGN_AGE_MS = 5 * 60_000;
const DEFAULT_WAIT_MS = 120_000;
// Old numbers stay a while: a process that listed the folder just before must still find its number taken.
const KEPT_NUMBERS = 16;

/** Takes the lock `name` in `folder`. Throws ServiceUnavailableError when it is not to be had in time. */
export async function takeStoreLock(
  folder: string,
  name: string,
  options: StoreLockOptions = {},
): Promise<HeldLock> {
  const self = thisProcess();
  const giveUpAtMs = performance.now() + (options.waitMs ?? DEFAULT_WAIT_MS);
  for (let round = 0; ; round++) {
    const highest = await findHighest(folder, name);
    if (
      highest === 0 ||
      (await isFree(folder, name, highest, options.foreignAgeMs ?? DEFAULT_FOREIGN_AGE_MS))
    ) {
      const held = await tryTake(folder, name, highest + 1, self);
      if (held !== undefined) return held;
    } else if (performance.now() >= giveUpAtMs) {
      throw new ServiceUnavailableError('the token store is locked by another process', {
        fault: 'token-store',
        effect: 'not-sent',
      });
    }
    // A refresh takes a fraction of a second; the spread keeps waiting processes from moving in step.
    await sleep(Math.min(200, 10 + 10 * round) * (0.5 + Math.random()));
  }
}

async function tryTake(
  folder: string,
  name: string,
  number: number,
  self: ProcessIdentity,
): Promise<HeldLock | undefined> {
  const path = lockPath(folder, name, number);
  if (!(await placeWhole(path, { state: 'held', owner: self }, link))) return undefined;
  // Somebody may have counted further while we were between listing and making: the highest rules.
  if ((await findHighest(folder, name)) !== number) {
    await replaceWith(path, { state: 'released', owner: self });
    return undefined;
  }
  await removeOld(folder, name, number - KEPT_NUMBERS);
  return {
    assertHeld: async () => {
      if ((await findHighest(folder, name)) === number) return;
      throw new ServiceUnavailableError('the lock of the token store was lost', {
        fault: 'token-store',
        effect: 'unknown',
      });
    },
    release: () => replaceWith(path, { state: 'released', owner: self }),
  };
}

async function isFree(folder: string, name: string, number: number, foreignAgeMs: number): Promise<boolean> {
  const path = lockPath(folder, name, number);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return false;
  const parsed = lockContent.safeParse(parse(text));
  // Locks appear whole; an unreadable one is damage, and waits for its age like one that cannot be asked.
  if (!parsed.success) return (await ageMs(folder, name, path)) > foreignAgeMs;
  if (parsed.data.state === 'released') return true;
  const liveness = livenessOf(parsed.data.owner);
  if (liveness === 'elsewhere') return (await ageMs(folder, name, path)) > foreignAgeMs;
  return liveness === 'dead';
}

/** Age by the file system's own clock, which need not agree with ours. */
async function ageMs(folder: string, name: string, path: string): Promise<number> {
  const probe = join(folder, `${name}.probe.${randomUUID()}`);
  try {
    await writeFile(probe, '', { mode: 0o600, flag: 'wx' });
    const [now, then] = await Promise.all([stat(probe), stat(path)]);
    return now.mtimeMs - then.mtimeMs;
  } catch {
    return 0;
  } finally {
    await unlink(probe).catch(() => undefined);
  }
}

async function findHighest(folder: string, name: string): Promise<number> {
  const prefix = `${name}.lock.`;
  let highest = 0;
  for (const entry of await readdir(folder)) {
    if (!entry.startsWith(prefix)) continue;
    const digits = entry.slice(prefix.length);
    if (/^\d{1,15}$/.test(digits)) highest = Math.max(highest, Number(digits));
  }
  return highest;
}

async function removeOld(folder: string, name: string, upTo: number): Promise<void> {
  const prefix = `${name}.lock.`;
  for (const entry of await readdir(folder)) {
    const isOldLock = entry.startsWith(prefix) && Number(entry.slice(prefix.length)) <= upTo;
    if (isOldLock) await unlink(join(folder, entry)).catch(() => undefined);
  }
}

async function replaceWith(path: string, content: z.infer<typeof lockContent>): Promise<void> {
  await placeWhole(path, content, rename);
}

/** Puts a finished file at `path` by `place`; false when `path` is taken. */
async function placeWhole(
  path: string,
  content: z.infer<typeof lockContent>,
  place: (from: string, to: string) => Promise<void>,
): Promise<boolean> {
  const draft = `${path}.draft.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(content), { mode: 0o600, flag: 'wx' });
  try {
    await place(draft, path);
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

function lockPath(folder: string, name: string, number: number): string {
  return join(folder, `${name}.lock.${number}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
