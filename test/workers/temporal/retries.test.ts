// A connection that is closed while one of its calls waits to be tried again.
import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Client, type Connection } from '@temporalio/client';
import { connectClient } from '../../../workers/temporal/temporal-connection';

const NO_MESSAGE = Buffer.alloc(5);
const API_KEY = 'key-canary-retries';

/** A server of gRPC that is there and refuses all work, as one does that has too much of it. */
class BusyTemporal {
  readonly #server: Http2Server = createServer();
  readonly #asked: string[] = [];

  async start(): Promise<string> {
    this.#server.on('stream', (stream, headers) => this.#answer(stream, String(headers[':path'])));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #answer(stream: ServerHttp2Stream, path: string): void {
    const headers = { ':status': 200, 'content-type': 'application/grpc' };
    if (!path.endsWith('/GetSystemInfo')) {
      stream.respond({ ...headers, 'grpc-status': '14', 'grpc-message': 'too busy' }, { endStream: true });
      this.#asked.push(path);
      this.#server.emit('asked');
      return;
    }
    stream.respond(headers, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(NO_MESSAGE);
  }

  get asked(): number {
    return this.#asked.length;
  }

  async untilAsked(times: number): Promise<void> {
    while (this.asked < times) await once(this.#server, 'asked');
  }

  async stop(): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}

describe('a call that Temporal is too busy for', () => {
  const temporal = new BusyTemporal();
  let connection: Connection;

  beforeEach(async () => {
    const address = await temporal.start();
    const connectionOptions = { address, apiKey: API_KEY, tls: false } as const;
    connection = await connectClient({ target: { address, namespace: 'default', connectionOptions } });
  });

  afterEach(async () => {
    await connection.close();
    await temporal.stop();
  });

  test('is tried again, and ends with an error once its connection is closed', async () => {
    const before = temporal.asked;
    const described = new Client({ connection }).workflow.getHandle('any').describe();
    const ended = described.then(
      () => 'described',
      (error: unknown) => error,
    );
    await temporal.untilAsked(before + 2);
    await connection.close();
    const error = await ended;
    expect(error).toMatchObject({ cause: { code: 1, details: 'The connection was closed' } });
    // What went out with the call is no part of its error.
    expect(JSON.stringify(error)).not.toContain(API_KEY);
    expect(String((error as Error).stack)).not.toContain(API_KEY);
  });
});
