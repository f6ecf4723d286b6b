import { once } from 'node:events';
import { open, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../../activities/host/clock';
import { HashPool } from '../../../../activities/transfer/hashing/hash-file';
import type { FileToSend, PresignedSegment } from '../../../../activities/transfer/ports';
import { ChunkBuffers } from '../../../../activities/transfer/source/chunk-buffers';
import type { SegmentSource } from '../../../../activities/transfer/source/segment-source';
import { SourceFile } from '../../../../activities/transfer/source/source-file';
import { UndiciStorage } from '../../../../activities/transfer/storage/storage';
import { etagOf, FakeStorageServer } from '../fake-storage-server';
import { openFilesUnder, SampleFolder } from '../sample-files';
import { leadNamesTo } from './names';

const MEBIBYTE = 1024 * 1024;
const SECRET = 'signature=canary';

let folder: SampleFolder;
let server: FakeStorageServer;
let storage: UndiciStorage;
let hashing: HashPool;
let opened: SourceFile[];

beforeEach(async () => {
  folder = await SampleFolder.create();
  server = await FakeStorageServer.start();
  // Patient, for the machine may be busy; what must stall makes an impatient one.
  storage = new UndiciStorage({ allowInsecureLoopback: true, stallMs: 20_000, responseMs: 20_000 });
  hashing = new HashPool({ threads: 1 });
  opened = [];
});

afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(opened.map(source => source.close()));
  await server.close();
  await storage.close();
  await hashing.close();
  await folder.remove();
});

async function sourceOf(file: FileToSend): Promise<SegmentSource> {
  const source = await SourceFile.open(file, { buffers: new ChunkBuffers(), hashing, disk: work => work() });
  opened.push(source);
  return source.segment(0);
}

function segment(changes: Partial<PresignedSegment> = {}): PresignedSegment {
  return { url: `${server.url}/part?${SECRET}`, headers: { 'X-Given': 'as given' }, ...changes };
}

async function put(sizeBytes: number, signal = new AbortController().signal) {
  const file = await folder.file(`f${sizeBytes}.bin`, sizeBytes);
  return await storage.put({ segment: segment(), source: await sourceOf(file), signal });
}

async function putImpatiently(sizeBytes: number, patienceMs = 300) {
  await storage.close();
  storage = new UndiciStorage({ allowInsecureLoopback: true, stallMs: patienceMs, responseMs: patienceMs });
  return await put(sizeBytes);
}

