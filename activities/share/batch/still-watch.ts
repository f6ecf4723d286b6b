// Tells who stands still, by what we saw and by our own clock: marks are compared
// with each other, never with now.

interface Watched {
  readonly mark: string;
  readonly lookedMs: number;
  readonly stillMs: number;
}

export class StillWatch {
  readonly #nowMs: () => number;
  readonly #mostStepMs: number;
  readonly #watched = new Map<string, Watched>();

  /**
   * @param nowMs a monotonic clock.
   * @param mostStepMs the most that one look adds: somebody who was paused together with us (a machine that
   * slept) must not seem to have stood still when it was only we who had not looked.
   */
  constructor(nowMs: () => number, mostStepMs: number) {
    this.#nowMs = nowMs;
    this.#mostStepMs = mostStepMs;
  }

  /** Everybody who was ever looked at here. */
  get known(): readonly string[] {
    return [...this.#watched.keys()];
  }

  /** Takes in a look. @returns for how long the mark has been seen unchanged. */
  look(key: string, mark: string): number {
    const lookedMs = this.#nowMs();
    const before = this.#watched.get(key);
    const stillMs =
      before?.mark === mark ? before.stillMs + Math.min(lookedMs - before.lookedMs, this.#mostStepMs) : 0;
    this.#watched.set(key, { mark, lookedMs, stillMs });
    return stillMs;
  }
}
