// The calls to the authentication host, and what each outcome means for the token that was sent: granted,
// refused, certainly not used up, or nobody knows.
import { type Clock, systemClock } from '../../host/clock';
import { parseHttpDate, parseRetryAfter } from '../../host/retry-after';
import { type Endpoint, routeOf } from '../endpoint';
import {
  requestToken,
  revokeToken,
  showTokenInfo,
  type TokenRequest,
  type TokenResponse,
} from '../endpoints/oauth';
import { isServiceError, LoginRequiredError, type ServiceError, ServiceUnavailableError } from '../errors';
import type { RateGate } from '../rate/rate-gate';
import type { Secret } from '../secret';
import type { Exchange, HttpExchanger, RawResponse } from '../send/http-exchange';
import { readSuccess, toResponseError } from '../send/read-response';
import { toWireRequest } from '../send/wire-request';
import { type ServiceConfig, toTarget } from '../service-config';

/** RFC 6749 section 5.2, as far as it changes what we do. */
export type OAuthRefusal = 'invalid_grant' | 'invalid_client' | 'other';

/** Taken before sending, so the token never seems to live longer than it does. */
interface SentAt {
  readonly sentAtMonotonicMs: number;
  readonly sentAtWallMs: number;
}

export type ExchangeOutcome =
  | ({ readonly kind: 'granted'; readonly tokens: TokenResponse } & SentAt)
  | { readonly kind: 'refused'; readonly refusal: OAuthRefusal; readonly status: number }
  /** The token is not used up: the request never left, or was turned away (429, or 503 with a time). */
  | { readonly kind: 'not-used'; readonly error: ServiceError }
  | { readonly kind: 'unknown'; readonly error: ServiceError };

const ROUTE = routeOf(requestToken);

// RFC 6749, sections 4.1.2.1 and 5.2, and RFC 6750.
const RFC_CODES = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'invalid_token',
  'unauthorized_client',
  'unsupported_grant_type',
  'server_error',
  'temporarily_unavailable',
];

export class TokenCalls {
  readonly #config: ServiceConfig;
  readonly #http: HttpExchanger;
  readonly #gate: RateGate | undefined;
  readonly #clock: Clock;

  constructor(config: ServiceConfig, http: HttpExchanger, gate?: RateGate, clock: Clock = systemClock) {
    this.#config = config;
    this.#http = http;
    this.#gate = config.authCountsAgainstLimit ? gate : undefined;
    this.#clock = clock;
  }

  /**
   * Sends one token request. Never cut half-way; ends by its own deadline. Whatever the service or the
   * network does is a result; only our own bugs are thrown, and what `note` throws: it is called when nothing
   * is waited for any more, and the request leaves only after it.
   */
  async exchange(request: TokenRequest, note?: () => Promise<void>): Promise<ExchangeOutcome> {
    const call = toPost(requestToken, request);
    let response: RawResponse;
    let fault: unknown;
    const noting = async () =>
      await note?.().catch((error: unknown) => {
        fault = error;
        throw error;
      });
    try {
      const sent = await this.#send(call, noting);
      ({ response } = sent);
      if (requestToken.success.includes(response.status)) {
        const tokens = readSuccess(response, ROUTE, requestToken.response);
        return { kind: 'granted', tokens, ...sent.at };
      }
    } catch (error) {
      if (!isServiceError(error) || error === fault) throw error;
      return { kind: error.effect === 'not-sent' ? 'not-used' : 'unknown', error };
    }
    return this.#judge(response);
  }

  /**
   * Ends a token. The 200 says nothing about whether there was one. Throws a
   * ServiceError; repeating does no harm.
   */
  async revoke(request: {
    readonly clientId: string;
    readonly clientSecret: Secret;
    readonly token: Secret;
  }): Promise<void> {
    const { response } = await this.#send(toPost(revokeToken, request));
    if (!revokeToken.success.includes(response.status))
      throw toResponseError(withoutWords(response), routeOf(revokeToken), [], undefined);
  }

