/** Step 5: sessions, segments, bytes, presigned addresses. */
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { type RawAnswer, RawClient, send, sha256 } from './raw-client';

const MIB = 1024 * 1024;

let client: RawClient;

beforeAll(async () => {
  client = await RawClient.start();
});

beforeEach(async () => {
  await client.control.reset();
  await client.signIn();
});

afterAll(() => client.close());

interface Segment {
  url: string;
  url_expires_at: number;
  headers: Record<string, string>;
}

const put = (segment: Segment, body: Buffer, headers: Record<string, string> = {}): Promise<RawAnswer> =>
  send('PUT', segment.url, { headers: { ...segment.headers, ...headers }, body });
const etagOf = (answer: RawAnswer) => String(answer.headers.etag).replaceAll('"', '');
const look = async (id: string) => (await client.api('GET', client.filePath(id))).json.data;
const violations = async () => (await client.control.violations()).map(({ what }) => what);

/** Bytes that differ from place to place. */
function bytesOf(size: number): Buffer {
  const block = createHash('sha512').update(String(size)).digest();
  return Buffer.alloc(size, block);
}

describe('opening a session', () => {
  const valid = {
    file_name: 'a.pdf',
    file_size: 3,
    content_type: 'application/pdf',
    sha256: sha256('abc'),
    segments: [{ size: 3, sha256: sha256('abc') }],
  };

  test('it answers an id, one address a segment, and when each ends', async () => {
    const { status, json } = await client.api('POST', client.filePath(), valid);
    expect(status).toBe(201);
    expect(json.data).toMatchObject({
      file_name: 'a.pdf',
      file_size: 3,
      content_type: 'application/pdf',
      status: 'ready',
    });
    expect(json.data.upload_id).toMatch(/^[0-9A-Z]{26}$/);
    expect(json.data.segments).toHaveLength(1);
    expect(json.data.segments[0].url.startsWith(client.sandbox.storageUrl)).toBe(true);
    expect(Number.isInteger(json.data.upload_expires_at)).toBe(true);
  });

  test.each([
    ['an empty file', { file_size: 0, segments: [{ size: 0, sha256: sha256('') }] }],
    ['no segments', { segments: [] }],
    ['segments that do not add up', { file_size: 4 }],
    ['a hash that is none', { sha256: 'abc' }],
    ['an unknown property', { colour: 'red' }],
    ['a segment over 100 MiB', oneSegment(100 * MIB + 1)],
    ['an early segment of exactly 5 MiB', twoSegments(5 * MIB, 3)],
  ])('%s is refused', async (_, change) => {
    const answer = await client.api('POST', client.filePath(), { ...valid, ...change });
    expect([answer.status, answer.json.error.details[0].reason_code]).toEqual([400, 'INVALID_PROPERTY']);
  });

  test.each([
    ['one segment of exactly 100 MiB', oneSegment(100 * MIB)],
    ['an early segment just over 5 MiB with a last one of one byte', twoSegments(5 * MIB + 1, 1)],
  ])('%s is accepted', async (_, change) => {
    expect((await client.api('POST', client.filePath(), { ...valid, ...change })).status).toBe(201);
  });

  test('the company-level twin works the same', async () => {
    const path = '/rest/v2.1/companies/5001/uploads';
    const opened = await client.api('POST', path, valid);
    expect(opened.status).toBe(201);
    const id = opened.json.data.upload_id;
    const answer = await put(opened.json.data.segments[0], Buffer.from('abc'));
    const patched = await client.api('PATCH', `${path}/${id}`, { part_etags: [etagOf(answer)] });
    expect(patched.json.data).toEqual({ upload_id: id, status: 'complete' });
    expect((await client.api('GET', client.filePath(id))).status).toBe(404);
  });
});

