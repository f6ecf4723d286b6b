// What a refusal teaches (429, or 503 with a time): how long everybody stays away, and how the
// server rounds its resets. Pure.

import { jitterMs, MAX_DELAY_MS, planDelayMs } from '../../host/retry-after';
import type { PermitFacts, RateResponse, RateState } from './rate-state';
import type { ShownWindow } from './rate-window';
import { certainlyAt } from './server-clock';

const MAX_MARGIN_MS = 1_500;
/** For so many refusals in a row the time that the service names is believed, however short. */
const TRUSTED_REFUSALS = 5;
const LONGEST_DOUBT_MS = 120_000;

/**
 * The margin as it is after this response. It grows after a refusal right after a reset that names that same
 * reset, or one just after it: then the server rounds its resets down.
 */
export function learnMargin(
  state: RateState,
  permit: PermitFacts,
  shown: ShownWindow,
  status: number,
): number {
  const isJustAfterReset = permit.sentAtMs - state.rolledAtMs < MAX_MARGIN_MS && state.rolledAtMs > 0;
  if (status !== 429 || !isJustAfterReset || shown.resetInMs > 2_000) return state.marginMs;
  return Math.min(MAX_MARGIN_MS, state.marginMs * 2 + 200);
}

/**
 * The pause that the response asks for, if it does. After a pause one request goes ahead alone; when that is
 * refused again and again, the times that the service names mean nothing, and the pauses grow, up to one
 * request in two minutes for the whole host. `random` is in [0, 1).
 */
export function applyPause(
  state: RateState,
  permit: PermitFacts,
  nowMs: number,
  response: RateResponse,
  random: number,
): { readonly state: RateState; readonly pausedForMs?: number } {
  const isRefusal =
    response.status === 429 || (response.status === 503 && response.retryAfterMs !== undefined);
  if (!isRefusal) return { state: state.refusalsInARow === 0 ? state : { ...state, refusalsInARow: 0 } };
  const resetInMs =
    response.status === 429 && response.resetAtServerMs !== undefined && state.clock !== null
      ? certainlyAt(state.clock, response.resetAtServerMs) + state.marginMs - nowMs
      : undefined;
  // Requests that were sent before the pause are refused together, and count as one refusal.
  const isOfThisPause = permit.sentAtMs < state.pausedUntilMs && state.refusalsInARow > 0;
  const nthInARow = state.refusalsInARow - (isOfThisPause ? 1 : 0);
  const saidMs = planDelayMs({ retryAfterMs: response.retryAfterMs, resetInMs, nthInARow });
  const delayMs = Math.max(saidMs, planDoubtMs(nthInARow));
  const pausedForMs = Math.min(MAX_DELAY_MS, delayMs + jitterMs(delayMs, random));
  return {
    pausedForMs,
    state: {
      ...state,
      pausedUntilMs: Math.max(state.pausedUntilMs, nowMs + pausedForMs),
      refusalsInARow: nthInARow + 1,
      probe: 'needed',
    },
  };
}

/** The least pause after so many refusals in a row, whatever they say. */
function planDoubtMs(nthInARow: number): number {
  const beyond = nthInARow - TRUSTED_REFUSALS;
  return beyond < 0 ? 0 : Math.min(LONGEST_DOUBT_MS, 2_000 * 2 ** Math.min(beyond, 10));
}
