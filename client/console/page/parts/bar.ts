// Cuts a bar into its parts. Pure.

export interface Part {
  readonly from: number;
  readonly width: number;
}

interface Bar {
  readonly width: number;
  readonly gap: number;
  /** The least width of a part, so that 1 of 5,000 is seen. */
  readonly least: number;
}

/** @returns the part of each count, in the unit of `width`; undefined where the count is 0. */
export function cutBar(counts: readonly number[], { width, gap, least }: Bar): readonly (Part | undefined)[] {
  const shown = counts.filter(count => count > 0);
  const all = shown.reduce((sum, count) => sum + count, 0);
  if (all === 0) return counts.map(() => undefined);
  const room = width - gap * (shown.length - 1);
  // The small ones get their least, and the others share what is left by their counts.
  const small = new Set(shown.filter(count => (count / all) * room < least));
  const smallOnes = shown.filter(count => small.has(count)).length;
  const rest = shown.filter(count => !small.has(count)).reduce((sum, count) => sum + count, 0);
  let from = 0;
  return counts.map(count => {
    if (count === 0) return undefined;
    const part = { from, width: small.has(count) ? least : (count / rest) * (room - smallOnes * least) };
    from += part.width + gap;
    return part;
  });
}
