// Ends a transfer that no longer moves. A big file on a slow line may take all day;
// only standing still is a fault.

import { LinkedAbort } from '../linked-abort';

/**
 * Call `progress` when there is a connection, and whenever bytes moved; after `stallMs` without, `signal`
 * aborts, as it does when the caller's signal does. Before the first call nothing moves and nothing stands
 * still: whoever waits for a connection waits for the transfers that have them. `expectResponse` begins the
 * wait for the response, `stop` ends it all.
 */
export class Watchdog {
  /** Whether it was time, not the caller, that ended the work. */
  hasFired = false;
  readonly #stallMs: number;
  readonly #abort: LinkedAbort;
  #timer: NodeJS.Timeout | undefined;

  constructor(stallMs: number, caller: AbortSignal) {
    this.#stallMs = stallMs;
    this.#abort = new LinkedAbort(caller);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  progress(): void {
    if (this.#timer === undefined) this.#timer = this.#start(this.#stallMs);
    else this.#timer.refresh();
  }

  expectResponse(responseMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start(responseMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#abort.release();
  }

  #start(afterMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.hasFired = true;
      this.#abort.abort(new Error('no byte moved'));
    }, afterMs);
  }
}
