const MOST_CHARACTERS = 64;

/**
 * How far two spellings are apart: an insertion, a deletion, a replacement and a swap of neighbours cost 1
 * each (optimal string alignment). Looks at the first 64 characters, for its cost grows with their product.
 */
export function editDistance(a: string, b: string): number {
  const left = a.slice(0, MOST_CHARACTERS);
  const right = b.slice(0, MOST_CHARACTERS);
  let twoBack: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let best = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) best = Math.min(best, (twoBack[column - 2] ?? 0) + 1);
      current.push(best);
    }
    twoBack = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}
