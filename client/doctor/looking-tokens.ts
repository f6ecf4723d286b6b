// The token store of somebody who only looks: what is stored is used, and nothing is stored. A service
// account gets a token for this one time; a person's login is not renewed, for that uses up what the workers
// renew it with.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FileTokenStore } from '../../activities/service/tokens/file-token-store';
import type { TokenRecord, TokenStore } from '../../activities/service/tokens/token-store';

/** What a renewal ends with, before anything is sent. */
export class NotRenewedError extends Error {
  override readonly name = 'NotRenewedError';
  readonly code = 'NOT_RENEWED';
}

export class LookingTokens implements TokenStore {
  readonly #stored: Pick<FileTokenStore, 'path' | 'load'>;
  #fresh: TokenRecord | undefined;

  constructor(stored: Pick<FileTokenStore, 'path' | 'load'>) {
    this.#stored = stored;
  }

  /** Whether the token was asked for just now. */
  get isFresh(): boolean {
    return this.#fresh !== undefined;
  }

  async load(): Promise<TokenRecord | null> {
    if (this.#fresh !== undefined) return this.#fresh;
    // Loading from the store would make its folder.
    return existsSync(dirname(this.#stored.path)) ? await this.#stored.load() : null;
  }

  async stamp(): Promise<string | null> {
    return null;
  }

  async save(record: TokenRecord): Promise<void> {
    if (record.grant === 'refresh_token') throw new NotRenewedError('A login is not renewed by a look.');
    this.#fresh = record;
  }

  async lock<Result>(work: () => Promise<Result>): Promise<Result> {
    return await work();
  }
}
