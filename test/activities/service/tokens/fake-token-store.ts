// A token store in memory, which several token sources can share as processes share a file.
import type { TokenRecord, TokenStore } from '../../../../activities/service/tokens/token-store';

export class FakeTokenStore implements TokenStore {
  saved: TokenRecord[] = [];
  /** Makes the coming saves fail. */
  failingSaves = 0;
  /** Saves that go through before the failing ones. */
  savesBeforeFailure = 0;
  #text: string | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #isLocked = false;

  /** What reading fails with. */
  loadFault: Error | undefined;

  async load(): Promise<TokenRecord | null> {
    if (this.loadFault !== undefined) throw this.loadFault;
    return await this.record();
  }

  /** What lies there, for tests. */
  async record(): Promise<TokenRecord | null> {
    return this.#text === null ? null : (JSON.parse(this.#text) as TokenRecord);
  }

  async stamp(): Promise<string | null> {
    return this.#text;
  }

  async save(record: TokenRecord): Promise<void> {
    if (!this.#isLocked) throw new Error('saved without the lock');
    if (this.failingSaves > 0) {
      if (this.savesBeforeFailure > 0) this.savesBeforeFailure -= 1;
      else {
        this.failingSaves -= 1;
        throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      }
    }
    this.#text = JSON.stringify(record);
    this.saved.push(record);
  }

  /** Puts a record there, as an earlier process left it. */
  plant(record: TokenRecord): void {
    this.#text = JSON.stringify(record);
  }

  async lock<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#queue.then(async () => {
      this.#isLocked = true;
      try {
        return await work();
      } finally {
        this.#isLocked = false;
      }
    });
    this.#queue = turn.catch(() => undefined);
    return await turn;
  }
}
