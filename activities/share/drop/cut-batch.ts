// Cuts what has settled into batches: by count, by bytes, and, when nothing new comes any more, what is left.
// The top folders take turns, so that a steady stream into one keeps no other waiting. Pure.
import { comparePaths, folderOf, topOf } from '../files/relative-path';

/**
 * Files that came within one are as old as each other: then their paths decide, and
 * what was copied together stays so.
 */
const SAME_AGE_MS = 60_000;

export interface CutEntry {
  readonly path: string;
  readonly sizeBytes: number;
  /** When it was first seen, by the clock that `served` goes by. */
  readonly sinceMs: number;
}

export interface CutLimits {
  readonly maxFiles: number;
  readonly maxBytes: number;
}

/**
 * A batch of each top folder in turn, the one first that was served least recently; the loose files count as
 * one. Within it the oldest first. Files of one folder stay together unless that would leave a batch less
 * than half full. A file larger than the limit of bytes travels alone.
 * @param isQuiet nothing new came for the quiet time: also what does not fill a batch is cut.
 * @param served when a batch with files of that top folder was begun last.
 */
export function cutBatches<Entry extends CutEntry>(
  entries: readonly Entry[],
  limits: CutLimits,
  isQuiet: boolean,
  served: ReadonlyMap<string, number> = new Map(),
): { readonly batches: Entry[][]; readonly rest: Entry[] } {
  const batches: Entry[][] = [];
  let current = new Pile<Entry>(limits);
  const close = () => {
    if (current.entries.length > 0) batches.push(current.entries);
    current = new Pile(limits);
  };
  for (const folder of inTurn(entries, limits, served)) {
    if (!current.hasRoom(folder) && current.isHalfFull) close();
    for (const entry of folder) {
      if (!current.hasRoom([entry])) close();
      current.add(entry);
    }
  }
  if (isQuiet || current.isFull) close();
  return { batches, rest: current.entries };
}

class Pile<Entry extends CutEntry> {
  readonly entries: Entry[] = [];
  readonly #limits: CutLimits;
  #bytes = 0;

  constructor(limits: CutLimits) {
    this.#limits = limits;
  }

  get isFull(): boolean {
    return this.entries.length >= this.#limits.maxFiles || this.#bytes >= this.#limits.maxBytes;
  }

  get isHalfFull(): boolean {
    return this.entries.length * 2 >= this.#limits.maxFiles || this.#bytes * 2 >= this.#limits.maxBytes;
  }

  hasRoom(more: readonly Entry[]): boolean {
    if (this.entries.length + more.length > this.#limits.maxFiles) return false;
    const bytes = more.reduce((sum, entry) => sum + entry.sizeBytes, this.#bytes);
    return bytes <= this.#limits.maxBytes || (this.entries.length === 0 && more.length <= 1);
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    this.#bytes += entry.sizeBytes;
  }
}

/** The files folder by folder, no more than a batch of one top folder before the next one's turn. */
function inTurn<Entry extends CutEntry>(
  entries: readonly Entry[],
  limits: CutLimits,
  served: ReadonlyMap<string, number>,
): Entry[][] {
  const queue = byAge(entries, topOf)
    // One that was never served waits since its files came: else ever new folders
    // would go before all the others.
    .map(top => ({ ...top, waitsSinceMs: served.get(top.name) ?? top.age * SAME_AGE_MS }))
    .sort((one, other) => one.waitsSinceMs - other.waitsSinceMs)
    .map(top => ({
      parts: byAge(top.entries, folderOf).flatMap(folder =>
        inParts(folder.entries.sort(oldestFirst), limits),
      ),
      next: 0,
    }));
  const order: Entry[][] = [];
  // Each passes once a round, with as much as fits into one batch.
  for (let round = queue; round.length > 0; round = round.filter(({ parts, next }) => next < parts.length)) {
    for (const top of round) {
      const turn = new Pile<Entry>(limits);
      for (let part = top.parts[top.next]; part && turn.hasRoom(part); part = top.parts[top.next]) {
        for (const entry of part) turn.add(entry);
        order.push(part);
        top.next += 1;
      }
    }
  }
  return order;
}

/** What no batch can take at once, in parts that one can. */
function inParts<Entry extends CutEntry>(folder: readonly Entry[], limits: CutLimits): Entry[][] {
  const parts: Entry[][] = [];
  let part = new Pile<Entry>(limits);
  for (const entry of folder) {
    if (!part.hasRoom([entry])) {
      parts.push(part.entries);
      part = new Pile(limits);
    }
    part.add(entry);
  }
  return [...parts, part.entries];
}

interface Group<Entry> {
  readonly name: string;
  readonly entries: Entry[];
  readonly age: number;
}

/** Grouped by `nameOfGroup`; the groups oldest first, then by name. */
function byAge<Entry extends CutEntry>(
  entries: readonly Entry[],
  nameOfGroup: (path: string) => string,
): Group<Entry>[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const name = nameOfGroup(entry.path);
    const known = groups.get(name);
    if (known === undefined) groups.set(name, [entry]);
    else known.push(entry);
  }
  return [...groups]
    .map(([name, members]) => {
      const age = members.reduce((oldest, entry) => Math.min(oldest, ageOf(entry)), Number.POSITIVE_INFINITY);
      return { name, entries: members, age };
    })
    .sort((one, other) => one.age - other.age || comparePaths(one.name, other.name));
}

/** Then by path. */
function oldestFirst(one: CutEntry, other: CutEntry): number {
  return ageOf(one) - ageOf(other) || comparePaths(one.path, other.path);
}

function ageOf({ sinceMs }: CutEntry): number {
  return Math.floor(sinceMs / SAME_AGE_MS);
}
