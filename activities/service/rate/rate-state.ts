// What is known of the rate limit, as plain JSON that can be stored or shared. Points in time are on our
// monotonic clock, except those that are said to be the server's.
import type { ServerClock } from './server-clock';

export interface RateState {
  readonly windows: readonly RateWindow[];
  readonly clock: ServerClock | null;
  readonly pausedUntilMs: number;
  readonly refusalsInARow: number;
  readonly lastSeq: number;
  readonly underWay: readonly { readonly seq: number; readonly weight: number }[];
  /** One request goes ahead alone when we know nothing of the window it opens. */
  readonly probe: 'none' | 'needed' | { readonly seq: number; readonly sentAtMs: number };
  /** Added to every reset; grows when the server turns out to round its resets down. */
  readonly marginMs: number;
  readonly rolledAtMs: number;
  /**
   * The fraction of each limit, above 0 and at most 1, that we may use; the rest is for others on the
   * account. It is stored under this name.
   */
  readonly share: number;
  /**
   * The part of it that this host has among the hosts of the account: 0 while it waits for one, absent where
   * there are no others. Never stored: whoever takes over asks for one of its own.
   */
  readonly lease?: number | undefined;
  /** Newest permit whose response was a success and named no limit. */
  readonly silentSeq: number;
}

/** One of the windows; they are told apart by their limits. */
export interface RateWindow {
  readonly limit: number;
  /** Least `remaining` that a response of this window instance has shown. */
  readonly seen: number;
  /** Requests whose responses did not show this window; a later response that shows it has counted them. */
  readonly charged: number;
  /** Last permit given when the latest charge was made. */
  readonly chargedMark: number;
  /** Newest permit whose response showed this window. */
  readonly seq: number;
  /** Server Unix ms; null: the old window has ended and nothing was sent since. */
  readonly resetAtServerMs: number | null;
  /** Begun by our reckoning after the last one ended; no response has shown it yet. */
  readonly isAssumed: boolean;
  /** Permits up to this one belong to windows before. */
  readonly openedAfterSeq: number;
  /** Longest time to reset ever shown: the window's length, as far as known. */
  readonly periodMs: number;
  /**
   * What the server may count in this window besides the permits given since it began: what was under way
   * then, less what was refused or never left.
   */
  readonly carried: number;
  /**
   * The largest part of this window's use that a response has shown not to be ours: 0 (we are alone) to 1.
   */
  readonly others: number;
  /** The same of the window before. */
  readonly othersBefore: number;
  /** What is left of our own part, when the account is shared out between hosts; null: all of it is ours. */
  readonly ownLeft: number | null;
}

/** What one response says of the limit; `dateMs` is its `Date`, on the server's clock (Unix ms). */
export interface RateResponse {
  readonly status: number;
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  readonly resetAtServerMs?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly dateMs?: number | undefined;
}

/** Leave to send one request, or `weight` of them. */
export interface PermitFacts {
  readonly seq: number;
  readonly weight: number;
  readonly sentAtMs: number;
}
