// Who connects and says nothing takes nobody's place for long; whoever waits for us is waited with.
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Me } from '../../../../client/console/contract/session';
import type { AnyModule } from '../../../../client/console/serve/server';
import { openServer, type ServerBed } from './server-bed';

// A machine that is busy is silent for 100 ms itself.
const SILENT_MS = 400;
const PARTS: readonly AnyModule[] = [
  {
    handlers: {},
    extend: server => {
      server.addContentTypeParser('application/octet-stream', (_request, _payload, done) => done(null));
      server.get('/api/slow', async () => {
        await delay(4 * SILENT_MS);
        return { done: true };
      });
      // As a share that hangs for a while: bytes have come, and nobody takes them.
      server.post('/api/held', { config: { anyone: true } }, async ({ raw }) => {
        await delay(4 * SILENT_MS);
        let bytes = 0;
        for await (const piece of raw) bytes += (piece as Buffer).length;
        return { bytes };
      });
    },
  },
];

let bed: ServerBed;
beforeAll(async () => {
  bed = await openServer({
    modules: PARTS,
    silentMs: SILENT_MS,
    liveEveryMs: { look: 1_000, beat: SILENT_MS / 4 },
  });
});
afterAll(() => bed.close());

function open(...lines: readonly string[]): { socket: Socket; closed: Promise<'closed'> } {
  const { host, port } = new URL(bed.origin);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined).resume();
  const closed = new Promise<'closed'>(resolve => socket.once('close', () => resolve('closed')));
  if (lines.length > 0) socket.write([...lines, `Host: ${host}`, '', ''].join('\r\n'));
  return { socket, closed };
}

const within = async (closed: Promise<'closed'>, ms: number) => {
  const late = new AbortController();
  const end = await Promise.race([closed, delay(ms, 'open', { signal: late.signal }).catch(() => 'open')]);
  late.abort();
  return end;
};

test('who sends nothing is cut off', async () => {
  const { socket, closed } = open();
  const end = await within(closed, 3_000);
  socket.destroy();
  expect(end).toBe('closed');
});

test('who sends a head, and of its body nothing, is cut off', async () => {
  const { csrf } = (await (await fetch(`${bed.origin}/api/me`)).json()) as Me;
  const { socket, closed } = open(
    'POST /api/held HTTP/1.1',
    `Origin: ${bed.origin}`,
    `X-Drawbridge-CSRF: ${csrf}`,
    'Content-Type: application/octet-stream',
    'Content-Length: 1000',
  );
  const end = await within(closed, 3_000);
  socket.destroy();
  expect(end).toBe('closed');
});

test('an answer that takes long is waited for', async () => {
  const response = await bed.ask('/api/slow');
  expect(await response.json()).toEqual({ done: true });
});

test('an upload that we hold back is not cut, and comes whole', async () => {
  const size = 2 * 1024 * 1024;
  const response = await bed.ask('/api/held', {
    method: 'POST',
    body: Buffer.alloc(size),
    headers: { 'content-type': 'application/octet-stream' },
  });
  expect(await response.json()).toEqual({ bytes: size });
});

test('live changes stay open by their beats', async () => {
  const { socket, closed } = open('GET /api/live HTTP/1.1');
  const end = await within(closed, 6 * SILENT_MS);
  socket.destroy();
  expect(end).toBe('open');
});
