// Connections on which the other side is silent are closed: each takes one of a limited number of places.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Live changes give a sign of life four times a minute, and an upload moves. */
const SILENT_MS = 3 * 60_000;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Closes connections on which nothing went either way for so long, unless it is we who are waited for. */
export function cutSilent(server: Server, silentMs = SILENT_MS): void {
  const exchanges = new WeakMap<Socket, Exchange>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    exchanges.set(request.socket, { request, response });
  });
  const held = new WeakSet<Socket>();
  server.setTimeout(silentMs, socket => {
    const isHeld = isOurTurn(socket, exchanges.get(socket));
    // We may have taken what came just now: whoever we held back until then has a whole time to go on.
    const wasHeld = held.delete(socket);
    if (isHeld) held.add(socket);
    // It tells silence once: it has to be asked for again.
    if (isHeld || wasHeld) socket.setTimeout(silentMs);
    else socket.destroy();
  });
}

/** A share that is slow holds up what is sent to it, and what is read of it. */
function isOurTurn(socket: Socket, exchange: Exchange | undefined): boolean {
  if (exchange === undefined || exchange.response.writableFinished) return false;
  // What was sent already is not taken.
  if (socket.writableLength > 0) return false;
  const { complete, readableLength } = exchange.request;
  return complete || readableLength > 0;
}
