// Bounded concurrency.

/** Runs `work` over the items in order, `count` at a time. Rejects with the first rejection, after all running work has ended; begins nothing new then. */
export async function inLanes<Item>(
  items: readonly Item[],
  count: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  let first: { error: unknown } | undefined;
  const lane = async () => {
    while (first === undefined && next < items.length) {
      const item = items[next++] as Item;
      try {
        await work(item);
      } catch (error: unknown) {
        first ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, items.length) }, lane));
  if (first !== undefined) throw first.error;
}
