// One HTTP exchange with a configured origin: no redirect, no repeat, a total deadline, a
// capped response, every body drained or destroyed. Knows bytes and headers only; what a response
// means is said in read-response.ts.
import type { Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { Agent, type Dispatcher } from 'undici';
import { type Clock, systemClock } from '../../host/clock';
import { innerCodeOf } from '../../host/error-code';
import {
  InvalidRequestError,
  isServiceError,
  MisconfiguredError,
  type ServiceError,
  ServiceUnavailableError,
} from '../errors';
import { orAborted } from '../or-aborted';
import type { ServiceConfig } from '../service-config';
import type { StreamedBody } from './multipart-body';
import { watchStart } from './watch-start';

export interface Exchange {
  readonly route: string;
  readonly origin: string;
  /** Encoded, with the query. */
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Instead of `body`. What its source throws is thrown as it is. */
  readonly stream?: StreamedBody;
  /** The same request may be sent again as it is, whatever became of it. */
  readonly isRepeatable?: boolean;
  /** Ends the exchange: one that is not repeatable only before it leaves, for it must not be cut half-way. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Asked when a connection is there, which may have taken a while. An error says why the request must not
   * leave any more, and is thrown instead.
   */
  readonly whyNotNow?: () => ServiceError | undefined;
}

export interface RawResponse {
  readonly status: number;
  /** Lower-case names; repeated headers joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

/** The connections to the service. `close` when done: open sockets keep a process alive. */
export class HttpExchanger {
  readonly #config: ServiceConfig;
  readonly #dispatcher: Dispatcher;
  readonly #ownsDispatcher: boolean;
  readonly #clock: Clock;

  constructor(config: ServiceConfig, dispatcher?: Dispatcher, clock: Clock = systemClock) {
    this.#config = config;
    this.#ownsDispatcher = dispatcher === undefined;
    this.#dispatcher = dispatcher ?? createAgent(config);
    this.#clock = clock;
  }

  /**
   * Sends once and reads the whole response, whatever its status. Throws ServiceUnavailableError with what is
   * known of the effect, or the signal's reason when the caller cancelled.
   */
  async exchange(input: Exchange): Promise<RawResponse> {
    checkHeaders(input);
    input.signal?.throwIfAborted();
    const startedMs = this.#clock.monotonicMs();
    let isWritten = false;
    const cut = new AbortController();
    const sent = toSent(input);
    const deadline = setTimeout(
      () => cut.abort(new DeadlineError()),
      this.#config.timeouts.totalMs + sent.sizeBytes / SLOWEST_BYTES_PER_MS,
    );
    const mayCut = () => input.isRepeatable === true || !isWritten;
    const onAbort = () => {
      if (mayCut()) cut.abort(input.signal?.reason);
    };
    input.signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const watched = watchStart(this.#dispatcher, () => {
        const why = input.whyNotNow?.();
        isWritten = why === undefined;
        return why;
      });
      // Origin and path stay apart, so nothing in the path can change where a bearer token goes.
      const request = watched.request({
        origin: input.origin,
        path: input.path,
        method: input.method,
        // Encoded responses could unpack to any size; none are asked for and none are taken.
        headers: { ...input.headers, ...sent.headers, 'accept-encoding': 'identity' },
        body: sent.body,
        signal: cut.signal,
        headersTimeout: this.#config.timeouts.headersMs,
        bodyTimeout: this.#config.timeouts.bodyMs,
      });
      // While it waits for a connection undici does not tell that it was cut.
      const response = await orAborted(request, cut.signal);
      const headers = joinHeaders(response.headers);
      return {
        status: response.statusCode,
        headers,
        body: await this.#readBody(input, response.statusCode, response.body, headers),
      };
    } catch (error) {
      if (input.signal?.aborted && mayCut()) throw input.signal.reason;
      // The source of the body failed: that is no fault of the service, which cannot have heard all of it.
      if (sent.failure() !== undefined) throw sent.failure();
      throw toExchangeError(error, input, isWritten, this.#clock.monotonicMs() - startedMs);
    } finally {
      clearTimeout(deadline);
      input.signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Closes our own connections; a dispatcher that was handed in stays open. */
  async close(): Promise<void> {
    if (this.#ownsDispatcher) await this.#dispatcher.destroy();
  }

  async #readBody(
    input: Exchange,
    status: number,
    body: Readable,
    headers: ReadonlyMap<string, string>,
  ): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    // A body that is cut after nobody listens any more would end the process (undici#3353).
    body.on('error', () => undefined);
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        size += chunk.length;
        if (size > this.#config.maxResponseBytes) {
          throw tooLarge(input, status, headers, this.#config.maxResponseBytes);
        }
        chunks.push(chunk);
      }
    } finally {
      body.destroy();
    }
    const encoding = headers.get('content-encoding');
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      throw responseFault(input.route, status, 'is encoded although identity was asked for');
    }
    return Buffer.concat(chunks);
  }
}

