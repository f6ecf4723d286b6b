// Sends one request of any endpoint: the gate lets it through, the token is added, the response becomes data
// or one error. One attempt, repeated only after a 401 that a token of a newer generation can cure. All
// other repeating is the caller's.
import type { Dispatcher } from 'undici';
import { type Clock, systemClock } from '../host/clock';
import { type Endpoint, routeOf } from './endpoint';
import { isServiceError, RateLimitedError, type ServiceError, TokenRejectedError } from './errors';
import { orAborted } from './or-aborted';
import type { Permit, RateGate } from './rate/rate-gate';
import { readCount, readRateHeaders } from './rate/rate-headers';
import { parseReasons } from './reasons';
import { HttpExchanger, type RawResponse } from './send/http-exchange';
import { nextLink } from './send/link-header';
import { readSuccess, requestIdOf, toResponseError } from './send/read-response';
import { type RequestParts, toWireRequest, type WireRequest } from './send/wire-request';
import { type ServiceConfig, type Target, toTarget } from './service-config';
import type { AccessToken, TokenSource } from './tokens/token-source';

export interface SendInput<Params, Query, Body> extends RequestParts<Params, Query, Body> {
  readonly signal?: AbortSignal | undefined;
  /** Called when the rate limit makes the call wait in place, with the time (Unix ms) until which. */
  readonly onWaiting?: ((untilMs: number) => void) | undefined;
  /** Longest wait in place (ms), instead of the configured one. */
  readonly maxWaitMs?: number | undefined;
}

export interface ServiceResponse<Data> {
  readonly data: Data;
  readonly status: number;
  /** `Total` of a list: all items, on all pages. */
  readonly total?: number;
  readonly perPage?: number;
  /** Query string of the next page; absent on the last. */
  readonly nextSearch?: string;
  readonly requestId?: string;
}

/** The log lines the client writes; pino fits. */
export interface ServiceLogger {
  debug(facts: Readonly<Record<string, unknown>>, message: string): void;
  warn(facts: Readonly<Record<string, unknown>>, message: string): void;
}

type ClientTokens = Pick<TokenSource, 'current' | 'atHand' | 'refresh' | 'refuse' | 'isRefused'>;

/**
 * How many tokens one request may try. That two end shortly after one another (a revocation, a login
 * elsewhere) is no reason to ask a person to log in; but a route that refuses every token must not use up one
 * after the other.
 */
const MOST_TOKENS = 4;

export interface ServiceClientDeps {
  readonly config: ServiceConfig;
  readonly tokens: ClientTokens;
  readonly gate: RateGate;
  readonly dispatcher?: Dispatcher;
  readonly logger?: ServiceLogger;
  readonly clock?: Clock;
}

type TimedResponse = RawResponse & { readonly retryAtMs?: number };

/** What a request has while it waits for a connection. */
interface Ready {
  readonly token: AccessToken | undefined;
  readonly permit: Permit | undefined;
  /** How often the service had asked for a pause when it began to wait. */
  readonly pausesBefore: number;
}

/** The part of the client that callers use; tests put a double in its place. */
export type Sender = Pick<ServiceClient, 'send'>;

export class ServiceClient {
  readonly #config: ServiceConfig;
  readonly #tokens: ClientTokens;
  readonly #gate: RateGate;
  readonly #http: HttpExchanger;
  readonly #targets: Readonly<Record<'api' | 'auth', Target>>;
  readonly #logger: ServiceLogger | undefined;
  readonly #clock: Clock;
  /** The longest pause that the service has asked for; `count` shows whether it has asked again since. */
  #pause = { count: 0, untilMs: 0 };

  constructor(deps: ServiceClientDeps) {
    this.#config = deps.config;
    this.#tokens = deps.tokens;
    this.#gate = deps.gate;
    this.#clock = deps.clock ?? systemClock;
    this.#http = new HttpExchanger(deps.config, deps.dispatcher, this.#clock);
    this.#targets = { api: toTarget(deps.config.baseUrl), auth: toTarget(deps.config.authUrl) };
    this.#logger = deps.logger;
  }

