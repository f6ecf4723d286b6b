// What is away, and who asks for it: one file at a time for all of a project in this process, at the pace of
// a probe. All others would meet the same, and spend the account's requests.

import { withResolvers } from './with-resolvers';

interface Absence {
  /** When the request began that failed first. */
  readonly sinceMs: number;
  /** The same of the one that failed last. */
  lastMs: number;
  error: unknown;
}

/** So long, asking costs little, and most of what is away is back. */
const OFTEN_MS = 60_000;
/** Then the pauses grow up to this: 36 an hour, whatever number of loads waits. */
const LONGEST_PAUSE_MS = 100_000;

/** All times are monotonic. `Call`: what can be away by itself. */
export class Away<Call extends string> {
  readonly #absences = new Map<Call, Absence>();
  /** Files that have asked for the others since something is away, the last one at the end. */
  readonly #asked = new Set<string>();
  #askedMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;
  readonly #awaitingBack = new Set<() => void>();

  /** Calls that failed and of which none that began later got through. */
  get calls(): readonly Call[] {
    return [...this.#absences.keys()];
  }

  has(call: Call): boolean {
    return this.#absences.has(call);
  }

  /** What was met last. */
  get error(): unknown {
    const [last] = [...this.#absences.values()].toSorted((one, other) => other.lastMs - one.lastMs);
    return last?.error;
  }

  failed(call: Call, begunMs: number, error: unknown): void {
    const absence = this.#absences.get(call) ?? { sinceMs: begunMs, lastMs: begunMs, error };
    absence.lastMs = Math.max(absence.lastMs, begunMs);
    absence.error = error;
    this.#absences.set(call, absence);
  }

  /** @param begunMs when the request began: an outage lets some through that were on their way. */
  passed(call: Call, begunMs: number): void {
    const absence = this.#absences.get(call);
    if (absence === undefined || begunMs <= absence.lastMs) return;
    this.#absences.delete(call);
    for (const tell of this.#awaitingBack) tell();
    if (this.#absences.size === 0) this.#asked.clear();
  }

  /** Another one at each time: one alone may be what the service or the storage cannot digest. */
  choose<Asking extends { readonly file: { readonly path: string } }>(
    asking: readonly Asking[],
  ): Asking | undefined {
    const order = [...this.#asked];
    const [first] = asking.toSorted(
      (one, other) => order.indexOf(one.file.path) - order.indexOf(other.file.path),
    );
    return first;
  }

  /** Whether it has been asked for a moment ago, by what is usual after so long an absence. */
  isTooSoon(nowMs: number): boolean {
    const sinceMs = Math.min(...[...this.#absences.values()].map(absence => absence.sinceMs));
    const awayMs = Math.max(0, this.#askedMs - sinceMs - OFTEN_MS);
    return nowMs - this.#askedMs < Math.min(LONGEST_PAUSE_MS, awayMs / 3);
  }

  /** Resolves when another file that asks has got through or has ended; undefined when none asks. */
  get asking(): Promise<void> | undefined {
    return this.#asking;
  }

  /** Resolves when what was away is back, so far as this file can tell, or when its sending has ended. */
  async ask(path: string, sending: Promise<void>, nowMs: number): Promise<void> {
    this.#asked.delete(path);
    this.#asked.add(path);
    this.#askedMs = nowMs;
    const { promise: back, resolve: tell } = withResolvers<void>();
    this.#awaitingBack.add(tell);
    const ending = Promise.race([sending, back]);
    // How it ends is told to whoever began it; the others look for themselves.
    this.#asking = ending.catch(() => undefined);
    try {
      await ending;
    } finally {
      this.#asking = undefined;
      this.#awaitingBack.delete(tell);
    }
  }
}
