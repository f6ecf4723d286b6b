// The rate limit as a pure calculator. The service keeps two windows at once, and each response shows only
// the one that will be exhausted first. No clock, no I/O: times are handed in.
//
// An example, 25 requests in 10 s and 3,600 in an hour:
//   Probe       Nothing is known: the first request goes alone, others wait for its response, 2 s at most.
//   Window      It shows 24 of 25 left: 24 more go at once, each under way counts as used. The next one waits
//               until the reset has certainly passed on the service's clock, and a margin (40 ms at first).
//   The next    25 are assumed; again one goes alone and finds out. The hour is not shown while the 10 s will
//               be exhausted first; once it is known, each response that does not show it is charged to it.
//   Fraction    0.8 (`service.rateShare`): 20 of the 25 are ours.
//   Lease       0.52 of it, where there are other hosts: 10. Less counts at once, more from the next window
//               on, and 0 sends nothing. Of the hour each has its part once it is shown: 0.52 of the rest.
//   Giving way  Without fraction and lease, looks have 20 of the 25 (four fifths of our part). They also
//               stand behind all that were turned away and are due to come back, whom the gate counts in
//               `ahead`.
import { applyPause, learnMargin } from './rate-pause';
import type { PermitFacts, RateResponse, RateState, RateWindow } from './rate-state';
import {
  chargeWindow,
  confirmWindow,
  discount,
  drawOwnPart,
  followWindow,
  noteOthers,
  openWindow,
  ownPart,
  readShownWindow,
  type ShownWindow,
  usableOf,
} from './rate-window';
import { certainlyAt, narrowClock } from './server-clock';

/** When the next request may go. */
export interface NextSend {
  /** Not later than `nowMs`: go. Otherwise ask again then, or after the next response, whichever is first. */
  readonly askAgainAtMs: number;
  /** When it will go, as far as can be told; responses under way may make it sooner. */
  readonly expectedAtMs: number;
}

const INITIAL_MARGIN_MS = 40;
/** A probe that is not back by then is followed by another. */
const PROBE_PATIENCE_MS = 2_000;
const PROBING_PAYS_MS = 60_000;
/**
 * How often to look again while this host has no part yet; it need not look, for it is told (`takeLease`).
 */
const LEASE_PATIENCE_MS = 5_000;
/**
 * The part of each window that callers which give way may use: else hundreds of mere looks would spend it.
 */
const GIVING_WAY_TAKE = 0.8;
/** A window at least this many times as long as another one may hide behind it (`isHiding`). */
const HIDES_FROM = 2;

export function initialRateState(fraction = 1): RateState {
  return {
    windows: [],
    clock: null,
    pausedUntilMs: 0,
    refusalsInARow: 0,
    lastSeq: 0,
    underWay: [],
    probe: 'needed',
    marginMs: INITIAL_MARGIN_MS,
    rolledAtMs: 0,
    share: fraction,
    silentSeq: 0,
  };
}

interface ToSend {
  readonly weight?: number;
  /** Requests before it. */
  readonly ahead?: number;
  /** For a caller that gives way: numbers of the permits that such callers have had, the newest last. */
  readonly gaveWay?: readonly number[] | undefined;
}

/** When a request may go. The state must have been rolled to `nowMs`. */
export function planNextSend(
  state: RateState,
  nowMs: number,
  { weight = 1, ahead = 0, gaveWay }: ToSend = {},
): NextSend {
  if (state.pausedUntilMs > nowMs) {
    const expectedAtMs = Math.max(state.pausedUntilMs, expectByWindows(state, nowMs, ahead, gaveWay));
    return { askAgainAtMs: state.pausedUntilMs, expectedAtMs };
  }
  if (state.lease === 0) return at(nowMs + LEASE_PATIENCE_MS);
  if (typeof state.probe === 'object' && nowMs < state.probe.sentAtMs + PROBE_PATIENCE_MS) {
    return {
      askAgainAtMs: state.probe.sentAtMs + PROBE_PATIENCE_MS,
      expectedAtMs: expectByWindows(state, nowMs, ahead, gaveWay),
    };
  }
  let askAgainAtMs = nowMs;
  for (const window of state.windows) {
    // A weight greater than the whole window goes when the window is untouched; it would wait for ever
    // otherwise.
    const { free, part } = roomOf(window, state, gaveWay);
    if (free < Math.min(weight, part) && !mayProbe(window, state, nowMs)) {
      // No request has opened this window yet, so its end is not known; it has no room, because everything
      // under way counts towards it until its response.
      const opensMs =
        window.resetAtServerMs === null ? nowMs + PROBE_PATIENCE_MS : opensAtMs(window, state, nowMs);
      askAgainAtMs = Math.max(askAgainAtMs, opensMs);
    }
  }
  return {
    askAgainAtMs,
    expectedAtMs: Math.max(askAgainAtMs, expectByWindows(state, nowMs, ahead, gaveWay)),
  };
}

