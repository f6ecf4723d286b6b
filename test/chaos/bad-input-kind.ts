// One kind of bad input: how many cases it tried, and what must never have happened.
import type { Violation } from './part';

export interface KindRun {
  readonly seed: number;
  /** About how many cases to try. */
  readonly cases: number;
  /** A folder of its own for what it needs on disk; removed afterwards. */
  readonly folder: string;
  /** The built product: its processes and threads are found there. */
  readonly dist: string;
}

export interface KindResult {
  readonly cases: number;
  readonly violations: readonly Violation[];
  /** How the cases ended, for the table. */
  readonly endings: Readonly<Record<string, number>>;
}

/** Collects what happens, and keeps the first of each sort of violation besides counting all. */
export class Tally {
  readonly #name: string;
  readonly #endings = new Map<string, number>();
  readonly #violations: Violation[] = [];
  cases = 0;

  constructor(name: string) {
    this.#name = name;
  }

  ended(how: string): void {
    this.cases += 1;
    this.#endings.set(how, (this.#endings.get(how) ?? 0) + 1);
  }

  violate(invariant: string, where: string, what: string): void {
    this.#violations.push({
      invariant,
      case: `${this.#name} ${where}`,
      what: what.slice(0, 1_000),
    });
  }

  result(): KindResult {
    return {
      cases: this.cases,
      violations: this.#violations,
      endings: Object.fromEntries([...this.#endings].sort(([one], [other]) => (one < other ? -1 : 1))),
    };
  }
}

/** What was thrown, in short, with the place. */
export function describeThrown(error: unknown): string {
  if (!(typeof error === 'object' && error !== null && 'stack' in error)) return String(error).slice(0, 500);
  return String(error.stack).split('\n').slice(0, 5).join(' | ').slice(0, 800);
}
