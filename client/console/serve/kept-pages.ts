// An answer that is made once for all who ask the same in one moment: where one thing changes, every page
// that somebody looks at asks at once.

/** A page is kept no longer, for it tells when jobs are expected to end. */
const KEPT_MS = 1_000;
/** At most so many pages, of different questions, are kept. */
const MOST_KEPT = 20;

interface Kept<Page> {
  readonly madeOf: readonly unknown[];
  readonly atMs: number;
  readonly page: Page;
}

export class KeptPages<Page extends object> {
  readonly #kept = new Map<string, Kept<Page>>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /**
   * Frozen, so that its text is made once as well.
   *
   * @param madeOf where each is the same value as before, so is the page
   */
  of(question: string, madeOf: readonly unknown[], make: () => Page): Page {
    const nowMs = this.#nowMs();
    const kept = this.#kept.get(question);
    this.#kept.delete(question);
    const isSame =
      kept !== undefined &&
      nowMs - kept.atMs < KEPT_MS &&
      kept.madeOf.length === madeOf.length &&
      kept.madeOf.every((part, at) => part === madeOf[at]);
    const now = isSame ? kept : { madeOf, atMs: nowMs, page: Object.freeze(make()) };
    this.#kept.set(question, now);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > MOST_KEPT) this.#kept.delete(oldest);
    return now.page;
  }
}
