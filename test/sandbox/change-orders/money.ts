/** Exact decimal arithmetic on text, half a cent rounded away from zero. */

const PLACES = 6;

function unitsOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole) * 10n ** BigInt(PLACES) + BigInt(fraction.padEnd(PLACES, '0').slice(0, PLACES));
  return text.startsWith('-') ? -units : units;
}

/** With two places. */
function toText(units: bigint, places: number): string {
  const step = 10n ** BigInt(places - 2);
  const half = units < 0n ? -step / 2n : step / 2n;
  const cents = (units + half) / step;
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function sumOf(amounts: readonly string[]): string {
  return toText(
    amounts.reduce((sum, amount) => sum + unitsOf(amount), 0n),
    PLACES,
  );
}

export function productOf(left: string, right: string): string {
  return toText(unitsOf(left) * unitsOf(right), 2 * PLACES);
}
