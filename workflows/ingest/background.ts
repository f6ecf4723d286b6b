// What goes on in the background while the batch is carried on: a document that waits for somebody holds
// nobody else back. When its wait is over, it is handed back to ingest-batch.ts, which carries it on from
// where it stands.
import type { AnsweredDocument, DocumentState } from './document-state';

/** Documents whose wait is over. */
export interface HandedBack {
  readonly documents: readonly DocumentState[];
  /** What people answered, for documents that were held. */
  readonly answered: readonly AnsweredDocument[];
  /** ingest-batch.ts calls it with the work that carries them on. */
  readonly begin: (work: () => Promise<void>) => void;
}

/** What became of documents that were handed back. */
export interface Return {
  /** ingest-batch.ts has begun to carry them on. */
  readonly begun: Promise<void>;
  /** They have ended, or wait again. */
  readonly ended: Promise<void>;
}

/**
 * Made of promises, not of conditions: a condition is evaluated when all else of a moment is done, and what
 * is begun here must stand in the history in the order in which it came.
 */
export class Background {
  #running = 0;
  #ended = 0;
  #failure: { readonly error: unknown } | undefined;
  #tellEnd: () => void = () => undefined;
  #unbegun = 0;
  readonly #handedBack: HandedBack[] = [];
  #tellReturn: () => void = () => undefined;

  /** How often a task has ended, or `nudge` was called: what `untilAnotherEnds` counts from. */
  get ended(): number {
    return this.#ended;
  }

  /** How often documents were handed back that nobody carries on yet. */
  get unbegun(): number {
    return this.#unbegun;
  }

  /** Its failure is thrown by `untilAnotherEnds`. */
  run(task: Promise<void>): void {
    this.#running++;
    task
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#running--;
        this.#ended++;
        this.#tellEnd();
      });
  }

  /** There is something to do besides what has ended: whoever waits in `untilAnotherEnds` looks now. */
  nudge(): void {
    this.#ended++;
    this.#tellEnd();
  }

  /**
   * Until a task has ended, or `nudge` was called, since `ended` was `before`; false when no task is left.
   * Throws the first failure.
   */
  async untilAnotherEnds(before: number): Promise<boolean> {
    while (this.#failure === undefined && this.#ended === before) {
      if (this.#running === 0) return false;
      await new Promise<void>(resolve => {
        this.#tellEnd = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    return true;
  }

  /** Asks ingest-batch.ts to carry these on, from wherever they stand. */
  handBack(documents: readonly DocumentState[], answered: readonly AnsweredDocument[] = []): Return {
    let tellBegin: () => void = () => undefined;
    const begun = new Promise<void>(resolve => {
      tellBegin = resolve;
    });
    const ended = new Promise<void>(resolve => {
      const begin = (work: () => Promise<void>): void => {
        this.#unbegun--;
        tellBegin();
        resolve(work());
      };
      this.#unbegun++;
      this.#handedBack.push({ documents, answered, begin });
    });
    this.#tellReturn();
    return { begun, ended };
  }

  /** The next documents that were handed back, in the order in which they came. */
  async nextHandedBack(): Promise<HandedBack> {
    for (;;) {
      const next = this.#handedBack.shift();
      if (next !== undefined) return next;
      await new Promise<void>(resolve => {
        this.#tellReturn = resolve;
      });
    }
  }
}