/** Ends the windows whose reset has certainly passed on the server's clock. */
export function rollWindows(state: RateState, nowMs: number): RateState {
  let hasRolled = false;
  const windows = state.windows.flatMap(window => {
    const endsAtMs = opensAtMs(window, state, nowMs);
    if (window.resetAtServerMs === null || endsAtMs > nowMs) return [window];
    hasRolled = true;
    if (isReplaced(window, state.windows) || isLimitGone(window, state)) return [];
    const fraction = fractionOf(window, state);
    return [followWindow(window, { lastSeq: state.lastSeq, underWay: weightUnderWay(state), fraction })];
  });
  return hasRolled ? { ...state, windows, probe: 'needed', rolledAtMs: nowMs } : state;
}

/** Takes a permit. Call it only when planNextSend says go. */
export function takePermit(
  state: RateState,
  nowMs: number,
  weight = 1,
): { readonly state: RateState; readonly permit: PermitFacts } {
  const permit: PermitFacts = { seq: state.lastSeq + 1, weight, sentAtMs: nowMs };
  return {
    permit,
    state: {
      ...state,
      lastSeq: permit.seq,
      underWay: [...state.underWay, { seq: permit.seq, weight }],
      probe: nextProbe(state.probe, permit),
      windows: state.windows.map(window =>
        drawOwnPart(
          window.resetAtServerMs === null && state.clock !== null
            ? { ...window, resetAtServerMs: nowMs + state.clock.highMs + window.periodMs }
            : window,
          weight,
        ),
      ),
    },
  };
}

/** Gives back a permit whose request never left. */
export function returnPermit(state: RateState, permit: PermitFacts): RateState {
  return {
    ...state,
    underWay: state.underWay.filter(other => other.seq !== permit.seq),
    probe: typeof state.probe === 'object' && permit.seq >= state.probe.seq ? 'needed' : state.probe,
    windows: state.windows.map(window =>
      permit.seq > window.openedAfterSeq ? drawOwnPart(discount(window, permit), -permit.weight) : window,
    ),
  };
}

/**
 * From now on this host has the part `lease` of the account's limit (0: it waits for one; undefined: it is
 * the only host). A smaller part counts at once, for what is left of the present windows. A larger one counts
 * from the next window on: in the present one other hosts may have used the difference.
 */
export function takeLease(state: RateState, lease: number | undefined): RateState {
  if (state.lease === lease) return state;
  const next = { ...state, lease };
  return {
    ...next,
    windows: state.windows.map(window => {
      const before = fractionOf(window, state);
      const after = fractionOf(window, next);
      if (after >= before) return window;
      const left = window.ownLeft ?? Math.max(0, window.seen - window.charged - weightUnderWay(state));
      return { ...window, ownLeft: Math.floor((left * after) / before) };
    }),
  };
}

/**
 * Takes over permits that an earlier leader gave: they are under way, even if its stored state lacks them.
 */
export function adoptPermits(state: RateState, permits: readonly PermitFacts[]): RateState {
  const known = new Set(state.underWay.map(({ seq }) => seq));
  const foreign = permits.filter(({ seq }) => !known.has(seq));
  if (foreign.length === 0) return state;
  return {
    ...state,
    lastSeq: foreign.reduce((newest, { seq }) => Math.max(newest, seq), state.lastSeq),
    underWay: [...state.underWay, ...foreign.map(({ seq, weight }) => ({ seq, weight }))],
  };
}