  /**
   * Sends the endpoint's request and returns its data. Throws a ServiceError, or the signal's reason. A call
   * that must not be repeated blindly ends by the signal until it leaves, and then runs to its own deadline.
   */
  async send<Params, Query, Body, Data>(
    endpoint: Endpoint<Params, Query, Body, Data>,
    // NoInfer, so that the endpoint alone says what it takes: inferred from `input` as well, the types would
    // let excess properties through.
    input: SendInput<NoInfer<Params>, NoInfer<Query>, NoInfer<Body>>,
  ): Promise<ServiceResponse<Data>> {
    const route = routeOf(endpoint);
    const wire = toWireRequest(endpoint, input);
    const sent: string[] = [];
    const raw = await this.#sendWithTokens(endpoint, input, wire, sent);
    const secrets = [this.#config.clientSecret.reveal(), ...sent];
    if (raw.status === 401 && endpoint.authorization !== 'none') {
      throw new TokenRejectedError(`${route} answered 401 to a fresh token`, {
        effect: 'rejected',
        route,
        status: 401,
        reasons: parseReasons(safeJson(raw), secrets),
        requestId: requestIdOf(raw),
      });
    }
    if (raw.status === 429) {
      throw new RateLimitedError(`${route} answered 429`, {
        effect: 'rejected',
        route,
        status: 429,
        requestId: requestIdOf(raw),
        retryAtMs: raw.retryAtMs ?? this.#clock.wallMs() + 2_000,
      });
    }
    if (!endpoint.success.includes(raw.status)) throw toResponseError(raw, route, secrets, raw.retryAtMs);
    const data = readSuccess(raw, route, endpoint.response, endpoint.responseForm);
    return { data, ...readPaging(raw, wire, this.#target(endpoint), route) };
  }

  /** Closes the connections; calls under way end as network faults. */
  async close(): Promise<void> {
    await this.#http.close();
  }

  #target(endpoint: { readonly origin: 'api' | 'auth' }): Target {
    return this.#targets[endpoint.origin];
  }

  /** The last response: one that is no 401, or the 401 after which there is no other token to try. */
  async #sendWithTokens<Params, Query, Body, Data>(
    endpoint: Endpoint<Params, Query, Body, Data>,
    input: SendInput<Params, Query, Body>,
    wire: WireRequest,
    sent: string[],
  ): Promise<TimedResponse> {
    for (let tries = 1; ; tries++) {
      const { token, permit } = await this.#admit(endpoint, input);
      if (token !== undefined) sent.push(token.accessToken.reveal());
      const raw = await this.#attempt(endpoint, input, wire, token, permit);
      if (raw === 'token-refused') {
        // It has not left, so this was no try.
        tries -= 1;
        continue;
      }
      if (raw.status !== 401 || token === undefined) return raw;
      if (tries === MOST_TOKENS) {
        this.#tokens.refuse(token.generation);
        return raw;
      }
      const fresh = await orAborted(this.#tokens.refresh(token.generation), input.signal);
      if (fresh.generation <= token.generation) return raw;
    }
  }

  /**
   * A permit, and the token as it is once the permit is there: the wait may be long, and a
   * token that was refused meanwhile must not go out. It is renewed without a permit in hand,
   * for the renewal may need one itself.
   */
  async #admit<Params, Query, Body, Data>(
    endpoint: Endpoint<Params, Query, Body, Data>,
    input: SendInput<Params, Query, Body>,
  ): Promise<{ readonly token: AccessToken | undefined; readonly permit: Permit | undefined }> {
    const route = routeOf(endpoint);
    if (endpoint.authorization === 'none') {
      return { token: undefined, permit: await this.#acquire(endpoint, input, route) };
    }
    for (;;) {
      await orAborted(this.#tokens.current(), input.signal);
      const permit = await this.#acquire(endpoint, input, route);
      const token = this.#tokens.atHand();
      if (token !== undefined) return { token, permit };
      this.#release(permit);
    }
  }

  async #attempt<Params, Query, Body, Data>(
    endpoint: Endpoint<Params, Query, Body, Data>,
    input: SendInput<Params, Query, Body>,
    wire: WireRequest,
    token: AccessToken | undefined,
    permit: Permit | undefined,
  ): Promise<TimedResponse | 'token-refused'> {
    const route = routeOf(endpoint);
    const target = this.#target(endpoint);
    const startedMs = this.#clock.monotonicMs();
    let status: number | null = null;
    let headers: ReadonlyMap<string, string> = new Map();
    let retryAtMs: number | undefined;
    let failure: ServiceError | undefined;
    const pausesBefore = this.#pause.count;
    let hasLeft = false;
    try {
      // Waiting may have taken a while: a cancelled caller's effect must not begin.
      input.signal?.throwIfAborted();
      const response = await this.#http.exchange({
        route,
        origin: target.origin,
        path: `${target.prefix}${wire.path}${wire.search === '' ? '' : `?${wire.search}`}`,
        method: endpoint.method,
        headers: {
          accept: 'application/json',
          ...(endpoint.origin === 'api' ? { [this.#config.companyHeader]: input.companyId } : {}),
          ...(token === undefined ? {} : { authorization: `Bearer ${token.accessToken.reveal()}` }),
          ...(wire.contentType === undefined ? {} : { 'content-type': wire.contentType }),
        },
        ...(wire.body === undefined ? {} : { body: wire.body }),
        ...(wire.stream === undefined ? {} : { stream: wire.stream }),
        isRepeatable: endpoint.repeatable === 'yes',
        signal: input.signal,
        whyNotNow: () => {
          const why = this.#whyNotNow(route, { token, permit, pausesBefore });
          hasLeft = why === undefined;
          return why;
        },
      });
      ({ status, headers } = response);
      retryAtMs = this.#observe(permit, headers, status);
      return { ...response, ...(retryAtMs === undefined ? {} : { retryAtMs }) };
    } catch (error) {
      if (isServiceError(error)) failure = error;
      if (!hasLeft || failure?.effect === 'not-sent') this.#release(permit);
      else this.#observe(permit, headers, null);
      if (!hasLeft && failure?.code === 'TOKEN_REJECTED') return 'token-refused';
      throw error;
    } finally {
      const facts = {
        call: endpoint.name,
        status,
        tookMs: Math.round(this.#clock.monotonicMs() - startedMs),
        ...(failure === undefined ? {} : { code: failure.code, effect: failure.effect }),
      };
      if (failure === undefined && status !== null && status < 500)
        this.#logger?.debug(facts, 'service call');
      else this.#logger?.warn(facts, 'service call without a good response');
    }
  }

  async #acquire<Params, Query, Body>(
    endpoint: Pick<Endpoint<never, never, never, unknown>, 'origin'>,
    input: SendInput<Params, Query, Body>,
    route: string,
  ): Promise<Permit | undefined> {
    if (endpoint.origin === 'auth' && !this.#config.authCountsAgainstLimit) return undefined;
    try {
      return await this.#gate.acquire({
        maxWaitMs: input.maxWaitMs ?? this.#config.maxWaitMs,
        signal: input.signal,
        onWaiting: input.onWaiting,
      });
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'RATE_LIMITED' || error.route !== undefined) throw error;
      throw new RateLimitedError(`${route} not sent: the rate limit is spent`, {
        effect: 'not-sent',
        route,
        retryAtMs: error.retryAtMs,
        cause: error,
      });
    }
  }

  /**
   * Why a request must not go out although it has a permit: while it still waited for one of the few
   * connections, the service asked for a pause, or refused its token. Else all that waits there would follow
   * a refusal.
   */
  #whyNotNow(route: string, { token, permit, pausesBefore }: Ready): ServiceError | undefined {
    if (token !== undefined && this.#tokens.isRefused(token.generation)) {
      return new TokenRejectedError(`${route} not sent: its token was refused meanwhile`, {
        effect: 'not-sent',
        route,
      });
    }
    const { count, untilMs } = this.#pause;
    if (permit === undefined || count === pausesBefore || this.#clock.wallMs() >= untilMs) return undefined;
    return new RateLimitedError(`${route} not sent: the service asked for a pause meanwhile`, {
      effect: 'not-sent',
      route,
      retryAtMs: untilMs,
    });
  }

  #release(permit: Permit | undefined): void {
    if (permit !== undefined) this.#gate.release(permit);
  }

