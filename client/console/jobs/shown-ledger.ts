// The ledger of a share, for whoever looks something up in it: its index is brought up to date in the
// background, and asked as it is.
import type { LedgerDocument } from '../../../activities/ledger/index-keys';
import type { LedgerIndex } from '../../../activities/ledger/ledger-index';
import type { Share } from '../../../activities/share/share';
import { findDocuments } from '../../explain/find-documents';

const FOLLOW_AGAIN_MS = 60_000;

export class ShownLedger {
  readonly #share: Share;
  readonly #index: LedgerIndex;
  readonly #nowMs: () => number;
  readonly #after: Promise<void>;
  readonly #end = new AbortController();
  #followedMs = Number.NEGATIVE_INFINITY;
  #isWanted = true;
  #following: Promise<void> | undefined;

  /** @param after what is waited for first: indexing a million documents keeps the process busy a minute. */
  constructor(share: Share, index: LedgerIndex, nowMs: () => number, after: Promise<void>) {
    this.#share = share;
    this.#index = index;
    this.#nowMs = nowMs;
    this.#after = after;
  }

  /** @param isNews something was submitted. */
  refresh(isNews: boolean): void {
    this.#isWanted ||= isNews || this.#nowMs() - this.#followedMs > FOLLOW_AGAIN_MS;
    if (!this.#isWanted || this.#end.signal.aborted) return;
    this.#following ??= (async () => {
      await this.#after;
      this.#isWanted = false;
      // The share may be away, or another process may be reading it just now: it is tried again.
      await this.#index.follow(this.#share.ledger, { signal: this.#end.signal }).catch(() => undefined);
      this.#followedMs = this.#nowMs();
      this.#following = undefined;
    })();
  }

  async settled(): Promise<void> {
    await this.#following;
  }

  /** Nothing until the ledger was read to its end once. */
  async find(wanted: string): Promise<readonly LedgerDocument[]> {
    const sha256 = /^[0-9a-f]{64}$/i.test(wanted) ? wanted.toLowerCase() : undefined;
    return await findDocuments(this.#index, this.#share, wanted, sha256).catch(() => []);
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#following;
    await this.#index.close();
  }
}
