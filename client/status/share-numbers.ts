// What lies on a share just now, in numbers: its drop folder and its batches. Read only, and in bounded time.
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../activities/host/clock';
import type { Metrics, Sample } from '../../activities/host/metrics';
import type { BatchState, OpenBatch } from '../../activities/share/claim/open-batches';
import type { DropFolder, NamedShare, OpenBatches } from '../../activities/share/share';

export interface ShareNumbers {
  /** In the drop folder; `isMore`: there are more, they were not counted. */
  readonly files: number;
  readonly isMore: boolean;
  /**
   * Unix ms since when the oldest has been there at the least; null without one. By our own looks: a copy
   * keeps the time of the file that it was made of.
   */
  readonly oldestMs: number | null;
  readonly batches: Readonly<Partial<Record<BatchState | 'stopped', number>>>;
}

type CountedShare = NamedShare & Pick<DropFolder, 'scan'> & OpenBatches;

const MOST_COUNTED = 20_000;
const FRESH_MS = 10_000;
const WITHIN_MS = 3_000;

/** @param seen by name, Unix ms of the look that met it first; kept up to date. */
async function countOnShare(share: CountedShare, seen: Map<string, number>): Promise<ShareNumbers> {
  const enough = new AbortController();
  const nowMs = systemClock.wallMs();
  const present = new Set<string>();
  let isMore = false;
  for await (const { path } of share.scan({ signal: enough.signal })) {
    if (present.size >= MOST_COUNTED) {
      isMore = true;
      enough.abort();
      break;
    }
    present.add(path);
    if (!seen.has(path)) seen.set(path, nowMs);
  }
  for (const path of seen.keys()) if (!present.has(path)) seen.delete(path);
  // Names were added in the order of time.
  const [oldestMs = null] = seen.values();
  return { ...(await toNumbers(share)), files: present.size, isMore, oldestMs };
}

async function toNumbers(share: OpenBatches): Promise<Pick<ShareNumbers, 'batches'>> {
  const batches: Partial<Record<BatchState | 'stopped', number>> = {};
  for (const batch of await share.openBatches()) {
    const state = stateOf(batch);
    batches[state] = (batches[state] ?? 0) + 1;
  }
  return { batches };
}

function stateOf({ state, isStopped }: OpenBatch): BatchState | 'stopped' {
  return isStopped ? 'stopped' : state;
}

/** Counts of shares for whoever asks often: looked at seldom, and never twice at one time. */
export class SharesInNumbers {
  readonly #shares: () => readonly CountedShare[];
  readonly #nowMs: () => number;
  readonly #seen = new Map<string, Map<string, number>>();
  readonly #looks = new Map<string, { atMs: number; going: Promise<void>; last: ShareNumbers | undefined }>();

  /** @param nowMs a monotonic clock. */
  constructor(shares: () => readonly CountedShare[], nowMs: () => number = systemClock.monotonicMs) {
    this.#shares = shares;
    this.#nowMs = nowMs;
  }

  /** Undefined for a share that does not answer now. */
  async read(): Promise<ReadonlyMap<string, ShareNumbers | undefined>> {
    const found = await Promise.all(
      this.#shares().map(async share => [share.name, await this.#readOne(share)] as const),
    );
    return new Map(found);
  }

  async #readOne(share: CountedShare): Promise<ShareNumbers | undefined> {
    let look = this.#looks.get(share.name);
    if (look === undefined || this.#nowMs() - look.atMs >= FRESH_MS) {
      const made = { atMs: Number.POSITIVE_INFINITY, going: Promise.resolve(), last: look?.last };
      // A mount that hangs keeps this one look, and gets no other.
      const seen = this.#seen.get(share.name) ?? new Map<string, number>();
      this.#seen.set(share.name, seen);
      made.going = countOnShare(share, seen)
        .then(
          numbers => numbers,
          () => undefined,
        )
        .then(numbers => {
          made.last = numbers;
          made.atMs = this.#nowMs();
        });
      this.#looks.set(share.name, made);
      look = made;
    }
    const inTime = new AbortController();
    const isLate = await Promise.race([
      look.going.then(() => false),
      delay(WITHIN_MS, true, { signal: inTime.signal, ref: false }).catch(() => false),
    ]);
    inTime.abort();
    return isLate ? undefined : look.last;
  }
}

export function addShareMetrics(metrics: Metrics, numbers: SharesInNumbers): void {
  const each = async (toSamples: (share: string, seen: ShareNumbers) => readonly Sample[]) =>
    [...(await numbers.read())].flatMap(([share, seen]) =>
      seen === undefined ? [] : toSamples(share, seen),
    );
  metrics.gauge('drawbridge_drop_files', 'Files in the drop folder, up to 20,000.', () =>
    each((share, { files }) => [{ labels: { share }, value: files }]),
  );
  metrics.gauge(
    'drawbridge_drop_oldest_seconds',
    'For how long a file has been in the drop folder at least, by the looks since the start.',
    () =>
      each((share, { oldestMs }) =>
        oldestMs === null
          ? []
          : [
              {
                labels: { share },
                value: Math.max(0, Math.round((systemClock.wallMs() - oldestMs) / 1_000)),
              },
            ],
      ),
  );
  metrics.gauge('drawbridge_batches', 'Batches on the share that are not put away, by state.', () =>
    each((share, { batches }) =>
      Object.entries(batches).map(([state, value]) => ({ labels: { share, state }, value })),
    ),
  );
}
