// Since when sheets have stood still, by what was seen of them and by our own clock alone.
import type { FileFacts } from '../files/share-fs';

type Facts = Pick<FileFacts, 'sizeBytes' | 'mtimeNs' | 'identity'>;

interface Sighting {
  readonly facts: Facts;
  readonly sinceMs: number;
  /** How often it could not be read since. */
  tries: number;
  isHandled: boolean;
}

const MOST_REMEMBERED = 10_000;
/**
 * A program that has a sheet open says so by a file beside it. Whoever corrects row after row and saves in
 * between is waited for; a mark that a crash has left keeps nothing for ever.
 */
const OPEN_MS = 10 * 60_000;

export class Sightings {
  readonly #settleMs: number;
  readonly #nowMs: () => number;
  readonly #seen = new Map<string, Sighting>();

  constructor(settleMs: number, nowMs: () => number) {
    this.#settleMs = settleMs;
    this.#nowMs = nowMs;
  }

  /** Takes in a look. `due`: it has stood still, and was not handled as it is. */
  note(path: string, facts: Facts, isOpen: boolean): 'due' | 'open' | 'not-now' {
    const known = this.#seen.get(path);
    if (known === undefined || !isSame(known.facts, facts)) {
      this.#remember(path, { facts, sinceMs: this.#nowMs(), tries: 0, isHandled: false });
      return 'not-now';
    }
    const restsMs = this.#nowMs() - known.sinceMs;
    if (known.isHandled || restsMs < this.#settleMs * (known.tries + 1)) return 'not-now';
    return isOpen && restsMs < OPEN_MS ? 'open' : 'due';
  }

  of(path: string): Readonly<Sighting> | undefined {
    return this.#seen.get(path);
  }

  handled(path: string): void {
    const known = this.#seen.get(path);
    if (known !== undefined) known.isHandled = true;
  }

  /** It could not be read: a little later it may be whole. */
  again(path: string): void {
    const known = this.#seen.get(path);
    if (known !== undefined) known.tries += 1;
  }

  #remember(path: string, sighting: Sighting): void {
    this.#seen.delete(path);
    this.#seen.set(path, sighting);
    const oldest = this.#seen.keys().next().value;
    if (this.#seen.size > MOST_REMEMBERED && oldest !== undefined) this.#seen.delete(oldest);
  }
}

/** By what Excel (`~$name`) or LibreOffice (`.~lock.name#`) put beside it while it is open. */
export function isOpenElsewhere(name: string, names: readonly string[]): boolean {
  return names.some(each => {
    if (each === `.~lock.${name}#`) return true;
    // Of a long name Excel leaves out the first two letters.
    return each.startsWith('~$') && each.length > 6 && name.endsWith(each.slice(2));
  });
}

function isSame(one: Facts, other: Facts): boolean {
  return (
    one.sizeBytes === other.sizeBytes && one.mtimeNs === other.mtimeNs && one.identity === other.identity
  );
}
