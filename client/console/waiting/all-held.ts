// What is held on the shares of this page: what runs say, and for those that do not reply what lies on the
// shares.
import type { ConsoleDeps, ConsoleShare } from '../serve/module';
import { within } from '../serve/within';
import type { HeldBatch, HeldListing, HeldNow } from './held-listing';
import { listHeldOnShare } from './held-on-share';

/** A share is read for all who ask within this time, and not again while it is being read. */
const FRESH_MS = 10_000;
/** It is waited for no longer than that; then what was read of it before is told. */
const PATIENCE_MS = 2_000;

interface Lying {
  held: readonly HeldBatch[];
  readMs: number;
  reading: Promise<void> | undefined;
}

interface AllHeldDeps {
  readonly deps: Pick<ConsoleDeps, 'shares' | 'now'>;
  readonly listing: Pick<HeldListing, 'list'>;
}

export class AllHeld {
  readonly #deps: AllHeldDeps;
  /** What lies on each share, by its name. */
  readonly #lying = new Map<string, Lying>();

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
    const read = this.#deps.deps.shares().map(async share => await this.#readShare(share));
    return (await Promise.all(read)).flat();
  }

  async #readShare(share: ConsoleShare): Promise<readonly HeldBatch[]> {
    const { name } = share.config;
    const nowMs = () => this.#deps.deps.now().getTime();
    const lying: Lying = this.#lying.get(name) ?? { held: [], readMs: -FRESH_MS, reading: undefined };
    this.#lying.set(name, lying);
    if (lying.reading === undefined && nowMs() - lying.readMs >= FRESH_MS) {
      lying.reading = listHeldOnShare(share).then(held => {
        Object.assign(lying, { held, readMs: nowMs(), reading: undefined });
      });
    }
    if (lying.reading !== undefined) await within(PATIENCE_MS, lying.reading);
    return lying.held;
  }
}
