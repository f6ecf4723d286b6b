// Files that travel in a request's body, over real HTTP: what arrives, what a source's trouble leads
// to, and how much memory it takes.
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { Endpoint } from '../../../../activities/service/endpoint';
import { encodeMultipart, type FilePart } from '../../../../activities/service/send/multipart-body';
import { errorOf, makeThing, useClientBed } from '../client-bed';
import { json } from '../scripted-service';

const bed = useClientBed();
const sendThing: Endpoint<
  Record<string, never>,
  undefined,
  Record<string, unknown>,
  { readonly id: string }
> = {
  ...makeThing,
  request: z.record(z.string(), z.unknown()),
  requestForm: 'multipart',
};
const input = { params: {}, companyId: '5001' };

function part(content: Buffer, changes: Partial<FilePart> = {}): FilePart {
  return {
    field: 'attachments[]',
    fileName: 'a.jpg',
    contentType: 'image/jpeg',
    sizeBytes: content.length,
    open: async function* () {
      for (let at = 0; at < content.length; at += 1_000) yield content.subarray(at, at + 1_000);
    },
    ...changes,
  };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

test('fields are nested by brackets, lists repeat, and the declared length is the real one', async () => {
  const file = part(Buffer.from('bytes\r\n--'), { fileName: 'Büro "A"\r\n.jpg' });
  const { body, contentType } = encodeMultipart(
    { project_id: 7, item: { name: 'Öl & Gas', ids: [1, 2], gone: undefined, none: null, on: true } },
    [file],
  );
  const text = await textOf(body.open());
  expect(body.sizeBytes).toBe(Buffer.byteLength(text, 'latin1'));
  const boundary = contentType.split('boundary=')[1];
  const names = [...text.matchAll(/name="([^"]*)"(?:; filename="([^"]*)")?/g)].map(([, name, fileName]) => [
    name,
    fileName === undefined ? undefined : Buffer.from(fileName, 'latin1').toString(),
  ]);
  expect(names).toEqual([
    ['project_id', undefined],
    ['item[name]', undefined],
    ['item[ids][]', undefined],
    ['item[ids][]', undefined],
    ['item[none]', undefined],
    ['item[on]', undefined],
    ['attachments[]', 'Büro %22A%22%0D%0A.jpg'],
  ]);
  expect(text.endsWith(`bytes\r\n--\r\n--${boundary}--\r\n`)).toBe(true);
});

test('the body is opened anew for the repeat after a 401', async () => {
  let opened = 0;
  const content = Buffer.from('x'.repeat(5_000));
  const file = part(content, {
    open: async function* () {
      opened += 1;
      yield content;
    },
  });
  bed().service.answerInTurn(
    (_, response) => json(response, 401, {}),
    (_, response) => json(response, 201, { data: { id: 'a' } }),
  );
  await bed().client.send(sendThing, { ...input, body: { name: 'x' }, files: [file] });
  expect(opened).toBe(2);
  expect(bed().service.seen[1]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
});

test.each([
  ['gives less than was declared', 6_000],
  ['gives more than was declared', 4_000],
])('a file that %s is an error of the file, not of the service', async (_, sizeBytes) => {
  bed().service.answer((_, response) => json(response, 201, { data: { id: 'a' } }));
  const file = part(Buffer.alloc(5_000), { sizeBytes });
  expect(
    await errorOf(bed().client.send(sendThing, { ...input, body: { name: 'x' }, files: [file] })),
  ).toMatchObject({ code: 'SOURCE_CHANGED' });
});

test('an endpoint that takes no files refuses them before anything is sent', async () => {
  const error = await errorOf(
    bed().client.send(makeThing, { ...input, body: { name: 'x' }, files: [part(Buffer.from('a'))] }),
  );
  expect(error).toMatchObject({ code: 'INVALID_REQUEST', effect: 'not-sent' });
  expect(bed().service.seen).toHaveLength(0);
});

describe('a file of 256 MiB', () => {
  let sink: Server;
  let received = 0;
  const hash = createHash('sha256');
  beforeAll(async () => {
    sink = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
        hash.update(chunk);
      });
      request.on('end', () => {
        response.writeHead(201, { 'content-type': 'application/json' });
        response.end('{"data":{"id":"a"}}');
      });
    });
    await new Promise<void>(resolve => sink.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => sink.close());

  test('is sent whole and in little memory', async () => {
    const chunk = Buffer.alloc(256 * 1024, 7);
    const count = 1_024;
    let most = 0;
    const file = part(Buffer.alloc(0), {
      sizeBytes: chunk.length * count,
      open: async function* () {
        for (let index = 0; index < count; index++) {
          yield Buffer.from(chunk);
          most = Math.max(most, process.memoryUsage().rss);
        }
      },
    });
    const client = bed().clientWith({
      baseUrl: `http://127.0.0.1:${(sink.address() as AddressInfo).port}`,
    });
    const before = process.memoryUsage().rss;
    await client.send(sendThing, { ...input, body: { name: 'x' }, files: [file] });
    expect(received).toBeGreaterThan(chunk.length * count);
    expect(most - before).toBeLessThan(96 * 1024 ** 2);
  });
});
