// The receiver of webhooks: checks where a delivery comes from, reads little and not for long, and says 2xx
// only once the event is durable. It answers no details to anybody.

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { systemClock } from '../../activities/host/clock';
import { codeOf } from '../../activities/host/error-code';
import type { Metrics } from '../../activities/host/metrics';
import type { WebhookConfig } from '../../workers/config/config-webhooks';
import { CliError, EXIT_CODES } from '../session/cli-error';
import type { UploadBell } from './upload-bell';
import { readWebhookEvent } from './webhook-event';
import { chooseReactions, type IgnoredBecause } from './webhook-reactions';
import { secretCheck } from './webhook-secret';
import type { EventStarter } from './webhook-starter';

/** The largest event of the service is far below. */
const MOST_BYTES = 64 * 1024;
/** For a request to have come in whole, from its first byte. */
const READ_WITHIN_MS = 2_000;
const CHECK_EVERY_MS = 250;
const MOST_CONNECTIONS = 512;
/** Starts under way at once; what comes beyond is asked to come again, for the sender repeats. */
const MOST_UNDER_WAY = 256;
const REPORT_EVERY_MS = 10_000;

type Rejection = 'path' | 'method' | 'secret' | 'type' | 'size' | 'json' | 'busy' | 'temporal' | 'broken';

/** How often each thing happened since the start. */
export interface ReceiverCounts {
  readonly started: number;
  readonly duplicate: number;
  readonly ignored: Readonly<Record<IgnoredBecause | 'unknown-form', number>>;
  readonly rejected: Readonly<Record<Rejection, number>>;
  /** Batches were told to look; nothing was kept of these. */
  readonly hinted: number;
}

export interface WebhookReceiver {
  /** http://host:port/path */
  readonly address: string;
  readonly counts: () => ReceiverCounts;
  /** Ends when what came in is answered. */
  close(): Promise<void>;
}

/** What became of the deliveries since the start. */
export function addReceiverMetrics(metrics: Metrics, receiver: Pick<WebhookReceiver, 'counts'>): void {
  metrics.gauge(
    'drawbridge_webhook_deliveries',
    'Deliveries since the start, by what became of them.',
    () => {
      const { started, duplicate, hinted, ignored, rejected } = receiver.counts();
      const found = Object.entries({ started, duplicate, hinted }).map(([became, value]) => [
        became,
        '',
        value,
      ]);
      const others = Object.entries({ ignored, rejected }).flatMap(([became, why]) =>
        Object.entries(why).map(([reason, value]) => [became, reason, value]),
      );
      return [...found, ...others].map(([became, reason, value]) => ({
        labels: { became: String(became), reason: String(reason) },
        value: Number(value),
      }));
    },
  );
}

interface ReceiverLogger {
  info(facts: Readonly<Record<string, unknown>>, message: string): void;
  warn(facts: Readonly<Record<string, unknown>>, message: string): void;
}

export interface WebhookReceiverInput {
  readonly config: WebhookConfig;
  readonly starter: EventStarter;
  readonly bell: Pick<UploadBell, 'ring'>;
  readonly logger: ReceiverLogger;
  /** 0: any free one. */
  readonly port?: number;
}

/** Listens. Throws when there is no secret (nothing could be told from a forgery) or the port is taken. */
export async function startWebhookReceiver(input: WebhookReceiverInput): Promise<WebhookReceiver> {
  const { config, logger } = input;
  if (config.secrets.length === 0) throw new Error('No webhook secret: the receiver does not start without');
  const tally = new Tally(logger);
  const server = createServer(input, tally);
  const origin = await server
    .listen({ host: config.host, port: input.port ?? config.port })
    .catch((error: unknown) => {
      const code = String(codeOf(error));
      const place = `${config.host}:${input.port ?? config.port}`;
      throw new CliError(
        `Webhooks cannot be received at ${place} (${code}). Set webhooks.host and webhooks.port.`,
        EXIT_CODES.failed,
        error,
      );
    });
  return {
    address: `${origin}${config.path}`,
    counts: () => tally.counts(),
    close: async () => {
      await server.close();
      tally.report();
    },
  };
}

