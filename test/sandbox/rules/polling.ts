/** How often an upload is looked at while its analysis runs (specification, Limits: ML polling). */
import type { DocumentUpload, Polled } from '../entities';
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
 * last. One look is no polling: a document that needs nothing of the analysis is read for the event id that
 * Step 8 asks for. So the first look is objected to only once a second one follows.
 */
export function noticePolling(world: World, request: RouteRequest, upload: DocumentUpload): void {
  const isRunning = [upload.analysis, upload.scraping].some(({ status }) => status === 'in_progress');
  if (!isRunning) return;
  const at = world.now();
  const { polled, latestEventId, completedAt = at } = upload;
  const isNext = polled?.eventId === latestEventId;
  const look: Polled = {
    at,
    eventId: latestEventId,
    request: request.number,
    isFirst: polled === undefined,
    afterMs: at - (polled?.at ?? completedAt),
    after: polled === undefined ? 'COMPLETED' : `request ${polled.request}`,
  };
  upload.polled = look;
  if (polled === undefined || !isNext) return;
  const scaled = (ms: number) => ms / world.settings.timeScale;
  for (const each of polled.isFirst ? [polled, look] : [look]) {
    if (each.afterMs + TOLERANCE_MS < scaled(SOONEST_MS))
      remark(world, 'polled-too-soon', request, upload, each);
  }
  const wasSpent = polled.at - completedAt > scaled(LONGEST_MS);
  if (wasSpent && look.afterMs < scaled(APART_MS)) remark(world, 'polled-too-long', request, upload, look);
}

function remark(
  { log }: World,
  what: 'polled-too-soon' | 'polled-too-long',
  { route }: RouteRequest,
  { id }: DocumentUpload,
  { request, after, afterMs }: Polled,
): void {
  log.remark(what, route, request, { uploadId: id, after, afterMs });
}
