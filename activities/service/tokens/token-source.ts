// The one way to a token. Renews ahead of expiry and after a 401, once per generation, whoever asks:
// callers of this process share one renewal, other processes find its result in the store. A new
// token is stored before it is used.

import type { Dispatcher } from 'undici';
import { type Clock, systemClock } from '../../host/clock';
import type { TokenRequest } from '../endpoints/oauth';
import { isServiceError, LoginRequiredError, MisconfiguredError, ServiceUnavailableError } from '../errors';
import type { RateGate } from '../rate/rate-gate';
import { Secret } from '../secret';
import { HttpExchanger } from '../send/http-exchange';
import type { ServiceConfig } from '../service-config';
import { type ExchangeOutcome, TokenCalls, toGrantError } from './token-calls';
import { chooseRefreshToken, emptyRecord, isRecordOf, isSignedOut, signedOutRecord } from './token-record';
import type { TokenRecord, TokenStore } from './token-store';

export interface AccessToken {
  readonly accessToken: Secret;
  /** Grows with every token obtained for this environment and client. */
  readonly generation: number;
}

export interface TokenDescription {
  readonly generation: number;
  /** Unix ms by this machine's clock; null when the service did not say. */
  readonly expiresAtMs: number | null;
  readonly grant: ServiceConfig['grant'];
}

export interface TokenSourceDeps {
  readonly config: ServiceConfig;
  readonly store: TokenStore;
  readonly dispatcher?: Dispatcher;
  /** Only used when authentication calls count against the rate limit. */
  readonly gate?: RateGate;
  readonly clock?: Clock;
  readonly logger?: {
    info(facts: Readonly<Record<string, unknown>>, message: string): void;
    warn(facts: Readonly<Record<string, unknown>>, message: string): void;
  };
}

interface CurrentToken extends AccessToken {
  /** By the monotonic clock; Infinity when the lifetime is not known. */
  readonly endsAtMs: number;
  readonly renewAtMs: number;
}

const LONGEST_MARGIN_MS = 60_000;
// While the live token still serves, a renewal that failed is tried again this much later.
const RENEWAL_PAUSE_MS = 5_000;
const LEAST_USE_MS = 1_000;
// A refresh token of unknown fate is sent once more, then never again.
const MOST_SENDS = 2;

export class TokenSource {
  readonly #config: ServiceConfig;
  readonly #store: TokenStore;
  readonly #http: HttpExchanger;
  readonly #calls: TokenCalls;
  readonly #clock: Clock;
  readonly #logger: TokenSourceDeps['logger'];
  #token: CurrentToken | undefined;
  /** The newest generation that was refused with 401: neither it nor an older one is ever given again. */
  #refused = -1;
  /** What `stamp` of the store was when it was last looked at. */
  #stamp: string | null = null;
  #renewal: Promise<CurrentToken> | undefined;
  /**
   * Obtained but not yet stored, because the disk failed: it must not be lost, for the old one is used up.
   */
  #unsaved: TokenRecord | undefined;

  constructor(deps: TokenSourceDeps) {
    this.#config = deps.config;
    this.#store = deps.store;
    this.#clock = deps.clock ?? systemClock;
    this.#http = new HttpExchanger(deps.config, deps.dispatcher, this.#clock);
    this.#calls = new TokenCalls(deps.config, this.#http, deps.gate, this.#clock);
    this.#logger = deps.logger;
  }

  /**
   * A token that should be accepted now: never one that was refused, and the newest of the
   * store, for a person may have logged in since. Throws LoginRequiredError,
   * MisconfiguredError or ServiceUnavailableError; while the present token still lives, a
   * renewal that fails is no reason not to use it.
   */
  async current(): Promise<AccessToken> {
    await this.#lookForNewer();
    const atHand = this.atHand();
    if (atHand !== undefined) return atHand;
    const token = this.#token;
    const beyond = Math.max(token?.generation ?? -1, this.#refused);
    try {
      return await this.#renewBeyond(beyond);
    } catch (error) {
      const nowMs = this.#clock.monotonicMs();
      const serves =
        token !== undefined && this.#token === token && this.#isGood(token) && nowMs < token.endsAtMs;
      if (!serves || !isServiceError(error)) throw error;
      this.#logger?.warn(
        { code: error.code, generation: token.generation },
        'token renewal failed; the old one still serves',
      );
      this.#token = { ...token, renewAtMs: Math.min(token.endsAtMs, nowMs + RENEWAL_PAUSE_MS) };
      return token;
    }
  }

