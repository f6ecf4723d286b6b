// Has the status files of a share written, every few seconds at most and beside the watcher's own work:
// nothing waits for them.
import type { StatusPages } from '../../activities/share/share';

/** At least so long between two rounds; a round that takes long is followed by a longer rest. */
const EVERY_MS = 5_000;
const REST = 10;

export interface JobStatusDeps {
  readonly share: StatusPages;
  /** How many files of a top folder wait in the drop folder. */
  readonly inLine: (top: string) => number;
  readonly nowMs: () => number;
}

export class JobStatus {
  readonly #deps: JobStatusDeps;
  #writing: Promise<void> | undefined;
  #atMs = 0;
  #hasEnded = false;

  constructor(deps: JobStatusDeps) {
    this.#deps = deps;
  }

  /** Begins a round if it is time. */
  look(): void {
    const { share, inLine, nowMs } = this.#deps;
    const beganMs = nowMs();
    if (this.#hasEnded || this.#writing !== undefined || beganMs < this.#atMs) return;
    this.#writing = share
      .writeStatus(inLine)
      // The share's own trouble is met, and told, by whoever needs it for the work.
      .catch(() => undefined)
      .finally(() => {
        this.#writing = undefined;
        this.#atMs = nowMs() + Math.max(EVERY_MS, REST * (nowMs() - beganMs));
      });
  }

  /** Resolves when nothing is being written any more. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#writing;
  }
}
