// The one limit on connections that all files and segments of a call share.

interface Waiter {
  grant(): void;
}

/** First come, first served. */
export class ConnectionSlots {
  private free: number;
  private readonly waiters: Waiter[] = [];

  constructor(count: number) {
    this.free = count;
  }

  /** Runs `work` with a slot; rejects with the signal's reason when that is aborted while waiting for one. */
  async use<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    await this.acquire(signal);
    try {
      return await work();
    } finally {
      const next = this.waiters.shift();
      if (next === undefined) this.free += 1;
      else next.grant();
    }
  }

  private acquire(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (this.free > 0) {
        this.free -= 1;
        return resolve();
      }
      const onAbort = () => {
        const at = this.waiters.indexOf(waiter);
        if (at >= 0) this.waiters.splice(at, 1);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        grant: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.waiters.push(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
