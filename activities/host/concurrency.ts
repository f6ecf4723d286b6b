// Bounded concurrency: only so much at one time, first come, first served.

/**
 * Runs `work` when there is room; rejects with the signal's reason when that is
 * aborted while waiting for room.
 */
export type Limit = <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>;

/** @param count how much may run at once, at least 1. */
export function createLimit(count: number): Limit {
  let free = count;
  const line: Line = [];
  return async (work, signal) => {
    signal?.throwIfAborted();
    if (free > 0) free -= 1;
    else await waitIn(line, signal);
    try {
      return await work();
    } finally {
      // The room goes straight to the next in line; it is free only when nobody waits.
      const next = line.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/**
 * Room that many share; each of them opens a limit of its own. None has more of it than it leaves free, nor
 * more than `most`: whoever gives nothing back any more leaves some to the others.
 */
export function createSharedRoom(count: number, most: number): () => Limit {
  let free = count;
  /** Those with somebody in line, in the order in which they have their turns. */
  const waiting = new Set<{ used: number; readonly line: Line }>();
  const mayTake = (used: number) => used < Math.min(most, free);

  function passOn(): void {
    // Who has had a turn comes last, and is met again in this round.
    for (const one of waiting) {
      if (one.line.length > 0 && !mayTake(one.used)) continue;
      waiting.delete(one);
      const next = one.line.shift();
      if (next === undefined) continue;
      if (one.line.length > 0) waiting.add(one);
      one.used += 1;
      free -= 1;
      next();
    }
  }

  return () => {
    const own = { used: 0, line: [] as Line };
    return async (work, signal) => {
      signal?.throwIfAborted();
      if (own.line.length === 0 && mayTake(own.used)) {
        own.used += 1;
        free -= 1;
      } else {
        waiting.add(own);
        await waitIn(own.line, signal);
      }
      try {
        return await work();
      } finally {
        own.used -= 1;
        free += 1;
        passOn();
      }
    };
  };
}

/** Those who wait for room, first come, first served. */
type Line = (() => void)[];

async function waitIn(line: Line, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const begin = () => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = () => {
      line.splice(line.indexOf(begin), 1);
      reject(signal?.reason);
    };
    line.push(begin);
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}

/**
 * Works through the items in order, `count` at a time. After the first error nothing new is begun, and that
 * error is thrown once all that runs has ended.
 */
export async function forEachLimited<Item>(
  items: readonly Item[],
  count: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  let failed: { readonly error: unknown } | undefined;
  const runner = async () => {
    // They all take from one iterator.
    for (const item of left) {
      if (failed !== undefined) return;
      try {
        await work(item);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, items.length) }, runner));
  if (failed !== undefined) throw failed.error;
}

/** For work that finds what to do by itself: so many of it at one time, until all have ended. */
export async function atOnce(count: number, work: () => Promise<void>): Promise<void> {
  await forEachLimited(Array.from({ length: count }), count, work);
}

/** As `forEachLimited`; the results have the order of the items. */
export async function mapLimited<Item, Result>(
  items: readonly Item[],
  count: number,
  toResult: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  await forEachLimited([...items.entries()], count, async ([position, item]) => {
    results[position] = await toResult(item);
  });
  return results;
}
