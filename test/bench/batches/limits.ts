// Row 3: time against what the rate limit allows, with the service's own limits.
import { type Figure, forInformation, row } from '../figures';
import { countEvents, type JobsEnd, runJobs } from './run-jobs';
import { countActions } from './temporal-cost';

/**
 * Our own work must not look many times slower than it is. A window then lasts two whole seconds: a reset
 * header can say nothing finer, and one that ended between two seconds would be waited for to the next.
 */
const SCALE = 5;
/** At its true pace: what is not scaled (how long a call waits for its permit, a load for its end) counts. */
const ONE_SCALE = 1;
const ONE_BATCH = 100;
const SPIKE_LIMIT = 25;
const SPIKE_WINDOW_S = 10;
const LIMITS = { hourly: 3_600, spike: SPIKE_LIMIT, spikeWindowSeconds: SPIKE_WINDOW_S };

export async function benchLimits(): Promise<Figure[]> {
  const one = await run(ONE_BATCH, ONE_SCALE);
  const many = await run(1_000, SCALE);
  return [
    row('wallMany', many.wallMs / floorMs(many, SCALE)),
    row('limitedMany', many.limited),
    row('wallOne', one.wallMs / floorMs(one, ONE_SCALE)),
    row('secondsOne', (one.wallMs * ONE_SCALE) / 1_000),
    // Nothing went before it: what the project asks for is among them.
    row('requestsCold', one.sum / ONE_BATCH),
    forInformation('history events of one batch at the limit', countEvents(one), '', 0),
    forInformation('billable actions of it', countActions(one), '', 0),
    forInformation('heartbeats among them', one.heartbeats, '', 0),
  ];
}

async function run(documents: number, scale: number): Promise<JobsEnd> {
  return await runJobs({ documents, sandbox: { bulkRead: true, limits: LIMITS }, scale });
}

/** The first window is free of waiting: the last request may go out when all windows before it are spent. */
function floorMs({ sum }: JobsEnd, scale: number): number {
  return ((sum / SPIKE_LIMIT - 1) * SPIKE_WINDOW_S * 1_000) / scale;
}
