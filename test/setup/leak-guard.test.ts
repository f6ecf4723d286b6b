// What a test file leaves open is seen, whatever other files had left open before it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';

const { countOpen, leftOpen } = require('./leak-guard.cjs') as {
  countOpen: () => ReadonlyMap<string, number>;
  leftOpen: (before: ReadonlyMap<string, number>) => string[];
};

async function untilNothingIsLeft(before: ReadonlyMap<string, number>): Promise<void> {
  while (leftOpen(before).length > 0) await new Promise(setImmediate);
}

test('servers, sockets, processes and watchers that are open are named, and no more once they are closed', async () => {
  const before = countOpen();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  const [accepted] = await once(server, 'connection');
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const watcher = watch(tmpdir());
  expect(leftOpen(before)).toEqual(['1 TCPServerWrap', '2 TCPSocketWrap', '1 ProcessWrap', '1 FSEventWrap']);
  const another = countOpen();
  expect(leftOpen(another)).toEqual([]);
  watcher.close();
  child.stdin?.end();
  accepted.destroy();
  socket.destroy();
  server.close();
  await once(child, 'exit');
  await untilNothingIsLeft(before);
});
