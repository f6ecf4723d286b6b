// Lookups that many runs ask for at the same time: asked once, kept for a while.

interface Kept {
  readonly value: Promise<unknown>;
  readonly untilMs: number;
}

/**
 * Callers of one key share one request (which is why none of them can abort it); a failed one is not kept.
 */
export class FreshCache {
  readonly #freshMs: number;
  readonly #kept = new Map<string, Kept>();

  constructor(freshMs: number) {
    this.#freshMs = freshMs;
  }

  /** Forgets what is kept under keys that begin like this. */
  forget(prefix: string): void {
    for (const key of this.#kept.keys()) if (key.startsWith(prefix)) this.#kept.delete(key);
  }

  /** What `fetchIt` gives, from memory while it is fresh. */
  async once<Value>(key: string, fetchIt: () => Promise<Value>): Promise<Value> {
    const known = this.#kept.get(key);
    if (known !== undefined && known.untilMs > performance.now()) return (await known.value) as Value;
    const entry = { value: fetchIt(), untilMs: performance.now() + this.#freshMs };
    this.#kept.set(key, entry);
    try {
      return await entry.value;
    } catch (error: unknown) {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
      throw error;
    }
  }
}