/**
 * What the service itself says to a request that may be repeated is as large the next time: somebody has to
 * allow it. Anything else may pass, or leaves open what became of a write.
 */
function tooLarge(
  { route, isRepeatable }: Exchange,
  status: number,
  headers: ReadonlyMap<string, string>,
  mostBytes: number,
): ServiceError {
  const what = `is larger than ${mostBytes} bytes: raise service.maxAnswerBytes, and start Drawbridge anew`;
  const isSaidByService =
    status >= 200 && status < 300 && headers.get('content-type')?.includes('json') === true;
  if (isRepeatable !== true || !isSaidByService) return responseFault(route, status, what);
  return new MisconfiguredError(`${route}: the response (${status}) ${what}`, {
    effect: 'unknown',
    route,
    status,
  });
}

/** A response that cannot be used as one: the effect of its request is unknown, whatever its status says. */
export function responseFault(route: string, status: number, what: string): ServiceUnavailableError {
  return new ServiceUnavailableError(`${route}: the response (${status}) ${what}`, {
    fault: 'response',
    effect: 'unknown',
    route,
    status,
  });
}

class DeadlineError extends Error {
  readonly code = 'DEADLINE';
}

/** Files stretch the deadline of an exchange by the time they take on a line this slow. */
const SLOWEST_BYTES_PER_MS = 100;

interface Sent {
  readonly body: NonNullable<Dispatcher.DispatchOptions['body']> | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Of streamed bodies only. */
  readonly sizeBytes: number;
  /** What the source of a streamed body failed with. */
  readonly failure: () => unknown;
}

function toSent({ body, stream }: Exchange): Sent {
  if (stream === undefined) {
    return { body: body ?? null, headers: {}, sizeBytes: 0, failure: () => undefined };
  }
  let failure: unknown;
  const chunks = async function* () {
    try {
      yield* stream.open();
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  return {
    // undici takes any async iterable; its types know only some of them.
    body: chunks() as unknown as Uint8Array,
    headers: { 'content-length': String(stream.sizeBytes) },
    sizeBytes: stream.sizeBytes,
    failure: () => failure,
  };
}

function createAgent(config: ServiceConfig): Agent {
  return new Agent({
    connections: config.connections,
    pipelining: 1,
    // Sockets that idled long die under the next request, and then nobody knows
    // whether it was heard (undici#583).
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 10_000,
    headersTimeout: config.timeouts.headersMs,
    bodyTimeout: config.timeouts.bodyMs,
    connect: {
      timeout: Math.min(10_000, config.timeouts.totalMs),
      // Even if the process was started with NODE_TLS_REJECT_UNAUTHORIZED=0.
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      // `ca` replaces the usual authorities, so they are named again.
      ...(config.caBundle === undefined ? {} : { ca: [...rootCertificates, config.caBundle] }),
    },
  });
}

/** A bad header never gets better by repeating, so it must not look like a network fault. */
function checkHeaders(input: Exchange): void {
  for (const [name, value] of Object.entries(input.headers)) {
    if (!/^[\x20-\x7e]*$/.test(value)) {
      throw new InvalidRequestError(
        `${input.route}: header ${name} holds characters that no header may hold`,
        {
          effect: 'not-sent',
          route: input.route,
        },
      );
    }
  }
}

function joinHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): ReadonlyMap<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined.set(name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value);
  }
  return joined;
}

function toExchangeError(error: unknown, input: Exchange, isWritten: boolean, tookMs: number): Error {
  if (isServiceError(error)) return error;
  const code = innerCodeOf(error) ?? '';
  const facts = { effect: isWritten ? 'unknown' : 'not-sent', route: input.route, cause: error } as const;
  if (code === 'DEADLINE' || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new ServiceUnavailableError(`${input.route}: no whole response within ${Math.round(tookMs)} ms`, {
      ...facts,
      fault: 'deadline',
    });
  }
  if (code === 'UND_ERR_INVALID_ARG') {
    return new InvalidRequestError(`${input.route}: cannot be sent in this form`, {
      ...facts,
      effect: 'not-sent',
    });
  }
  if (code.startsWith('CERT_') || code.startsWith('ERR_TLS_') || UNTRUSTED.has(code)) {
    return new MisconfiguredError(`${input.route}: the service's certificate is not trusted (${code})`, {
      ...facts,
      effect: 'not-sent',
    });
  }
  const happened = isWritten ? 'the connection broke' : 'no connection';
  return new ServiceUnavailableError(`${input.route}: ${happened} (${code || 'unknown cause'})`, {
    ...facts,
    fault: 'network',
  });
}

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);
