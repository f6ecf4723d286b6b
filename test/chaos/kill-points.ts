// Which boundaries are kill points, and which of them a form of the part tries.
import { isReadOnly, kindOf, ordinalOf } from './boundaries-names';

/**
 * Of requests that only ask, of pieces of a body, and of the state folder's small notes,
 * more than two tell nothing new.
 */
const MOST_ALIKE = 2;

/** Each boundary that is worth a kill of its own, once, in the order of the run. */
export function chooseKillPoints(boundaries: readonly string[]): string[] {
  return [...new Set(boundaries)].filter(
    boundary => ordinalOf(boundary) <= MOST_ALIKE || !isRepetitive(boundary),
  );
}

/** One of each kind, `next` deciding which; in the order of the run. */
export function chooseOneOfEachKind(points: readonly string[], next: () => number): string[] {
  const kinds = new Map<string, string[]>();
  for (const point of points) kinds.set(kindOf(point), [...(kinds.get(kindOf(point)) ?? []), point]);
  return [...kinds.values()].flatMap(group => group[Math.floor(next() * group.length)] ?? []);
}

/** `count` of them, spread evenly from a random beginning; in the order of the run. */
export function spread(points: readonly string[], count: number, next: () => number): string[] {
  if (points.length <= count) return [...points];
  const step = points.length / count;
  const first = next() * step;
  return Array.from({ length: count }, (_, turn) => points[Math.floor(first + turn * step)] ?? []).flat();
}

/** In an order of chance: a run that is cut short has then seen something of everything. */
export function shuffle<Item>(items: readonly Item[], next: () => number): Item[] {
  const left = [...items];
  const mixed: Item[] = [];
  while (left.length > 0) mixed.push(...left.splice(Math.floor(next() * left.length), 1));
  return mixed;
}

/** A number generator of a seed, `0 <= x < 1`. (mulberry32) */
export function createChance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function isRepetitive(boundary: string): boolean {
  return isReadOnly(boundary) || / under way /.test(boundary) || / state\//.test(boundary);
}
