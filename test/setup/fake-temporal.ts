// A program in place of the Temporal CLI, there in a moment: it answers as Temporal's server does, and files
// beside it tell it to be out of order.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FakeTemporal {
  /** The program's path. */
  readonly cli: string;
  /** While this file is there, it answers with errors. */
  readonly broken: string;
  /** While this file is there, one that is started answers nobody. */
  readonly silent: string;
  /** The methods that it was asked, and `/start` for each start. */
  readonly asked: () => readonly string[];
}

export function writeFakeTemporal(folder: string): FakeTemporal {
  const cli = join(folder, 'temporal');
  const broken = join(folder, 'broken');
  const silent = join(folder, 'silent');
  const log = join(folder, 'asked');
  writeFileSync(log, '');
  writeFileSync(cli, programOf(broken, silent, log), { mode: 0o700 });
  return { cli, broken, silent, asked: () => readFileSync(log, 'utf8').split('\n').slice(0, -1) };
}

function programOf(broken: string, silent: string, log: string): string {
  return `#!${process.execPath}
const { appendFileSync, existsSync } = require('node:fs');
const { createServer } = require('node:http2');
if (process.argv.includes('--version')) {
  console.log('temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)');
  process.exit();
}
const note = method => appendFileSync(${JSON.stringify(log)}, method + '\\n');
const port = Number(process.argv[process.argv.indexOf('--port') + 1]);
const server = createServer();
if (existsSync(${JSON.stringify(silent)})) setInterval(() => undefined, 1e6);
else server.listen(port, '127.0.0.1');
note('/start');
server.on('stream', (stream, { ':path': path }) => {
  const head = { ':status': 200, 'content-type': 'application/grpc' };
  note(path.slice(path.lastIndexOf('/')));
  if (existsSync(${JSON.stringify(broken)})) {
    stream.respond({ ...head, 'grpc-status': '14', 'grpc-message': 'interrupted' }, { endStream: true });
    return;
  }
  stream.respond(head, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.alloc(5));
});
`;
}
