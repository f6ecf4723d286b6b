// Whether a port of this machine can be listened on, and whether somebody listens there.

import { connect, createServer } from 'node:net';
import { codeOf } from '../../activities/host/error-code';

const HOST = '127.0.0.1';

/** The code of the error that listening gives, for example EADDRINUSE; undefined when it works. */
export function tryToListen(port: number): Promise<string | undefined> {
  return new Promise(resolve => {
    const server = createServer();
    server.once('error', error => resolve(String(codeOf(error))));
    server.listen(port, HOST, () => server.close(() => resolve(undefined)));
  });
}

/** A port of the address that is free just now; undefined where the address cannot be listened on. */
export function findFreePort(host: string): Promise<number | undefined> {
  return new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(0, host, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : undefined;
      server.close(() => resolve(port));
    });
  });
}

/** True when the port can be listened on just now. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await tryToListen(port)) === undefined;
}

/** True when somebody accepts connections on the port. */
export function isPortServed(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, HOST);
    const tell = (isServed: boolean) => () => {
      socket.destroy();
      resolve(isServed);
    };
    socket.once('connect', tell(true));
    socket.once('error', tell(false));
  });
}
