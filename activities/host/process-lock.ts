// A lock between processes, in plain files, that nobody has to clean up when its owner is killed. Locks are
// numbered: `<prefix><n>` is made exclusively and whole (link), and the highest number rules. A dead owner's
// lock is not removed and made again (two who break it could then both win) but followed by the next number,
// which only one process can make.

import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { systemClock } from './clock';
import { isGone, isPassing, isTaken } from './file-trouble';
import { livenessOf, storedIdentity, thisProcess, toFormerIdentity } from './process-identity';

export interface LockOptions {
  /** How the files of the lock begin; several locks may have one folder. Default: `owner-`. */
  readonly prefix?: string;
  /** Longest wait for another owner. Default: none, whoever has it is told at once. */
  readonly waitMs?: number;
  /** Ends the waiting: then its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Told at first, and again whenever somebody else is waited for. */
  readonly onWait?: (owner: string) => void;
  /**
   * From this age on a lock counts as abandoned whose owner cannot be checked: one of another host or
   * container, or a damaged one. Absent: the former never counts as abandoned, and the latter is free at
   * once, for a person who starts something should not have to clean up.
   */
  readonly staleAfterMs?: number;
  /**
   * The folder is of one host alone: what another start of a machine left there is free, also where the host
   * had another name. Absent: a lock of another name is judged by its age alone.
   */
  readonly isOfOneHost?: boolean;
}

export interface HeldLock {
  /** False once somebody else has taken it over: this process was thought dead. */
  isHeld(): Promise<boolean>;
  /** Begins its age anew: for whoever may hold it for longer than `staleAfterMs`. */
  touch(): Promise<void>;
  /** Lets others have it; harmless when repeated. */
  release(): Promise<void>;
}

export type LockOutcome =
  | { readonly kind: 'held'; readonly lock: HeldLock }
  /** `owner`: for people. */
  | { readonly kind: 'taken'; readonly owner: string };

const contentSchema = z.union([
  z.object({ state: z.enum(['held', 'released']), owner: storedIdentity }),
  // Version 0.1.0 writes only the owner into some locks, and into a released one only that it is released.
  storedIdentity.transform(owner => ({ state: 'held' as const, owner })),
]);

const NEVER = new AbortController().signal;

// Old numbers stay a while: a process that listed the folder just before must still find its number taken.
const KEPT_NUMBERS = 16;

/** Takes the lock in `folder` (made when absent), or says who has it. */
export async function takeLock(folder: string, options: LockOptions = {}): Promise<LockOutcome> {
  const { waitMs = 0, signal, onWait } = options;
  const files = new LockFiles(folder, options);
  const giveUpAtMs = systemClock.monotonicMs() + waitMs;
  let waitsFor: string | undefined;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (let round = 0; ; round++) {
    const { number, owner } = await files.readLatest();
    if (owner === undefined) {
      const lock = await files.tryTake(number + 1);
      if (lock !== undefined) return { kind: 'held', lock };
    } else {
      if (systemClock.monotonicMs() >= giveUpAtMs) return { kind: 'taken', owner };
      if (owner !== waitsFor) onWait?.(owner);
      waitsFor = owner;
    }
    // Most are held for a fraction of a second; the spread keeps waiting processes from moving in step.
    await systemClock.sleep(Math.min(200, 10 + 10 * round) * (0.5 + Math.random()), signal ?? NEVER);
  }
}

/** Waits for the lock for as long as it takes. @throws the signal's reason. */
export async function waitForLock(
  folder: string,
  options: Pick<LockOptions, 'signal' | 'onWait' | 'staleAfterMs'>,
): Promise<HeldLock> {
  for (;;) {
    const outcome = await takeLock(folder, { ...options, waitMs: Number.POSITIVE_INFINITY });
    if (outcome.kind === 'held') return outcome.lock;
  }
}

class LockFiles {
  readonly #folder: string;
  readonly #prefix: string;
  readonly #staleAfterMs: number | undefined;
  readonly #isOfOneHost: boolean;

  constructor(folder: string, { prefix = 'owner-', staleAfterMs, isOfOneHost = false }: LockOptions) {
    this.#folder = folder;
    this.#prefix = prefix;
    this.#staleAfterMs = staleAfterMs;
    this.#isOfOneHost = isOfOneHost;
  }

