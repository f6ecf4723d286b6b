// Dates that one host tells and another reads: by Temporal's clock, since their own clocks may differ.
import type { Clock } from '../host/clock';
import type { ActivityScope } from './activity-scope';

export class ToldDates {
  readonly #clock: Pick<Clock, 'wallMs'>;
  readonly #scope: Pick<ActivityScope, 'temporalMs'>;

  constructor(clock: Pick<Clock, 'wallMs'>, scope: Pick<ActivityScope, 'temporalMs'>) {
    this.#clock = clock;
    this.#scope = scope;
  }

  /** A date of this host, Unix ms, as others are to read it. Perhaps too early (`temporalMs`), never late. */
  toTold(hostMs: number): number {
    return Math.round(hostMs - this.#aheadMs);
  }

  /** A date that was told, Unix ms, as this host's own clock would have shown it. */
  toHost(toldMs: number): number {
    return Math.round(toldMs + this.#aheadMs);
  }

  /** Measured anew each time: the machine's date may be set while the work goes on. */
  get #aheadMs(): number {
    return this.#clock.wallMs() - this.#scope.temporalMs();
  }
}
