// What sending would cost: requests, and how long the limit makes them take. An estimate, said as one. Pure.
import type { SeenLimit } from '../service/rate/shared-rate-gate';

export interface Cost {
  /** Of documents that would be sent, and their bytes. */
  readonly documents: number;
  readonly bytes: number;
  /** By whether the service shows all uploads of a batch at once. */
  readonly requests: { readonly least: number; readonly most: number };
  /**
   * How long the limit makes `most` requests take; null while the service has not told of a limit. What the
   * line and the service's own work take comes on top.
   */
  readonly limitMs: number | null;
}

/** Opening, completing and awaiting its file; and looking at its upload, where that is one request each. */
const FOR_EACH = { least: 3, most: 5 };
/** Creating, linking, naming, looking, submitting: once for all of a batch. */
const FOR_BATCH = 12;
/** How long the windows of limits are: the longest time to a reset that was told lies within one of them. */
const WINDOWS_MS = [10_000, 60_000, 3_600_000, 86_400_000];

export function estimateCost(
  batches: readonly { readonly documents: number; readonly bytes: number }[],
  limits: readonly SeenLimit[],
): Cost {
  const sending = batches.filter(({ documents }) => documents > 0);
  const documents = sending.reduce((sum, batch) => sum + batch.documents, 0);
  const bytes = sending.reduce((sum, batch) => sum + batch.bytes, 0);
  const requests = {
    least: FOR_EACH.least * documents + FOR_BATCH * sending.length,
    most: FOR_EACH.most * documents + FOR_BATCH * sending.length,
  };
  const waits = limits.map(limit => waitFor(requests.most, limit));
  return { documents, bytes, requests, limitMs: waits.length === 0 ? null : Math.max(...waits) };
}

/** Milliseconds until the windows of this limit have let the last of the requests go. */
function waitFor(requests: number, { limit, remaining, resetInMs, longestMs }: SeenLimit): number {
  const later = requests - remaining;
  if (later <= 0) return 0;
  const windowMs = WINDOWS_MS.find(each => each >= longestMs) ?? longestMs;
  return resetInMs + (Math.ceil(later / Math.max(1, limit)) - 1) * windowMs;
}
