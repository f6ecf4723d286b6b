// A connection that is closed while one of its calls waits to be tried again.
import { once } from 'node:events';
import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { Client } from '@temporalio/client';
import { connectClient } from '../../../workers/temporal/temporal-connection';

const NO_MESSAGE = Buffer.alloc(5);
const API_KEY = 'key-canary-retries';

/** A server of gRPC that is there and refuses all work, as one does that has too much of it. */
class BusyTemporal {
  readonly #server: Http2Server = createServer();
  /** What came with each call that was refused. */
  readonly refused: IncomingHttpHeaders[] = [];

  async start(): Promise<string> {
    this.#server.on('stream', (stream, headers) => this.#answer(stream, headers));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #answer(stream: ServerHttp2Stream, asked: IncomingHttpHeaders): void {
    const headers = { ':status': 200, 'content-type': 'application/grpc' };
    if (asked[':path']?.endsWith('/GetSystemInfo') === true) {
      stream.respond(headers, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(NO_MESSAGE);
      return;
    }
    stream.respond({ ...headers, 'grpc-status': '14', 'grpc-message': 'too busy' }, { endStream: true });
    this.refused.push(asked);
    this.#server.emit('refused');
  }

  async untilRefused(times: number): Promise<void> {
    while (this.refused.length < times) await once(this.#server, 'refused');
  }

  async stop(): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}

test('a call that waits to be tried again ends with an error once its connection is closed', async () => {
  const temporal = new BusyTemporal();
  const address = await temporal.start();
  const connectionOptions = { address, apiKey: API_KEY, tls: false } as const;
  const connection = await connectClient({ target: { address, namespace: 'default', connectionOptions } });
  const described = new Client({ connection }).workflow.getHandle('any').describe();
  const ended = described.then(
    () => 'described',
    (error: unknown) => error,
  );
  await temporal.untilRefused(2);
  await connection.close();
  const error = await ended;
  expect(error).toMatchObject({ cause: { code: 1, details: 'Channel has been shut down' } });
  // What goes out with a call is no part of its error.
  expect(temporal.refused.map(({ authorization }) => authorization)).toContain(`Bearer ${API_KEY}`);
  expect(inspect(error, { depth: null, showHidden: true })).not.toContain(API_KEY);
  await temporal.stop();
});
