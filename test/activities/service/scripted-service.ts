// A real HTTP server whose answers a test writes down beforehand; it keeps what it was asked.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Script = (
  request: SeenRequest,
  response: ServerResponse,
  message: IncomingMessage,
) => void | Promise<void>;

export class ScriptedService {
  readonly seen: SeenRequest[] = [];
  #script: Script = (_, response) => json(response, 200, { data: [] });
  readonly #server: Server;

  constructor() {
    this.#server = createServer((message, response) => {
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('error', () => undefined);
      message.on('end', () => {
        const request = {
          method: message.method ?? '',
          url: message.url ?? '',
          headers: message.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        };
        this.seen.push(request);
        void this.#script(request, response, message);
      });
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on every request is answered so. */
  answer(script: Script): void {
    this.#script = script;
  }

  /** One script a request, in order; the last one serves for all that follow. */
  answerInTurn(...scripts: readonly Script[]): void {
    let turn = 0;
    this.#script = (request, response, message) => {
      const script = scripts[Math.min(turn, scripts.length - 1)];
      turn += 1;
      return script?.(request, response, message);
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }
}

/** Writes a JSON answer. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Writes any answer. */
export function raw(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, headers);
  response.end(body);
}
