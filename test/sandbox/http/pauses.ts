/** Remembers until when clients were told to wait, so that impatience shows up in the log. */

/** Requests may cross the answer that announces a pause; so long they are forgiven. */
const CROSSING_MS = 250;

interface Pause {
  announcedAt: number;
  until: number;
}

export class Pauses {
  private readonly pauses = new Map<string, Pause>();

  /** `scope` is an origin or a route key; times in Unix milliseconds. */
  announce(scope: string, until: number, now: number): void {
    const known = this.pauses.get(scope);
    if (known !== undefined && known.until >= until) return;
    this.pauses.set(scope, {
      announcedAt: known !== undefined && known.until > now ? known.announcedAt : now,
      until,
    });
  }

  /** Milliseconds by which a request arrives too early, or 0. */
  undercutBy(scope: string, now: number): number {
    const pause = this.pauses.get(scope);
    if (pause === undefined || now >= pause.until || now < pause.announcedAt + CROSSING_MS) return 0;
    return pause.until - now;
  }

  clear(): void {
    this.pauses.clear();
  }
}
