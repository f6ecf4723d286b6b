// How far another clock is from ours, as far as it can be told from one look at it.
import { toDurationText } from '../session/terminal-text';

/** A smaller difference does no harm. */
const MOST_SKEW_MS = 30_000;

/** By how much the other clock is ahead of ours: `lowMs` at least, `highMs` at most; negative when behind. */
export interface Skew {
  readonly lowMs: number;
  readonly highMs: number;
}

/** Only what is certain counts. */
export function isSkewed(skew: Skew): boolean {
  return Math.abs(certainOf(skew)) > MOST_SKEW_MS;
}

export function describeSkew(skew: Skew): string {
  const ms = certainOf(skew);
  return `${toDurationText(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'} ours`;
}

function certainOf({ lowMs, highMs }: Skew): number {
  if (lowMs > 0) return lowMs;
  return highMs < 0 ? highMs : 0;
}