/**
 * Takes a response in (null: none came, but the request may have been counted). Responses may arrive in any
 * order. `pausedForMs` says how long the service asked us to stay away, if it did. `random` is in [0, 1).
 */
export function observeResponse(
  before: RateState,
  permit: PermitFacts,
  nowMs: number,
  response: RateResponse | null,
  random: number,
): { readonly state: RateState; readonly pausedForMs?: number } {
  let state: RateState = {
    ...before,
    underWay: before.underWay.filter(other => other.seq !== permit.seq),
    probe: probeAfter(before.probe, permit, response),
    silentSeq:
      response?.limit === undefined && isSuccess(response)
        ? Math.max(before.silentSeq, permit.seq)
        : before.silentSeq,
    clock:
      response?.dateMs === undefined
        ? before.clock
        : narrowClock(before.clock, response.dateMs, permit.sentAtMs, nowMs),
  };
  const shown = response === null ? undefined : readShownWindow(response, state.clock, nowMs);
  if (response?.status === 429)
    state = { ...state, windows: state.windows.map(window => discount(window, permit)) };
  const isKnown = state.windows.some(window => window.limit === shown?.limit);
  const others = state.windows.map(window =>
    window.limit === shown?.limit ? window : chargeWindow(window, permit, before.lastSeq),
  );
  if (shown !== undefined) {
    const learned = learnMargin(state, permit, shown, response?.status ?? 0);
    const windows = isKnown
      ? others.map(window =>
          window.limit === shown.limit
            ? noteOthers(
                confirmWindow(window, shown, permit.seq, ownLeftAnew(window, state, permit, shown)),
                shown,
                state.lastSeq,
              )
            : window,
        )
      : [...others, openWindow(shown, permit.seq, state.share * (state.lease ?? 1))];
    state = { ...state, windows, marginMs: learned };
  } else {
    state = { ...state, windows: others };
  }
  return response === null ? { state } : applyPause(state, permit, nowMs, response, random);
}

/** A probe without a response has shown nothing: another one goes, again alone. */
function probeAfter(
  probe: RateState['probe'],
  permit: PermitFacts,
  response: RateResponse | null,
): RateState['probe'] {
  if (typeof probe !== 'object' || permit.seq < probe.seq) return probe;
  return response === null ? 'needed' : 'none';
}

function nextProbe(probe: RateState['probe'], permit: PermitFacts): RateState['probe'] {
  if (probe === 'none') return 'none';
  return { seq: probe === 'needed' ? permit.seq : probe.seq, sentAtMs: permit.sentAtMs };
}

/**
 * Whether the limit has changed: responses came all along, but showed another window of at most about this
 * length, never this one. A window that was perhaps only hidden behind a much longer one stays.
 */
function isReplaced(window: RateWindow, windows: readonly RateWindow[]): boolean {
  const wasShown = (other: RateWindow) => other.limit !== window.limit && other.seq > window.openedAfterSeq;
  return (
    window.isAssumed &&
    window.charged > 0 &&
    windows.some(other => wasShown(other) && other.periodMs <= 2 * window.periodMs)
  );
}

/** Whether the service has no limit any more: successful responses came all along and named none. */
function isLimitGone(window: RateWindow, { windows, silentSeq }: RateState): boolean {
  const isSilence = windows.every(other => other.seq <= window.openedAfterSeq);
  return window.isAssumed && window.charged > 0 && silentSeq > window.openedAfterSeq && isSilence;
}

function isSuccess(response: RateResponse | null): boolean {
  return response !== null && response.status >= 200 && response.status < 300;
}

/**
 * What is left of our own part in a window that a response has just opened; requests under way may belong to
 * it already.
 */
function ownLeftAnew(
  window: RateWindow,
  state: RateState,
  permit: PermitFacts,
  shown: ShownWindow,
): number | null {
  const part = ownPart(window.limit, fractionOf(window, state));
  const left = part === null ? null : part - permit.weight - weightUnderWay(state);
  const lease = isHiding(window, state) ? (state.lease ?? 1) : 1;
  if (lease >= 1) return left === null ? null : Math.max(0, left);
  const ofRest =
    Math.floor((shown.remaining + permit.weight) * lease) - permit.weight - weightUnderWay(state);
  return Math.max(0, Math.min(left ?? ofRest, ofRest));
}

