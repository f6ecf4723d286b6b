// When to look whether a reported file is available: every look is a request, and
// requests are what is scarce. Pure.

/** The service is hardly ever done with a file sooner than this after its report. */
const FIRST_LOOK_AGE_MS = 1_000;
/** No file waits longer than this after its report for its first look. */
export const MAX_FIRST_LOOK_AGE_MS = 15_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * The age since its report at which a file is first looked at; `tooYoungMs` is the greatest age at which
 * one was found not available yet.
 */
export function firstLookAgeMs(tooYoungMs: number | undefined): number {
  if (tooYoungMs === undefined) return FIRST_LOOK_AGE_MS;
  return Math.min(MAX_FIRST_LOOK_AGE_MS, Math.max(FIRST_LOOK_AGE_MS, tooYoungMs * 1.5));
}

/** The pause after the n-th look (from 1) that found nothing. */
export function pauseAfterLookMs(looks: number): number {
  return Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** Math.min(looks, 10) - 500);
}
