/** The two request windows of the account, and the headers that speak of them. */
import type { SandboxSettings } from '../settings';

/** Windows at least this long end on a whole second, because X-Rate-Limit-Reset can say nothing finer. */
const SHORTEST_ALIGNED_MS = 2_000;

interface Window {
  limit: number;
  lengthMs: number;
  endsAt: number;
  used: number;
}

export interface Admission {
  allowed: boolean;
  headers: Record<string, string>;
  /** When the window that decides ends (Unix milliseconds), if it is spent with this request. */
  spentUntil: number | null;
}

/** Fixed windows: each begins with the first request after the last one ended. */
export class RateLimits {
  private windows: Window[] = [];
  private key = '';

  /** Counts one request, unless a window is spent already. */
  admit(settings: SandboxSettings, now: number): Admission {
    if (settings.limits === null) return { allowed: true, headers: {}, spentUntil: null };
    this.adopt(settings);
    for (const window of this.windows) {
      if (now < window.endsAt) continue;
      window.used = 0;
      const start = window.lengthMs >= SHORTEST_ALIGNED_MS ? Math.floor(now / 1000) * 1000 : now;
      window.endsAt = start + window.lengthMs;
    }
    const spent = this.windows.filter(window => window.used >= window.limit);
    if (spent.length === 0) for (const window of this.windows) window.used += 1;
    const nearest = this.nearest();
    if (nearest === undefined) return { allowed: true, headers: {}, spentUntil: null };
    const remaining = nearest.limit - nearest.used;
    return {
      allowed: spent.length === 0,
      headers: rateHeaders(nearest.limit, remaining, nearest.endsAt),
      spentUntil: remaining <= 0 ? nearest.endsAt : null,
    };
  }

  reset(): void {
    this.key = '';
  }

  /** New limits begin with fresh windows. */
  private adopt({ limits, timeScale }: SandboxSettings): void {
    const key = JSON.stringify([limits, timeScale]);
    if (key === this.key || limits === null) return;
    this.key = key;
    const window = (limit: number, seconds: number): Window => ({
      limit,
      lengthMs: (seconds * 1000) / timeScale,
      endsAt: 0,
      used: 0,
    });
    this.windows = [window(limits.hourly, 3_600), window(limits.spike, limits.spikeWindowSeconds)];
  }

  /** The window that will be exhausted first: fewest requests left, then the later end. */
  private nearest(): Window | undefined {
    return [...this.windows].sort((a, b) => a.limit - a.used - (b.limit - b.used) || b.endsAt - a.endsAt)[0];
  }
}

/** `resetAt` in Unix milliseconds; the header rounds up to a second. */
export function rateHeaders(limit: number, remaining: number, resetAt: number): Record<string, string> {
  return {
    'X-Rate-Limit-Limit': String(limit),
    'X-Rate-Limit-Remaining': String(Math.max(0, remaining)),
    'X-Rate-Limit-Reset': String(Math.ceil(resetAt / 1000)),
  };
}
