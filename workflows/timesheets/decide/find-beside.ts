// Which rows of a list have to be looked at together though they are entered by several calls.
import { type EntryParts, hasSameParts } from './has-same-parts';

interface Row {
  readonly index: number;
  readonly entry: EntryParts;
}

/**
 * Those of `all` that are not among `rows`, and that one entry made by hand could stand for as well as for a
 * row of these. At worst it is the rest of the list, as one call that compares the sheet is given it too.
 */
export function findBeside<Planned extends Row>(
  rows: readonly Planned[],
  all: readonly Planned[],
): readonly Planned[] {
  const own = new Set(rows.map(({ index }) => index));
  return all.filter(
    ({ index, entry }) => !own.has(index) && rows.some(row => hasSameParts(row.entry, entry)),
  );
}
