// What is away that a job waits for. Temporal is asked in the background, of the job that somebody looks at:
// what was heard last is told meanwhile.
import type { Client } from '@temporalio/client';
import { keepFew } from '../../../activities/host/keep-few';
import type { StatusOutage } from '../../../activities/registers/status/status-facts';
import type { ShareConfig } from '../../../activities/share/share-config';
import { Outages } from '../../status/outages';
import { waitingIn } from '../../status/waiting-in';
import type { SeenJob } from './seen-job';

const MOST_KEPT = 100;

export interface LiveOutagesDeps {
  /** Rejects while Temporal is away. */
  readonly temporal: () => Promise<Client>;
  readonly nowMs: () => number;
}

export class LiveOutages {
  readonly #deps: LiveOutagesDeps;
  /** By share: the ids of jobs of two shares may be the same. */
  readonly #shares = new Map<string, Outages>();
  readonly #heard = new Map<string, readonly StatusOutage[]>();

  constructor(deps: LiveOutagesDeps) {
    this.#deps = deps;
  }

  /** @param onNews told when something else is heard than before. */
  of(job: SeenJob, share: ShareConfig, onNews: () => void): readonly StatusOutage[] {
    const key = `${job.share}/${job.id}`;
    const onTheWay = job.parts.filter(({ rows }) => rows.some(({ outcome }) => outcome === 'open'));
    const before = this.#heard.get(key) ?? [];
    if (onTheWay.length === 0) return [];
    const batchIds = onTheWay.map(({ batchId }) => batchId);
    void this.#outagesOf(share)
      .of(job.id, batchIds)
      .then(heard => {
        keepFew(this.#heard, key, heard, MOST_KEPT);
        if (JSON.stringify(heard) !== JSON.stringify(before)) onNews();
      });
    return before;
  }

  #outagesOf(share: ShareConfig): Outages {
    const { temporal, nowMs } = this.#deps;
    const known = this.#shares.get(share.name);
    if (known !== undefined) return known;
    const waitsFor = async (batchId: string) => await waitingIn(await temporal(), share)(batchId);
    const outages = new Outages({ waitsFor, nowMs });
    this.#shares.set(share.name, outages);
    return outages;
  }
}
