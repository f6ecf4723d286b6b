// Remembers which record files of a share are certainly in its index, so that the index is not asked for each
// of them again whenever the folder of their month is listed. A month is forgotten when the index was built
// anew. Record files that were read and not believed are remembered, too, and not read each time.
import type { RecordName } from '../share/ledger/ledger-record';

/** A few MiB. What is beyond is asked of the index each time, as if this had not been. */
const MOST_NAMES = 100_000;
/** What is beyond is read, and not believed, each time: somebody plants them. */
const MOST_UNBELIEVED = 10_000;
/** What was not believed is read again after a day: somebody may have put the right file in its place. */
const BELIEVE_AGAIN_MS = 24 * 3_600_000;

export class IndexedNames {
  readonly #most: number;
  /** The month that a name was last added to stands last. */
  readonly #months = new Map<string, Set<string>>();
  /** Added to an index that has not been committed yet. */
  #uncommitted: [month: string, key: string][] = [];
  /** When each was read. */
  readonly #unbelieved = new Map<string, number>();

  constructor(most = MOST_NAMES) {
    this.#most = most;
  }

  has(month: string, name: RecordName): boolean {
    return this.#months.get(month)?.has(keyOf(name)) === true;
  }

  /** It counts from the next commit on. */
  add(month: string, name: RecordName): void {
    this.#uncommitted.push([month, keyOf(name)]);
  }

  /** All that was added to the index is on disk. */
  committed(): void {
    const added = this.#uncommitted;
    this.#uncommitted = [];
    for (const [month, key] of added) {
      const keys = this.#months.get(month) ?? new Set();
      this.#months.delete(month);
      this.#months.set(month, keys.add(key));
    }
    this.#keepFew();
  }

  /** What was added since the last commit is not in the index. */
  rolledBack(): void {
    this.#uncommitted = [];
  }

  /**
   * To be called for a month that the index has not listed: it was built anew, and what is remembered is not
   * in it.
   */
  forget(month: string): void {
    this.#months.delete(month);
    for (const key of this.#unbelieved.keys()) if (key.startsWith(month)) this.#unbelieved.delete(key);
  }

  disbelieve(name: RecordName, nowMs: number): void {
    if (this.#unbelieved.size < MOST_UNBELIEVED) this.#unbelieved.set(keyOf(name), nowMs);
  }

  /** It was read lately, and was nothing to believe. */
  isUnbelieved(name: RecordName, nowMs: number): boolean {
    const key = keyOf(name);
    const readMs = this.#unbelieved.get(key);
    if (readMs === undefined) return false;
    const sinceMs = nowMs - readMs;
    if (sinceMs >= 0 && sinceMs < BELIEVE_AGAIN_MS) return true;
    this.#unbelieved.delete(key);
    return false;
  }

  #keepFew(): void {
    let names = 0;
    for (const keys of this.#months.values()) names += keys.size;
    for (const [month, { size }] of this.#months) {
      if (names <= this.#most) return;
      this.#months.delete(month);
      names -= size;
    }
  }
}

function keyOf({ batchId, part }: RecordName): string {
  return `${batchId} ${part}`;
}
