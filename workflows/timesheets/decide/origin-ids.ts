// What marks the entries of a timesheet as ours, so that they are found again by whoever looks.

/** What the origin ids of one source and day begin with; entries of others, or made by hand, lack it. */
export function originPrefix(source: string, date: string): string {
  return `drawbridge/${source}/${date}/`;
}
