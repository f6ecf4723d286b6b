// One window of the rate limit, as far as responses have shown it: plain data.
import type { RateResponse, RateWindow } from './rate-state';
import type { ServerClock } from './server-clock';

const LONGEST_RESET_MS = 25 * 3_600_000;

/** What one response shows of a window. */
export interface ShownWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAtServerMs: number;
  readonly resetInMs: number;
  readonly serverNowMs: number;
}

/**
 * What the response shows of a window; undefined when it shows none, or values that cannot be. `clock` is to
 * be the one after this response.
 */
export function readShownWindow(
  response: RateResponse,
  clock: ServerClock | null,
  nowMs: number,
): ShownWindow | undefined {
  const { limit, remaining, resetAtServerMs } = response;
  if (limit === undefined || remaining === undefined || resetAtServerMs === undefined) return undefined;
  if (limit < 1 || remaining < 0) return undefined;
  // Without a date the server's time is estimated by its clock; without either, the reset says nothing.
  const serverNowMs = response.dateMs ?? (clock === null ? undefined : nowMs + clock.lowMs);
  if (serverNowMs === undefined) return undefined;
  const resetInMs = resetAtServerMs - serverNowMs;
  if (Math.abs(resetInMs) > LONGEST_RESET_MS) return undefined;
  return { limit, remaining, resetAtServerMs, resetInMs, serverNowMs };
}

/** Our part of a window, in requests: a fraction of its limit, but one at least; null: all of it is ours. */
export function ownPart(limit: number, fraction: number): number | null {
  // Against rounding errors: a third of 24 is to be 8, never 7.
  return fraction >= 1 ? null : Math.max(1, Math.floor(limit * fraction + 1e-6));
}

/**
 * A window seen for the first time: of what was left before the request that shows it, our fraction is ours;
 * that request is taken off it.
 */
export function openWindow(shown: ShownWindow, seq: number, fraction: number): RateWindow {
  return {
    limit: shown.limit,
    seen: shown.remaining,
    charged: 0,
    chargedMark: 0,
    seq,
    resetAtServerMs: shown.resetAtServerMs,
    isAssumed: false,
    openedAfterSeq: 0,
    periodMs: Math.max(1_000, shown.resetInMs),
    carried: 0,
    // What was used before may have been ours (before a restart), or that of others who have stopped since.
    others: 0,
    othersBefore: 0,
    ownLeft: fraction >= 1 ? null : Math.max(0, Math.floor((shown.remaining + 1) * fraction) - 1),
  };
}

/**
 * A window seen again; responses arrive in any order, and a window that ends is followed by the next of the
 * same limit. `ownLeftAnew` is what would be left of our part if this response opens a new window.
 */
export function confirmWindow(
  window: RateWindow,
  shown: ShownWindow,
  seq: number,
  ownLeftAnew: number | null,
): RateWindow {
  const isNewer = seq > window.seq;
  const known = {
    ...window,
    seq: Math.max(seq, window.seq),
    periodMs: Math.max(window.periodMs, shown.resetInMs),
    // Charges made before this request left were counted by the server before it responded.
    charged: seq > window.chargedMark ? 0 : window.charged,
  };
  const changed = {
    ...known,
    seen: shown.remaining,
    resetAtServerMs: shown.resetAtServerMs,
    isAssumed: false,
    ownLeft: ownLeftAnew,
  };
  // An assumed window has a reset by estimate only; the first response to a request sent into it is right.
  if (window.isAssumed || window.resetAtServerMs === null)
    return seq > window.openedAfterSeq ? { ...changed, ownLeft: window.ownLeft ?? ownLeftAnew } : window;
  const later = shown.resetAtServerMs - window.resetAtServerMs;
  if (Math.abs(later) <= 1_000 && shown.serverNowMs < window.resetAtServerMs) {
    return {
      ...known,
      seen: Math.min(window.seen, shown.remaining),
      resetAtServerMs: Math.max(window.resetAtServerMs, shown.resetAtServerMs),
    };
  }
  if (later > 0) return shown.serverNowMs >= window.resetAtServerMs || isNewer ? changed : known;
  // An earlier reset: a late response of the window before, or a limiter that began anew.
  return isNewer && shown.resetInMs > 1_000 ? changed : window;
}

/** Counts a request whose response did not show the window. `lastSeq` is the newest permit given. */
export function chargeWindow(
  window: RateWindow,
  permit: { readonly seq: number; readonly weight: number },
  lastSeq: number,
): RateWindow {
  if (permit.seq <= window.openedAfterSeq) return window;
  return { ...window, charged: window.charged + permit.weight, chargedMark: lastSeq };
}

/**
 * How much of the window is used by others, from what a response shows and the newest permit given: what the
 * server has counted beyond all that we may have sent into it.
 */
export function noteOthers(window: RateWindow, shown: ShownWindow, lastSeq: number): RateWindow {
  if (window.openedAfterSeq === 0 || shown.resetAtServerMs !== window.resetAtServerMs) return window;
  const used = window.limit - shown.remaining;
  const ours = lastSeq - window.openedAfterSeq + window.carried;
  return { ...window, others: used <= ours ? window.others : Math.max(window.others, (used - ours) / used) };
}

/**
 * How many requests may be under way at once, of what is left: others, if they go on as before, take their
 * part of it meanwhile. Where each has a part of its own (`ownLeft`), nobody takes more than that.
 */
export function usableOf(window: RateWindow): number {
  const others = Math.max(window.others, window.othersBefore);
  if (window.ownLeft !== null || others === 0) return window.seen;
  // One at a time is always allowed, except the very last: while nothing is sent into a window, its end does
  // not become known.
  const least = window.isAssumed || window.seen > 1 ? 1 : 0;
  return Math.max(Math.min(least, window.seen), Math.floor(window.seen * (1 - others)));
}

/** Notes that a request given in this window is not counted in it: refused, or never sent. */
export function discount(
  window: RateWindow,
  permit: { readonly seq: number; readonly weight: number },
): RateWindow {
  return permit.seq > window.openedAfterSeq ? { ...window, carried: window.carried - permit.weight } : window;
}

/** Takes `weight` requests off our part, or puts them back when it is negative. */
export function drawOwnPart(window: RateWindow, weight: number): RateWindow {
  return window.ownLeft === null ? window : { ...window, ownLeft: Math.max(0, window.ownLeft - weight) };
}

/** The window after this one, of which nothing is known yet but its limit. */
export function followWindow(
  window: RateWindow,
  {
    lastSeq,
    underWay,
    fraction,
  }: { readonly lastSeq: number; readonly underWay: number; readonly fraction: number },
): RateWindow {
  return {
    ...window,
    seen: window.limit,
    charged: 0,
    chargedMark: lastSeq,
    resetAtServerMs: null,
    isAssumed: true,
    openedAfterSeq: lastSeq,
    carried: underWay,
    others: 0,
    othersBefore: window.others,
    ownLeft: ownPart(window.limit, fraction),
  };
}