  #observe(
    permit: Permit | undefined,
    headers: ReadonlyMap<string, string>,
    status: number | null,
  ): number | undefined {
    if (permit !== undefined) {
      const retryAtMs = this.#gate.observe(permit, headers, status);
      if (retryAtMs !== undefined)
        this.#pause = { count: this.#pause.count + 1, untilMs: Math.max(this.#pause.untilMs, retryAtMs) };
      return retryAtMs;
    }
    const { retryAfterMs } = readRateHeaders(headers, status ?? 0, this.#clock.wallMs());
    return retryAfterMs === undefined ? undefined : this.#clock.wallMs() + retryAfterMs;
  }
}

function readPaging(
  raw: RawResponse,
  wire: WireRequest,
  target: Target,
  route: string,
): Omit<ServiceResponse<never>, 'data'> {
  const total = readCount(raw.headers.get('total'));
  const perPage = readCount(raw.headers.get('per-page'));
  const nextSearch = nextLink(
    raw.headers.get('link'),
    { origin: target.origin, path: `${target.prefix}${wire.path}` },
    route,
  );
  const requestId = requestIdOf(raw);
  return {
    status: raw.status,
    ...(total === undefined ? {} : { total }),
    ...(perPage === undefined ? {} : { perPage }),
    ...(nextSearch === undefined ? {} : { nextSearch }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

function safeJson(raw: RawResponse): unknown {
  try {
    return JSON.parse(Buffer.from(raw.body).toString('utf8'));
  } catch {
    return undefined;
  }
}