  /**
   * Whether the authentication host responds at all, asked in a way that uses nothing
   * up: with a token that is none.
   */
  async isAlive(): Promise<boolean> {
    try {
      const { response } = await this.#send({
        route: routeOf(showTokenInfo),
        path: showTokenInfo.path,
        method: 'GET',
        headers: { authorization: 'Bearer none' },
      });
      return response.status === 200 || response.status === 401;
    } catch {
      return false;
    }
  }

  #judge(response: RawResponse): ExchangeOutcome {
    const retryAfterMs = parseRetryAfter(
      response.headers.get('retry-after'),
      parseHttpDate(response.headers.get('date')) ?? this.#clock.wallMs(),
    );
    const retryAtMs = retryAfterMs === undefined ? undefined : this.#clock.wallMs() + retryAfterMs;
    if (response.status === 429 || (response.status === 503 && retryAtMs !== undefined)) {
      const error = new ServiceUnavailableError(`${ROUTE} answered ${response.status}`, {
        fault: 'status',
        effect: 'rejected',
        route: ROUTE,
        status: response.status,
        retryAtMs: retryAtMs ?? this.#clock.wallMs() + 10_000,
      });
      return { kind: 'not-used', error };
    }
    const error = toResponseError(withoutWords(response), ROUTE, [], retryAtMs);
    if (error.effect === 'unknown') return { kind: 'unknown', error };
    const code = error.reasons[0]?.rawCode;
    const refusal = code === 'invalid_grant' || code === 'invalid_client' ? code : 'other';
    return { kind: 'refused', refusal, status: response.status };
  }

  /** One call to the authentication host, and when it left: after its permit, where it needs one. */
  async #send(
    call: Call,
    note?: () => Promise<void>,
  ): Promise<{ readonly response: RawResponse; readonly at: SentAt }> {
    const { origin, prefix } = toTarget(this.#config.authUrl);
    const gate = this.#gate;
    const permit = await gate?.acquire({ maxWaitMs: this.#config.maxWaitMs });
    try {
      await note?.();
    } catch (error) {
      if (permit !== undefined) gate?.release(permit);
      throw error;
    }
    const at = { sentAtMonotonicMs: this.#clock.monotonicMs(), sentAtWallMs: this.#clock.wallMs() };
    try {
      const response = await this.#http.exchange({
        ...call,
        origin,
        path: `${prefix}${call.path}`,
        headers: { accept: 'application/json', ...call.headers },
      });
      if (permit !== undefined) gate?.observe(permit, response.headers, response.status);
      return { response, at };
    } catch (error) {
      if (permit !== undefined) {
        if (isServiceError(error) && error.effect === 'not-sent') gate?.release(permit);
        else gate?.observe(permit, new Map(), null);
      }
      throw error;
    }
  }
}

type Call = Omit<Exchange, 'origin' | 'stream' | 'signal'>;

/** Throws what is wrong with the body; nothing is sent then. */
function toPost<Body>(
  endpoint: Endpoint<Record<string, never>, undefined, Body, unknown>,
  body: NoInfer<Body>,
): Call {
  const wire = toWireRequest(endpoint, { params: {}, body, companyId: '' });
  return {
    route: routeOf(endpoint),
    path: wire.path,
    method: 'POST',
    headers: { 'content-type': wire.contentType ?? '' },
    body: wire.body ?? '',
  };
}

/**
 * The response with nothing but its code: a description may quote what was sent,
 * and that is nothing but secrets.
 */
function withoutWords(response: RawResponse): RawResponse {
  const text = Buffer.from(response.body).toString('utf8');
  const isPage = text.trimStart().startsWith('<');
  return isPage ? response : { ...response, body: Buffer.from(bareText(text)) };
}

/** JSON that breaks off stays broken, so that it still does not count as a response of the service. */
function bareText(text: string): string {
  try {
    const content = JSON.parse(text) as { readonly error?: unknown } | null;
    const error = RFC_CODES.find(code => code === content?.error);
    return JSON.stringify(error === undefined ? {} : { error });
  } catch {
    return text.trim() === '' ? '' : '{';
  }
}

/** What a caller is told of an exchange that granted nothing. */
export function toGrantError(outcome: Exclude<ExchangeOutcome, { kind: 'granted' }>, what: string): Error {
  if (outcome.kind !== 'refused') return outcome.error;
  return new LoginRequiredError(`${what} (${outcome.refusal}, ${outcome.status})`, {
    effect: 'rejected',
    status: outcome.status,
  });
}