describe('sending bytes', () => {
  const bytes = Buffer.from('the bytes of a drawing');
  let segment: Segment;
  let id: string;

  beforeEach(async () => {
    const { data } = (await client.openFile('a.dwg', bytes)).json;
    segment = data.segments[0];
    id = data.upload_id;
  });

  test('the right bytes get a quoted ETag and an empty body', async () => {
    const answer = await put(segment, bytes);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers.etag).toMatch(/^"[0-9a-f]+"$/);
  });

  test.each([
    ['other bytes of the same length', Buffer.from('THE bytes of a drawing')],
    ['fewer bytes', bytes.subarray(1)],
    ['more bytes', Buffer.concat([bytes, bytes])],
  ])('%s are a 400 and are not kept', async (_, sent) => {
    expect((await put(segment, sent)).status).toBe(400);
    expect((await client.control.files())[0]!.segmentsReceived).toBe(0);
  });

  test('an Authorization header is a 400 and a violation', async () => {
    expect((await put(segment, bytes, { authorization: `Bearer ${client.token}` })).status).toBe(400);
    expect(await violations()).toEqual(['bearer-at-storage']);
    expect(JSON.stringify(await client.control.operations())).not.toContain(client.token);
  });

  test.each([
    ['an added header', { 'x-company': '5001' }],
    ['a changed header', { 'content-type': 'text/plain' }],
  ])('%s is a 400 and a violation', async (_, headers) => {
    expect((await put(segment, bytes, headers as Record<string, string>)).status).toBe(400);
    expect(await violations()).toEqual(['foreign-header-at-storage']);
  });

  test('a missing header is a 400', async () => {
    const { 'content-type': _, ...rest } = segment.headers;
    expect((await send('PUT', segment.url, { headers: rest, body: bytes })).status).toBe(400);
  });

  test('a changed address is a 403', async () => {
    const url = segment.url.replace(/expires=\d/, 'expires=9');
    expect((await send('PUT', url, { headers: segment.headers, body: bytes })).status).toBe(403);
  });

  test('an expired address is a 403, and a look brings a fresh one', async () => {
    await client.control.configure({ urlLifetimeSeconds: 0.001 });
    const opened = (await client.openFile('b.dwg', bytes)).json.data;
    expect((await put(opened.segments[0], bytes)).status).toBe(403);
    await client.control.configure({ urlLifetimeSeconds: 3_600 });
    const fresh = (await look(opened.upload_id)).segments;
    expect(fresh).toHaveLength(1);
    expect((await put(fresh[0], bytes)).status).toBe(200);
  });

  test('a connection that ends early keeps nothing, and the same address can be used again', async () => {
    const url = new URL(segment.url);
    await new Promise<void>(resolve => {
      const socket = connect(Number(url.port), url.hostname, () => {
        const lines = Object.entries(segment.headers).map(([name, value]) => `${name}: ${value}\r\n`);
        const head = `PUT ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`;
        socket.write(`${head}${lines.join('')}content-length: ${bytes.length}\r\n\r\nthe`, () =>
          socket.destroy(),
        );
      });
      socket.on('close', () => resolve());
    });
    await client.until(async () => (await client.control.answers())['storage.put']?.none === 1);
    expect((await client.control.files())[0]!.segmentsReceived).toBe(0);
    expect((await put(segment, bytes)).status).toBe(200);
    expect((await put(segment, bytes)).status).toBe(200);
  });

  test('finishing takes unquoted ETags, and the file becomes available after its scan', async () => {
    await client.control.configure({ scanMs: 100_000 });
    const etag = etagOf(await put(segment, bytes));
    const quoted = await client.api('PATCH', client.filePath(id), { part_etags: [`"${etag}"`] });
    expect(quoted.status).toBe(400);
    const patched = await client.api('PATCH', client.filePath(id), { part_etags: [etag] });
    expect(patched.json.data).toEqual({ upload_id: id, status: 'complete' });
    expect(await look(id)).toMatchObject({ status: 'complete', segments: [] });
    await client.until(async () => (await look(id)).status === 'available');
    expect((await put(segment, bytes)).status).toBe(403);
  });

  test('the scan can show as a status of its own', async () => {
    await client.control.configure({ scanMs: 3_600_000, announceScanning: true });
    const etag = etagOf(await put(segment, bytes));
    await client.api('PATCH', client.filePath(id), { part_etags: [etag] });
    expect((await look(id)).status).toBe('scanning');
  });

  test.each([
    ['too many ETags', ['x', 'y']],
    ['an ETag that is not the segment’s', ['0123']],
    ['an empty list', []],
  ])('%s are refused', async (_, part_etags) => {
    await put(segment, bytes);
    expect((await client.api('PATCH', client.filePath(id), { part_etags })).status).toBe(400);
  });

  test('only the user who opened the session can finish or see it', async () => {
    const etag = etagOf(await put(segment, bytes));
    client.token = (await client.control.login()).accessToken;
    expect((await client.api('PATCH', client.filePath(id), { part_etags: [etag] })).status).toBe(403);
    expect((await client.api('GET', client.filePath(id))).status).toBe(403);
  });

  test('the whole file’s hash shows as a status that never becomes available', async () => {
    const answer = await client.api('POST', client.filePath(), {
      file_name: 'c.dwg',
      file_size: bytes.length,
      content_type: 'application/octet-stream',
      sha256: sha256('something else'),
      segments: [{ size: bytes.length, sha256: sha256(bytes) }],
    });
    const { upload_id, segments } = answer.json.data;
    const etag = etagOf(await put(segments[0], bytes));
    await client.api('PATCH', client.filePath(upload_id), { part_etags: [etag] });
    // Longer than the scan takes.
    await new Promise(resolve => setTimeout(resolve, 80));
    expect((await look(upload_id)).status).toBe('complete');
  });
});

