// What the batches of a share wait for, for their status pages: Temporal is asked what holds up a few of
// them, seldom, and not for long. Where it does not answer, nothing is told.
import type { StatusOutage } from '../../activities/registers/status/status-facts';
import type { WaitingActivity } from './incident-list';

/** What is away keeps all batches from going on: a few of them tell it. */
const MOST_ASKED = 2;
const ASK_AGAIN_MS = 15_000;

export interface OutagesDeps {
  /** What one batch waits for. */
  readonly waitsFor: (batchId: string) => Promise<readonly WaitingActivity[]>;
  /** Monotonic. */
  readonly nowMs: () => number;
}

interface Known {
  readonly askedMs: number;
  readonly outages: readonly StatusOutage[];
}

export class Outages {
  readonly #deps: OutagesDeps;
  #known = new Map<string, Known>();

  constructor(deps: OutagesDeps) {
    this.#deps = deps;
  }

  /** @param batchIds those of one job that have documents on the way. */
  async of(jobId: string, batchIds: readonly string[]): Promise<readonly StatusOutage[]> {
    const { waitsFor, nowMs } = this.#deps;
    const isFresh = ({ askedMs }: Known) => nowMs() - askedMs < ASK_AGAIN_MS;
    this.#known = new Map([...this.#known].filter(([, known]) => isFresh(known)));
    const known = this.#known.get(jobId);
    if (known !== undefined) return known.outages;
    const asked = batchIds.slice(0, MOST_ASKED).map(async batchId => await waitsFor(batchId).catch(() => []));
    const outages = toOutages((await Promise.all(asked)).flat());
    this.#known.set(jobId, { askedMs: nowMs(), outages });
    return outages;
  }
}

/** One for each that is away, with the earliest time that anybody knows. */
function toOutages(waiting: readonly WaitingActivity[]): readonly StatusOutage[] {
  const since = new Map<StatusOutage['what'], number>();
  for (const { dependency, sinceMs } of waiting) {
    // Whoever writes the page has share and Temporal: what one worker cannot reach of them is no news here.
    if (dependency === 'share' || dependency === 'temporal' || sinceMs === null) continue;
    since.set(dependency, Math.min(sinceMs, since.get(dependency) ?? Number.POSITIVE_INFINITY));
  }
  return [...since].map(([what, ms]) => ({ what, since: new Date(ms).toISOString() }));
}
