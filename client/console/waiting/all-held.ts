// What is held on the shares of this page: what runs say, and for those that do not reply what lies on the
// shares.
import type { ConsoleDeps } from '../serve/module';
import type { HeldBatch, HeldListing, HeldNow } from './held-listing';
import { listHeldOnShare } from './held-on-share';

/** Shares are read for all who ask within this time. */
const FRESH_MS = 3_000;

interface AllHeldDeps {
  readonly deps: Pick<ConsoleDeps, 'shares' | 'now'>;
  readonly listing: Pick<HeldListing, 'list'>;
}

export class AllHeld {
  readonly #deps: AllHeldDeps;
  #readMs = Number.NEGATIVE_INFINITY;
  #lying: Promise<readonly HeldBatch[]> | undefined;

  constructor(deps: AllHeldDeps) {
    this.#deps = deps;
  }

  /**
   * A share is behind a run that replied: it has a document as held after it was answered, until its outcome.
   * Temporal may carry batches of shares that are configured elsewhere: nobody can answer for these here.
   */
  async list(): Promise<HeldNow> {
    const now = await this.#deps.listing.list();
    const shares = new Set(this.#deps.deps.shares().map(({ config }) => config.name));
    const batches = now.batches.filter(({ share }) => shares.has(share));
    if (!now.isOld) return { ...now, batches };
    const known = new Set([...now.replied, ...batches.map(({ batchId }) => batchId)]);
    const lying = (await this.#readShares()).filter(({ batchId }) => !known.has(batchId));
    return { ...now, batches: [...batches, ...lying] };
  }

  async #readShares(): Promise<readonly HeldBatch[]> {
    const { shares, now } = this.#deps.deps;
    const nowMs = now().getTime();
    if (this.#lying === undefined || nowMs - this.#readMs >= FRESH_MS) {
      this.#readMs = nowMs;
      this.#lying = Promise.all(shares().map(listHeldOnShare)).then(all => all.flat());
    }
    return await this.#lying;
  }
}
