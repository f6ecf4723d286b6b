// What marks the entries of a timesheet as ours, so that they are found again by whoever looks.

/** What is left on an entry so that it is found again: `prefix` says whose list of which day. */
export function originOf(prefix: string, ref: string): string {
  return `${prefix}${ref}`;
}

/** What the origin ids of one source and day begin with; entries of others, or made by hand, lack it. */
export function originPrefix(source: string, date: string): string {
  return `drawbridge/${source}/${date}/`;
}
