// How much is sent at once where a step may be away: one document first, then ten times as many each time
// that it gets through.

/** So what a part that fails has cost in looks stays in proportion to what got through before it. */
const GROWTH = 10;

/**
 * All are one part at the first attempt. From the second on, one asks for all whether the step is back,
 * another one at each attempt, since the one may be what fails; the others follow in parts that grow.
 * @param attempt of the activity, from 1.
 */
export function inGrowingParts<Item>(items: readonly Item[], attempt: number): readonly (readonly Item[])[] {
  if (attempt === 1 || items.length === 0) return [items];
  const lead = (attempt - 2) % items.length;
  const inTurn = [...items.slice(lead), ...items.slice(0, lead)];
  const parts: (readonly Item[])[] = [];
  for (let from = 0, size = 1; from < inTurn.length; from += size, size *= GROWTH) {
    parts.push(inTurn.slice(from, from + size));
  }
  return parts;
}
