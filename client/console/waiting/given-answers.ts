// Who has answered on the page a short while ago, for others who have the same document before them. Only a
// courtesy: what counts is what the batch has taken, as its receipt says.
import type { GivenAnswer } from '../contract/waiting';

const KEPT_MS = 15 * 60_000;
const MOST_KEPT = 5_000;

export class GivenAnswers {
  readonly #kept = new Map<string, GivenAnswer>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  add(given: GivenAnswer): void {
    const key = keyOf(given);
    this.#kept.delete(key);
    this.#kept.set(key, given);
    for (const [oldest] of this.#kept) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
  }

  find(document: Pick<GivenAnswer, 'share' | 'batchId' | 'index'>): GivenAnswer | undefined {
    return this.#kept.get(keyOf(document));
  }

  list(): readonly GivenAnswer[] {
    const since = new Date(this.#nowMs() - KEPT_MS).toISOString();
    for (const [key, { at }] of this.#kept) if (at < since) this.#kept.delete(key);
    return [...this.#kept.values()];
  }
}

function keyOf({ share, batchId, index }: Pick<GivenAnswer, 'share' | 'batchId' | 'index'>): string {
  return `${share}/${batchId}/${index}`;
}
