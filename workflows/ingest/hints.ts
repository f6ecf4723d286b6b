// Hints from outside that a look may be worth its request: the service told of an upload. Nothing of a hint
// is believed. It brings a look forward that would come anyway, for what waits, and no more often than once
// in a while.
import { CancellationScope, condition } from '@temporalio/workflow';
import type { DocumentState } from './document-state';

/** Between two looks that hints lead to, whoever sends them: as often as the analysis may be looked at. */
const LEAST_BETWEEN_MS = 5_000;

export interface HintListener {
  /** Those that a hint came for since it was last cleared. */
  readonly hinted: Set<DocumentState>;
  close(): void;
}

interface Listening {
  readonly waiting: () => readonly DocumentState[];
  readonly hinted: Set<DocumentState>;
  readonly fromMs: number;
}

export class Hints {
  readonly #listening = new Set<Listening>();
  #lookedMs = Number.NEGATIVE_INFINITY;

  /**
   * Takes a hint that names uploads. For what does not wait just now it means nothing: whoever waits later
   * looks anyway.
   */
  take(uploadIds: readonly string[]): void {
    const named = new Set<string>(uploadIds);
    for (const { waiting, hinted, fromMs } of this.#listening) {
      if (Date.now() < fromMs) continue;
      for (const state of waiting()) {
        if (state.uploadId !== undefined && named.has(state.uploadId)) hinted.add(state);
      }
    }
  }

  /** @param fromMs hints that come sooner are our own doing. */
  listen(waiting: () => readonly DocumentState[], fromMs = 0): HintListener {
    const listening = { waiting, hinted: new Set<DocumentState>(), fromMs };
    this.#listening.add(listening);
    return { hinted: listening.hinted, close: () => this.#listening.delete(listening) };
  }

  /**
   * Awaits `work`, which looks in its own time; meanwhile `look` gets those of the waiting documents that
   * hints came for. When none waits any more, `work` is cancelled and the result is undefined.
   */
  async during<Result>(
    work: () => Promise<Result>,
    waiting: () => readonly DocumentState[],
    look: (hinted: readonly DocumentState[]) => Promise<void>,
    fromMs = 0,
  ): Promise<Result | undefined> {
    const scope = new CancellationScope();
    const working = scope.run(work);
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    working.then(end, end);
    const listener = this.listen(waiting, fromMs);
    try {
      for (;;) {
        await condition(() => isOver || listener.hinted.size > 0);
        const pauseMs = this.#lookedMs + LEAST_BETWEEN_MS - Date.now();
        if (!isOver && pauseMs > 0) await condition(() => isOver, pauseMs);
        if (isOver) return await working;
        const hinted = waiting().filter(state => listener.hinted.has(state));
        listener.hinted.clear();
        if (hinted.length === 0) continue;
        this.#lookedMs = Date.now();
        await look(hinted);
        if (waiting().length > 0 || isOver) continue;
        scope.cancel();
        return undefined;
      }
    } finally {
      listener.close();
    }
  }
}
