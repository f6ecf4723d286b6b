// An authentication host whose refresh tokens work once. It writes down each use: whose, what became of it,
// and whether the one who asked still lived. The part is judged by this log alone.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What strikes the coming exchange. */
export type TokenFault =
  | 'none'
  /** The exchange happens, its answer is lost. */
  | 'lost-answer'
  /** Half of the answer arrives. */
  | 'cut-answer'
  /** The connection ends before anything happens. */
  | 'cut-request'
  | 'unavailable'
  | 'bad-gateway'
  | 'page'
  /**
   * The asking process is killed before the exchange, between exchange and answer, or just after the answer.
   */
  | 'kill-before'
  | 'kill-between'
  | 'kill-after';

export interface TokenUse {
  readonly refreshToken: string;
  /** The client secret tells the processes apart. */
  readonly process: string;
  readonly fault: TokenFault;
  /** It worked, or had been used up before. */
  readonly wasValid: boolean;
  /** Whether the exchange took effect. */
  readonly isConsumed: boolean;
  /**
   * What the process can know: `granted` and `refused` were said; `not-used` was said too; `unknown` is
   * everything else. Of a process that is killed meanwhile nobody knows anything.
   */
  readonly told: 'granted' | 'refused' | 'not-used' | 'unknown';
  /** Another process that lived had a request under way. */
  readonly isSecondInFlight: boolean;
  /** It had been said before what became of this token, to a process that still lived or once and for all. */
  readonly isKnown: boolean;
}

export class TokenServer {
  readonly uses: TokenUse[] = [];
  /** For the coming exchanges, one each; then none. */
  faults: TokenFault[] = [];
  kill: (process: string) => Promise<void> = async () => undefined;
  isAlive: (process: string) => boolean = () => true;
  readonly #valid = new Set<string>();
  readonly #inFlight = new Set<{ readonly process: string; readonly socket: Socket }>();
  readonly #server: Server;
  #count = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => {
        if (request.url !== '/oauth/token') return json(response, 401, { error: 'invalid_token' });
        void this.#exchange(
          new URLSearchParams(Buffer.concat(chunks).toString('utf8')),
          response,
          request.socket,
        );
      });
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A refresh token of a new login. */
  login(): string {
    this.#count += 1;
    const token = `refresh-${this.#count}`;
    this.#valid.add(token);
    return token;
  }

  isValid(refreshToken: string): boolean {
    return this.#valid.has(refreshToken);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }

  async #exchange(form: URLSearchParams, response: ServerResponse, socket: Socket): Promise<void> {
    if (form.get('grant_type') === 'authorization_code') return json(response, 200, this.#tokens());
    const refreshToken = form.get('refresh_token') ?? '';
    const process = form.get('client_secret') ?? '';
    const fault = this.faults.shift() ?? 'none';
    const isSecondInFlight = [...this.#inFlight].some(
      other => !other.socket.destroyed && this.isAlive(other.process) && this.isAlive(process),
    );
    const entry = { process, socket };
    this.#inFlight.add(entry);
    const wasValid = this.#valid.has(refreshToken);
    const isKnown = this.uses.some(
      use =>
        use.refreshToken === refreshToken &&
        (use.told === 'refused' || (use.told === 'granted' && this.isAlive(use.process))),
    );
    const note = (told: TokenUse['told'], isConsumed: boolean) =>
      void this.uses.push({
        refreshToken,
        process,
        fault,
        wasValid,
        isConsumed,
        told,
        isSecondInFlight,
        isKnown,
      });
    try {
      await this.#answer({ fault, refreshToken, process, wasValid, response, socket, note });
    } finally {
      this.#inFlight.delete(entry);
    }
  }

  async #answer(exchange: {
    readonly fault: TokenFault;
    readonly refreshToken: string;
    readonly process: string;
    readonly wasValid: boolean;
    readonly response: ServerResponse;
    readonly socket: Socket;
    readonly note: (told: TokenUse['told'], isConsumed: boolean) => void;
  }): Promise<void> {
    const { fault, refreshToken, process, wasValid, response, socket, note } = exchange;
    if (fault === 'kill-before') await this.kill(process);
    if (fault === 'cut-request' || fault === 'kill-before') {
      note('unknown', false);
      socket.resetAndDestroy();
      return;
    }
    if (fault === 'unavailable') {
      note('not-used', false);
      return json(response, 503, {}, { 'retry-after': '0' });
    }
    if (fault === 'bad-gateway' || fault === 'page') {
      note('unknown', false);
      response.writeHead(fault === 'page' ? 200 : 502, { 'content-type': 'text/html' }).end('<html>');
      return;
    }
    if (!wasValid) {
      note('refused', false);
      return json(response, 401, { error: 'invalid_grant' });
    }
    this.#valid.delete(refreshToken);
    const text = JSON.stringify(this.#tokens());
    if (fault === 'kill-between') await this.kill(process);
    if (fault === 'lost-answer' || fault === 'kill-between') {
      note('unknown', true);
      socket.resetAndDestroy();
      return;
    }
    if (fault === 'cut-answer') {
      note('unknown', true);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(text.length) });
      response.write(text.slice(0, text.length / 2), () => socket.destroy());
      return;
    }
    note('granted', true);
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    if (fault === 'kill-after') await this.kill(process);
  }

  #tokens(): Record<string, unknown> {
    const refresh_token = this.login();
    return { access_token: `access-${this.#count}`, token_type: 'bearer', expires_in: 5_400, refresh_token };
  }
}

function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
