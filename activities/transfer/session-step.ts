// Where a file stands in its upload session, and which addresses belong to which segments. Pure.

import type { FileProgress, PresignedSegment, SessionLook } from './ports';

export type NextStep =
  | 'open'
  /** Some segments are not sent yet. */
  | 'send'
  /** All bytes are sent, the completion is not known to be. */
  | 'report'
  | 'await'
  | 'done';

/**
 * What to do with a file that may have been under way before. Unlinked uploads are deleted after 24
 * hours, so old ones are not built on.
 */
export function chooseNextStep(
  progress: FileProgress | undefined,
  at: { segmentCount: number; nowMs: number; sessionMaxAgeMs: number },
): NextStep {
  if (progress === undefined || progress.partEtags.length !== at.segmentCount) return 'open';
  if (at.nowMs - progress.openedAtMs >= at.sessionMaxAgeMs) return 'open';
  if (progress.available) return 'done';
  if (progress.finished) return 'await';
  return progress.partEtags.includes(null) ? 'send' : 'report';
}

export type SessionState = 'available' | 'finished' | 'wants-segments' | 'unusable';

/**
 * What a look says about going on. A status this build does not know, with nothing asked for,
 * counts as taken over by the service.
 */
export function readLook(look: SessionLook): SessionState {
  if (look.kind === 'gone') return 'unusable';
  if (look.status === 'available') return 'available';
  if (look.status === 'complete') return 'finished';
  if (look.status === 'other' && look.freshSegments.length === 0) return 'finished';
  return 'wants-segments';
}

/**
 * Pairs fresh addresses with segments. They come for the segments not yet *reported*, in order: either for
 * all (nothing was reported) or for exactly those we have not sent; with any other number they cannot be told
 * apart, and `undefined` is answered.
 */
export function matchFreshSegments(
  partEtags: readonly (string | null)[],
  fresh: readonly PresignedSegment[],
): (PresignedSegment | undefined)[] | undefined {
  if (fresh.length === partEtags.length) return [...fresh];
  const missing = partEtags.filter(etag => etag === null).length;
  if (fresh.length === 0 || fresh.length !== missing) return undefined;
  let next = 0;
  return partEtags.map(etag => (etag === null ? fresh[next++] : undefined));
}
