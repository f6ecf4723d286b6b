// Whether two entries of a timesheet may be the same person's work on the same thing.

const PARTS = ['costCodeId', 'timeTypeId', 'partyId', 'loginId'] as const;

/** undefined: left open. null: the service says that there is none. */
export type EntryParts = Readonly<Partial<Record<(typeof PARTS)[number], string | null | undefined>>>;

/** What one of the two leaves open, the other may say in any way. */
export function hasSameParts(one: EntryParts, other: EntryParts): boolean {
  return PARTS.every(
    part => one[part] === undefined || other[part] === undefined || one[part] === other[part],
  );
}
