// The rate limit as a pure calculator (wire facts: two windows at once, each answer shows the one that is exhausted first).
// No clock, no I/O: times are handed in, the state is plain JSON and can be stored or shared. `...Ms` without further
// word is our monotonic clock; server times say so.
import {
  chargeWindow,
  confirmWindow,
  followWindow,
  openWindow,
  type RateWindow,
  type ShownWindow,
} from './rate-window';
import { jitterMs, MAX_DELAY_MS, planDelayMs } from './retry-after';
import { certainlyAt, narrowClock, type ServerClock } from './server-clock';

export interface RateState {
  readonly windows: readonly RateWindow[];
  readonly clock: ServerClock | null;
  readonly pausedUntilMs: number;
  readonly refusalsInARow: number;
  readonly lastSeq: number;
  readonly underWay: readonly { readonly seq: number; readonly weight: number }[];
  /** One request goes ahead alone when we know nothing of the window it opens. */
  readonly scout: 'none' | 'needed' | { readonly seq: number; readonly sentAtMs: number };
  /** Added to every reset; grows when the server turns out to round its resets down. */
  readonly marginMs: number;
  readonly rolledAtMs: number;
}

export interface RateAnswer {
  readonly status: number;
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  readonly resetAtServerMs?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly dateMs?: number | undefined;
}

export interface PermitFacts {
  readonly seq: number;
  readonly weight: number;
  readonly sentAtMs: number;
}

/** When the next request may go. */
export interface NextSend {
  /** Not later than `nowMs`: go. Otherwise ask again then, or after the next answer, whichever is first. */
  readonly askAgainAtMs: number;
  /** When it will go, as far as can be told; answers under way may make it sooner. */
  readonly expectedAtMs: number;
}

const INITIAL_MARGIN_MS = 40;
const MAX_MARGIN_MS = 1_500;
/** A scout that is not back by then is followed by another. */
const SCOUT_PATIENCE_MS = 2_000;
const SCOUTING_PAYS_MS = 60_000;
const LONGEST_RESET_MS = 25 * 3_600_000;

export function initialRateState(): RateState {
  return {
    windows: [],
    clock: null,
    pausedUntilMs: 0,
    refusalsInARow: 0,
    lastSeq: 0,
    underWay: [],
    scout: 'needed',
    marginMs: INITIAL_MARGIN_MS,
    rolledAtMs: 0,
  };
}

/** When a request of `weight` may go that has `ahead` requests before it. The state must have been rolled to `nowMs`. */
export function planNextSend(
  state: RateState,
  nowMs: number,
  { weight = 1, ahead = 0 }: { weight?: number; ahead?: number } = {},
): NextSend {
  if (state.pausedUntilMs > nowMs) return at(state.pausedUntilMs);
  if (typeof state.scout === 'object' && nowMs < state.scout.sentAtMs + SCOUT_PATIENCE_MS) {
    return {
      askAgainAtMs: state.scout.sentAtMs + SCOUT_PATIENCE_MS,
      expectedAtMs: expectByWindows(state, nowMs, ahead),
    };
  }
  let askAgainAtMs = nowMs;
  for (const window of state.windows) {
    // More weight than a window holds goes when the window is untouched; it would wait for ever otherwise.
    if (freeOf(window, state) < Math.min(weight, window.limit) && !mayScout(window, state, nowMs)) {
      // An unopened window without room: everything under way counts towards it until answered.
      const opensMs =
        window.resetAtServerMs === null ? nowMs + SCOUT_PATIENCE_MS : opensAtMs(window, state, nowMs);
      askAgainAtMs = Math.max(askAgainAtMs, opensMs);
    }
  }
  return { askAgainAtMs, expectedAtMs: Math.max(askAgainAtMs, expectByWindows(state, nowMs, ahead)) };
}

/** Ends the windows whose reset has certainly passed on the server's clock. */
export function rollWindows(state: RateState, nowMs: number): RateState {
  let hasRolled = false;
  const windows = state.windows.flatMap(window => {
    const endsAtMs = opensAtMs(window, state, nowMs);
    if (window.resetAtServerMs === null || endsAtMs > nowMs) return [window];
    hasRolled = true;
    if (isReplaced(window, state.windows)) return [];
    return [followWindow(window, state.lastSeq)];
  });
  return hasRolled ? { ...state, windows, scout: 'needed', rolledAtMs: nowMs } : state;
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
      scout: nextScout(state.scout, permit),
      windows: state.windows.map(window =>
        window.resetAtServerMs === null && state.clock !== null
          ? { ...window, resetAtServerMs: nowMs + state.clock.highMs + window.periodMs }
          : window,
      ),
    },
  };
}

/** Gives back a permit whose request never left. */
export function returnPermit(state: RateState, permit: PermitFacts): RateState {
  return {
    ...state,
    underWay: state.underWay.filter(other => other.seq !== permit.seq),
    scout: typeof state.scout === 'object' && permit.seq >= state.scout.seq ? 'needed' : state.scout,
  };
}

