/**
 * Ids and chance: ULIDs of records, stable ids of the default content, and
 * randomness that repeats with the seed.
 */
import { createHash } from 'node:crypto';
import { monotonicFactory } from 'ulid';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Numbers in [0, 1), the same sequence for the same seed. */
export type Chance = () => number;

/** Seeded generator (mulberry32): small, fast, good enough for shuffling. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A source of ULIDs that only grow, also within one millisecond. */
export function ulidSource(chance: Chance): () => string {
  const next = monotonicFactory(chance);
  return () => next();
}

/** Upper-case Crockford base 32, 26 characters, at most 2^128 - 1. */
export function isUlid(text: string): boolean {
  return ULID.test(text);
}

/** The ULID that always stands for `name`: default content keeps its ids over restarts. */
export function contentId(name: string): string {
  const digest = createHash('sha256').update(name).digest();
  let id = CROCKFORD.charAt((digest[0] ?? 0) & 7);
  for (let index = 1; index < 26; index += 1) id += CROCKFORD.charAt((digest[index] ?? 0) & 31);
  return id;
}

/** A number in [0, 1) that depends on seed and name alone. */
export function shareOf(seed: number, name: string): number {
  return createHash('sha256').update(`${seed}/${name}`).digest().readUInt32BE(0) / 4_294_967_296;
}

/** A copy in another order (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], chance: Chance): T[] {
  const rest = [...items];
  const result: T[] = [];
  while (rest.length > 0) result.push(...rest.splice(Math.floor(chance() * rest.length), 1));
  return result;
}