describe('a PUT', () => {
  test.each([1, 100_000, MEBIBYTE, MEBIBYTE + 1, 9 * MEBIBYTE + 5])(
    'of %d bytes sends exactly these and answers the ETag without quotes',
    async sizeBytes => {
      const file = await folder.file('exact.bin', sizeBytes);
      const moved: number[] = [];
      const answer = await storage.put({
        segment: segment(),
        source: await sourceOf(file),
        signal: new AbortController().signal,
        onBytes: count => moved.push(count),
      });
      expect(answer).toEqual({ etag: etagOf(file.sha256) });
      expect(server.puts).toMatchObject([{ sizeBytes, sha256: file.sha256, query: SECRET }]);
      expect(moved.reduce((sum, count) => sum + count, 0)).toBe(sizeBytes);
    },
  );

  test('carries exactly the given headers besides what HTTP needs', async () => {
    await put(10);
    const names = server.puts[0]!.rawHeaders.filter((_, index) => index % 2 === 0).map(name =>
      name.toLowerCase(),
    );
    expect(names.toSorted()).toEqual(['connection', 'content-length', 'host', 'x-given']);
    expect(server.puts[0]!.headers['x-given']).toBe('as given');
  });

  test('is sent again from the first byte by a second call', async () => {
    const file = await folder.file('again.bin', 3 * MEBIBYTE);
    const source = await sourceOf(file);
    server.addFault({ kind: 'reset', afterBytes: MEBIBYTE });
    const signal = new AbortController().signal;
    await expect(storage.put({ segment: segment(), source, signal })).rejects.toMatchObject({
      kind: 'reset',
    });
    await storage.put({ segment: segment(), source, signal });
    expect(server.succeeded()).toMatchObject([{ sha256: file.sha256 }]);
  });

  test.each([
    [400, 'refused'],
    [403, 'refused'],
    [404, 'refused'],
    [302, 'refused'],
    [408, 'busy'],
    [429, 'busy'],
    [500, 'busy'],
    [503, 'busy'],
  ])('answered %d is %s', async (status, kind) => {
    server.addFault({ kind: 'status', status, headers: { location: `${server.url}/elsewhere` } });
    await expect(put(10)).rejects.toMatchObject({ code: 'STORAGE_FAULT', kind, status });
    expect(server.puts).toHaveLength(1);
  });

  test('answered with a time to wait passes it on', async () => {
    server.addFault({ kind: 'status', status: 503, headers: { 'retry-after': '7' } });
    await expect(put(10)).rejects.toMatchObject({ retryAfterMs: 7_050 });
  });

  test.each([0, 3_600_000, -3_600_000])(
    'answered with a date to wait for means the storage’s clock, %d ms from ours',
    async skewMs => {
      const storageMs = Math.floor((Date.now() + skewMs) / 1_000) * 1_000;
      const at = (ms: number): string => new Date(ms).toUTCString();
      server.addFault({
        kind: 'status',
        status: 503,
        headers: { date: at(storageMs), 'retry-after': at(storageMs + 40_000) },
      });
      await expect(put(10)).rejects.toMatchObject({ kind: 'busy', retryAfterMs: 40_050 });
    },
  );

  test('answered with a date alone means the one clock, which is the caller’s', async () => {
    const atMs = Date.parse('2020-01-31T09:30:00Z');
    await storage.close();
    const clock = { ...systemClock, wallMs: () => atMs };
    storage = new UndiciStorage({ allowInsecureLoopback: true, clock });
    const headers = { date: 'unknown', 'retry-after': new Date(atMs + 40_000).toUTCString() };
    server.addFault({ kind: 'status', status: 503, headers });
    await expect(put(10)).rejects.toMatchObject({ kind: 'busy', retryAfterMs: 40_050 });
  });

  test.each([undefined, '', '""', '"a b"'])('answered with the ETag %j is malformed', async value => {
    server.addFault({ kind: 'etag', value });
    await expect(put(10)).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('answered with a weak ETag takes what is within the quotes', async () => {
    server.addFault({ kind: 'etag', value: 'W/"abc-1"' });
    await expect(put(10)).resolves.toEqual({ etag: 'abc-1' });
  });

  test('refused before its body was read is refused or reset, and never a success', async () => {
    server.addFault({ kind: 'refuse-and-reset' });
    const failed = await put(20 * MEBIBYTE).catch((error: unknown) => error);
    expect(['refused', 'reset']).toContain((failed as { kind: string }).kind);
  });

  test('that is never answered stalls', async () => {
    server.addFault({ kind: 'hang' });
    await expect(putImpatiently(MEBIBYTE)).rejects.toMatchObject({ kind: 'stalled' });
  });

  test('that waits for a connection does not stall: those that have one are what it waits for', async () => {
    await storage.close();
    storage = new UndiciStorage({
      allowInsecureLoopback: true,
      connections: 1,
      stallMs: 300,
      responseMs: 300,
    });
    server.addFault({ kind: 'hang' });
    const attempts = await Promise.allSettled([1_000, 2_000].map(async sizeBytes => await put(sizeBytes)));
    // Either may have come first.
    const [sent, stalled] = attempts.toSorted((one, other) => one.status.localeCompare(other.status));
    expect(sent).toMatchObject({ status: 'fulfilled' });
    expect(stalled).toMatchObject({ status: 'rejected', reason: { kind: 'stalled' } });
  });

  test.each([
    ['that waits for the disk all the time is told as that of the disk', 0, { code: 'ETIMEDOUT' }],
    ['of which the disk was asked a moment ago stalls', 250, { code: 'STORAGE_FAULT', kind: 'stalled' }],
  ])('%s', async (_, readsAfterMs, expected) => {
    await storage.close();
    storage = new UndiciStorage({ allowInsecureLoopback: true, stallMs: 300, responseMs: 300 });
    const ended = new AbortController();
    const body = {
      failure: undefined,
      readingSinceMs: undefined as number | undefined,
      async *chunks() {
        await delay(readsAfterMs);
        body.readingSinceMs = performance.now();
        await once(ended.signal, 'abort');
        yield Buffer.alloc(10);
      },
      close: () => undefined,
    };
    const source = { sizeBytes: 10, open: () => body };
    const { signal } = new AbortController();
    await expect(storage.put({ segment: segment(), source, signal })).rejects.toMatchObject(expected);
    ended.abort();
  });

  test('that the storage no longer reads stalls', async () => {
    server.addFault({ kind: 'stop-reading' });
    await expect(putImpatiently(40 * MEBIBYTE)).rejects.toMatchObject({ kind: 'stalled' });
  });

  test('to where nobody listens is unreachable', async () => {
    const file = await folder.file('nobody.bin', 10);
    const nobody = segment({ url: `http://127.0.0.1:1/part?${SECRET}` });
    const attempt = storage.put({
      segment: nobody,
      source: await sourceOf(file),
      signal: new AbortController().signal,
    });
    await expect(attempt).rejects.toMatchObject({ kind: 'unreachable' });
  });

  test('to an address that is not safe is not begun', async () => {
    const file = await folder.file('unsafe.bin', 10);
    const strict = new UndiciStorage();
    const attempt = strict.put({
      segment: segment(),
      source: await sourceOf(file),
      signal: new AbortController().signal,
    });
    await expect(attempt).rejects.toMatchObject({ code: 'UNSAFE_TARGET' });
    expect(server.puts).toEqual([]);
    await strict.close();
  });

  test.each([
    ['10.0.0.8', false, { code: 'UNSAFE_TARGET', message: expect.stringContaining('allowPrivateStorage') }],
    ['10.0.0.8', true, { code: 'STORAGE_FAULT', kind: 'unreachable' }],
    ['127.0.0.1', true, { code: 'UNSAFE_TARGET', message: expect.stringContaining('local address') }],
  ])(
    'to a name that leads to %s, where private ones are allowed: %s',
    async (address, allowPrivate, fault) => {
      const connected = leadNamesTo(address);
      const guarded = new UndiciStorage({ allowPrivate });
      const attempt = guarded.put({
        segment: segment({ url: `https://bucket.storage.example/part?${SECRET}` }),
        source: await sourceOf(await folder.file('private.bin', 10)),
        signal: new AbortController().signal,
      });
      await expect(attempt).rejects.toMatchObject(fault);
      expect(connected).toEqual(fault.code === 'UNSAFE_TARGET' ? [] : ['bucket.storage.example']);
      await guarded.close();
    },
  );

  test('that is aborted rejects with the reason', async () => {
    server.addFault({ kind: 'stop-reading' });
    const abort = new AbortController();
    const reason = new Error('enough');
    const attempt = put(40 * MEBIBYTE, abort.signal);
    setTimeout(() => abort.abort(reason), 50);
    await expect(attempt).rejects.toBe(reason);
  });

  test('says what failed without the address', async () => {
    const kinds = [
      { kind: 'status', status: 403, body: `<Error>${SECRET}</Error>` },
      { kind: 'reset', afterBytes: 1 },
      { kind: 'hang' },
      { kind: 'etag', value: undefined },
    ] as const;
    for (const fault of kinds) {
      server.addFault(fault);
      const error = await putImpatiently(10).catch((caught: unknown) => caught);
      const text = `${String(error)} ${JSON.stringify(error)} ${(error as Error).stack}`;
      expect(text).not.toContain('canary');
      expect(text).not.toContain('/part');
    }
  });
});

describe('a file that changed', () => {
  test('in the same length is noticed before its last chunk has left', async () => {
    const file = await folder.file('edited.bin', 5 * MEBIBYTE);
    const handle = await open(file.path, 'r+');
    await handle.write(Buffer.from('x'), 0, 1, 1_000_000);
    await handle.close();
    const attempt = storage.put({
      segment: segment(),
      source: await sourceOf(file),
      signal: new AbortController().signal,
    });
    await expect(attempt).rejects.toMatchObject({ code: 'SOURCE_FILE', reason: 'file-changed' });
    expect(server.succeeded()).toEqual([]);
  });

  test('and is small is noticed before a byte has left', async () => {
    const file = await folder.file('small.bin', 1_000);
    const source = await sourceOf(file);
    await writeFile(file.path, 'y'.repeat(1_000));
    const attempt = storage.put({ segment: segment(), source, signal: new AbortController().signal });
    await expect(attempt).rejects.toMatchObject({ reason: 'file-changed' });
    expect(server.succeeded()).toEqual([]);
  });

  test('by becoming shorter is noticed', async () => {
    const file = await folder.file('short.bin', 5 * MEBIBYTE);
    const source = await sourceOf(file);
    await writeFile(file.path, 'short');
    const attempt = storage.put({ segment: segment(), source, signal: new AbortController().signal });
    await expect(attempt).rejects.toMatchObject({ reason: 'file-changed' });
  });
});

describe('a line that is slow', () => {
  let slow: Server;

  /** Sends a file of so many bytes to it, with so much patience. */
  async function putSlowly(sizeBytes: number, patience: { stallMs: number; responseMs: number }) {
    await new Promise<void>(resolve => slow.listen(0, '127.0.0.1', resolve));
    const patient = new UndiciStorage({ allowInsecureLoopback: true, ...patience });
    const file = await folder.file('slow.bin', sizeBytes);
    const attempt = patient.put({
      segment: { url: `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`, headers: {} },
      source: await sourceOf(file),
      signal: new AbortController().signal,
    });
    return await attempt.finally(() => patient.close());
  }

  afterEach(async () => {
    slow.closeAllConnections();
    await new Promise(resolve => slow.close(resolve));
  });

  test('is not a fault as long as bytes move', async () => {
    const slowUntilMs = performance.now() + 1_600;
    slow = createServer((request, response) => {
      request.on('data', () => {
        if (performance.now() > slowUntilMs) return;
        request.pause();
        setTimeout(() => request.resume(), 20);
      });
      request.on('end', () => response.setHeader('etag', 'slow').end());
    });
    const startedMs = performance.now();
    const attempt = putSlowly(24 * MEBIBYTE, { stallMs: 800, responseMs: 800 });
    await expect(attempt).resolves.toEqual({ etag: 'slow' });
    expect(performance.now() - startedMs).toBeGreaterThan(800);
  });

  test('may take longer for its answer than for its bytes: it has them all to look at', async () => {
    slow = createServer((request, response) => {
      request.resume();
      request.on('end', () => setTimeout(() => response.setHeader('etag', 'slow').end(), 900));
    });
    const attempt = putSlowly(1_000, { stallMs: 300, responseMs: 20_000 });
    await expect(attempt).resolves.toEqual({ etag: 'slow' });
  });
});

test('no descriptor is left behind, whatever the end', async () => {
  const faults = [
    { kind: 'status', status: 403 },
    { kind: 'reset', afterBytes: MEBIBYTE },
    { kind: 'refuse-and-reset' },
    { kind: 'stop-reading' },
    { kind: 'hang' },
    { kind: 'lose-answer' },
  ] as const;
  for (const fault of faults) {
    server.addFault(fault);
    // So long that it is never the file that one waits for, on a busy machine either.
    await expect(putImpatiently(20 * MEBIBYTE, 2_000)).rejects.toMatchObject({ code: 'STORAGE_FAULT' });
  }
  await Promise.all(opened.map(source => source.close()));
  expect(await openFilesUnder(folder.path)).toEqual([]);
});
