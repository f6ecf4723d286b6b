/** One listening address, with the ways in which a whole host can be away. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * `refuse`: nobody listens; `reset`: connections are accepted and reset; `silent`: requests
 * are accepted and never answered.
 */
export type Outage = 'none' | 'refuse' | 'reset' | 'silent';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** How long an idle connection is kept: longer than careful clients keep theirs. */
const KEEP_ALIVE_MS = 30_000;
/** While it refuses, its port is free for whoever connects to anything: such a connection ends soon. */
const PORT_AGAIN_WITHIN_MS = 20_000;
const TRY_EVERY_MS = 50;

export class Origin {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly host: string;
  private port: number;
  private mode: Outage = 'none';

  constructor(handler: Handler, host: string, port: number) {
    this.host = host;
    this.port = port;
    // No limit on a whole request: large segments over slow lines take long.
    const options = { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0, noDelay: true };
    this.server = createServer(options, (request, response) => {
      // A client that goes away is no fault of this server.
      request.on('error', () => undefined);
      response.on('error', () => undefined);
      if (this.mode !== 'silent') handler(request, response);
    });
    this.server.on('connection', socket => this.adopt(socket));
  }

  get url(): string {
    const host = this.host.includes(':') ? `[${this.host}]` : this.host;
    return `http://${host}:${this.port}`;
  }

  get outage(): Outage {
    return this.mode;
  }

  /** Rejects when the port is taken. */
  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.port, this.host, () => {
        this.server.off('error', reject);
        this.port = (this.server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  /** Goes away or comes back, on the same port. Open connections are reset either way. */
  async setOutage(mode: Outage): Promise<void> {
    if (mode === this.mode) return;
    const wasListening = this.mode !== 'refuse';
    this.mode = mode;
    if (mode === 'refuse') await this.stopListening();
    else {
      this.dropConnections();
      if (!wasListening) await this.listenAgain();
    }
  }

  private async listenAgain(): Promise<void> {
    const until = performance.now() + PORT_AGAIN_WITHIN_MS;
    for (;;) {
      try {
        return await this.listen();
      } catch (error) {
        const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
        if (!isTaken || performance.now() > until) throw error;
        await delay(TRY_EVERY_MS);
      }
    }
  }

  async close(): Promise<void> {
    if (this.server.listening) await this.stopListening();
  }

  private adopt(socket: Socket): void {
    if (this.mode === 'reset') {
      socket.resetAndDestroy();
      return;
    }
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
  }

  private async stopListening(): Promise<void> {
    await new Promise<void>(resolve => {
      this.server.close(() => resolve());
      this.dropConnections();
    });
  }

  private dropConnections(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
