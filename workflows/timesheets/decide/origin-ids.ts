// What marks the entries of a timesheet as ours, so that they are found again by whoever looks.

/** What is left on an entry so that it is found again: `prefix` says whose list of which day. */
export function originOf(prefix: string, ref: string): string {
  return `${prefix}${ref}`;
}

/** All rows of one source and day; of another source, or made by hand, are entries without this prefix. */
export function originPrefix(source: string, date: string): string {
  return `drawbridge/${source}/${date}/`;
}
