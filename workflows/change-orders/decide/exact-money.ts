// Money as decimal text, computed exactly: no floating-point number ever holds an amount.

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?$/;

interface Exact {
  readonly units: bigint;
  readonly places: number;
}

/**
 * Whether two decimal texts mean the same amount: "5", "5.00" and "+5.0" do. False when one is no decimal.
 */
export function isSameMoney(left: string, right: string): boolean {
  const [a, b] = [parse(left), parse(right)];
  return a !== undefined && b !== undefined && difference(a, b) === 0n;
}

/** Whether they differ by less than one cent, as rounding to cents may make them. */
export function isSameToTheCent(left: string, right: string): boolean {
  const [a, b] = [parse(left), parse(right)];
  if (a === undefined || b === undefined) return false;
  const places = Math.max(a.places, b.places, 2);
  const apart = scaled(a, places) - scaled(b, places);
  return (apart < 0n ? -apart : apart) < 10n ** BigInt(places - 2);
}

/**
 * The exact sum, with as many places as the longest part and at least two. Throws RangeError for what is no
 * decimal.
 */
export function sumOf(amounts: readonly string[]): string {
  const parts = amounts.map(required);
  const places = Math.max(2, ...parts.map(part => part.places));
  return toText({ units: parts.reduce((sum, part) => sum + scaled(part, places), 0n), places });
}

/** The exact product. Throws RangeError for what is no decimal. */
export function productOf(left: string, right: string): string {
  const [a, b] = [required(left), required(right)];
  return toText({ units: a.units * b.units, places: a.places + b.places });
}

function parse(text: string): Exact | undefined {
  const match = DECIMAL.exec(text.trim());
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  const units = BigInt(whole + fraction);
  return { units: sign === '-' ? -units : units, places: fraction.length };
}

function required(text: string): Exact {
  const parsed = parse(text);
  if (parsed === undefined) throw new RangeError('not a decimal');
  return parsed;
}

function scaled({ units, places }: Exact, to: number): bigint {
  return units * 10n ** BigInt(to - places);
}

function difference(a: Exact, b: Exact): bigint {
  const places = Math.max(a.places, b.places);
  return scaled(a, places) - scaled(b, places);
}

function toText({ units, places }: Exact): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const text = places === 0 ? whole : `${whole}.${digits.slice(-places)}`;
  return units < 0n ? `-${text}` : text;
}
