// The rate limit as a pure calculator (wire facts: two windows at once, each answer shows the one that is
// exhausted first). No clock, no I/O: times are handed in.
import { applyPause, learnMargin } from './rate-pause';
import type { PermitFacts, RateAnswer, RateState, RateWindow } from './rate-state';
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
  /** Not later than `nowMs`: go. Otherwise ask again then, or after the next answer, whichever is first. */
  readonly askAgainAtMs: number;
  /** When it will go, as far as can be told; answers under way may make it sooner. */
  readonly expectedAtMs: number;
}

const INITIAL_MARGIN_MS = 40;
/** A probe that is not back by then is followed by another. */
const PROBE_PATIENCE_MS = 2_000;
const PROBING_PAYS_MS = 60_000;
/** Until this host has its part: it is told then, and does not have to look. */
const LEASE_PATIENCE_MS = 5_000;
/** Of each window, for those who give way: else hundreds who only look would spend it. */
const GIVING_WAY_TAKE = 0.8;
/** So much longer than the shortest window is one that hides behind it. */
const HIDES_FROM = 2;

export function initialRateState(share = 1): RateState {
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
    share,
    silentSeq: 0,
  };
}

interface ToSend {
  readonly weight?: number;
  /** Requests before it. */
  readonly ahead?: number;
  /** Of those who give way: the numbers of the permits that they have had, the newest last. */
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
    // More weight than a window holds goes when the window is untouched; it would wait for ever otherwise.
    const { free, part } = roomOf(window, state, gaveWay);
    if (free < Math.min(weight, part) && !mayProbe(window, state, nowMs)) {
      // An unopened window without room: everything under way counts towards it until answered.
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
    if (isReplaced(window, state.windows) || isGone(window, state)) return [];
    const share = shareOf(window, state);
    return [followWindow(window, { lastSeq: state.lastSeq, underWay: weightUnderWay(state), share })];
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
 * From now on this host has `lease` of the account; 0: it waits for its part; undefined: it is alone.
 * A part that shrinks does so at once, of what is left of it. One that grows does with the next window:
 * of this one others may have had it.
 */
export function takeLease(state: RateState, lease: number | undefined): RateState {
  if (state.lease === lease) return state;
  const next = { ...state, lease };
  return {
    ...next,
    windows: state.windows.map(window => {
      const before = shareOf(window, state);
      const after = shareOf(window, next);
      if (after >= before) return window;
      const left = window.ownLeft ?? Math.max(0, window.seen - window.charged - weightUnderWay(state));
      return { ...window, ownLeft: Math.floor((left * after) / before) };
    }),
  };
}

/**
 * Takes over permits that another leader of this state gave: they are under way, whatever was noted of them.
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
 * Takes an answer in (null: none came, but the request may have been counted). Answers may arrive in any
 * order. `pausedForMs` says how long the service asked us to stay away, if it did. `random` is in [0, 1).
 */
export function observeAnswer(
  before: RateState,
  permit: PermitFacts,
  nowMs: number,
  answer: RateAnswer | null,
  random: number,
): { readonly state: RateState; readonly pausedForMs?: number } {
  let state: RateState = {
    ...before,
    underWay: before.underWay.filter(other => other.seq !== permit.seq),
    probe: probeAfter(before.probe, permit, answer),
    silentSeq:
      answer?.limit === undefined && isSuccess(answer)
        ? Math.max(before.silentSeq, permit.seq)
        : before.silentSeq,
    clock:
      answer?.dateMs === undefined
        ? before.clock
        : narrowClock(before.clock, answer.dateMs, permit.sentAtMs, nowMs),
  };
  const shown = answer === null ? undefined : readShownWindow(answer, state.clock, nowMs);
  if (answer?.status === 429)
    state = { ...state, windows: state.windows.map(window => discount(window, permit)) };
  const isKnown = state.windows.some(window => window.limit === shown?.limit);
  const others = state.windows.map(window =>
    window.limit === shown?.limit ? window : chargeWindow(window, permit, before.lastSeq),
  );
  if (shown !== undefined) {
    const learned = learnMargin(state, permit, shown, answer?.status ?? 0);
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
  return answer === null ? { state } : applyPause(state, permit, nowMs, answer, random);
}

/** A probe that is lost has shown nothing: another goes, alone again. */
function probeAfter(
  probe: RateState['probe'],
  permit: PermitFacts,
  answer: RateAnswer | null,
): RateState['probe'] {
  if (typeof probe !== 'object' || permit.seq < probe.seq) return probe;
  return answer === null ? 'needed' : 'none';
}

function nextProbe(probe: RateState['probe'], permit: PermitFacts): RateState['probe'] {
  if (probe === 'none') return 'none';
  return { seq: probe === 'needed' ? permit.seq : probe.seq, sentAtMs: permit.sentAtMs };
}

/**
 * Answers came all along and showed another window of about its length instead: the limit has changed. A
 * window that only hides behind a longer one stays.
 */
function isReplaced(window: RateWindow, windows: readonly RateWindow[]): boolean {
  const wasShown = (other: RateWindow) => other.limit !== window.limit && other.seq > window.openedAfterSeq;
  return (
    window.isAssumed &&
    window.charged > 0 &&
    windows.some(other => wasShown(other) && other.periodMs <= 2 * window.periodMs)
  );
}

/** Answers came all along and said nothing of any limit: the service has none any more. */
function isGone(window: RateWindow, { windows, silentSeq }: RateState): boolean {
  const isSilence = windows.every(other => other.seq <= window.openedAfterSeq);
  return window.isAssumed && window.charged > 0 && silentSeq > window.openedAfterSeq && isSilence;
}

function isSuccess(answer: RateAnswer | null): boolean {
  return answer !== null && answer.status >= 200 && answer.status < 300;
}

/** Of a window that an answer has opened: what is under way may belong to it already. */
function ownLeftAnew(
  window: RateWindow,
  state: RateState,
  permit: PermitFacts,
  shown: ShownWindow,
): number | null {
  const part = ownPart(window.limit, shareOf(window, state));
  const left = part === null ? null : part - permit.weight - weightUnderWay(state);
  const lease = isHiding(window, state) ? (state.lease ?? 1) : 1;
  if (lease >= 1) return left === null ? null : Math.max(0, left);
  const ofRest =
    Math.floor((shown.remaining + permit.weight) * lease) - permit.weight - weightUnderWay(state);
  return Math.max(0, Math.min(left ?? ofRest, ofRest));
}

/**
 * A long window is shown as soon as it, and not the shorter one, is what will be exhausted first. Until
 * then whichever host has work takes from it; then each takes its part of the rest. So the hour needs no
 * bookkeeping among hosts, and none keeps what it has no work for.
 */
function isHiding(window: RateWindow, { windows }: RateState): boolean {
  return windows.some(other => window.periodMs >= HIDES_FROM * other.periodMs && other.limit < window.limit);
}

/** What of a window is this host's: above 0, at most 1. */
function shareOf(window: RateWindow, state: RateState): number {
  const { share, lease = 1 } = state;
  // Without its part yet, it has what it had: nothing is sent meanwhile.
  return lease === 0 || isHiding(window, state) ? share : share * lease;
}

function partOf(window: RateWindow, state: RateState): number {
  return ownPart(window.limit, shareOf(window, state)) ?? window.limit;
}

function weightUnderWay(state: RateState): number {
  return state.underWay.reduce((sum, permit) => sum + permit.weight, 0);
}

/** What may still be sent, if every request under way is yet to be counted. */
function freeOf(window: RateWindow, state: RateState): number {
  const left = usableOf(window) - window.charged - weightUnderWay(state);
  return window.ownLeft === null ? left : Math.min(left, window.ownLeft);
}

/** What is free in a window, and what a new one has, for one of those who give way or for another. */
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

/** How many of these are at most that; thousands are asked about for each who waits. */
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
 * Requests without an answer count as sent, but may never have been counted by the service. When they
 * alone fill a window that is long to go, one request at a time finds out; a short one is waited out,
 * for a refusal would cost more.
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
 * The longest window first: who waits for its end goes by the shorter ones from then on. Else all who wait
 * for an hour would be told to come back in one moment.
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
