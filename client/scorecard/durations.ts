// The middle and the longest of any number of durations, in memory that does not grow with them. Pure.

const FINE_BELOW_MS = 60_000;
/** Beyond a day, they count as a day. */
const MOST_MS = 86_400_000;

export class Durations {
  longestMs = 0;
  #count = 0;
  /** How many there are of each, to a tenth of a second, or to a second from one minute on. */
  readonly #counts = new Map<number, number>();

  add(durationMs: number): void {
    this.#put(durationMs, 1);
    this.longestMs = Math.max(this.longestMs, durationMs);
  }

  addAll(others: Durations): void {
    for (const [durationMs, count] of others.#counts) this.#put(durationMs, count);
    this.longestMs = Math.max(this.longestMs, others.longestMs);
  }

  /** Undefined when there are none. */
  get medianMs(): number | undefined {
    let before = 0;
    for (const [durationMs, count] of [...this.#counts].sort(([one], [other]) => one - other)) {
      before += count;
      if (before * 2 >= this.#count) return durationMs;
    }
    return undefined;
  }

  #put(durationMs: number, count: number): void {
    const step = durationMs < FINE_BELOW_MS ? 100 : 1_000;
    const rounded = Math.min(MOST_MS, Math.round(durationMs / step) * step);
    this.#counts.set(rounded, (this.#counts.get(rounded) ?? 0) + count);
    this.#count += count;
  }
}
