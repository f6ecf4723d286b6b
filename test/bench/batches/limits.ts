// Row 3: time against what the rate limit allows, with the service's own limits.
import { type Figure, row } from '../figures';
import { type JobsEnd, runJobs } from './run-jobs';

const A_BATCH = 100;
/**
 * Our own work must not look many times slower than it is. A window then lasts two whole seconds: a reset
 * header can say nothing finer, and one that ended between two seconds would be waited for to the next.
 */
const SCALE = 5;
const SPIKE_LIMIT = 25;
const SPIKE_WINDOW_S = 10;

export async function benchLimits(): Promise<Figure[]> {
  const one = await run(A_BATCH);
  return [
    row('wallOne', one.wallMs / floorMs(one)),
    row('secondsOne', (one.wallMs * SCALE) / 1_000),
    row('limitedMany', one.limited),
  ];
}

async function run(documents: number): Promise<JobsEnd> {
  const limits = { hourly: 3_600, spike: SPIKE_LIMIT, spikeWindowSeconds: SPIKE_WINDOW_S };
  return await runJobs({ documents, sandbox: { bulkRead: true, limits }, scale: SCALE });
}

/** The first window is free of waiting: the last request may go out when all windows before it are spent. */
function floorMs({ sum }: JobsEnd): number {
  return ((sum / SPIKE_LIMIT - 1) * SPIKE_WINDOW_S * 1_000) / SCALE;
}
