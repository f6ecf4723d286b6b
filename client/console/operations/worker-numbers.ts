// What workers count, of this process and of others. Those of others are read where they serve them anyway
// (their `metrics.listen`): nothing is written for it, on no share and in no folder.
import { forEachLimited } from '../../../activities/host/concurrency';
import { IncidentLog } from '../../../activities/host/incident-log';
import { parseSamples, type ReadSample } from '../../../activities/host/read-metrics';
import type { SeenLimit } from '../../../activities/service/rate/shared-rate-gate';
import type { Logger } from '../../../workers/logging';
import { ANSWER_SECONDS, type WorkMetrics } from '../../../workers/metrics/work-metrics';
import { COUNTED } from '../contract/operations';
import { tellEach } from './tell-each';

const ANSWERS_WITHIN_MS = 2_000;
const MOST_BYTES = 4 * 1024 * 1024;
const AT_ONCE = 8;

const ASKED = ['api', 'storage', 'authentication'] as const;
export type AskedDependency = (typeof ASKED)[number];

export interface Counts extends Readonly<Record<(typeof COUNTED)[number], number>> {
  /** Responses by the time they took: a count for each bound of `ANSWER_SECONDS`, and one beyond. */
  readonly times: readonly number[];
}

interface WorkerNumbers {
  readonly limits: readonly SeenLimit[];
  /** Unix ms; null where nothing is told of it. */
  readonly tokenUntilMs: number | null;
  /** Unix ms: when each was seen to answer last. */
  readonly answeredMs: Readonly<Partial<Record<AskedDependency, number>>>;
  readonly counts: Counts;
}

/** Of all workers whose numbers are known. */
export interface KnownNumbers extends WorkerNumbers {
  /** Of other processes; null: none is named. */
  readonly others: {
    readonly named: number;
    readonly telling: number;
    readonly versions: readonly string[];
  } | null;
}

export const NOTHING_COUNTED: Counts = { ...tellEach(COUNTED, () => 0), times: [] };

export class WorkersInNumbers {
  readonly #own: WorkMetrics | undefined;
  readonly #addresses: readonly string[];
  readonly #logger: Pick<Logger, 'info' | 'warn'>;
  readonly #before = new Map<string, Counts>();
  readonly #silent = new IncidentLog();
  /** Only ever grows, also when a worker begins anew. */
  #all = NOTHING_COUNTED;

  constructor(
    own: WorkMetrics | undefined,
    addresses: readonly string[],
    logger: Pick<Logger, 'info' | 'warn'>,
  ) {
    this.#own = own;
    this.#addresses = addresses;
    this.#logger = logger;
  }

