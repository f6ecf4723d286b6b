// Waits on this machine for the browser to come back with the authorization code. Listens on 127.0.0.1 only,
// and serves one path, until its caller closes it.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hasCode } from '../../activities/host/error-code';
import type { SystemCode } from '../../activities/host/file-trouble';
import { withResolvers } from '../../activities/host/with-resolvers';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { type Grant, readGrant } from './authorization-address';

const PATH = '/callback';
const READ_LIMIT_MS = 5_000;

export interface CallbackServer {
  /** `http://127.0.0.1:<port>/callback`, to be given to the service. */
  readonly redirectUri: string;
  /** The one answer to our question; rejects with the signal's reason when it is aborted before. */
  readonly grant: Promise<Exclude<Grant, { kind: 'foreign' }>>;
  close(): Promise<void>;
}

/**
 * Listens; `port` 0 takes a free one. Requests with another state, path or host are
 * refused and do not end the waiting.
 */
export async function startCallbackServer(input: {
  readonly port: number;
  readonly state: string;
  readonly signal: AbortSignal;
}): Promise<CallbackServer> {
  const { promise: grant, resolve, reject } = withResolvers<Exclude<Grant, { kind: 'foreign' }>>();
  // Whoever awaits it sees the error; nobody may be awaiting it yet.
  grant.catch(() => undefined);
  const server = createServer(
    { maxHeaderSize: 16_384, requestTimeout: READ_LIMIT_MS },
    (request, response) => {
      const found = judge(request, server, input.state);
      if (found.kind === 'foreign')
        return page(response, 400, 'This is not the sign-in that is waiting here.');
      page(
        response,
        200,
        found.kind === 'code'
          ? 'Signed in. You can close this page and go back to the terminal.'
          : 'Access was not granted. You can close this page and go back to the terminal.',
      );
      resolve(found);
    },
  );
  server.headersTimeout = READ_LIMIT_MS;
  server.maxConnections = 20;
  await listen(server, input.port);
  const onAbort = () => reject(input.signal.reason);
  input.signal.addEventListener('abort', onAbort, { once: true });
  if (input.signal.aborted) onAbort();
  return {
    redirectUri: `http://127.0.0.1:${portOf(server)}${PATH}`,
    grant,
    close: async () => {
      input.signal.removeEventListener('abort', onAbort);
      await new Promise<void>(done => {
        server.close(() => done());
        // The browser keeps its connection for the next page.
        server.closeAllConnections();
      });
    },
  };
}

function judge(request: IncomingMessage, server: Server, state: string): Grant {
  const target = request.url ?? '';
  // Another name for this address is how a foreign page would reach us (DNS rebinding).
  const isOurs = request.headers.host === `127.0.0.1:${portOf(server)}`;
  if (request.method !== 'GET' || !isOurs || !URL.canParse(target, 'http://127.0.0.1')) {
    return { kind: 'foreign' };
  }
  const url = new URL(target, 'http://127.0.0.1');
  return url.pathname === PATH ? readGrant(url.searchParams, state) : { kind: 'foreign' };
}

function page(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'",
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(`<!doctype html><meta charset="utf-8"><title>Drawbridge</title><p>${text}</p>\n`);
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => {
      const isTaken = hasCode<SystemCode>(error, 'EADDRINUSE');
      reject(
        isTaken
          ? new CliError(`Port ${port} is taken. Give another with --port.`, EXIT_CODES.usage, error)
          : error,
      );
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo | null)?.port ?? 0;
}