  /** Without an owner it is free. */
  async readLatest(): Promise<{ readonly number: number; readonly owner?: string }> {
    const staleAfterMs = this.#staleAfterMs;
    const number = Math.max(0, ...(await this.#listNumbers()));
    if (number === 0) return { number };
    const text = await readFile(this.#pathOf(number), 'utf8').catch(error => {
      if (isGone(error)) return undefined;
      // For a moment: that says nothing of what is in it.
      if (isPassing(error)) throw error;
      return '';
    });
    // Removed since it was listed: a newer one rules.
    if (text === undefined) return await this.readLatest();
    const content = contentSchema.safeParse(parseJson(text)).data;
    if (content === undefined) {
      const isFree = staleAfterMs === undefined || (await this.#isOlder(number, staleAfterMs));
      return isFree ? { number } : { number, owner: 'an unknown process' };
    }
    const { state, owner } = content;
    if (state === 'released') return { number };
    const liveness = livenessOf(owner, { isOfOneHost: this.#isOfOneHost });
    const isFree =
      liveness === 'dead' ||
      (liveness === 'elsewhere' && staleAfterMs !== undefined && (await this.#isOlder(number, staleAfterMs)));
    return isFree ? { number } : { number, owner: `process ${owner.pid} on ${owner.host}` };
  }

  /** Undefined when somebody was faster. */
  async tryTake(number: number): Promise<HeldLock | undefined> {
    if (!(await this.#place(number, 'held', link))) return undefined;
    const isHeld = async () => Math.max(...(await this.#listNumbers())) === number;
    const touch = async () => await this.#touch(number);
    let released: Promise<void> | undefined;
    const release = async () => {
      released ??= this.#release(number);
      await released.catch(error => {
        released = undefined;
        throw error;
      });
    };
    try {
      // Somebody may have counted further while we were between listing and making: the highest rules.
      if (await isHeld()) {
        await this.#removeOld(number - KEPT_NUMBERS);
        return { isHeld, touch, release };
      }
    } catch (error) {
      // Nobody would ever release it, and its owner lives.
      await release().catch(() => undefined);
      throw error;
    }
    await release();
    return undefined;
  }

  /**
   * Writes again the byte with which each lock begins: its content is the same at every moment, also where
   * it is being released, and the file system notes the time by its own clock, by which its age is told.
   */
  async #touch(number: number): Promise<void> {
    const file = await open(this.#pathOf(number), 'r+');
    try {
      await file.write('{', 0);
    } finally {
      await file.close();
    }
  }

  /**
   * Also on a full disk, or when no more files can be opened: then the file before ours takes its place. It
   * was released, or is of an owner that was found dead or too old. So the number stays counted: whoever
   * held one before, and stood still for long, can not take a later holder's for its own.
   */
  async #release(number: number): Promise<void> {
    try {
      await this.#place(number, 'released', rename);
    } catch {
      await rename(this.#pathOf(number - 1), this.#pathOf(number)).catch(async error => {
        if (!isGone(error)) throw error;
        await this.#remove(number);
      });
    }
  }

  async #remove(number: number): Promise<void> {
    await unlink(this.#pathOf(number)).catch(error => {
      if (!isGone(error)) throw error;
    });
  }

  /** Puts a finished file in place; false when its name is taken. */
  async #place(
    number: number,
    state: 'held' | 'released',
    place: (from: string, to: string) => Promise<void>,
  ): Promise<boolean> {
    const owner = thisProcess();
    // Version 0.1.0 looks for the owner of some locks at the top, in its own form; of a released one it finds
    // none there.
    const content = { state, owner, ...(state === 'held' ? toFormerIdentity(owner) : {}) };
    const draft = `${this.#pathOf(number)}.draft.${randomUUID()}`;
    try {
      await writeFile(draft, JSON.stringify(content), { mode: 0o600, flag: 'wx' });
      await place(draft, this.#pathOf(number));
      return true;
    } catch (error) {
      if (isTaken(error)) return false;
      throw error;
    } finally {
      await unlink(draft).catch(() => undefined);
    }
  }

  /** Its age by the file system's own clock, which need not agree with ours. */
  async #isOlder(number: number, ms: number): Promise<boolean> {
    const fresh = join(this.#folder, `${this.#prefix}probe.${randomUUID()}`);
    try {
      await writeFile(fresh, '', { mode: 0o600, flag: 'wx' });
      const [now, then] = await Promise.all([stat(fresh), stat(this.#pathOf(number))]);
      return now.mtimeMs - then.mtimeMs > ms;
    } catch {
      return false;
    } finally {
      await unlink(fresh).catch(() => undefined);
    }
  }

  async #removeOld(upTo: number): Promise<void> {
    for (const number of await this.#listNumbers())
      if (number <= upTo) await unlink(this.#pathOf(number)).catch(() => undefined);
  }

  async #listNumbers(): Promise<readonly number[]> {
    const names = (await readdir(this.#folder)).filter(name => name.startsWith(this.#prefix));
    return names.map(name => name.slice(this.#prefix.length)).flatMap(toNumber);
  }

  #pathOf(number: number): string {
    return join(this.#folder, `${this.#prefix}${number}`);
  }
}

function toNumber(digits: string): readonly number[] {
  return /^\d{1,15}$/.test(digits) ? [Number(digits)] : [];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