/**
 * Takes an answer in (null: none came, but the request may have been counted). Answers may arrive in any order.
 * `pausedForMs` says how long the service asked us to stay away, if it did. `random` is in [0, 1).
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
    scout: typeof before.scout === 'object' && permit.seq >= before.scout.seq ? 'none' : before.scout,
    clock:
      answer?.dateMs === undefined
        ? before.clock
        : narrowClock(before.clock, answer.dateMs, permit.sentAtMs, nowMs),
  };
  const shown = answer === null ? undefined : readShownWindow(answer, state, nowMs);
  const isKnown = state.windows.some(window => window.limit === shown?.limit);
  const others = state.windows.map(window =>
    window.limit === shown?.limit ? window : chargeWindow(window, permit, before.lastSeq),
  );
  if (shown !== undefined) {
    const learned = learnMargin(state, permit, shown, answer?.status ?? 0);
    const windows = isKnown
      ? others.map(window =>
          window.limit === shown.limit ? confirmWindow(window, shown, permit.seq) : window,
        )
      : [...others, openWindow(shown, permit.seq)];
    state = { ...state, windows, marginMs: learned };
  } else {
    state = { ...state, windows: others };
  }
  return answer === null ? { state } : applyPause(state, nowMs, answer, random);
}

function nextScout(scout: RateState['scout'], permit: PermitFacts): RateState['scout'] {
  if (scout === 'none') return 'none';
  return { seq: scout === 'needed' ? permit.seq : scout.seq, sentAtMs: permit.sentAtMs };
}

function readShownWindow(answer: RateAnswer, state: RateState, nowMs: number): ShownWindow | undefined {
  const { limit, remaining, resetAtServerMs } = answer;
  if (limit === undefined || remaining === undefined || resetAtServerMs === undefined) return undefined;
  if (limit < 1 || remaining < 0) return undefined;
  // Without any Date header the machine's own date is not known here; the window's length is, from its reset.
  const serverNowMs = answer.dateMs ?? (state.clock === null ? undefined : nowMs + state.clock.lowMs);
  if (serverNowMs === undefined) return undefined;
  const resetInMs = resetAtServerMs - serverNowMs;
  if (Math.abs(resetInMs) > LONGEST_RESET_MS) return undefined;
  return { limit, remaining, resetAtServerMs, resetInMs, serverNowMs };
}

/**
 * Answers came all along and showed another window of about its length instead: the limit has changed. A window that only
 * hides behind a longer one stays.
 */
function isReplaced(window: RateWindow, windows: readonly RateWindow[]): boolean {
  const wasShown = (other: RateWindow) => other.limit !== window.limit && other.seq > window.openedAfterSeq;
  return (
    window.isAssumed &&
    window.charged > 0 &&
    windows.some(other => wasShown(other) && other.periodMs <= 2 * window.periodMs)
  );
}

/** A refusal right after a reset, with that same reset or one just after it: the server rounds its resets down. */
function learnMargin(state: RateState, permit: PermitFacts, shown: ShownWindow, status: number): number {
  const isJustAfterReset = permit.sentAtMs - state.rolledAtMs < MAX_MARGIN_MS && state.rolledAtMs > 0;
  if (status !== 429 || !isJustAfterReset || shown.resetInMs > 2_000) return state.marginMs;
  return Math.min(MAX_MARGIN_MS, state.marginMs * 2 + 200);
}

function applyPause(
  state: RateState,
  nowMs: number,
  answer: RateAnswer,
  random: number,
): { readonly state: RateState; readonly pausedForMs?: number } {
  const isRefusal = answer.status === 429 || (answer.status === 503 && answer.retryAfterMs !== undefined);
  if (!isRefusal) return { state: state.refusalsInARow === 0 ? state : { ...state, refusalsInARow: 0 } };
  const resetInMs =
    answer.status === 429 && answer.resetAtServerMs !== undefined && state.clock !== null
      ? certainlyAt(state.clock, answer.resetAtServerMs) + state.marginMs - nowMs
      : undefined;
  const delayMs = planDelayMs({
    retryAfterMs: answer.retryAfterMs,
    resetInMs,
    nthInARow: state.refusalsInARow,
  });
  const pausedForMs = Math.min(MAX_DELAY_MS, delayMs + jitterMs(delayMs, random));
  return {
    pausedForMs,
    state: {
      ...state,
      pausedUntilMs: Math.max(state.pausedUntilMs, nowMs + pausedForMs),
      refusalsInARow: state.refusalsInARow + 1,
      scout: 'needed',
    },
  };
}

/** What may still be sent, if every request under way is yet to be counted. */
function freeOf(window: RateWindow, state: RateState): number {
  const underWay = state.underWay.reduce((sum, permit) => sum + permit.weight, 0);
  return window.seen - window.charged - underWay;
}

/**
 * Requests without an answer count as sent, but may never have been counted by the service. When they alone fill a window
 * that is long to go, one request at a time finds out; a short one is waited out, for a refusal would cost more.
 */
function mayScout(window: RateWindow, state: RateState, nowMs: number): boolean {
  const isLong = opensAtMs(window, state, nowMs) - nowMs > SCOUTING_PAYS_MS;
  return isLong && window.seen > 0 && window.charged > 0 && state.underWay.length === 0;
}

function opensAtMs(window: RateWindow, state: RateState, nowMs: number): number {
  if (window.resetAtServerMs === null || state.clock === null) return nowMs;
  return certainlyAt(state.clock, window.resetAtServerMs) + state.marginMs;
}

function expectByWindows(state: RateState, nowMs: number, ahead: number): number {
  let expectedAtMs = nowMs;
  for (const window of state.windows) {
    const beyond = ahead - Math.max(0, freeOf(window, state));
    if (beyond < 0) continue;
    const windowsLater = Math.floor(beyond / window.limit);
    expectedAtMs = Math.max(expectedAtMs, opensAtMs(window, state, nowMs) + windowsLater * window.periodMs);
  }
  return expectedAtMs;
}

function at(timeMs: number): NextSend {
  return { askAgainAtMs: timeMs, expectedAtMs: timeMs };
}
