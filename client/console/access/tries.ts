// How often a password may be tried: only so many wrong tries within any quarter of an hour.
const WITHIN_MS = 15 * 60_000;
/** From one place for one name; and for one name from everywhere, so that many places do not help. */
const MOST_FROM_ONE = 5;
const MOST_FOR_NAME = 50;
const MOST_REMEMBERED = 10_000;

export class Tries {
  readonly #now: () => number;
  readonly #failed = new Map<string, number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How long until the next try may be made; 0 for now. */
  waitMs(peer: string, name: string): number {
    return Math.max(this.#wait(name, MOST_FOR_NAME), this.#wait(`${peer} ${name}`, MOST_FROM_ONE));
  }

  failed(peer: string, name: string): void {
    for (const key of [name, `${peer} ${name}`]) {
      const failed = [...this.#recent(key), this.#now()].slice(-MOST_FOR_NAME);
      // Anew at the end: those that nobody tries any more are forgotten first.
      this.#failed.delete(key);
      this.#failed.set(key, failed);
    }
    for (const key of this.#failed.keys()) {
      if (this.#failed.size <= MOST_REMEMBERED) break;
      this.#failed.delete(key);
    }
  }

  /** Takes back the `failed` before it: each try is counted as failed until its password has been checked. */
  succeeded(peer: string, name: string): void {
    this.#failed.delete(`${peer} ${name}`);
    this.#failed.get(name)?.pop();
  }

  #recent(key: string): readonly number[] {
    const sinceMs = this.#now() - WITHIN_MS;
    return (this.#failed.get(key) ?? []).filter(atMs => atMs > sinceMs);
  }

  #wait(key: string, most: number): number {
    const recent = this.#recent(key);
    const [first] = recent.slice(-most);
    return recent.length < most || first === undefined ? 0 : first + WITHIN_MS - this.#now();
  }
}
