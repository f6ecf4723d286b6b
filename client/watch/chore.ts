// Work that is done every few seconds at most, beside the watcher's own: nothing waits for it.

import { describeBug } from '../../activities/host/describe-bug';
import { IncidentLog } from '../../activities/host/incident-log';
import { isBug } from '../../activities/share/files/share-error';

/** At least so long between two rounds; a round that takes long is followed by a longer rest. */
const EVERY_MS = 5_000;
const REST = 10;
/** The longest rest: after one slow round, as the first after a start is, people wait for the next one. */
const MOST_REST_MS = 30_000;

export interface ChoreOptions {
  /** One round. */
  readonly work: () => Promise<void>;
  readonly nowMs: () => number;
  readonly everyMs?: number;
  /** Told of each bug, once until a round succeeds: nobody else meets it. */
  readonly onBug?: (why: string, error: unknown) => void;
}

export class Chore {
  readonly #options: ChoreOptions;
  readonly #incidents = new IncidentLog();
  #working: Promise<void> | undefined;
  #atMs = 0;
  #hasEnded = false;

  constructor(options: ChoreOptions) {
    this.#options = options;
  }

  /** Begins a round if it is time. */
  look(): void {
    const { work, nowMs, everyMs = EVERY_MS } = this.#options;
    const beganMs = nowMs();
    if (this.#hasEnded || this.#working !== undefined || beganMs < this.#atMs) return;
    this.#working = work()
      .then(() => {
        this.#incidents.ends('bug');
      })
      .catch(error => this.#tellBug(error))
      .finally(() => {
        this.#working = undefined;
        const restMs = Math.min(MOST_REST_MS, REST * (nowMs() - beganMs));
        this.#atMs = nowMs() + Math.max(everyMs, restMs);
      });
  }

  /** Trouble of the share is told by whoever needs it for the work, not here. */
  #tellBug(error: unknown): void {
    if (!isBug(error)) return;
    const why = describeBug(error);
    if (this.#incidents.begins('bug', why)) this.#options.onBug?.(why, error);
  }

  /** Resolves when nothing is being done any more. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#working;
  }
}
