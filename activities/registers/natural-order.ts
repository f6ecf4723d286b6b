// The order in which people count: A-2 before A-10.

/**
 * Compares two names: numbers in them by their value, the rest without regard to case. Names that differ in
 * case, Unicode form or leading zeros alone still have an order, the same on every machine.
 */
export function compareNatural(one: string, other: string): number {
  const [left, right] = [piecesOf(one), piecesOf(other)];
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const difference = comparePieces(left[at] ?? '', right[at] ?? '');
    if (difference !== 0) return difference;
  }
  return left.length - right.length || compareUnits(one, other);
}

/** Runs of digits, and what stands between them. */
function piecesOf(name: string): readonly string[] {
  return (
    name
      .normalize('NFC')
      .toLowerCase()
      .match(/\d+|\D+/g) ?? []
  );
}

function comparePieces(one: string, other: string): number {
  if (!/^\d/.test(one) || !/^\d/.test(other)) return compareUnits(one, other);
  const [left, right] = [one.replace(/^0+/, ''), other.replace(/^0+/, '')];
  // Without leading zeros the longer one is the greater, however many digits it has.
  return left.length - right.length || compareUnits(left, right);
}

function compareUnits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
