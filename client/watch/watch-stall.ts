// Work on a share that does not return: the share is looked at from another process, it is told that the
// share is away, and the work does not keep us from ending.
import type { ShareMount } from '../../activities/share/share';
import { Wake } from './wake';
import type { ShareHealth } from './watch-health';

export interface StallOptions {
  readonly share: ShareMount;
  readonly health: ShareHealth;
  readonly signal: AbortSignal;
  /** After this long without an end the share is looked at. */
  readonly stallMs: number;
  /** After the abort, the work is waited for this long. */
  readonly finishMs: number;
}

export class StallGuard {
  readonly #options: StallOptions;

  constructor(options: StallOptions) {
    this.#options = options;
  }

  /** @returns what the work returns. @throws when it is still going on some time after the abort. */
  async unlessHung<T>(work: Promise<T>): Promise<T> {
    const { signal, stallMs, finishMs } = this.#options;
    const wake = new Wake();
    let isDone = false;
    const end = () => {
      isDone = true;
      wake.ring();
    };
    work.then(end, end);
    while (!isDone && !signal.aborted) {
      await wake.wait(stallMs, signal);
      if (!isDone && !signal.aborted) await this.#look();
    }
    if (!isDone) await wake.wait(finishMs, new AbortController().signal);
    if (!isDone) throw new Error('The share did not answer before the end.');
    return await work;
  }

  async #look(): Promise<void> {
    const { share, health } = this.#options;
    const found = await share.isReachable();
    if (found.kind === 'reachable') health.back();
    else health.away(found.kind === 'hung' ? 'It does not answer; the mount hangs.' : 'It is not there.');
  }
}
