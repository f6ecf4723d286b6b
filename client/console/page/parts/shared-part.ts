// The part that numbers of a view have in common: shown grey, so that the rest is seen. Pure.

const SEPARATOR = /[-_. ]/;

/** What at least two numbers begin with, up to its last separator: the rest of each stands out. */
export function sharedPart(numbers: Iterable<string | null>): string {
  let shared: string | undefined;
  let count = 0;
  for (const number of numbers) {
    if (number === null) continue;
    count += 1;
    if (shared === undefined) shared = number;
    let length = 0;
    while (length < shared.length && shared[length] === number[length]) length += 1;
    shared = shared.slice(0, length);
    if (shared === '') return '';
  }
  if (shared === undefined || count < 2) return '';
  let end = shared.length;
  while (end > 0 && !SEPARATOR.test(shared[end - 1] ?? '')) end -= 1;
  return shared.slice(0, end);
}
