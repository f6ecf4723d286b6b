// A storage host: real HTTP, real bytes, and faults in the order they were given.

import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type StorageFault =
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
  /** The connection is cut after so many bytes of the body. */
  | { kind: 'reset'; afterBytes: number }
  /** 403 and an immediate end, without reading the body. */
  | { kind: 'refuse-and-reset' }
  /** Takes everything and never answers. */
  | { kind: 'hang' }
  /** Stops reading. */
  | { kind: 'stop-reading' }
  | { kind: 'etag'; value: string | undefined }
  /** Takes effect, but the answer is lost. */
  | { kind: 'lose-answer' }
  /** Runs before the request is read. */
  | { kind: 'do'; action: () => void | Promise<void> };

export interface TakenPut {
  path: string;
  query: string;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  sizeBytes: number;
  sha256: string;
  status: number;
}

export class FakeStorageServer {
  readonly puts: TakenPut[] = [];
  /** How many requests were under way at once, at most. */
  mostAtOnce = 0;
  /** Whether this address is (still) good; a 403 else. */
  isValid: (path: string, query: string) => boolean = () => true;
  /** Another ETag than the right one. */
  etagFor: (path: string) => string | undefined = () => undefined;
  /** The name of the file that an address is for. */
  fileNameOf: (path: string) => string | undefined = () => undefined;
  private readonly arrivals = new EventEmitter();
  private readonly arrivedNames = new Set<string | undefined>();
  private atOnce = 0;
  private readonly server: Server;
  private readonly faults: { fault: StorageFault; meets: (path: string) => boolean; times: number }[] = [];

  private constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  static async start(): Promise<FakeStorageServer> {
    const fake = new FakeStorageServer();
    await new Promise<void>(resolve => fake.server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The next `times` requests (to `path`, or with bytes of `fileName`, when given) meet this fault. */
  addFault(fault: StorageFault, options: { path?: string; fileName?: string; times?: number } = {}): void {
    const { path, fileName, times = 1 } = options;
    const meets = (requested: string) =>
      (path === undefined || path === requested) &&
      (fileName === undefined || fileName === this.fileNameOf(requested));
    this.faults.push({ fault, meets, times });
  }

  /** Resolves when a request with bytes of this file has come. */
  async arrived(fileName: string): Promise<void> {
    while (!this.arrivedNames.has(fileName)) await once(this.arrivals, 'request');
  }

  succeeded(): TakenPut[] {
    return this.puts.filter(put => put.status === 200);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  private takeFault(path: string): StorageFault | undefined {
    const entry = this.faults.find(each => each.times > 0 && each.meets(path));
    if (entry === undefined) return undefined;
    entry.times -= 1;
    return entry.fault;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const fault = this.takeFault(path);
    this.arrivedNames.add(this.fileNameOf(path));
    this.arrivals.emit('request');
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    response.on('close', () => {
      this.atOnce -= 1;
    });
    request.on('error', () => undefined);
    if (fault?.kind === 'do') await fault.action();
    if (fault?.kind === 'refuse-and-reset') {
      request.socket.write('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
      request.socket.resetAndDestroy();
      this.record(request, { path, query, sizeBytes: 0, sha256: '', status: 403 });
      return;
    }
    if (fault?.kind === 'stop-reading') return;

    const hash = createHash('sha256');
    let sizeBytes = 0;
    request.on('data', (chunk: Buffer) => {
      hash.update(chunk);
      sizeBytes += chunk.length;
      if (fault?.kind === 'reset' && sizeBytes >= fault.afterBytes) {
        request.removeAllListeners('data');
        this.record(request, { path, query, sizeBytes, sha256: '', status: 0 });
        request.socket.resetAndDestroy();
      }
    });
    request.on('end', () => {
      const sha256 = hash.digest('hex');
      const status = fault?.kind === 'status' ? fault.status : this.isValid(path, query) ? 200 : 403;
      this.record(request, { path, query, sizeBytes, sha256, status });
      if (fault?.kind === 'hang') return;
      if (fault?.kind === 'lose-answer') return request.socket.resetAndDestroy();
      if (fault?.kind === 'status') {
        response.writeHead(status, fault.headers).end(fault.body);
        return;
      }
      const etag = fault?.kind === 'etag' ? fault.value : (this.etagFor(path) ?? `"${etagOf(sha256)}"`);
      response.writeHead(status, status === 200 && etag !== undefined ? { etag } : {}).end();
    });
  }

  private record(
    request: IncomingMessage,
    put: Pick<TakenPut, 'path' | 'query' | 'sizeBytes' | 'sha256' | 'status'>,
  ): void {
    this.puts.push({ ...put, headers: request.headers, rawHeaders: request.rawHeaders });
  }
}

/** The ETag this storage gives to bytes with such a hash, without quotes. */
export function etagOf(sha256: string): string {
  return sha256.slice(0, 32);
}
