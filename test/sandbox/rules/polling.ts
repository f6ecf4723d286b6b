/** How often an upload is looked at while its analysis runs (specification, Limits: ML polling). */
import type { DocumentUpload } from '../entities';
import type { RouteRequest } from '../http/route';
import type { World } from '../world';

/**
 * The first look comes so long after COMPLETED, and each other one so long after the one before; unscaled, as
 * are those below.
 */
const SOONEST_MS = 5_000;
/** Polling stops so long after COMPLETED. */
const LONGEST_MS = 3 * 60_000;
/**
 * Two looks further apart than this are no polling, which goes on after ten seconds at most: an operator
 * asks, or a document waits for a person and is looked at again once in a while.
 */
const APART_MS = 20_000;
/** Timers and clocks are no better than that; of real time. */
const TOLERANCE_MS = 20;

/**
 * Looks of a kind that the specification does not allow: too soon after COMPLETED, or after a look since
 * which nobody has written; or polling that goes on after its time. The look that finds the time spent is its
 * last.
 */
export function noticePolling(world: World, request: RouteRequest, upload: DocumentUpload): void {
  const isRunning = [upload.analysis, upload.scraping].some(({ status }) => status === 'in_progress');
  if (!isRunning) return;
  const now = world.now();
  const scaled = (ms: number) => ms / world.settings.timeScale;
  const { polled, latestEventId, completedAt = now } = upload;
  upload.polled = { at: now, eventId: latestEventId };
  if (polled !== undefined && polled.eventId !== latestEventId) return;
  const afterMs = now - (polled?.at ?? completedAt);
  if (afterMs + TOLERANCE_MS < scaled(SOONEST_MS))
    world.log.remark('polled-too-soon', request.route, request.number, { uploadId: upload.id, afterMs });
  const wasSpent = polled !== undefined && polled.at - completedAt > scaled(LONGEST_MS);
  if (wasSpent && afterMs < scaled(APART_MS))
    world.log.remark('polled-too-long', request.route, request.number, { uploadId: upload.id, afterMs });
}
