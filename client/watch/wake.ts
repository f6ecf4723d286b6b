// A wait that ends early: when somebody rings, or on abort. A ring while nobody
// waits is kept for the next wait.

export class Wake {
  #isRung = false;
  #end: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#end?.();
  }

  /** Resolves after `ms`, or at once when rung or aborted; never rejects. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isRung && !signal.aborted) {
      await new Promise<void>(resolve => {
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          this.#end = undefined;
          resolve();
        };
        // A longer wait than a timer can hold would fire at once.
        const timer = setTimeout(end, Math.min(Math.max(0, ms), 2 ** 31 - 1));
        signal.addEventListener('abort', end, { once: true });
        this.#end = end;
      });
    }
    this.#isRung = false;
  }
}