describe('files of several segments', () => {
  const parts = [bytesOf(5 * MIB + 1), bytesOf(6 * MIB), bytesOf(7)];
  const whole = Buffer.concat(parts);

  test('segments arrive in any order, partial progress is kept, and the whole is hashed', async () => {
    const { upload_id: id, segments } = (await client.openFile('big.dwg', whole, parts)).json.data;
    const etags: (string | null)[] = [null, null, null];
    etags[2] = etagOf(await put(segments[2], parts[2]!));
    const partial = await client.api('PATCH', client.filePath(id), { part_etags: etags });
    expect(partial.json.data.status).toBe('receiving');
    const missing = (await look(id)).segments;
    expect(missing).toHaveLength(2);
    etags[1] = etagOf(await put(missing[1], parts[1]!));
    etags[0] = etagOf(await put(missing[0], parts[0]!));
    const finished = await client.api('PATCH', client.filePath(id), { part_etags: etags });
    expect(finished.json.data.status).toBe('complete');
    await client.until(async () => (await look(id)).status === 'available');
  });

  test('reports of which each has another null finish no file; one without any does', async () => {
    const halves = [bytesOf(5 * MIB + 1), bytesOf(7)];
    const opened = await client.openFile('halves.dwg', Buffer.concat(halves), halves);
    const { upload_id: id, segments } = opened.json.data;
    const [first, second] = (await Promise.all(halves.map((part, index) => put(segments[index], part)))).map(
      etagOf,
    );
    for (const part_etags of [
      [first, null],
      [null, second],
    ]) {
      const partial = await client.api('PATCH', client.filePath(id), { part_etags });
      expect(partial.json.data.status).toBe('receiving');
      expect((await look(id)).status).toBe('receiving');
    }
    const finished = await client.api('PATCH', client.filePath(id), { part_etags: [first, second] });
    expect(finished.json.data.status).toBe('complete');
  });

  test('all at once comes to the same', async () => {
    const { upload_id: id, segments } = (await client.openFile('big.dwg', whole, parts)).json.data;
    const answers = await Promise.all(parts.map((part, index) => put(segments[index], part)));
    await client.api('PATCH', client.filePath(id), { part_etags: answers.map(etagOf) });
    await client.until(async () => (await look(id)).status === 'available');
  });

  test('segments in another order than declared are refused', async () => {
    const { segments } = (await client.openFile('big.dwg', whole, parts)).json.data;
    expect((await put(segments[0], parts[1]!)).status).toBe(400);
  });

  test('a corrupted segment keeps the file from ever becoming available', async () => {
    await client.control.addFault({
      route: 'storage.put',
      match: { position: 1 },
      action: { kind: 'corrupt-bytes' },
    });
    const { upload_id: id, segments } = (await client.openFile('big.dwg', whole, parts)).json.data;
    const answers = await Promise.all(parts.map((part, index) => put(segments[index], part)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await client.api('PATCH', client.filePath(id), { part_etags: answers.map(etagOf) });
    await new Promise(resolve => setTimeout(resolve, 100));
    expect((await look(id)).status).toBe('complete');
  });
});

function oneSegment(size: number) {
  return { file_size: size, segments: [{ size, sha256: sha256('') }] };
}

function twoSegments(first: number, second: number) {
  return { file_size: first + second, segments: [first, second].map(size => ({ size, sha256: sha256('') })) };
}
