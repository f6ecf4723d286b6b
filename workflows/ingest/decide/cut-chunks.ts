// Cuts the files of a batch into the loads of single transfer activities.

/**
 * Most bytes of one load of several files, so that a crash or a bad file costs little and work spreads over
 * workers.
 */
const CHUNK_BYTES = 512 * 1024 * 1024;

/**
 * Consecutive items, at most `maxItems` and (unless one alone is more) `CHUNK_BYTES` a chunk; order is kept.
 */
export function cutChunks<Item extends { readonly sizeBytes: number }>(
  items: readonly Item[],
  maxItems: number,
): readonly (readonly Item[])[] {
  const chunks: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const last = chunks.at(-1);
    if (last === undefined || last.length >= maxItems || bytes + item.sizeBytes > CHUNK_BYTES) {
      chunks.push([item]);
      bytes = item.sizeBytes;
    } else {
      last.push(item);
      bytes += item.sizeBytes;
    }
  }
  return chunks;
}

/** More than one segment: hours on a slow line, and worth connections of its own. */
const LONG_BYTES = 100 * 1024 * 1024;

export function isBig({ sizeBytes }: { readonly sizeBytes: number }): boolean {
  return sizeBytes > LONG_BYTES;
}

/** Big files travel by themselves, apart from the others: what is small does not wait for them. */
export function splitLong<Item extends { readonly sizeBytes: number }>(
  items: readonly Item[],
): { readonly long: readonly Item[]; readonly others: readonly Item[] } {
  return {
    long: items.filter(isBig),
    others: items.filter(item => !isBig(item)),
  };
}

/**
 * The two halves of a request that was refused for an unnamed item; both are non-empty for two items and
 * more.
 */
export function halve<Item>(items: readonly Item[]): readonly [readonly Item[], readonly Item[]] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}
