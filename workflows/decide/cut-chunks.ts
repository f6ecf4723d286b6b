// Cuts the files of a batch into the loads of single transfer activities.

/** A load this heavy travels alone, so that a crash or a poison file costs little and work spreads over workers. */
const CHUNK_BYTES = 512 * 1024 * 1024;

/** Consecutive items, at most `maxItems` and (unless one alone is more) `CHUNK_BYTES` a chunk; order is kept. */
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

/** The two halves of a request that was refused for an unnamed item; both are non-empty for two items and more. */
export function halve<Item>(items: readonly Item[]): readonly [readonly Item[], readonly Item[]] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}
