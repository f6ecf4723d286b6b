/** Keeps each different entry once: what repeats travels once in a payload that names entries by position. */
export class Table<Entry> {
  readonly entries: Entry[] = [];
  readonly #places = new Map<string, number>();

  constructor(entries: readonly Entry[] = []) {
    for (const entry of entries) this.place(entry);
  }

  place(entry: Entry): number {
    const key = JSON.stringify(entry);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.entries.length);
    return this.entries.push(entry) - 1;
  }
}
