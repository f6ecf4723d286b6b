// Every partial response is accounted for: asked = succeeded + failed + missing. The one place that does it.

export interface CrossChecked<Item, Failure> {
  readonly succeeded: readonly Item[];
  readonly failed: readonly { readonly item: Item; readonly failure: Failure }[];
  /** Asked for, but in neither list of the response. */
  readonly missing: readonly Item[];
  /** Ids in the response that nobody asked for, each once. */
  readonly unasked: readonly string[];
}

/**
 * Sorts what was asked by what the response says of it (Step 6's 207, Step 8's 201). An id in both lists
 * counts as failed: doing a repeatable step again is cheaper than believing a success that was not one.
 */
export function crossCheck<Item, Failure extends { readonly id: string }>(
  asked: readonly Item[],
  idOf: (item: Item) => string,
  succeededIds: readonly string[],
  failures: readonly Failure[],
): CrossChecked<Item, Failure> {
  const succeeded = new Set(succeededIds);
  const failureById = new Map(failures.map(failure => [failure.id, failure]));
  const askedIds = new Set(asked.map(idOf));
  const result = {
    succeeded: [] as Item[],
    failed: [] as { item: Item; failure: Failure }[],
    missing: [] as Item[],
    unasked: [...new Set([...succeeded, ...failureById.keys()])].filter(id => !askedIds.has(id)),
  };
  for (const item of asked) {
    const failure = failureById.get(idOf(item));
    if (failure !== undefined) result.failed.push({ item, failure });
    else if (succeeded.has(idOf(item))) result.succeeded.push(item);
    else result.missing.push(item);
  }
  return result;
}