  /** What `current` would give without asking anybody; undefined when it would have to. */
  atHand(): AccessToken | undefined {
    const token = this.#token;
    const isFresh = token !== undefined && this.#clock.monotonicMs() < token.renewAtMs;
    return isFresh && this.#isGood(token) ? token : undefined;
  }

  /**
   * Takes in that a token was refused with 401, and gives one of a newer generation. However many callers
   * ask, one is obtained; while none is to be had, the refused one is not given again either.
   */
  async refresh(rejectedGeneration: number): Promise<AccessToken> {
    this.refuse(rejectedGeneration);
    const token = this.#token;
    if (token !== undefined && this.#isGood(token) && this.#clock.monotonicMs() < token.endsAtMs)
      return token;
    return await this.#renewBeyond(this.#refused);
  }

  /** As `refresh`, for a caller that does not want another one now. */
  refuse(rejectedGeneration: number): void {
    this.#refused = Math.max(this.#refused, rejectedGeneration);
  }

  /** Whether a token was refused with 401, so that it must not go out any more. */
  isRefused(generation: number): boolean {
    return generation <= this.#refused;
  }

  /** What is known of the present token, without any part of it; undefined before the first. */
  describe(): TokenDescription | undefined {
    const token = this.#token;
    if (token === undefined) return undefined;
    const leftMs = token.endsAtMs - this.#clock.monotonicMs();
    return {
      generation: token.generation,
      expiresAtMs: Number.isFinite(leftMs) ? Math.round(this.#clock.wallMs() + leftMs) : null,
      grant: this.#config.grant,
    };
  }

  /**
   * Trades an authorization code (single-use, ten minutes) for the first tokens of a login and stores them,
   * whatever state the store was in. Throws LoginRequiredError when the code is refused.
   */
  async signIn(login: {
    readonly code: Secret;
    readonly redirectUri: string;
    readonly codeVerifier?: Secret;
  }): Promise<TokenDescription> {
    this.#token = await this.#store.lock(async () => {
      const record = await this.#loadOwn();
      const outcome = await this.#calls.exchange({
        grant: 'authorization_code',
        ...this.#client(),
        ...login,
      });
      // The seed is kept, so the configured first token still counts as used: sending it after this login
      // would be in vain.
      if (outcome.kind === 'granted') return await this.#keep(record, outcome, record?.seed ?? null);
      throw toGrantError(outcome, 'the authorization code was refused');
    });
    return this.describe() ?? { generation: 0, expiresAtMs: null, grant: this.#config.grant };
  }

  /**
   * Revokes the stored tokens and forgets them. Returns how many there were. When the authentication host
   * cannot be reached, nothing is forgotten and the error is thrown, unless `evenIfUnreached`: then the
   * tokens live on over there until they expire. A service account gets a new token when it next needs
   * one; a person has to log in again.
   */
  async signOut(options: { readonly evenIfUnreached: boolean }): Promise<{
    readonly tokens: number;
    readonly revoked: boolean;
  }> {
    return await this.#store.lock(async () => {
      const record = await this.#loadOwn();
      this.#token = undefined;
      this.#unsaved = undefined;
      if (record === null) return { tokens: 0, revoked: true };
      const tokens = [record.refreshToken, record.accessToken].filter(token => token !== null);
      let revoked = true;
      try {
        for (const token of tokens) await this.#calls.revoke({ ...this.#client(), token: new Secret(token) });
      } catch (error) {
        if (!options.evenIfUnreached || !isServiceError(error)) throw error;
        revoked = false;
      }
      await this.#store.save(signedOutRecord(record, this.#config, this.#clock.wallMs()));
      return { tokens: tokens.length, revoked };
    });
  }

  async close(): Promise<void> {
    await this.#http.close();
  }

  #isGood(token: CurrentToken): boolean {
    return !this.isRefused(token.generation);
  }

  /**
   * What another process obtained meanwhile, a login above all, is used from the next request on. Where one
   * has signed out, a token of what was signed out is given no more, also if it lives on over there.
   */
  async #lookForNewer(): Promise<void> {
    // Without a token of its own this process asks the store anyway, and a store
    // that cannot be read says so there.
    if (this.#token === undefined || this.#renewal !== undefined) return;
    try {
      const stamp = await this.#store.stamp();
      if (stamp === this.#stamp) return;
      const record = await this.#loadOwn();
      this.#stamp = stamp;
      if (record !== null && isSignedOut(record)) this.refuse(record.generation);
      const newer = record === null ? undefined : this.#adopt(record, this.#token?.generation ?? -1);
      if (newer !== undefined && this.#isGood(newer)) this.#token = newer;
    } catch (error) {
      if (!isServiceError(error)) throw error;
    }
  }

  async #renewBeyond(generation: number): Promise<CurrentToken> {
    for (;;) {
      const joined = this.#renewal !== undefined;
      this.#renewal ??= this.#renew(generation).finally(() => {
        this.#renewal = undefined;
      });
      const token = await this.#renewal;
      // A renewal that was under way may have begun for an older generation; the next one is our own.
      if (!joined || token.generation > generation) return token;
    }
  }

  async #renew(generation: number): Promise<CurrentToken> {
    const token = await this.#store.lock(async () => {
      const record = await this.#saveLeftOver(await this.#loadOwn());
      const adopted = record === null ? undefined : this.#adopt(record, generation);
      if (adopted !== undefined) return adopted;
      return this.#config.grant === 'client_credentials'
        ? await this.#obtainByCredentials(record, generation)
        : await this.#obtainByRefresh(record);
    });
    this.#token = token;
    return token;
  }

  async #loadOwn(): Promise<TokenRecord | null> {
    const record = await this.#store.load();
    if (record === null) return null;
    if (!isRecordOf(record, this.#config)) {
      throw new MisconfiguredError('the token store belongs to another environment or client', {
        effect: 'not-sent',
      });
    }
    return record;
  }

  /** A token that another process has obtained meanwhile, or that an earlier run of this one left. */
  #adopt(record: TokenRecord, generation: number): CurrentToken | undefined {
    if (
      record.grant !== this.#config.grant ||
      record.accessToken === null ||
      record.generation <= generation
    ) {
      return undefined;
    }
    // The wall clock may have been set back since: a token never has more left than its lifetime.
    const leftMs =
      record.lifetimeMs === null
        ? Number.POSITIVE_INFINITY
        : Math.min(record.lifetimeMs, record.obtainedAtMs + record.lifetimeMs - this.#clock.wallMs());
    const token = this.#toCurrent(record, this.#clock.monotonicMs(), leftMs);
    return token.renewAtMs > this.#clock.monotonicMs() ? token : undefined;
  }

  async #obtainByCredentials(record: TokenRecord | null, generation: number): Promise<CurrentToken> {
    const base = record ?? emptyRecord(this.#config);
    const outcome = await this.#calls.exchange({ grant: 'client_credentials', ...this.#client() });
    if (outcome.kind !== 'granted') throw toGrantError(outcome, 'the client credentials were refused');
    return await this.#keep(
      { ...base, generation: Math.max(base.generation, generation) },
      outcome,
      base.seed,
    );
  }

  async #obtainByRefresh(stored: TokenRecord | null): Promise<CurrentToken> {
    const { record, refreshToken } = chooseRefreshToken(stored, this.#config);
    const sendsBefore = record.exchange?.sends ?? 0;
    if (sendsBefore >= MOST_SENDS)
      throw await this.#giveUpRefreshToken(record, 'two exchanges in a row ended without an answer');
    // The last try is not wasted on a host that is down.
    if (sendsBefore > 0 && !(await this.#calls.isAlive())) {
      throw new ServiceUnavailableError('the authentication host does not answer', {
        fault: 'network',
        effect: 'not-sent',
      });
    }
    const marked = { ...record, exchange: { startedAtMs: this.#clock.wallMs(), sends: sendsBefore + 1 } };
    // Once there is a permit, which may take minutes: who has lost the lock meanwhile cannot save, and sends
    // nothing that another one may have used up.
    const outcome = await this.#calls.exchange(
      { grant: 'refresh_token', ...this.#client(), refreshToken },
      async () => await this.#store.save(marked),
    );
    switch (outcome.kind) {
      case 'granted':
        return await this.#keep(marked, outcome, record.seed);
      case 'unknown':
        this.#logger?.warn(
          { generation: record.generation, sends: sendsBefore + 1 },
          'token exchange without a response',
        );
        throw outcome.error;
      case 'refused':
        if (outcome.refusal === 'invalid_grant')
          throw await this.#giveUpRefreshToken(record, 'the refresh token was refused');
        await this.#store.save(record);
        throw toGrantError(outcome, 'the client was refused');
      case 'not-used':
        await this.#store.save(record);
        throw outcome.error;
    }
  }

  async #giveUpRefreshToken(record: TokenRecord, reason: string): Promise<LoginRequiredError> {
    await this.#store.save({ ...record, exchange: null, burnt: { atMs: this.#clock.wallMs(), reason } });
    return new LoginRequiredError(`log in again: ${reason}`, { effect: 'rejected' });
  }

  /** Stores what was granted, and only then lets it be used. */
  async #keep(
    base: TokenRecord | null,
    outcome: Extract<ExchangeOutcome, { kind: 'granted' }>,
    seed: string | null,
  ): Promise<CurrentToken> {
    const { tokens } = outcome;
    const record: TokenRecord = {
      ...emptyRecord(this.#config),
      generation: Math.max(base?.generation ?? 0, this.#token?.generation ?? 0) + 1,
      accessToken: tokens.accessToken.reveal(),
      // A server that gives no new refresh token lets the old one live on (RFC 6749 section 6).
      refreshToken: tokens.refreshToken?.reveal() ?? base?.refreshToken ?? null,
      obtainedAtMs: outcome.sentAtWallMs,
      lifetimeMs: tokens.lifetimeMs,
      seed,
    };
    try {
      await this.#store.save(record);
    } catch (error) {
      this.#unsaved = record;
      throw error;
    }
    this.#logger?.info({ generation: record.generation, grant: record.grant }, 'token obtained');
    const token = this.#toCurrent(
      record,
      outcome.sentAtMonotonicMs,
      tokens.lifetimeMs ?? Number.POSITIVE_INFINITY,
    );
    // However short its life is said to be, it is used before another one is asked for.
    const leastMs = this.#clock.monotonicMs() + LEAST_USE_MS;
    return {
      ...token,
      renewAtMs: Math.max(token.renewAtMs, leastMs),
      endsAtMs: Math.max(token.endsAtMs, leastMs),
    };
  }

  async #saveLeftOver(stored: TokenRecord | null): Promise<TokenRecord | null> {
    const unsaved = this.#unsaved;
    if (unsaved === undefined) return stored;
    if (stored !== null && stored.generation >= unsaved.generation) {
      this.#unsaved = undefined;
      return stored;
    }
    await this.#store.save(unsaved);
    this.#unsaved = undefined;
    return unsaved;
  }

  #toCurrent(record: TokenRecord, fromMs: number, leftMs: number): CurrentToken {
    const marginMs = Math.min(LONGEST_MARGIN_MS, (record.lifetimeMs ?? Number.POSITIVE_INFINITY) * 0.1);
    return {
      accessToken: new Secret(record.accessToken ?? ''),
      generation: record.generation,
      endsAtMs: fromMs + leftMs,
      renewAtMs: fromMs + leftMs - marginMs,
    };
  }

  #client(): Pick<TokenRequest, 'clientId' | 'clientSecret'> {
    return { clientId: this.#config.clientId, clientSecret: this.#config.clientSecret };
  }
}
