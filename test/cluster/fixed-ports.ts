// Ports that a killed part finds free again when it comes back.
import { isPortFree } from '../../workers/temporal/free-port';

/**
 * Below the range that systems give to outgoing connections (Linux: from 32768 on), so that none
 * takes a port while its owner is away. Temporal keeps the ports of its members in PostgreSQL as
 * smallint: none above 32767 is possible.
 */
const FIRST = 12_000;
const LAST = 32_000;

/** As many different ports, all free a moment ago. */
export async function findFixedPorts(count: number): Promise<number[]> {
  const found: number[] = [];
  const start = FIRST + Math.floor(Math.random() * (LAST - FIRST));
  for (let port = start; found.length < count; port = port >= LAST ? FIRST : port + 1) {
    if (await isPortFree(port)) found.push(port);
  }
  return found;
}
