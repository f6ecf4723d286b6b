// Chance with a seed: the same seed draws the same, on every machine. (mulberry32)

export class SeededChance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
    // Small seeds that follow each other would begin alike.
    for (let turn = 0; turn < 8; turn++) this.next();
  }

  /** 0 <= x < 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** @throws RangeError of an empty list. */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new RangeError('There is nothing to pick from');
    return item;
  }

  isLikely(probability: number): boolean {
    return this.next() < probability;
  }

  /** A new list in another order. */
  shuffle<Item>(items: readonly Item[]): Item[] {
    const left = [...items];
    const mixed: Item[] = [];
    while (left.length > 0) mixed.push(...left.splice(this.between(0, left.length - 1), 1));
    return mixed;
  }
}
