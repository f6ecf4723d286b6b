// For leak-guard.test.ts, in a process of its own: nobody else opens or closes anything there meanwhile.
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { watch } = require('node:fs');
const { connect, createServer } = require('node:net');
const { tmpdir } = require('node:os');
const { countOpen, leftOpen } = require('./leak-guard.cjs');

async function openAndClose() {
  const before = countOpen();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect(server.address().port, '127.0.0.1');
  const [accepted] = await once(server, 'connection');
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const watcher = watch(tmpdir());
  const open = leftOpen(before);
  const openToWhoComesLater = leftOpen(countOpen());
  watcher.close();
  child.stdin.end();
  accepted.destroy();
  socket.destroy();
  server.close();
  await once(child, 'exit');
  while (leftOpen(before).length > 0) await new Promise(setImmediate);
  console.log(JSON.stringify({ open, openToWhoComesLater, closed: leftOpen(before) }));
}

void openAndClose();
