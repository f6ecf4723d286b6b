// `/metrics`, `/healthz` and `/readyz` of a process, where its configuration says so. Numbers and states
// alone: whoever reaches the address may read them.
import { createServer, type Server } from 'node:http';
import { codeOf } from '../../activities/host/error-code';
import type { Metrics } from '../../activities/host/metrics';
import { isReady, type Part, type Standing } from './standing';

const READ_WITHIN_MS = 5_000;
const MOST_CONNECTIONS = 64;

export interface MetricsResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Undefined for any other path. */
export async function answerMetrics(
  path: string,
  { metrics, standing }: { readonly metrics: Metrics; readonly standing: Standing },
): Promise<MetricsResponse | undefined> {
  const type = 'text/plain; charset=utf-8';
  switch (path) {
    case '/metrics':
      return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: await metrics.render() };
    case '/healthz':
      return standing.isAlive()
        ? { status: 200, type, body: 'alive\n' }
        : { status: 503, type, body: 'cannot go on\n' };
    case '/readyz': {
      const all = [...standing.parts(), ...standing.shares().map(toShare)];
      const lines = all.map(({ name, why }) => `${name}: ${why ?? 'here'}\n`);
      return { status: isReady(standing) ? 200 : 503, type, body: lines.join('') };
    }
    default:
      return undefined;
  }
}

function toShare({ name, why }: Part): Part {
  return { name: `share ${name}`, why };
}

export interface ServedMetrics {
  readonly port: number;
  close(): Promise<void>;
}

/** Does nothing where no address is configured. @throws when the address is taken. */
export async function serveMetrics(input: {
  /** host:port */
  readonly listen: string | undefined;
  readonly metrics: Metrics;
  readonly standing: Standing;
  readonly logger: {
    info(facts: Readonly<Record<string, unknown>>, message: string): void;
  };
}): Promise<ServedMetrics | undefined> {
  const { listen, logger } = input;
  if (listen === undefined) return undefined;
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    answerMetrics(isRead ? path : '', input).then(
      found => {
        if (found === undefined) response.writeHead(404).end();
        else
          response
            .writeHead(found.status, { 'content-type': found.type, 'cache-control': 'no-store' })
            .end(request.method === 'HEAD' ? undefined : found.body);
      },
      () => response.writeHead(500).end(),
    );
  });
  server.headersTimeout = READ_WITHIN_MS;
  server.requestTimeout = READ_WITHIN_MS;
  server.maxConnections = MOST_CONNECTIONS;
  await listenOn(server, listen);
  const address = server.address();
  logger.info({ event: 'metrics-served-at', address: listen }, 'Numbers and health are served');
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>(resolve => server.close(() => resolve()));
    },
  };
}

async function listenOn(server: Server, listen: string): Promise<void> {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(listen) ?? [];
  await new Promise<void>((resolve, reject) => {
    server.once('error', error =>
      reject(
        new Error(`Numbers cannot be served at ${listen} (${String(codeOf(error))}). Set metrics.listen.`, {
          cause: error,
        }),
      ),
    );
    server.listen({ host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }, resolve);
  });
}
