// Works through a list, a few at a time.

/** Runs at most `limit` at once; after the first error nothing new is begun, and that error is thrown at the end. */
export async function forEachLimited<T>(
  items: readonly T[],
  limit: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed: { readonly error: unknown } | undefined;
  const runner = async () => {
    while (failed === undefined) {
      const item = items[next];
      if (next >= items.length || item === undefined) return;
      next += 1;
      try {
        await run(item);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, runner));
  if (failed !== undefined) throw failed.error;
}
