// How often claimed files were not ready after all.
import { keepFew } from '../../host/keep-few';

/** How often a file may prove unready before it is set apart. */
export const MAX_TRIES = 3;
const MAX_REMEMBERED = 1_000;

/** Counts, by file, how often it was not ready after all; remembers a bounded number. */
export class Tries {
  readonly #counts = new Map<string, number>();

  /** Counts one more. @returns how many there are with it. */
  add(identity: string): number {
    const count = (this.#counts.get(identity) ?? 0) + 1;
    keepFew(this.#counts, identity, count, MAX_REMEMBERED);
    return count;
  }

  forget(identity: string): void {
    this.#counts.delete(identity);
  }
}
