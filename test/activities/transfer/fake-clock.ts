// A clock that does not wait: when everything else has had its turn, the
// earliest sleeper is woken at its time.

import type { WaitingClock } from '../../../activities/host/clock';

interface Sleeper {
  dueMs: number;
  wake(): void;
}

export class FakeClock implements WaitingClock {
  /** What wall time is ahead of monotonic time. */
  wallAheadMs = Date.UTC(2031, 0, 1);
  private elapsedMs = 1_000_000;
  private sleepers: Sleeper[] = [];
  readonly slept: number[] = [];

  wallMs(): number {
    return this.wallAheadMs + this.elapsedMs;
  }

  /** Never the same twice, so that what came first can be told. */
  monotonicMs(): number {
    this.elapsedMs += 0.001;
    return this.elapsedMs;
  }

  advance(byMs: number): void {
    this.elapsedMs += byMs;
  }

  sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      this.slept.push(delayMs);
      const onAbort = () => {
        this.sleepers = this.sleepers.filter(each => each !== sleeper);
        reject(signal.reason);
      };
      const sleeper: Sleeper = {
        dueMs: this.elapsedMs + Math.max(0, delayMs),
        wake: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.sleepers.push(sleeper);
      signal.addEventListener('abort', onAbort, { once: true });
      setImmediate(() => this.wakeEarliest());
    });
  }

  private wakeEarliest(): void {
    const earliest = this.sleepers.reduce<Sleeper | undefined>(
      (first, each) => (first === undefined || each.dueMs < first.dueMs ? each : first),
      undefined,
    );
    if (earliest === undefined) return;
    this.sleepers = this.sleepers.filter(each => each !== earliest);
    this.elapsedMs = Math.max(this.elapsedMs, earliest.dueMs);
    earliest.wake();
  }
}