function createServer(input: WebhookReceiverInput, tally: Tally): FastifyInstance {
  const { config } = input;
  const isOurs = secretCheck(config.secrets);
  const header = config.header.toLowerCase();
  const server = Fastify({
    bodyLimit: MOST_BYTES,
    requestTimeout: READ_WITHIN_MS,
    keepAliveTimeout: 30_000,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    http: { connectionsCheckingInterval: CHECK_EVERY_MS, headersTimeout: READ_WITHIN_MS },
  });
  server.server.maxConnections = MOST_CONNECTIONS;
  const reject = (reply: FastifyReply, status: number, why: Rejection) => {
    tally.rejected(why);
    // Whatever is still coming is not read.
    return reply.code(status).header('connection', 'close').send();
  };
  // Checked before the body is read, and only the path before the secret: strangers learn nothing else.
  server.addHook('onRequest', async (request, reply) => {
    if (pathOf(request.url) !== config.path) return reject(reply, 404, 'path');
    if (!isOurs(request.headers[header])) return reject(reply, 401, 'secret');
    if (request.method !== 'POST') return reject(reply.header('allow', 'POST'), 405, 'method');
    if (!isJson(request.headers['content-type'])) return reject(reply, 415, 'type');
    if (Number(request.headers['content-length'] ?? 0) > MOST_BYTES) return reject(reply, 413, 'size');
    return undefined;
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.setNotFoundHandler((_request, reply) => reject(reply, 404, 'path'));
  server.setErrorHandler((error, _request, reply) => {
    const { statusCode } = error as { readonly statusCode?: unknown };
    if (statusCode === 413) return reject(reply, 413, 'size');
    return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
      ? reject(reply, 400, 'broken')
      : reject(reply, 500, 'broken');
  });
  let underWay = 0;
  server.post(config.path, async (request: FastifyRequest, reply: FastifyReply) => {
    const parsed = parseJson(request.body);
    if (parsed === undefined) return reject(reply, 400, 'json');
    const event = readWebhookEvent(parsed.value);
    if (event === undefined) {
      tally.ignored('unknown-form');
      return reply.code(204).send();
    }
    const chosen = chooseReactions(event, config);
    if (chosen.kind === 'ignore') {
      tally.ignored(chosen.why);
      return reply.code(204).send();
    }
    if (chosen.looks) {
      // Not made durable: a hint that is lost costs a while.
      input.bell.ring({ projectId: event.projectId, uploadId: event.resourceId });
      tally.hinted();
    }
    if (chosen.reactions.length === 0) return reply.code(204).send();
    if (underWay >= MOST_UNDER_WAY) return reject(reply.header('retry-after', '1'), 503, 'busy');
    underWay++;
    try {
      tally.recorded(await input.starter.start(event, chosen.reactions));
      return reply.code(204).send();
    } catch (error: unknown) {
      // Not durable for all we know: the service must bring it again.
      input.logger.warn(
        { event: 'webhook-not-recorded', eventId: event.eventId, why: nameOf(error) },
        'An event could not be recorded',
      );
      return reject(reply.header('retry-after', '5'), 503, 'temporal');
    } finally {
      underWay--;
    }
  });
  return server;
}

/** Counts, and says now and then what was rejected: a flood of forgeries must not become a flood of lines. */
class Tally {
  readonly #logger: ReceiverLogger;
  readonly #ignored: Record<IgnoredBecause | 'unknown-form', number> = {
    'other-scope': 0,
    'own-change': 0,
    'no-trigger': 0,
    'unknown-form': 0,
  };
  readonly #rejected: Record<Rejection, number> = {
    path: 0,
    method: 0,
    secret: 0,
    type: 0,
    size: 0,
    json: 0,
    busy: 0,
    temporal: 0,
    broken: 0,
  };
  #started = 0;
  #duplicate = 0;
  #hinted = 0;
  #unsaid = 0;
  #saidAtMs = Number.NEGATIVE_INFINITY;

  constructor(logger: ReceiverLogger) {
    this.#logger = logger;
  }

  recorded(outcome: 'started' | 'known'): void {
    if (outcome === 'started') this.#started++;
    else this.#duplicate++;
  }

  hinted(): void {
    this.#hinted++;
  }

  ignored(why: IgnoredBecause | 'unknown-form'): void {
    this.#ignored[why]++;
  }

  rejected(why: Rejection): void {
    this.#rejected[why]++;
    this.#unsaid++;
    if (systemClock.monotonicMs() - this.#saidAtMs >= REPORT_EVERY_MS) this.report();
  }

  report(): void {
    if (this.#unsaid === 0) return;
    this.#saidAtMs = systemClock.monotonicMs();
    this.#unsaid = 0;
    this.#logger.warn({ event: 'webhooks-rejected', ...this.counts() }, 'Deliveries were rejected');
  }

  counts(): ReceiverCounts {
    return {
      started: this.#started,
      duplicate: this.#duplicate,
      ignored: { ...this.#ignored },
      rejected: { ...this.#rejected },
      hinted: this.#hinted,
    };
  }
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

function isJson(contentType: unknown): boolean {
  return typeof contentType === 'string' && /^application\/json\s*(?:;|$)/i.test(contentType.trim());
}

function parseJson(body: unknown): { readonly value: unknown } | undefined {
  if (!Buffer.isBuffer(body)) return undefined;
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown };
  } catch {
    return undefined;
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name.slice(0, 80) : 'unknown';
}
