// Lookups that many runs ask for at the same time: asked once, kept for a while.
import { systemClock } from '../host/clock';

/** Texts that people write are keys, too: there may be any number of them. */
const MOST_KEPT = 1_000;

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

  get size(): number {
    return this.#kept.size;
  }

  /** Forgets what is kept under keys that begin like this. */
  forget(prefix: string): void {
    for (const key of this.#kept.keys()) if (key.startsWith(prefix)) this.#kept.delete(key);
  }

  /** What `fetchIt` gives, from memory while it is fresh. */
  async once<Value>(key: string, fetchIt: () => Promise<Value>): Promise<Value> {
    const known = this.#kept.get(key);
    if (known !== undefined && known.untilMs > systemClock.monotonicMs()) return (await known.value) as Value;
    this.#letGo(key);
    const entry = { value: fetchIt(), untilMs: systemClock.monotonicMs() + this.#freshMs };
    this.#kept.set(key, entry);
    try {
      return await entry.value;
    } catch (error: unknown) {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
      throw error;
    }
  }

  /** Makes room for `key`: what was kept first stands first, and is the first that is not fresh any more. */
  #letGo(key: string): void {
    this.#kept.delete(key);
    for (const [oldest, { untilMs }] of this.#kept) {
      if (untilMs > systemClock.monotonicMs() && this.#kept.size < MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
  }
}
