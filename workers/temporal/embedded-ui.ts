// The door before the Web UI of the embedded server.
//
// The UI answers whatever name it is asked by. A web page whose own name is made to lead to this machine
// (DNS rebinding) could read every batch through it, and start and end runs. So the UI itself listens where
// nobody can guess, and this passes on to it only what was asked by this machine's own names, for
// pages that came from here: older servers' UIs let those of any site read.
import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';

const HOST = '127.0.0.1';
const OWN_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);
/** Concern one connection only and are not passed on (RFC 9110, 7.6.1). */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export interface UiDoor {
  close(): Promise<void>;
}

/** Where the UI itself listens. */
export interface UiPlace {
  readonly host: string;
  readonly port: number;
}

/** Listens on `port` of this machine. Rejects with the system's error when that is taken. */
export async function openUiDoor(port: number, inner: UiPlace): Promise<UiDoor> {
  const server = createServer((request, response) => {
    const refusal = judge(request, port);
    if (refusal === undefined) passOn(request, response, inner);
    else endWithError(response, 403, refusal);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  // A browser that keeps a page open is no reason to keep a process.
  server.unref();
  return {
    close: async () => {
      await new Promise<void>(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** Why a request is not passed on; undefined when it is. */
function judge({ headers }: IncomingMessage, port: number): string | undefined {
  if (!isOwnName(`http://${headers.host ?? ''}`)) {
    return 'This page answers to 127.0.0.1 and localhost only.';
  }
  // Browsers send the origin of the page with whatever may change something, and with what it may read of
  // other sites; programs send none. By the name alone a page of any other program of this machine would
  // pass.
  const isElsewhere = headers.origin !== undefined && !isOwnPage(headers.origin, headers.host ?? '', port);
  if (isElsewhere || isReadFromElsewhere(headers)) {
    return 'Nothing is shown or changed here on behalf of another site.';
  }
  return undefined;
}

/** A link from elsewhere may be followed; nothing of elsewhere may read, or show this inside its own page. */
function isReadFromElsewhere(headers: IncomingMessage['headers']): boolean {
  const site = headers['sec-fetch-site'];
  const isFollowed = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return (site === 'cross-site' || site === 'same-site') && !isFollowed;
}

function isOwnName(address: string): boolean {
  return URL.canParse(address) && OWN_NAMES.has(new URL(address).hostname);
}

/** Of our port, or of the one that the browser asks: it may be forwarded from another. */
function isOwnPage(origin: string, host: string, port: number): boolean {
  if (!isOwnName(origin)) return false;
  const { protocol, port: ofPage } = new URL(origin);
  const asked = new URL(`http://${host}`).port;
  return protocol === 'http:' && [String(port), asked || '80'].includes(ofPage || '80');
}

function passOn(request: IncomingMessage, response: ServerResponse, inner: UiPlace): void {
  const onward = openRequest(
    {
      ...inner,
      method: request.method,
      path: request.url,
      headers: withoutHops(request.headers),
    },
    reply => {
      response.writeHead(reply.statusCode ?? 502, withoutLeave(withoutHops(reply.headers)));
      reply.pipe(response);
      reply.once('error', () => response.destroy());
    },
  );
  onward.once('error', () => endWithError(response, 502, 'The Web UI does not answer.'));
  response.once('close', () => onward.destroy());
  request.pipe(onward);
}

function withoutHops(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name)));
}

/** Older servers' UIs give the pages of every site leave to read what they answer. */
function withoutLeave(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('access-control-')));
}

function endWithError(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`${text}\n`);
}
