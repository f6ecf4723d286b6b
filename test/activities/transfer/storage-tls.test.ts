// The storage's own encrypted connection: whom it trusts, and how old it may speak.
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { HashPool } from '../../../activities/transfer/hashing/hash-file';
import { ChunkBuffers } from '../../../activities/transfer/source/chunk-buffers';
import { SourceFile } from '../../../activities/transfer/source/source-file';
import { UndiciStorage } from '../../../activities/transfer/storage/storage';
import { createSelfSigned } from '../service/self-signed';
import { SampleFolder } from './sample-files';

const { key, cert } = createSelfSigned();
const ANY_CIPHER = 'DEFAULT@SECLEVEL=0';

let folder: SampleFolder;
let hashing: HashPool;
let server: Server | undefined;
let requests: number;

beforeEach(async () => {
  folder = await SampleFolder.create();
  hashing = new HashPool({ threads: 1 });
  requests = 0;
});
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise(resolve => server?.close(resolve) ?? resolve(undefined));
  await hashing.close();
  await folder.remove();
});

async function listen(options: tls.SecureContextOptions = {}): Promise<number> {
  const listening = createServer({ key, cert, ...options }, (request, response) => {
    requests += 1;
    request.resume();
    request.once('end', () => response.writeHead(200, { etag: '"abc"' }).end());
  });
  server = listening;
  await new Promise<void>(resolve => listening.listen(0, '127.0.0.1', resolve));
  return (listening.address() as AddressInfo).port;
}

async function put(port: number, caBundle?: string): Promise<{ etag: string }> {
  const storage = new UndiciStorage({
    allowInsecureLoopback: true,
    ...(caBundle === undefined ? {} : { caBundle }),
  });
  const source = await SourceFile.open(await folder.file('a.bin', 100), {
    buffers: new ChunkBuffers(),
    hashing,
    disk: work => work(),
  });
  try {
    return await storage.put({
      segment: { url: `https://127.0.0.1:${port}/part?signature=canary`, headers: {} },
      source: source.segment(0),
      signal: new AbortController().signal,
    });
  } finally {
    await source.close();
    await storage.close();
  }
}

test('a certificate that nobody vouches for gets no byte', async () => {
  await expect(put(await listen())).rejects.toMatchObject({ code: 'STORAGE_FAULT' });
  expect(requests).toBe(0);
});

test('a configured authority is trusted', async () => {
  expect(await put(await listen(), cert)).toEqual({ etag: 'abc' });
});

describe('a storage that speaks TLS 1.1 at most', () => {
  const { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS } = tls;
  // As with --tls-min-v1.0 and --tls-cipher-list: what a process may have been started with.
  beforeEach(() => Object.assign(tls, { DEFAULT_MIN_VERSION: 'TLSv1', DEFAULT_CIPHERS: ANY_CIPHER }));
  afterEach(() => Object.assign(tls, { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS }));

  test('is not spoken with, however the process was started', async () => {
    const port = await listen({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: ANY_CIPHER });
    const spoken = await new Promise<string | null>((resolve, reject) => {
      const socket = tls.connect({
        host: '127.0.0.1',
        port,
        ca: cert,
        minVersion: 'TLSv1',
        ciphers: ANY_CIPHER,
      });
      socket.once('error', reject).once('secureConnect', () => {
        resolve(socket.getProtocol());
        socket.destroy();
      });
    });
    expect(spoken).toBe('TLSv1.1');
    await expect(put(port, cert)).rejects.toMatchObject({ code: 'STORAGE_FAULT' });
    expect(requests).toBe(0);
  });
});
