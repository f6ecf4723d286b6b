// Ports for servers that must be told theirs.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below what systems hand out by themselves: between the look and the use no connection
 * of anybody takes one of these.
 */
const FIRST = 15_000;
const LAST = 29_999;

/** Ports that were all free a moment ago; others who look at the same time find others. */
export async function findFreePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = randomInt(FIRST, LAST + 1);
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
