// Which rows of a list have to be looked at together though they are entered by several calls.

interface Row {
  readonly index: number;
  readonly entry: Readonly<
    Partial<Record<'costCodeId' | 'timeTypeId' | 'partyId' | 'loginId', string | undefined>>
  >;
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
  return all.filter(({ index, entry }) => !own.has(index) && rows.some(row => mayShare(row.entry, entry)));
}

/** What a row leaves open, an entry for it may say in any way. */
function mayShare(one: Row['entry'], other: Row['entry']): boolean {
  const parts = ['costCodeId', 'timeTypeId', 'partyId', 'loginId'] as const;
  return parts.every(
    part => one[part] === undefined || other[part] === undefined || one[part] === other[part],
  );
}