  /** Undefined: no worker tells anything here. */
  async read(nowMs: number): Promise<KnownNumbers | undefined> {
    const told: WorkerNumbers[] = [];
    const versions = new Set<string>();
    if (this.#own !== undefined) told.push(this.#count('', toOwnNumbers(this.#own), NOTHING_COUNTED));
    await forEachLimited(this.#addresses, AT_ONCE, async address => {
      const text = await readText(`http://${address}/metrics`).catch(() => undefined);
      this.#tellSilence(address, text === undefined);
      if (text === undefined) return;
      const samples = parseSamples(text);
      // What it counted before we looked is of a time that nobody knows.
      const numbers = toNumbers(samples, nowMs);
      told.push(this.#count(address, numbers, numbers.counts));
      versions.add(samples.find(({ name }) => name === 'drawbridge_info')?.labels.version ?? 'unknown');
    });
    if (told.length === 0 && this.#addresses.length === 0) return undefined;
    const telling = told.length - (this.#own === undefined ? 0 : 1);
    return {
      ...merge(told),
      counts: this.#all,
      others:
        this.#addresses.length === 0
          ? null
          : {
              named: this.#addresses.length,
              telling,
              versions: [...versions].sort((one, other) => (one < other ? -1 : 1)),
            },
    };
  }

  /** @param first what counts as known already when it is seen first. */
  #count(worker: string, numbers: WorkerNumbers, first: Counts): WorkerNumbers {
    const { counts } = numbers;
    const before = this.#before.get(worker) ?? first;
    // Fewer than before: it has begun anew.
    const since = counts.requests < before.requests ? NOTHING_COUNTED : before;
    this.#before.set(worker, counts);
    const all = this.#all;
    this.#all = {
      ...tellEach(COUNTED, name => all[name] + Math.max(0, counts[name] - since[name])),
      times: counts.times.map(
        (count, place) => (all.times[place] ?? 0) + Math.max(0, count - (since.times[place] ?? 0)),
      ),
    };
    return numbers;
  }

  /** Logs once when a worker falls silent, and once when it tells again. */
  #tellSilence(worker: string, isSilent: boolean): void {
    if (isSilent) {
      if (!this.#silent.begins(worker)) return;
      this.#logger.warn({ event: 'console-worker-silent', worker }, 'A worker does not tell its numbers');
    } else if (this.#silent.ends(worker)) {
      this.#logger.info({ event: 'console-worker-tells', worker }, 'A worker tells its numbers again');
    }
  }
}

function toOwnNumbers(work: WorkMetrics): WorkerNumbers {
  return {
    limits: work.limits,
    tokenUntilMs: work.token?.expiresAtMs ?? null,
    answeredMs: Object.fromEntries(
      ASKED.flatMap(each => {
        const atMs = work.answeredMs(each);
        return atMs === undefined ? [] : [[each, atMs]];
      }),
    ),
    counts: {
      submitted: work.documents.sum(({ outcome }) => outcome === 'submitted'),
      setApart: work.documents.sum(({ outcome }) => outcome === 'set-apart'),
      bytes: work.bytes.sum(),
      requests: work.requests.sum(),
      refused: work.requests.sum(({ status }) => status === '429'),
      times: work.responseTimes.counts(),
    },
  };
}

function toNumbers(samples: readonly ReadSample[], nowMs: number): WorkerNumbers {
  const all = (name: string) => samples.filter(each => each.name === `drawbridge_${name}`);
  const sum = (found: readonly ReadSample[]) => found.reduce((total, { value }) => total + value, 0);
  const inWindow = (name: string, window: string | undefined) =>
    all(name).find(({ labels }) => labels.window === window)?.value ?? 0;
  const [token] = all('token_expires_seconds');
  const upTo = [...ANSWER_SECONDS.map(String), '+Inf'].map(le =>
    sum(all('request_seconds_bucket').filter(({ labels }) => labels.le === le)),
  );
  return {
    limits: all('rate_limit').map(({ labels: { window }, value: limit }) => ({
      limit,
      remaining: inWindow('rate_remaining', window),
      resetInMs: inWindow('rate_reset_seconds', window) * 1_000,
      longestMs: inWindow('rate_window_seconds', window) * 1_000,
    })),
    tokenUntilMs: token === undefined ? null : nowMs + token.value * 1_000,
    answeredMs: Object.fromEntries(
      all('dependency_answered_seconds').map(({ labels, value }) => [
        labels.dependency,
        nowMs - value * 1_000,
      ]),
    ),
    counts: {
      submitted: sum(all('documents_total').filter(({ labels }) => labels.outcome === 'submitted')),
      setApart: sum(all('documents_total').filter(({ labels }) => labels.outcome === 'set-apart')),
      bytes: sum(all('sent_bytes_total')),
      requests: sum(all('requests_total')),
      refused: sum(all('requests_total').filter(({ labels }) => labels.status === '429')),
      times: upTo.map((count, place) => count - (upTo[place - 1] ?? 0)),
    },
  };
}

/** Workers of one account share its limits: of each, the one with the least remaining knows best. */
function merge(told: readonly WorkerNumbers[]): Omit<WorkerNumbers, 'counts'> {
  const limits = new Map<number, SeenLimit>();
  for (const limit of told.flatMap(each => each.limits)) {
    const known = limits.get(limit.limit);
    if (known === undefined || limit.remaining < known.remaining) limits.set(limit.limit, limit);
  }
  const tokens = told.flatMap(({ tokenUntilMs }) => tokenUntilMs ?? []);
  return {
    limits: [...limits.values()].sort((one, other) => one.limit - other.limit),
    tokenUntilMs: tokens.length === 0 ? null : Math.min(...tokens),
    answeredMs: Object.fromEntries(
      ASKED.flatMap(each => {
        const seen = told.flatMap(({ answeredMs }) => answeredMs[each] ?? []);
        return seen.length === 0 ? [] : [[each, Math.max(...seen)]];
      }),
    ),
  };
}

/** @throws when no response comes in time, or one that is no success or is larger than `MOST_BYTES`. */
async function readText(address: string): Promise<string> {
  const response = await fetch(address, {
    redirect: 'error',
    // Asked so seldom that a connection that was kept may be to a worker that has ended.
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
  });
  if (!response.ok || response.body === null) throw new Error(`It answers ${response.status}`);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body) {
    size += part.length;
    if (size > MOST_BYTES) throw new Error('It tells too much');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
