// What the runs of a job say besides what lies on its share: which documents wait for an earlier revision,
// what is asked of people and until when. Asked only for a job that somebody looks at, and kept for some
// seconds; while Temporal is away, nothing is added.
import type { Client } from '@temporalio/client';
import { keepFew } from '../../../activities/host/keep-few';
import type { BatchProgress } from '../../../workflows/ingest/ingest-contract';
import { askProgress, type FoundBatch } from '../../answers/find-batches';

const ASK_AGAIN_MS = 5_000;
/** A page waits no longer than this for the runs: what they say later is told as news. */
const PATIENCE_MS = 40;
/** Batches of one job that are asked at one time: of more, those that were asked longest ago. */
const MOST_ASKED = 50;
const MOST_KEPT = 500;

interface Known {
  readonly askedMs: number;
  readonly progress: BatchProgress | undefined;
}

export interface LiveProgressDeps {
  /** Rejects while Temporal is away. */
  readonly temporal: () => Promise<Client>;
  readonly nowMs: () => number;
}

export class LiveProgress {
  readonly #deps: LiveProgressDeps;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<void>>();
  /** Jobs whose runs will be asked once more in a few seconds, by the ids of their batches. */
  readonly #later = new Set<string>();

  constructor(deps: LiveProgressDeps) {
    this.#deps = deps;
  }

  /**
   * What is known of these just now.
   * @param onNews told once when a run says something else than before, after this has returned.
   */
  async of(batches: readonly FoundBatch[], onNews: () => void): Promise<readonly BatchProgress[]> {
    const { nowMs } = this.#deps;
    const stale = this.#nextOf(batches).filter(
      ({ batchId }) => nowMs() - this.#askedMs(batchId) > ASK_AGAIN_MS,
    );
    if (stale.length > 0) {
      const before = this.#listKnown(batches);
      const asked = this.#askAll(stale);
      let isLate = false;
      const patience = new Promise<void>(resolve => setTimeout(resolve, PATIENCE_MS).unref());
      await Promise.race([
        asked,
        patience.then(() => {
          isLate = true;
        }),
      ]);
      if (isLate) {
        void asked.then(() => {
          if (JSON.stringify(before) !== JSON.stringify(this.#listKnown(batches))) onNews();
        });
      }
    }
    const known = this.#listKnown(batches);
    // Some of it is not fresh, or is missing, and the page may be asking just because that has changed: the
    // runs are asked once more in a few seconds.
    if (stale.length < batches.length || known.length < batches.length)
      this.#askLater(batches, onNews, Math.ceil(batches.length / MOST_ASKED));
    return known;
  }

  /** @param turns how often at most, until each of them was asked: nobody may be looking any more. */
  #askLater(batches: readonly FoundBatch[], onNews: () => void, turns: number): void {
    const key = batches.map(({ batchId }) => batchId).join(' ');
    if (this.#later.has(key)) return;
    this.#later.add(key);
    const look = async () => {
      this.#later.delete(key);
      const before = JSON.stringify(this.#listKnown(batches));
      await this.#askAll(this.#nextOf(batches));
      const isAll = batches.every(({ batchId }) => this.#known.has(batchId));
      if (!isAll && turns > 1) this.#askLater(batches, onNews, turns - 1);
      if (before !== JSON.stringify(this.#listKnown(batches))) onNews();
    };
    setTimeout(() => void look(), ASK_AGAIN_MS).unref();
  }

  #nextOf(batches: readonly FoundBatch[]): readonly FoundBatch[] {
    if (batches.length <= MOST_ASKED) return batches;
    const byAge = batches.toSorted((one, other) => this.#askedMs(one.batchId) - this.#askedMs(other.batchId));
    return byAge.slice(0, MOST_ASKED);
  }

  #askedMs(batchId: string): number {
    return this.#known.get(batchId)?.askedMs ?? 0;
  }

  async #askAll(batches: readonly FoundBatch[]): Promise<void> {
    await Promise.all(batches.map(async batch => await this.#ask(batch)));
  }

  #listKnown(batches: readonly FoundBatch[]): readonly BatchProgress[] {
    return batches.flatMap(({ batchId }) => this.#known.get(batchId)?.progress ?? []);
  }

  async #ask(batch: FoundBatch): Promise<void> {
    const { temporal, nowMs } = this.#deps;
    const { batchId } = batch;
    const asking =
      this.#asking.get(batchId) ??
      (async () => {
        const progress = await temporal()
          .then(client => askProgress(client, batch))
          .catch(() => undefined);
        keepFew(this.#known, batchId, { askedMs: nowMs(), progress }, MOST_KEPT);
        this.#asking.delete(batchId);
      })();
    this.#asking.set(batchId, asking);
    await asking;
  }
}
