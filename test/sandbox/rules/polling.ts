/** How often an upload is looked at while its analysis runs (specification, Limits: ML polling). */
import type { DocumentUpload } from '../entities';
import type { RouteRequest } from '../http/route';
import type { World } from '../world';

/**
 * The first look comes so long after COMPLETED, and each other one so long after the one before; unscaled.
 */
const SOONEST_MS = 5_000;
/** Timers and clocks are no better than that; of real time. */
const TOLERANCE_MS = 20;

/** A second look at what nobody has written meanwhile, sooner than the specification allows. */
export function noticePolling(world: World, request: RouteRequest, upload: DocumentUpload): void {
  const isRunning = [upload.analysis, upload.scraping].some(({ status }) => status === 'in_progress');
  if (!isRunning) return;
  const now = world.now();
  const { polled, latestEventId } = upload;
  if (polled?.eventId === latestEventId) {
    const afterMs = now - polled.at;
    if (afterMs + TOLERANCE_MS < SOONEST_MS / world.settings.timeScale)
      world.log.remark('polled-too-soon', request.route, request.number, { uploadId: upload.id, afterMs });
  }
  upload.polled = { at: now, eventId: latestEventId };
}