/**
 * Whether this window hides behind a shorter one. A long window is shown only once it, and not the shorter
 * one, will be exhausted first. Until then any host with work takes from it; from then on each takes its part
 * of the rest. So hosts need no bookkeeping for the hour, and none keeps what it has no work for.
 */
function isHiding(window: RateWindow, { windows }: RateState): boolean {
  return windows.some(other => window.periodMs >= HIDES_FROM * other.periodMs && other.limit < window.limit);
}

/** The part of a window that is this host's: above 0, at most 1. */
function fractionOf(window: RateWindow, state: RateState): number {
  const { share, lease = 1 } = state;
  // While the host waits for its part (0), nothing is sent; so its windows need not be cut down meanwhile.
  return lease === 0 || isHiding(window, state) ? share : share * lease;
}

function partOf(window: RateWindow, state: RateState): number {
  return ownPart(window.limit, fractionOf(window, state)) ?? window.limit;
}

function weightUnderWay(state: RateState): number {
  return state.underWay.reduce((sum, permit) => sum + permit.weight, 0);
}

/** What may still be sent, if every request under way is yet to be counted. */
function freeOf(window: RateWindow, state: RateState): number {
  const left = usableOf(window) - window.charged - weightUnderWay(state);
  return window.ownLeft === null ? left : Math.min(left, window.ownLeft);
}

/**
 * What is free in a window, and what a new one holds (`part`); both are less for a caller that gives way, for
 * which `gaveWay` is given.
 */
function roomOf(
  window: RateWindow,
  state: RateState,
  gaveWay: readonly number[] | undefined,
): { readonly free: number; readonly part: number } {
  const free = freeOf(window, state);
  const part = partOf(window, state);
  if (gaveWay === undefined) return { free, part };
  const most = Math.ceil(part * GIVING_WAY_TAKE);
  const had = gaveWay.length - countUpTo(gaveWay, window.openedAfterSeq);
  return { free: Math.min(free, most - had), part: most };
}

/** How many of the numbers are at most `most`; by halving, for thousands are asked about for each waiter. */
export function countUpTo(ascending: readonly number[], most: number): number {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ascending[middle] ?? most) <= most) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * Requests without a response count as sent, but the service may never have counted them. When they alone
 * fill a window whose end is far off, one request at a time finds out; the end of a short one is waited for,
 * since a refusal would cost more.
 */
function mayProbe(window: RateWindow, state: RateState, nowMs: number): boolean {
  const isLong = opensAtMs(window, state, nowMs) - nowMs > PROBING_PAYS_MS;
  const isFilledByLost = window.seen > 0 && window.charged > 0 && window.ownLeft !== 0;
  return isLong && isFilledByLost && state.underWay.length === 0;
}

function opensAtMs(window: RateWindow, state: RateState, nowMs: number): number {
  if (window.resetAtServerMs === null || state.clock === null) return nowMs;
  return certainlyAt(state.clock, window.resetAtServerMs) + state.marginMs;
}

/**
 * Takes the longest window first: who has to wait for its end is from then on spread over the shorter ones.
 * Else all who wait for the end of an hour would be told to come back at the same moment.
 */
function expectByWindows(
  state: RateState,
  nowMs: number,
  ahead: number,
  gaveWay: readonly number[] | undefined,
): number {
  let expectedAtMs = nowMs;
  let before = ahead;
  for (const window of [...state.windows].sort((one, other) => other.periodMs - one.periodMs)) {
    const { part, ...room } = roomOf(window, state, gaveWay);
    let opensMs = opensAtMs(window, state, nowMs);
    let free = Math.max(0, room.free);
    if (expectedAtMs > nowMs && opensMs <= expectedAtMs) {
      free = part;
      opensMs = expectedAtMs + window.periodMs;
    }
    const beyond = before - free;
    if (beyond < 0) continue;
    expectedAtMs = Math.max(expectedAtMs, opensMs + Math.floor(beyond / part) * window.periodMs);
    before = beyond % part;
  }
  return expectedAtMs;
}

function at(timeMs: number): NextSend {
  return { askAgainAtMs: timeMs, expectedAtMs: timeMs };
}
