// Row 3: time against what the rate limit allows, with the service's own limits.
import { type Figure, row } from '../figures';
import { type JobsEnd, runJobs } from './run-jobs';

/**
 * Our own work must not look many times slower than it is. A window then lasts two whole seconds: a reset
 * header can say nothing finer, and one that ended between two seconds would be waited for to the next.
 */
const SCALE = 5;
const ONE_BATCH = 100;
const SPIKE_LIMIT = 25;
const SPIKE_WINDOW_S = 10;
const LIMITS = { hourly: 3_600, spike: SPIKE_LIMIT, spikeWindowSeconds: SPIKE_WINDOW_S };

export async function benchLimits(): Promise<Figure[]> {
  const one = await run(ONE_BATCH);
  const many = await run(1_000);
  return [
    row('wallMany', many.wallMs / floorMs(many)),
    row('limitedMany', many.limited),
    row('wallOne', one.wallMs / floorMs(one)),
    row('secondsOne', (one.wallMs * SCALE) / 1_000),
    // Nothing went before it: what the project asks for is among them.
    row('requestsCold', one.sum / ONE_BATCH),
  ];
}

async function run(documents: number): Promise<JobsEnd> {
  return await runJobs({ documents, sandbox: { bulkRead: true, limits: LIMITS }, scale: SCALE });
}

/** The first window is free of waiting: the last request may go out when all windows before it are spent. */
function floorMs({ sum }: JobsEnd): number {
  return ((sum / SPIKE_LIMIT - 1) * SPIKE_WINDOW_S * 1_000) / SCALE;
}
