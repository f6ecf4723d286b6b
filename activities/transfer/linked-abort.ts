// Abort controllers that follow another signal.

import { setMaxListeners } from 'node:events';

/**
 * Aborts when `parent` does, with its reason, or when told to. To be released when its work has ended.
 * `AbortSignal.any` does the same by weak references, which cost a small file more than its sending does.
 */
export class LinkedAbort {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;

  constructor(parent: AbortSignal) {
    this.#parent = parent;
    allowManyListeners(this.#controller.signal);
    if (parent.aborted) this.#follow();
    else parent.addEventListener('abort', this.#follow);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  release(): void {
    this.#parent.removeEventListener('abort', this.#follow);
  }

  readonly #follow = () => this.#controller.abort(this.#parent.reason);
}

/**
 * Node warns of a leak from eleven listeners on; here there are as many as there is work under way.
 */
export function allowManyListeners(signal: AbortSignal): void {
  setMaxListeners(0, signal);
}
