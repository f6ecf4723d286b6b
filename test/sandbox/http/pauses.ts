/** Remembers until when clients were told to wait, so that impatience shows up in the log. */

/** Requests may cross the answer that announces a pause; so long they are forgiven. */
const CROSSING_MS = 250;

interface Pause {
  readonly announcedAt: number;
  readonly until: number;
}

/** How a request comes too early; times in Unix milliseconds. */
export interface Undercut {
  readonly tooEarlyMs: number;
  /** When each of the pauses that it undercuts was announced, the first one first. */
  readonly announcedAt: readonly number[];
}

export class Pauses {
  private readonly pauses = new Map<string, readonly Pause[]>();

  /** `scope` is an origin or a route key; times in Unix milliseconds. */
  announce(scope: string, until: number, now: number): void {
    const going = (this.pauses.get(scope) ?? []).filter(pause => pause.until > now);
    this.pauses.set(scope, [...going, { announcedAt: now, until }]);
  }

  /** What a request undercuts that arrives now, if it does. */
  undercutBy(scope: string, now: number): Undercut | undefined {
    const undercut = (this.pauses.get(scope) ?? []).filter(
      ({ announcedAt, until }) => now < until && now >= announcedAt + CROSSING_MS,
    );
    if (undercut.length === 0) return undefined;
    return {
      tooEarlyMs: Math.max(...undercut.map(({ until }) => until)) - now,
      announcedAt: undercut.map(({ announcedAt }) => announcedAt),
    };
  }

  clear(): void {
    this.pauses.clear();
  }
}
