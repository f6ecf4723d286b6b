// Counts as people write them.

/** `1 document`, `2 documents`; for nouns with a plain plural. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
