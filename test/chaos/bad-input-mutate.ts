// Spoils values as people, programs and networks do: texts cut and flipped, JSON with wrong types, missing
// and foreign keys, things far too large or too deep. Seeded: the same seed spoils in the same way.

/** Anything that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A small, fast generator of numbers (mulberry32): equal seeds give equal sequences. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, `count`. */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count);
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[this.below(values.length)];
    if (value === undefined && values.length === 0) throw new Error('there is nothing to pick from');
    return value as Value;
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.below(256)));
  }
}

/** Keys that mean something to every object of the language. */
export const MEMBER_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
] as const;

const ODD_TEXTS = [
  '',
  ' ',
  '\u0000',
  '\u202egpj.exe',
  '\ud800',
  'ä'.repeat(300),
  'x'.repeat(20_000),
  '../../etc/passwd',
  '<html>',
  '{{',
  '%',
  '5constructor',
  'NaN',
  'null',
  '-1',
  '1e999',
  '9'.repeat(40),
  '2026-02-30',
  'https://user:pass@host/?a=b',
  '(?<a>x)\\',
  '(?<a>',
  '\r\nX: y',
  ...MEMBER_NAMES,
] as const;

const ODD_NUMBERS = [0, -1, 0.5, 1e308, -1e308, 2 ** 53, Number.MIN_VALUE, 70_000, 2 ** 31] as const;

/** A value of some other kind, harmless in size unless `isLarge`. */
export function oddValue(dice: Dice, isLarge = false): Json {
  switch (dice.below(isLarge ? 9 : 7)) {
    case 0:
      return null;
    case 1:
      return dice.below(2) === 0;
    case 2:
      return dice.pick(ODD_NUMBERS);
    case 3:
    case 4:
      return dice.pick(ODD_TEXTS);
    case 5:
      return dice.pick<Json>([[], [null], [[]], ['a', 1], [{}]]);
    case 6:
      return dice.pick<Json>([{}, { id: null }, withKey({}, dice.pick(MEMBER_NAMES), { a: 1 })]);
    case 7:
      return nest(dice.pick([40, 500, 20_000]), dice.below(2) === 0);
    default:
      return dice.pick<Json>(['y'.repeat(300_000), Array.from({ length: 5_000 }, () => 0)]);
  }
}

/** One list or object in another, `depth` times. */
export function nest(depth: number, asList: boolean): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level++) value = asList ? [value] : { a: value };
  return value;
}

/** A copy with one to three things wrong. */
export function spoilJson(dice: Dice, value: Json, isLarge = false): Json {
  let spoiled = copyOf(value);
  for (let turn = dice.below(2) === 0 ? 1 : 1 + dice.below(3); turn > 0; turn--)
    spoiled = spoilOnce(dice, spoiled, isLarge);
  return spoiled;
}

function spoilOnce(dice: Dice, value: Json, isLarge: boolean): Json {
  const place = findPlace(dice, value);
  if (place === undefined) return oddValue(dice, isLarge);
  const { holder, key } = place;
  if (Array.isArray(holder)) {
    const at = Number(key);
    const entry = holder[at] ?? null;
    const choice = dice.below(4);
    if (choice === 0) holder.push(copyOf(entry));
    else if (choice === 1) holder.splice(at, 1);
    else holder[at] = oddValue(dice, isLarge);
    return value;
  }
  switch (dice.below(5)) {
    case 0:
      delete holder[key];
      break;
    case 1:
      withKey(
        holder,
        dice.pick([...MEMBER_NAMES, 'extra', '', `${key}s`, key.toUpperCase()]),
        oddValue(dice),
      );
      break;
    case 2: {
      // Right kind, another's place: the value of a neighbour.
      const other = dice.pick(Object.keys(holder));
      withKey(holder, key, copyOf(holder[other] ?? null));
      break;
    }
    default:
      withKey(holder, key, oddValue(dice, isLarge));
  }
  return value;
}

/** Defines it as JSON.parse would: `__proto__` is then a key like any other. */
function withKey(holder: { [key: string]: Json }, key: string, value: Json): { [key: string]: Json } {
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
  return holder;
}

/** What is too deep to be copied is shared: nothing of it is changed. */
function copyOf(value: Json): Json {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}

interface Place {
  readonly holder: Json[] | { [key: string]: Json };
  readonly key: string;
}

/** Any place of the tree; undefined when the value holds nothing. */
function findPlace(dice: Dice, value: Json): Place | undefined {
  let found: Place | undefined;
  for (let current = value; typeof current === 'object' && current !== null; ) {
    const keys = Object.keys(current);
    if (keys.length === 0) break;
    const key = dice.pick(keys);
    found = { holder: current, key };
    const inner: Json = (current as { [key: string]: Json })[key] ?? null;
    if (dice.below(3) === 0) break;
    current = inner;
  }
  return found;
}

/** Bytes cut off, flipped, doubled, or something else altogether. */
export function spoilBytes(dice: Dice, bytes: Buffer): Buffer {
  const at = dice.below(Math.max(1, bytes.length));
  switch (dice.below(8)) {
    case 0:
    case 1:
      return bytes.subarray(0, at);
    case 2:
    case 3: {
      const flipped = Buffer.from(bytes);
      if (flipped.length > 0) flipped[at] = (flipped[at] ?? 0) ^ (1 << dice.below(8));
      return flipped;
    }
    case 4:
      return Buffer.concat([bytes.subarray(0, at), dice.bytes(1 + dice.below(20)), bytes.subarray(at)]);
    case 5:
      return Buffer.concat([bytes, bytes]);
    case 6:
      return Buffer.alloc(bytes.length);
    default:
      return dice.pick([
        Buffer.alloc(0),
        Buffer.from('null'),
        Buffer.from('[]'),
        Buffer.from('\ufeff{}'),
        dice.bytes(200),
      ]);
  }
}

/** JSON text; never fails for depth, as JSON.stringify does. */
export function toText(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    return `${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`;
  }
}
