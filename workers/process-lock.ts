// A lock between the processes of one machine that dies with its owner, without any process to clean up.
//
// The lock is a folder with files `owner-<number>`; the highest number is the owner. Taking it means
// creating the next number, which only one process can; the highest file is never removed, only
// marked as released, so numbers never run backwards. Whoever comes late with an old number sees a
// higher one afterwards and withdraws.

import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../activities/host/error-code';
import {
  livenessOf,
  type ProcessIdentity,
  storedIdentity,
  thisProcess,
  toFormerIdentity,
} from '../activities/host/process-identity';

const OWNER_FILE = /^owner-(\d{1,12})$/;

export interface HeldLock {
  /** Lets others have it; harmless when repeated. */
  release(): void;
}

export type LockOutcome =
  | { readonly kind: 'held'; readonly lock: HeldLock }
  /** Another host's process counts as alive: nobody here can tell. */
  | { readonly kind: 'taken'; readonly owner: ProcessIdentity };

/** Takes the lock at `folder` (created when absent) or says who has it. Never waits. */
export function takeLock(folder: string): LockOutcome {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (;;) {
    const latest = readLatest(folder);
    if (latest.owner !== undefined && livenessOf(latest.owner) !== 'dead') {
      return { kind: 'taken', owner: latest.owner };
    }
    const number = latest.number + 1;
    if (createOwner(folder, number) && readLatest(folder).number === number) {
      removeOlder(folder, number);
      return { kind: 'held', lock: { release: () => markReleased(folder, number) } };
    }
  }
}

interface Latest {
  readonly number: number;
  /** Absent when the lock is free. */
  readonly owner?: ProcessIdentity;
}

function readLatest(folder: string): Latest {
  const numbers = readdirSync(folder).flatMap(name => Number(OWNER_FILE.exec(name)?.[1] ?? []));
  const number = Math.max(0, ...numbers.filter(Number.isFinite));
  if (number === 0) return { number };
  try {
    const owner = storedIdentity.safeParse(JSON.parse(readFileSync(join(folder, `owner-${number}`), 'utf8')));
    return owner.success ? { number, owner: owner.data } : { number };
  } catch (error) {
    // Removed by a newer owner in between: look again. Anything unreadable counts as released.
    return codeOf(error) === 'ENOENT' ? readLatest(folder) : { number };
  }
}

function createOwner(folder: string, number: number): boolean {
  const temporary = writeTemporary(folder, toFormerIdentity(thisProcess()));
  try {
    linkSync(temporary, join(folder, `owner-${number}`));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function removeOlder(folder: string, number: number): void {
  for (const name of readdirSync(folder)) {
    const other = Number(OWNER_FILE.exec(name)?.[1] ?? Number.NaN);
    if (other < number) rmSync(join(folder, name), { force: true });
  }
}

function markReleased(folder: string, number: number): void {
  if (readLatest(folder).number !== number) return;
  renameSync(writeTemporary(folder, { released: true }), join(folder, `owner-${number}`));
}

function writeTemporary(folder: string, content: object): string {
  const temporary = join(folder, `new-${process.pid}-${randomBytes(6).toString('hex')}`);
  writeFileSync(temporary, JSON.stringify(content), { mode: 0o600 });
  return temporary;
}
