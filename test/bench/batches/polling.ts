// Row 12: what 500 batches that wait for the service's analysis do to those that go on: what they take of the
// rate limit, which slots of the worker they hold, and how many of them come back at once when a window ends.
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { isServiceError } from '../../../activities/service/errors';
import { type AcquireInput, HeaderRateGate, type Permit } from '../../../activities/service/rate/rate-gate';
import { Rig } from '../../setup/rig';
import { type Figure, forInformation, row } from '../figures';
import { TEMPORAL_METRICS } from '../temporal-metrics';
import { bringToWait, NEVER_MS, SHARE_BESIDE, tooFew, WAITING_SHARE } from '../waiting-batches';
import { type Asked, behindLooks, LONG_MS, waitedMs } from './waits';

/**
 * An hour of the service lasts two minutes, its short window two seconds (a reset header can say nothing
 * finer than a second). As of 3,600 requests at 25 in 10 s, two fifths of the hour are enough to spend it;
 * and it holds more than there are batches, so that all of them could come back at its end.
 */
const SCALE = 30;
const LIMITS = { hourly: 600, spike: 25, spikeWindowSeconds: 2 * SCALE };
const HOUR_MS = 3_600_000 / SCALE;
/** Dropped one after the other while the others wait: what goes on beside them. */
const QUICK = 10;
const QUICK_EVERY_MS = 10_000;
const SAMPLE_MS = 100;
/** A look waits no longer than this for its permit; who makes a document go on does. */
const LOOK_WAITS_MS = 1_000;

export async function benchPolling(): Promise<Figure[]> {
  const rig = await Rig.start({
    sandbox: { timeScale: SCALE, limits: null, analysisMs: [NEVER_MS, NEVER_MS] },
    share: {
      ...WAITING_SHARE,
      // Not scaled, and as rare as the limit is just too small for: looks cost this machine, too.
      analysis: { firstLook: 30_000, every: 30_000, typical: 30_000, for: 30 * 60_000 },
    },
    moreShares: [SHARE_BESIDE],
  });
  const gate = watchGate();
  try {
    await rig.startWorker();
    const waiting = await bringToWait(rig);
    await rig.control.configure({ limits: LIMITS, analysisMs: [10_000, 30_000] });
    // That there is an hour nobody knows before it was spent for the first time.
    await delay(HOUR_MS);
    const sinceMs = performance.now();
    const since = (await rig.control.operations()).at(-1)?.seq ?? 0;
    const [slots] = await Promise.all([sampleSlots(rig, HOUR_MS + 20_000), dropQuick(rig)]);
    const endMs = performance.now();
    const asked = gate.asked.filter(({ atMs }) => atMs >= sinceMs);
    const looks = asked.filter(({ isLook }) => isLook);
    const others = asked.filter(({ isLook }) => !isLook);
    const operations = await rig.control.operations(since);
    const paid = operations.filter(
      ({ kind, route }) => kind === 'request' && !/^(storage|oauth)\./.test(route),
    );
    return [
      row('submitsBehind', tooFew(waiting) ?? behindLooks(others, looks, endMs).length),
      row('slotsWaiting', tooFew(waiting) ?? slots),
      row('herd', tooFew(waiting) ?? (fullestSecond(looks) / waiting) * 100),
      forInformation('batches that waited', waiting, '', 0),
      forInformation('looks that asked for a permit', looks.length, '', 0),
      forInformation('of them got one', looks.filter(({ givenMs }) => givenMs !== undefined).length, '', 0),
      forInformation('other requests that asked for one', others.length, '', 0),
      forInformation(
        'of them waited more than 1 s',
        others.filter(one => waitedMs(one, endMs) > LONG_MS).length,
        '',
        0,
      ),
      forInformation(
        'their longest wait',
        Math.max(...others.map(one => waitedMs(one, endMs))) / 1_000,
        's',
        1,
      ),
      forInformation(
        'got none: told to come back, or given up',
        others.filter(({ endsMs }) => endsMs !== undefined).length,
        '',
        0,
      ),
      forInformation(
        'got none by the end',
        others.filter(({ givenMs, endsMs }) => givenMs === undefined && endsMs === undefined).length,
        '',
        0,
      ),
      forInformation('requests answered 429', paid.filter(({ status }) => status === 429).length, '', 0),
    ];
  } finally {
    gate.stop();
    await rig.close();
  }
}

/** Every request of the worker, which runs in this process; when it was given leave to go, or sent away. */
function watchGate(): { readonly asked: readonly Asked[]; stop(): void } {
  const asked: Asked[] = [];
  const { acquire } = HeaderRateGate.prototype;
  HeaderRateGate.prototype.acquire = async function (input: AcquireInput): Promise<Permit> {
    const one: Asked = { isLook: input.maxWaitMs <= LOOK_WAITS_MS, atMs: performance.now() };
    asked.push(one);
    try {
      const permit = await acquire.call(this, input);
      one.givenMs = performance.now();
      return permit;
    } catch (error) {
      one.endsMs = performance.now() + msToComeBack(error);
      throw error;
    }
  };
  return {
    asked,
    stop: () => {
      HeaderRateGate.prototype.acquire = acquire;
    },
  };
}

function msToComeBack(error: unknown): number {
  if (!isServiceError(error) || error.code !== 'RATE_LIMITED') return 0;
  return Math.max(0, error.retryAtMs - Date.now());
}

/** Of any second, the most that came. */
function fullestSecond(looks: readonly Asked[]): number {
  const times = looks.map(({ atMs }) => atMs).sort((one, other) => one - other);
  let first = 0;
  let most = 0;
  for (const [last, atMs] of times.entries()) {
    while ((times[first] ?? atMs) < atMs - 1_000) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** Slots of the worker that are in use, most of the time: the middle of all samples. */
async function sampleSlots(rig: Rig, forMs: number): Promise<number> {
  const samples: number[] = [];
  for (const end = performance.now() + forMs; performance.now() < end; await delay(SAMPLE_MS))
    samples.push(await countSlots(rig.temporal.namespace));
  return samples.sort((one, other) => one - other)[Math.floor(samples.length / 2)] ?? Number.NaN;
}

async function countSlots(namespace: string): Promise<number> {
  const text = await (await request(`http://${TEMPORAL_METRICS.address}/metrics`)).body.text();
  const used = text
    .split('\n')
    .filter(
      line =>
        line.startsWith('temporal_worker_task_slots_used{') &&
        line.includes(`namespace="${namespace}"`) &&
        line.includes('worker_type="ActivityWorker"'),
    );
  return used.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function dropQuick(rig: Rig): Promise<void> {
  for (let at = 0; at < QUICK; at += 1) {
    rig.dropFiles({ [`quick-${at}.pdf`]: `%PDF-1.7 quick ${at}` }, SHARE_BESIDE);
    await delay(QUICK_EVERY_MS);
  }
}
