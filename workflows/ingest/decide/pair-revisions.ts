// Step 8 answers a bare list of revision ids. Which document got which?

export interface RevisionPair<Item> {
  readonly item: Item;
  readonly revisionId: string | null;
  readonly paired: 'certain' | 'by-order' | 'unknown';
}

/**
 * Pairs revision ids with the accepted items. One id for one item is certain; equal counts are paired in the
 * order of the request; with any other count nobody knows, and the items must be looked at.
 */
export function pairRevisions<Item>(
  accepted: readonly Item[],
  revisionIds: readonly string[],
): readonly RevisionPair<Item>[] | 'look' {
  const unique = new Set(revisionIds);
  if (unique.size !== revisionIds.length || revisionIds.length !== accepted.length) return 'look';
  const paired = accepted.length === 1 ? 'certain' : 'by-order';
  return accepted.map((item, position) => ({ item, revisionId: revisionIds[position] ?? null, paired }));
}
